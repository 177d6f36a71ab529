import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { allPurposes } from '../../../src/platform/database/scope.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { CONTROL, isUnnamed, textsOf } from '../../helpers/unnamed-statements.ts';
import { foreignKeysOf, LEADS_OUT } from './company-keys.ts';

/**
 * Keeps the schema such that its tables can be distributed over many machines by company (docs/scale.md): what is new belongs to a company, or
 * says here why not.
 */
let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true, worker: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const ask = <T extends object>(sql: string) => app.orm.em.execute<T[]>(sql);

/** Small tables that every machine would have a copy of. */
const REFERENCE: Record<string, string> = {
  company: 'the directory of companies: every statement of every company may name partners',
  geocoded_address: 'places of addresses, the same for everybody',
  iam_role: 'the roles of the product have no company, those of a company do; a few rows each',
  line_item_type: 'words of the product',
  material_type: 'words of the product',
  migration: 'which migrations have run',
  service_type: 'words of the product',
};

/** Tables without a company that would be in one place, next to the directory of companies: they are asked before it is known whose request it is. */
const CENTRAL: Record<string, string> = {
  archive_comparison: 'partitions of the one server; each machine would have its own',
  archive_stray: 'files of the one storage',
  credential: 'whoever signs in names an address; the company follows from it',
  notification_cursor: 'how far the one reader of events is',
  open_stream: 'addresses of the network have no company',
  one_time_secret: 'the links of mails lead to a person, and so to a company',
  outgoing_message: 'codes go to numbers and addresses before anybody has signed in',
  rate_limit: 'addresses of the network have no company',
  sealing_key: 'the keys of the installation',
  signing_key: 'the keys of the installation',
  sms_consent: 'belongs to a telephone number, whoever writes to it',
  sso_attempt: 'a sign-in that is under way',
  sso_domain: 'a domain leads to its company',
  sso_ticket: 'a sign-in that is under way',
  storage_mark: 'names the one storage',
  wal_timeline: 'the histories of the log of the one server; each machine would have its own',
};

/** Secrets of a record, apart from it: they would be placed with it by a company of their own. */
const WITH_THEIR_RECORD: Record<string, string> = {
  accounting_secret: 'linked_account',
  export_secret: 'export_schedule',
  reporting_login_verifier: 'reporting_login',
  sso_secret: 'sso_connection',
  telematics_secret: 'telematics_fleet',
  webhook_secret: 'webhook_subscription',
};

/** The tables, and whether each row has a company; null for those without. */
const tablesOfAll = () =>
  ask<{ name: string; company: boolean | null }>(
    `select c.relname as name, (select a.attnotnull from pg_attribute a where a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped) as company
     from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace order by 1`,
  );

test('every table is distributed by company, is small and everywhere, or is in one place for a reason', async () => {
  const tables = await tablesOfAll();
  const listed = { ...REFERENCE, ...CENTRAL, ...WITH_THEIR_RECORD };
  const without = tables.filter(({ company }) => company === null).map(({ name }) => name);
  expect(without.filter((name) => !listed[name])).toEqual([]);
  // A row whose company is null belongs to nobody, and so to no machine.
  expect(tables.filter(({ name, company }) => company === false && !listed[name]).map(({ name }) => name)).toEqual(COMPANY_MAY_BE_NULL);
  expect(Object.keys(listed).filter((name) => !tables.some((table) => table.name === name))).toEqual([]);
});

/**
 * Their rows belong to a company, except those of the directory: addresses and contacts of companies themselves, and reports of the product. These
 * would be copied to their companies. A file of events has those of all companies of a machine.
 */
const COMPANY_MAY_BE_NULL = ['address', 'archive_piece', 'contact', 'report', 'report_category'];

/**
 * Keys that hold across all companies. PostgreSQL cannot keep them on many machines, so their columns would be claimed in the directory, as names of
 * domains are today.
 */
const ACROSS: Record<string, string> = {
  accounting_setup_link_hash_key: 'a link that leads to its company',
  accounting_setup_public_hash_key: 'a token that leads to its company',
  app_user_email_key: 'an address signs in one person',
  app_user_phone_key: 'a number signs in one person',
  change_pending_pkey: 'the place in the queue of changes that wait for their feed; each machine would have its own',
  device_token_key: 'a telephone has one owner, whoever signs in on it',
  iam_role_key_key: 'the roles of the product, which belong to no company',
  machine_client_client_id_key: 'the client id leads to its company',
  machine_client_external_key: 'the subject of an external issuer leads to its company',
  outbox_event_position_key: 'one order of all events, for the one reader of them; each machine would have its own',
  photo_link_pkey: 'a link that leads to its company',
  reporting_login_username_key: 'a role of the database server',
  user_session_family_key: 'a token that leads to its person',
};

