import { expect } from '@jest/globals';
import type { Dice } from '../../helpers/properties.ts';
import { type Heard, listed } from './doors.ts';
import type { Facts, Visible } from './facts.ts';
import type { Json } from './scene.ts';

/** What is read below one record, by its type. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  Job: [
    ...['loads', 'job_assignments', 'job_events', 'summary', 'approval_status', 'approvals', 'applied_rates', 'signatures', 'receivable'],
    ...['payable', 'device_status', 'invoicing', 'travelled_distances', 'loads/cycles', 'location_histories'],
  ].map((one) => `/jobs/ID/${one}`),
  Order: [
    ...['jobs', 'loads', 'tickets', 'timeline', 'phases', 'file_attachments', 'invoices', 'materials/typeahead', 'sites/typeahead'],
    ...['tickets/rollup_summary', 'travelled_distances', 'jobs/invoicing', 'default_sites/pickup', 'phases/typeahead'],
  ].map((one) => `/orders/ID/${one}`),
  Load: ['/loads/ID/approvals', '/loads/ID/travelled_distances'],
  Site: ['contacts', 'additional_geofences', 'stats', 'company_shares'].map((one) => `/sites/ID/${one}`),
  Equipment: ['compliance_documents', 'compliance_documents/checklist', 'company_shares'].map((one) => `/equipment/ID/${one}`),
  driver: ['/drivers/ID/device_status', '/drivers/ID/company_shares', '/users/ID/compliance_documents', '/users/ID/location_histories'],
  Invoice: ['add_on_charges', 'invoice_line_items', 'explain'].map((one) => `/invoices/ID/${one}`),
  Settlement: ['add_on_charges', 'invoices', 'loads', 'tickets', 'settlement_line_items', 'explain', 'pdf', 'supplements'].map(
    (one) => `/settlements/ID/${one}`,
  ),
};
/** The same without a company in the path. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  Job: ['tickets', 'timeline', 'files', 'file_attachments', 'auto_add_on_assignments', 'add_on_charges', 'resource_usage_logs'].map(
    (one) => `/v1/jobs/ID/${one}`,
  ),
  Load: ['file_attachments', 'signatures', 'resource_usage_logs'].map((one) => `/v1/loads/ID/${one}`),
};

/** Lists of a company that are read for the words in them. */
const OTHER_LISTS = [
  ...['/orders/dispatch', '/sites/dispatch', '/connected_companies', '/accounts', '/users', '/invoices', '/settlements/payables'],
  ...['/settlements/payables?filter[received]=true', '/settlements/receivables', '/driver_days', '/jobs/approval', '/loads/approval'],
  ...['/orders/invoicing', '/audit_entries', '/merges', '/accounts/connected', '/drivers/faceted_search', '/foremen/faceted_search'],
];

const NOBODY = '00000000-0000-4000-8000-000000000000';

/** Below a record that somebody does not see there is what there is below none; below the others nothing that they may not read. */
export async function compareParts(heard: Heard, dice: Dice, visible: Visible, facts: Facts): Promise<void> {
  const { side, token, name: by } = heard.reader;
  const rows: Record<string, Json[]> = {
    ...{ Job: facts.jobs, Order: facts.orders, Load: facts.loads, Site: facts.sites, Equipment: facts.trucks },
    ...{ driver: facts.people.filter((one) => one.roles.includes('driver')), Invoice: facts.invoices, Settlement: facts.settlements },
  };
  for (const [type, paths] of Object.entries(BELOW)) {
    // What is left of a merged record, and what was discarded, is nothing to read.
    const all = rows[type]!.filter((one) => one.discarded_at == null);
    if (all.length === 0) continue;
    const hidden = all.filter(({ id, company_id }) => !visible[type]!.has(id) && company_id !== side.company.id);
    const seen = all.filter(({ id }) => visible[type]!.has(id));
    // Half of them each time: together they are most of what is read.
    const full = [...paths.map((one) => side.path(one)), ...(ALSO[type] ?? [])].filter(() => dice.chance(0.5));
    for (const [some, isSeen] of [
      [hidden, false],
      [seen, true],
    ] as const) {
      if (some.length === 0) continue;
      const { id } = dice.of(some);
      for (const path of full) {
        const { status, body } = await side.app.http('GET', path.replace('ID', id), { token });
        heard.texts.push(typeof body === 'string' ? body : JSON.stringify(body ?? null));
        if (isSeen) {
          expect([by, path, id, [200, 403, 404].includes(status) ? 'answered' : [status, body]]).toEqual([by, path, id, 'answered']);
          continue;
        }
        const none = await side.app.http('GET', path.replace('ID', NOBODY), { token });
        expect([by, path, id, status, body?.data]).toEqual([by, path, id, none.status, none.body?.data]);
      }
    }
  }
  for (const path of OTHER_LISTS) {
    const [list, query] = path.split('?');
    await listed(heard, side.path(list!), query ? `&${query}` : '');
  }
}
