import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

interface Statuses {
  /** As the contract or the OpenAPI file writes it. */
  name: string;
  success: number;
  errors: number[];
}

/** Path parameters are called differently here and there. */
const keyOf = (method: string, path: string) => `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, '{}')}`;

function contract(): Map<string, Statuses> {
  const lines = readFileSync(new URL('./statuses.txt', import.meta.url), 'utf8').split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [method = '', path = '', success, ...errors] = line.split(' ');
      if (line === '' || line.startsWith('#')) return [];
      return [[keyOf(method, path), { name: `${method} ${path}`, success: Number(success), errors: errors.map(Number) }] as const];
    }),
  );
}

function ours(): Map<string, Statuses> {
  const { paths } = JSON.parse(readFileSync('schema/openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, { responses: object }>>;
  };
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => {
        const statuses = Object.keys(responses).map(Number);
        const name = `${method.toUpperCase()} ${path}`;
        return [keyOf(method, path), { name, success: Math.min(...statuses), errors: statuses.filter((status) => status >= 400) }] as const;
      }),
    ),
  );
}

/** Operations the contract does not list, and why we have them. */
const OWN: Record<string, string> = {
  'POST /ingest/': 'SPEC describes the importer, the contract does not',
  'GET /ingest/': 'SPEC describes the importer, the contract does not',
  ' /v1/imported_records': 'the ledger, which the importer needs',
  ' /v1/companies/{company-id}/imported_records': 'the ledger, which the importer needs',
  'GET /v1/company_logos/{id}': 'the image that logo_url of a company leads to',
  'GET /v1/file_attachments/{id}/file': 'the bytes that file_url of an attachment leads to',
  'GET /v1/file_attachments/{id}/preview': 'the image that preview_url of an attachment leads to',
  'GET /v1/kml_files/{id}/file': 'where `file_url` of a KML file leads',
  'GET /v1/kml_files/{kml-file-id}/content': 'the text of a KML file, to a token',
  'GET /v1/bulk_downloads/{id}': 'an archive is answered before it is packed, and the contract does not say where its result is read',
  'GET /v1/bulk_downloads/{id}/file': 'where `url` of its result leads',
  '/merge': 'duplicates, of which the contract says nothing',
  ' /v1/likely_duplicates': 'the same',
  ' /v1/companies/{company-id}/likely_duplicates': 'the same',
  '/quote': 'quotes of projects (DOMAIN 8.18), of which the contract says nothing',
  '/agency_tickets': 'tickets as agencies take them that pay for public works (DOMAIN 8.17), of which the contract says nothing',
  'GET /v1/companies/{company-id}/data_health':
    'what in the records of a company leads to wrong pay (DOMAIN 8.10), of which the contract says nothing',
  'GET /ops/invariants': 'whether the books and events of an installation agree, for who runs it',
  'GET /v1/companies/{company-id}/data_export/tickets/day/{date}/file': "where `file_url` of a day's export leads",
  'GET /v1/companies/{company-id}/accounting_file': 'files for accounting systems without an interface, of which the contract says nothing',
  '/accounting_templates': 'BILLING B12 lets a company choose the columns of its files',
  'GET /v1/companies/{company-id}/settlements/{id}/pdf': 'a settlement as it is printed, which the contract has clients make themselves',
  'PUT /v1/companies/{company-id}/driver_days/bulk_approve':
    'two hundred days are not approved one by one, and the contract has no other way',
  ' /v1/geofence_triggers': 'somebody has to decide about crossings that are not certain, and the contract only works them out',
  ' /v1/companies/{company-id}/geofence_triggers': 'the same',
  '/job_events/{id}/undo': 'what a geofence did may be wrong, and the contract has nothing that takes it back',
  'GET /v1/tickets/{id}/verify': 'whether a ticket is as it was written, of which the contract says nothing',
  'GET /v1/ticket_verifications/{token}': 'where `verify_url` leads',
  'GET /t/{token}': 'the page by which pictures of missing tickets come',
  'POST /t/{token}': 'what that page sends',
  'GET /v1/companies/{company-id}/users/{user-id}/location_histories':
    'people ask for their positions, and whoever hands them out is in the audit log',
  'POST /v1/sms/incoming': 'where the SMS service reports that somebody wants no texts',
  'GET /accounting/setup/{token}': 'the page on which an accounting system is set up',
  'POST /accounting/setup/{token}': 'what that page sends',
  'GET /accounting/systems/{slug}': 'the pictures that linked accounts name',
  'POST /v1/telematics/fleets/{fleet-id}/positions': 'where `push_url` of a fleet leads',
  'GET /v1/tickets/{id}/image/file': 'where `image_url` of a ticket leads',
  'GET /v1/tickets/{id}/image/preview': 'where `preview_url` of a ticket leads',
  'GET /v1/signatures/{id}/image': 'where `image_url` of a signature leads',
  'PUT /v1/direct_uploads/{token}/file': 'where `direct_upload.url` leads',
  ' /v1/sso_connections/{id}': 'the contract looks providers up and says nothing of who keeps them',
  'PUT /v1/sso_connections/{id}/verify_domains': 'a company shows that a domain is its own',
  'GET /v1/sso_connections': 'the same',
  'GET /v1/companies/{company-id}/sso_connections': 'the same',
  ' /v1/iam_roles': 'roles that a company defines',
  'DELETE /v1/users/me/impersonation': 'who acts as somebody may stop before the hour is over',
  'PUT /v1/users/{id}/reactivate': 'who was deactivated may come back',
  'PUT /v1/companies/{company-id}/users/{id}/reactivate': 'the same',
  ' /v1/companies/{company-id}/iam_roles': 'roles that a company defines',
  ' /v1/m2m_clients': 'machine clients are managed here; the contract only names them',
  ' /v1/companies/{company-id}/m2m_clients': 'machine clients are managed here; the contract only names them',
  ' /v1/auth/sso/{id}/': 'where browsers go, to an identity provider and back',
  'GET /v1/auth/sso/{id}/': 'where browsers go, to an identity provider and back',
  '/webhook_subscriptions': 'DOMAIN section 6 has webhooks, and the contract names no path for them',
  '/webhook_deliveries': 'the same',
  'GET /v1/companies/{company-id}/changes': 'followers copy records without missing one, which the contract has no way for',
  'GET /v1/companies/{company-id}/changes/snapshot': 'where they begin',
  '/audit_entries': 'the contract keeps an audit and does not show it',
  '/applied_rates': 'DOMAIN 3.3 asks for the reason why a rate applies',
  '/rates/calculate_cost': 'the contract has its shapes and no path for them',
  '/permission_toggles': 'DOMAIN section 2 has toggles of companies and does not say where they are set',
  'GET /v1/companies/{company-id}/metrics': 'totals, which clients of the contract add up page by page',
  'GET /v1/metric_definitions': 'what those totals mean',
  '/export_schedules': 'who wants a list every morning need not ask for it',
  '/sandboxes': 'the specification has sandboxes made on request; here it is one call (DOMAIN, API users)',
  '/sandbox_messages': 'what a sandbox would have sent',
  '/reporting_logins': 'BI tools read PostgreSQL, of which the contract says nothing',
  'GET /v1/report_pages/{id}': 'what the page that `dashboard_url` leads to shows',
  'GET /v1/report_pages/{id}/csv': 'the same as a sheet',
  'POST /v1/auth/token': 'OAuth 2.0 (RFC 6749)',
  'GET /.well-known/jwks.json': 'RFC 7517',
  'GET /.well-known/oauth-authorization-server': 'RFC 8414',
  'POST /v1/auth/refresh': 'session tokens are short-lived, and the contract does not say how a new one is had',
  'GET /v1/users/{user-id}/sessions': 'who ends sessions must see them',
  ' /v1/users/{user-id}/sessions/{id}': 'one session among several',
  'GET /v1/bulk_actions': 'bulk actions are answered before they are done, and the contract does not say how one learns the outcome',
  'GET /v1/companies/{company-id}/bulk_actions': 'the same',
  '/billing/blockers': 'BILLING B2.2 has one list that says why work is not billed yet',
  '/billing/approvable_invoices': 'what a biller can approve now, next to what is blocked',
  'GET /v1/companies/{company-id}/invoices/{id}':
    'the contract has invoices in lists and by their job, and no way to one that is no longer the first of its job',
  '/note_export': 'somebody has to say whether accounting has what it did not answer',
  '/billing/previews': 'what jobs would be invoiced at, many at once, which the contract only has for one invoice at another rate',
  '/billing/load_matches': 'BILLING B10 compares ticket, report, invoice and bill of a vendor',
  '/billing/vendor_bills': 'the same',
  '/billing_profile': 'BILLING B1 bills accounts as they want it',
  '/billing/periods': 'BILLING B10 closes the books up to a day',
  '/billing/next_period': 'what of these days is not finished',
  '/correct': 'BILLING B9 corrects a settlement in one call',
  '/carry_forward': 'BILLING B9 carries what a payee owes over to the next settlement',
  '/supplements': 'BILLING B2.4 bills what differs from what was billed',
  '/split': 'BILLING B15 approves a part of the loads of an invoice',
  '/fuel_surcharge_schedule_prices/generate': 'BILLING B6 has rows of a schedule made by a formula',
  '/explain': 'BILLING B10 has every amount explain itself, also over REST',
  '/validate': 'what a write would be answered, before it is made',
  'GET /ready': 'whether a process may get traffic',
  'GET /metrics': 'Prometheus',
};

