import { expect } from '@jest/globals';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { acceptedOrder, act, connect, drive, makeStaffedTenant, type StaffedTenant, shortHaul } from '../../helpers/staffed-tenant.ts';
import type { Ids } from '../../helpers/walk/ids.ts';
import { type Books, billerOf, event, invoiceOf, ticketed } from '../books.ts';
import { choose } from '../days/worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const HOUR = 3_600_000;

/** The records of a piece of work, by the kinds of the walk. */
export type WorkIds = Pick<
  Ids,
  | 'job'
  | 'finishedJob'
  | 'invoicedJob'
  | 'load'
  | 'ticket'
  | 'order'
  | 'project'
  | 'driverDay'
  | 'paidDay'
  | 'jobAssignment'
  | 'addOnCharge'
  | 'invoice'
>;

/** A finished job of two loads, one with a ticket and one with a reported quantity, of a day that is over, and its invoices. */
export interface Work {
  ids: WorkIds;
  /** Its invoices in the books of its owner. */
  invoices: string[];
}

/** A company that invoices before anything is approved, so that nothing but its invoices holds its work; and a hauler that it hires. */
export async function makeOwner(books: Books): Promise<{ own: StaffedTenant; hauler: StaffedTenant; hired: Json }> {
  const [own, hauler] = [await makeStaffedTenant(books.app), await makeStaffedTenant(books.app)];
  await choose(own, { approvalBeforeInvoice: false });
  return { own, hauler, hired: await connect(own, hauler) };
}

type Owner = Awaited<ReturnType<typeof makeOwner>>;

/**
 * Makes work of a company: by the ton, paid to its own driver by the hour, or passed on to the hauler, who is paid by the ton.
 * @param approved whether its invoices are approved
 */
export async function makeWork(
  books: Books,
  { own, hauler, hired }: Owner,
  { passed, approved }: { passed: boolean; approved: boolean },
): Promise<Work> {
  const biller = await billerOf(own);
  const by = passed ? hauler : own;
  const driver = await by.person({ roles: ['driver'] });
  const project = await own.must('POST', '/v1/projects', { name: `Project ${driver.user.id}`, account_id: own.account.id });
  const pays = passed ? 'vendor' : 'driver';
  const { id: order, jobs } = await acceptedOrder(own, {
    ...{ loads_per_truck: 2, project_id: project.id, phase: { name: 'Base' } },
    ...{ customer_rate_value: 4, customer_rate_type: 'RatePerTon', material_rate_sell_price: 12.5, material_rate_unit_of_measure: 'Ton' },
    ...{ [`${pays}_rate_value`]: 3, [`${pays}_rate_type`]: passed ? 'RatePerTon' : 'RatePerHour' },
  });
  const [{ id: job, job_start_at: start }] = jobs;
  if (passed) await act(own, job, 'assign_vendor', { vendor_id: hired.id });
  await by.dispatcher.must('PATCH', `/v1/jobs/${job}`, { driver_id: driver.user.id });
  await by.dispatcher.must('PUT', `/v1/jobs/${job}/request`, {});
  await drive(driver, job, 'accept', ...shortHaul(2));
  const { id: day } = await driver.must('PUT', '/v1/users/me/driver_day/off_duty', {});
  const times = { adjustedLoggingStartedAt: new Date(start), adjustedLoggingEndedAt: new Date(Date.parse(start) + 5 * HOUR) };
  await books.app.orm.em.fork().nativeUpdate(Job, { id: job }, { ...times, breaks: '{}' } as never, { filters: { tenant: false } });
  const loads: Json[] = (await own.must('GET', `/v1/jobs/${job}/loads`)).sort((a: Json, b: Json) => a.ordinality - b.ordinality);
  const { id: ticket } = await ticketed(own, loads[0], '10');
  await own.admin.must('PATCH', `/v1/loads/${loads[1].id}`, { quantity: 9, unit_of_measure: 'Ton' });
  const { id: addOnCharge } = await own.admin.must('POST', `/v1/jobs/${job}/add_on_charges`, {
    name: 'Wash',
    quantity: 1,
    revenue_rate_value: 25,
  });
  const link = passed ? await linkOf(own, job) : '';
  const invoices: string[] = [];
  for (const side of ['receivable', 'payable']) {
    const { id } = await invoiceOf({ ...books, tenant: own, biller }, job, side);
    const answer = approved ? await event(biller, id, 'approve') : undefined;
    expect([side, answer?.body.error]).toEqual([side, undefined]);
    invoices.push(id);
  }
  const ids = {
    job,
    finishedJob: job,
    invoicedJob: job,
    load: loads[1].id,
    ticket,
    order,
    project: project.id,
    driverDay: day,
    paidDay: day,
  };
  return { ids: { ...ids, jobAssignment: link, addOnCharge, invoice: invoices[0]! }, invoices };
}