/** The unique keys of tables with a company, and their columns with ids. */
const uniqueKeys = () =>
  ask<{ name: string; columns: string[] | null; parents: string[] | null }>(
    `select i.indexrelid::regclass::text as name,
       (select array_agg(a.attname::text) from pg_attribute a where a.attrelid = i.indrelid and a.attnum = any(i.indkey::int2[])) as columns,
       (select array_agg(a.attname::text) from pg_attribute a where a.attrelid = i.indrelid and a.atttypid = 'uuid'::regtype and a.attname ~ '(^|_)id$'
         and pg_get_indexdef(i.indexrelid) ~ ('[(, ]' || a.attname || '[,) ]')) as parents
     from pg_index i join pg_class c on c.oid = i.indrelid
     where i.indisunique and c.relnamespace = 'public'::regnamespace and not c.relispartition
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped) order by 1`,
  );

test('every unique key carries the company, is of a record that has only one, or is listed', async () => {
  const keys = await uniqueKeys();
  expect(keys.length).toBeGreaterThan(200);
  // An id is drawn once for all companies, and a record has one company: with it in front, such a key holds what it held.
  const free = keys.filter(({ name, columns, parents }) => !columns?.includes('company_id') && !parents && !ACROSS[name]);
  expect(free.map(({ name }) => name)).toEqual([]);
  const unneeded = Object.keys(ACROSS).filter((name) => !keys.some((key) => key.name === name && !key.columns?.includes('company_id')));
  expect(unneeded).toEqual([]);
});

test('every foreign key leads to a record of the same company, or is listed', async () => {
  const keys = await foreignKeysOf(app);
  // Whether a key leads out of its company shows where there are such records: test/app/demo-billing.test.ts looks at those of the demo.
  const names = new Set(keys.filter(({ between, carries }) => between && !carries).map(({ name }) => name));
  expect(names.size).toBeGreaterThan(200);
  expect(Object.keys(LEADS_OUT).filter((name) => !names.has(name))).toEqual([]);
  // Tables that are small and everywhere may be named by all.
  const elsewhere = keys.filter(({ owned, between, parent }) => owned && !between && !REFERENCE[parent]);
  expect(elsewhere.map(({ name }) => name)).toEqual([]);
});

test('keys that do not carry the company are those that were looked at', async () => {
  // With an id in front they hold on each machine what they hold on one, or lead to the company of their record. A new one is a decision, also if it is
  // neither across companies nor leads out of one: `npm test -- test/platform/database/ready-to-distribute.test.ts -u` writes the lists anew.
  const unique = (await uniqueKeys()).filter(({ columns, name }) => !columns?.includes('company_id') && !ACROSS[name]);
  expect(unique.map(({ name, columns }) => `${name} (${columns?.join(', ') ?? 'an expression'})`)).toMatchSnapshot('unique keys');
  const foreign = (await foreignKeysOf(app)).filter(({ between, carries, name }) => between && !carries && !LEADS_OUT[name]);
  expect([...new Set(foreign.map(({ name, parent }) => `${name} to ${parent}`))].sort()).toMatchSnapshot('foreign keys');
});

/** The purposes across companies, and how each would work with many machines. */
const PURPOSES: Record<string, string[]> = {
  // Asked of the directory, before it is known whose request it is, or of what is unique in the whole product.
  directory: [
    ...[
      'sign_in',
      'spending',
      'sso_served',
      'domain_holders',
      'domain_proofs',
      'sso_attempts_end',
      'taken',
      'platform_ids',
      'logos',
      'photo_links',
    ],
    ...['devices', 'signing', 'sealing', 'sms_consent', 'sending', 'deliveries', 'sms_numbers', 'accounting_secrets', 'open_streams'],
  ],
  // Looks for what is due: each machine would have a worker of its own.
  'each machine': [
    ...[
      'ended_sessions',
      'keys',
      'list_exports',
      'list_export_mails',
      'previews',
      'orphans',
      'old_changes',
      'ended_shares',
      'feeds',
      'old_webhooks',
      'webhooks_switched_off',
    ],
    ...[
      'webhook_deliveries',
      'settlement_mails',
      'invoicing',
      'paying_days',
      'fuel_prices',
      'accounting_exports',
      'accounting_imports',
      'bulk',
      'notifications',
    ],
    ...[
      'forgotten_shifts',
      'ledger',
      'readings',
      'downloads',
      'reviews',
      'chases',
      'reminders',
      'telematics_fleets',
      'position_retention',
      'position_tasks',
    ],
    ...['queues', 'ticket_matches', 'invariants', 'archiving', 'sandbox_clocks', 'sandbox_ends'],
  ],
  // Names a record of the caller's company, whose machine would be asked.
  'the record': ['sso_secrets', 'list_export_secrets', 'webhook_secrets', 'telematics_secrets', 'former_ids', 'reporting_logins'],
  // Follows work or shares from company to company: several machines would take part.
  partners: ['merging', 'shares', 'administrators', 'fences', 'webhook_notes'],
};