/** Statuses any operation may have beyond the contract's list, and why. */
const BEYOND: Record<number, string> = {
  400: 'bodies and cursors that cannot be read',
  403: 'every operation asks for the permission of the caller',
  404: 'ids in paths, bodies and parameters',
  409: 'a twin with the same Idempotency-Key is running, or the record changed meanwhile',
  412: 'the record has changed since the answer that If-Match names',
  413: 'bodies over 5 MB',
  415: 'bodies that are no JSON',
  422: 'fields that are wrong, and Idempotency-Keys used for something else',
  429: 'too many attempts',
  500: 'a fault of the server',
  503: 'the server stops, or the database is away',
};

test('every operation of the contract that exists answers with its statuses', () => {
  const known = contract();
  const differences: string[] = [];
  for (const [key, { name, success, errors }] of ours()) {
    const theirs = known.get(key);
    if (!theirs) continue;
    if (success !== theirs.success) differences.push(`${name}: succeeds with ${success}, the contract says ${theirs.success}`);
    const missing = theirs.errors.filter((status) => !errors.includes(status));
    const more = errors.filter((status) => !theirs.errors.includes(status) && !BEYOND[status]);
    if (missing.length > 0) differences.push(`${name}: does not list ${missing.join(', ')}`);
    if (more.length > 0) differences.push(`${name}: lists ${more.join(', ')}, which the contract does not`);
  }
  expect(differences).toEqual([]);
});