async function linkOf(own: StaffedTenant, job: string): Promise<string> {
  const { data } = await own.gql('query($id: ID!) { job(id: $id) { jobAssignments { id } } }', { id: job }, own.admin.token);
  return data.job.jobAssignments[0].id;
}

/** Changes with each write. */
const WRITTEN = /^(updated_at|version)$/;
/** What invoices say nothing of: who approved and looked at work, what is written of it, who has to do with it, and how far it is. */
const UNSAID =
  /^(notes|state|state_changed_at|previous_state|reject_reason|flagged|.*_contact_id|foreman_ids|collaborator_ids|salesperson_ids|own_terms|.*approv(ed|er).*|.*review.*|.*signature.*|paused_.*)$/;

// Each row of the work, and of what its invoices say of it.
const ROWS = `select 'job' as "table", to_jsonb(r) as row from job r where r.id = $1
  union all select 'load', to_jsonb(r) from load r where r.job_id = $1
  union all select 'ticket', to_jsonb(r) from ticket r where r.job_id = $1 and r.voided_at is null
  union all select 'job_assignment', to_jsonb(r) from job_assignment r where r.job_id = $1
  union all select 'driver_day', to_jsonb(r) from driver_day r where r.id = $2
  union all select 'invoice', to_jsonb(r) from invoice r where r.id = any($3::uuid[])
  union all select 'invoice_line_item', to_jsonb(r) from invoice_line_item r where r.invoice_id = any($3::uuid[])
  union all select 'add_on_charge', to_jsonb(r) from add_on_charge r where r.add_on_applicable_id = any($3::uuid[])
  union all select 'orders', jsonb_build_object('id', r.id, 'state', r.state) from orders r where r.id = $4`;

type Said = Map<string, unknown>;

/** What the rows of some work say, and its invoices, as they are once the workers are done. */
export async function saidOf(books: Books, { ids, invoices }: Work): Promise<Said> {
  await books.app.settled();
  const pool = await poolOf(books.app.orm.em.fork());
  const { rows } = await pool.query<{ table: string; row: Record<string, unknown> & { id: string } }>(ROWS, [
    ids.job,
    ids.driverDay,
    invoices,
    ids.order,
  ]);
  return new Map(
    rows.flatMap(({ table, row }) => [
      [`${table} ${row.id} `, true],
      ...Object.entries(row).flatMap(([column, value]): [string, unknown][] =>
        WRITTEN.test(column) ? [] : [[`${table} ${row.id} ${column}`, JSON.stringify(value)]],
      ),
    ]),
  );
}

/** Whether nothing at all has happened. */
export const isSame = (before: Said, after: Said): boolean =>
  [...new Set([...before.keys(), ...after.keys()])].every((key) => before.get(key) === after.get(key));

/** The columns of the tables in which two of them say something else; a row that is there once has its table alone. */
export function differs(before: Said, after: Said): string[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
  const alone = new Set(keys.filter((key) => key.endsWith(' ')));
  const told = keys.filter((key) => {
    const [table, id, column] = key.split(' ');
    return table !== 'orders' && (alone.has(key) || !(alone.has(`${table} ${id} `) || UNSAID.test(column!)));
  });
  return [...new Set(told.map((key) => key.replace(/ [0-9a-f-]{36} /, '.')))].toSorted();
}