test('everything that acts across companies says how it would with many machines', () => {
  const listed = Object.values(PURPOSES).flat();
  expect(
    allPurposes()
      .map(({ name }) => name)
      .filter((name) => !listed.includes(name)),
  ).toEqual([]);
  expect(listed.filter((name) => !allPurposes().some((one) => one.name === name))).toEqual([]);
  expect(listed.filter((name, at) => listed.indexOf(name) !== at)).toEqual([]);
});

test('docs/scale.md counts what there is', async () => {
  const page = readFileSync('docs/scale.md', 'utf8');
  const countOf = (list: object) => Object.keys(list).length;
  const by = (kind: string) => PURPOSES[kind]!.length;
  const purposes = Object.values(PURPOSES).flat().length;
  const said = [
    `${countOf(REFERENCE)} become reference tables, with a copy everywhere`,
    `; ${countOf(CENTRAL)} stay in one place`,
    `; ${countOf(WITH_THEIR_RECORD)} with secrets get`,
    `. ${countOf(ACROSS)} hold across companies`,
    `| ${countOf(LEADS_OUT)} lead out of the company`,
    `one of ${purposes} listed purposes`,
    `| Purposes | ${purposes} | ${by('each machine')} look for what is due, and would run on each machine; ${by('directory')} ask the directory; ${by('the record')} name a record, and so its machine; ${by('partners')} follow`,
  ];
  expect(said.filter((words) => !page.includes(words))).toEqual([]);
  // Numbers that grow with each migration are given in words that hold for long.
  const share = <T>(all: readonly T[], has: (one: T) => boolean) => all.filter(has).length / all.length;
  const tables = await tablesOfAll();
  expect(page).toContain('| Tables | Five of six have a `company_id`; in six of them it may be null |');
  expect(Math.round(6 * share(tables, ({ company }) => company !== null))).toBe(5);
  expect(tables.filter(({ company }) => company === false)).toHaveLength(6);
  expect(page).toContain('| Unique keys | Fewer than one of four carries the company |');
  expect(share(await uniqueKeys(), ({ columns }) => columns?.includes('company_id') ?? false)).toBeLessThan(0.25);
  const keys = await foreignKeysOf(app);
  expect(page).toContain('| Foreign keys | Two of three lead from company to company, most others to companies |');
  expect(Math.round(3 * share(keys, ({ between }) => between))).toBe(2);
  expect(
    share(
      keys.filter(({ between }) => !between),
      ({ parent }) => parent === 'company',
    ),
  ).toBeGreaterThan(0.5);
});

test('every statement of requests and imports names its companies, or acts for a listed purpose', async () => {
  const statements = await app.overhear(async () => {
    const order = await makeOrder(tenant, { truck_count: 1 });
    const path = `/orders/${order.id}`;
    await tenant.must('PUT', tenant.path(`${path}/accept`));
    const [job] = await tenant.must('GET', tenant.path(`${path}/jobs`));
    await tenant.must('PATCH', `/v1/jobs/${job.id}`, { notes: 'Gate 3' });
    await tenant.must('GET', '/v1/orders');
    await tenant.gql(
      '{ dayBoard { jobsByState { state count } } loads(first: 5) { nodes { id } count { value } } metrics(measures: [loads]) { nodes { values } } }',
    );
    await tenant.must('POST', '/ingest/orders', {
      orders: [{ external_id: 'N-1', load_at: '2026-12-01T07:00:00', customer: { external_id: 'C-1', name: 'Acme' } }],
    });
    await app.settled();
    await tenant.must('GET', `/v1/companies/${tenant.company.id}/changes`);
  });
  const reading = statements.filter(({ sql }) => !CONTROL.test(sql));
  expect(reading.filter(({ scope }) => scope.companyIds.length > 0).length).toBeGreaterThan(40);
  // test/isolation/at-once.test.ts asks the same of every mutation.
  expect(textsOf(statements.filter(isUnnamed))).toEqual([]);
});