test('operations outside of the contract have a reason', () => {
  const known = contract();
  // Every scoped operation has an un-scoped twin and the other way round, also where the contract has only one of them.
  const twinOf = (key: string) =>
    key.includes('/companies/{}/') ? key.replace('/companies/{}/', '/') : key.replace('/v1/', '/v1/companies/{}/');
  const unknown = [...ours()].filter(
    ([key, { name }]) => !known.has(key) && !known.has(twinOf(key)) && !Object.keys(OWN).some((part) => name.includes(part)),
  );
  expect(unknown.map(([, { name }]) => name)).toEqual([]);
});

test('the reference lists the endpoints that are no REST documents', () => {
  const names = new Set([...ours().values()].map(({ name }) => name));
  for (const name of ['POST /v1/auth/token', 'GET /.well-known/jwks.json', 'GET /health', 'GET /ready', 'GET /version', 'GET /metrics'])
    expect(names).toContain(name);
});

test('an operation is deprecated exactly where the contract says so', () => {
  const listed = JSON.parse(readFileSync(new URL('./operations.json', import.meta.url), 'utf8')) as {
    method: string;
    path: string;
    deprecated?: boolean;
  }[];
  const old = new Map(listed.map(({ method, path, deprecated }) => [keyOf(method, path), deprecated ?? false]));
  const { paths } = JSON.parse(readFileSync('schema/openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, { deprecated?: boolean }>>;
  };
  const differing = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { deprecated = false }]) =>
      (old.get(keyOf(method, path)) ?? deprecated) === deprecated ? [] : [`${method} ${path}`],
    ),
  );
  expect(differing).toEqual([]);
});
