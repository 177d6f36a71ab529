import type { EntityManager } from '@mikro-orm/postgresql';
import type { JobState } from '../../dispatch/model/states.ts';
import { defineConsequence } from '../../platform/commands/consequences.ts';
import type { AuditRecord } from '../../platform/commands/records.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { claimSql, type Leased } from '../../platform/queue/lease-queue.ts';
import { NOT_ACCEPTED } from './job-facts.ts';

/** Claims and ends tasks of all companies, and looks up whose books a job is in. What is written is written as these companies. */
export const INVOICING = definePurpose('invoicing', {
  invoice_task: ['select', 'update', 'delete'],
  job_assignment: ['select (job_id, customer_company_id, vendor_company_id)'],
});

export interface InvoiceTask extends Leased {
  /** The job. */
  id: string;
  companyId: string;
  /** How often something happened for which its invoices are to be compared with the work. */
  asked: number;
}

/** Columns on which the invoices of a job depend, by type of record. */
const OF: Record<string, ReadonlySet<string>> = {
  Job: new Set([
    ...[
      'state',
      'driver_id',
      'driver_day_id',
      'equipment_id',
      'material_id',
      'project_id',
      'job_start_at',
      'billable_hours',
      'billable_hours_overridden',
    ],
    ...['approved_work_time_minutes', 'adjusted_logging_started_at', 'adjusted_logging_ended_at', 'billing_approved_at', 'breaks'],
    ...['material_sell_price', 'material_rate_unit_of_measure', 'unit_of_measure', 'load_unit_of_measure', 'route_id'],
    ...['customer', 'vendor', 'driver'].flatMap((side) => ['rate_id', 'rate_value', 'rate_type'].map((part) => `${side}_${part}`)),
  ]),
  Load: new Set(['state', 'quantity', 'unit_of_measure', 'billing_approved_at', 'material_id']),
  Ticket: new Set(['load_id', 'quantity', 'unit_of_measure', 'voided_at']),
  Order: new Set(['tax_rate', 'tax_freight', 'tax_material', 'tax_add_ons', 'material_rate_itemized', 'account_id']),
  AddOnCharge: new Set([
    ...[
      'job_id',
      'name',
      'quantity',
      'revenue_rate_value',
      'revenue_cost_rate_type',
      'cost_rate_value',
      'percentage',
      'taxable',
      'add_on_id',
    ],
  ]),
  // One that was voided makes room for another one.
  Invoice: new Set(['state']),
  JobAssignment: new Set(['rate_id', 'rate_value', 'rate_type', 'customer_account_id', 'vendor_account_id', 'vendor_company_id', 'link']),
};

const APPROVALS = new Set(['job.approved', 'job.unapproved', 'load.approved', 'load.unapproved']);

/** What is made before any work: nothing is invoiced for it yet. */
const isPlanned = ({ type, event, changes }: AuditRecord): boolean =>
  event === 'create' &&
  (type === 'Order' ||
    (type === 'Job' && NOT_ACCEPTED.includes(changes.state?.[1] as JobState)) ||
    (type === 'Load' && changes.state?.[1] === 'created'));

// Jobs that nobody has accepted yet have no invoices, unless they were accepted before.
const ASK = namedStatement(`
insert into invoice_task (id, company_id, due_at)
select j.id, j.company_id, now() from job j
where (j.id = any($1::uuid[]) or j.order_id = any($2::uuid[]) or j.id = any(array(select l.job_id from load l where l.id = any($3::uuid[]))))
  and (j.state <> all($4::text[]) or exists (select from invoice i where i.job_id = j.id))
order by j.id
on conflict (id) do update set due_at = now(), attempts = 0, asked = invoice_task.asked + 1`);

/** Has the invoices of jobs compared anew that are paid together with one that changed. */
export const ASK_FOR_JOBS = namedStatement(`
insert into invoice_task (id, company_id, due_at)
select j.id, j.company_id, now() from job j where j.id = any($1::uuid[]) order by j.id
on conflict (id) do update set due_at = now(), attempts = 0, asked = invoice_task.asked + 1`);

/** Has the invoices of jobs compared with the work that changed, after the commit. */
export const invoicesOfJobs = defineConsequence(
  'invoices of jobs',
  async (tx, changes) => {
    const concerned = changes
      .flatMap((records) => records.audits)
      .filter(
        ({ type, event, changes: of }) => OF[type] && (event === 'destroy' || Object.keys(of).some((column) => OF[type]!.has(column))),
      )
      .filter((audit) => !isPlanned(audit));
    // Each company of a chain approves for itself, which changes no record of the work.
    const approvals = changes.flatMap(({ events }) => events).filter(({ name }) => APPROVALS.has(name));
    if (concerned.length + approvals.length === 0) return;
    const named = (type: string, of: (audit: AuditRecord) => unknown[]) => [
      ...new Set(
        concerned
          .filter((one) => one.type === type)
          .flatMap(of)
          .filter((id): id is string => typeof id === 'string'),
      ),
    ];
    const approved = (of: string) => approvals.filter(({ type }) => type === of).map(({ id }) => id);
    const ofColumn = (column: string) => (audit: AuditRecord) => audit.changes[column] ?? [];
    const jobs = [
      ...named('Job', ({ id }) => [id]),
      ...approved('Job'),
      ...['JobAssignment', 'Ticket', 'AddOnCharge'].flatMap((type) => named(type, ofColumn('job_id'))),
    ];
    const charges = named('AddOnCharge', ({ id }) => [id]);
    const loads = [...named('Load', ({ id }) => [id]), ...approved('Load'), ...named('Ticket', ofColumn('load_id'))];
    const tickets = named('Ticket', ({ id }) => [id]);
    const links = named('JobAssignment', ({ id }) => [id]);
    const invoices = named('Invoice', ({ id, changes: of }) => (of.state?.[1] === 'voided' ? [id] : []));
    const more =
      tickets.length + links.length + invoices.length + charges.length > 0
        ? await tx.query<{ id: string }>(
            `select distinct k.job_id as id from ticket k where k.id = any($1::uuid[]) and k.job_id is not null
             union select a.job_id from job_assignment a where a.id = any($2::uuid[])
             union select i.job_id from invoice i where i.id = any($3::uuid[])
             union select h.job_id from add_on_charge h where h.id = any($4::uuid[]) and h.job_id is not null`,
            [tickets, links, invoices, charges],
          )
        : [];
    await tx.query(ASK, [[...jobs, ...more.map(({ id }) => id)], named('Order', ({ id }) => [id]), loads, NOT_ACCEPTED]);
  },
  { last: true },
);

const ask = async <R extends object>(em: EntityManager, sql: string, values: unknown[]): Promise<R[]> =>
  runAsPurpose(INVOICING, async () => (await (await poolOf(em)).query<R>(sql, values)).rows);

const RETURNED = 'id, company_id as "companyId", asked, attempts';

/** Claims at most `most` due tasks for `seconds`. */
export const claimInvoicing = (em: EntityManager, most: number, seconds: number): Promise<InvoiceTask[]> =>
  ask<InvoiceTask>(em, claimSql('invoice_task', { due: 'due_at', attempts: 'attempts' }, RETURNED), [most, seconds]);

/** Ends a task, unless something happened to the job meanwhile. */
export const endInvoicing = (em: EntityManager, { id, asked }: InvoiceTask): Promise<object[]> =>
  ask(em, 'delete from invoice_task where id = $1 and asked = $2', [id, asked]);

/** Makes a task due again after `seconds`. */
export const postponeInvoicing = (em: EntityManager, { id }: InvoiceTask, seconds: number): Promise<object[]> =>
  ask(em, `update invoice_task set due_at = now() + $2 * interval '1 second' where id = $1`, [id, seconds]);

/** Has a job that failed too often looked at again tomorrow. */
export const putOffInvoicing = (em: EntityManager, { id }: InvoiceTask): Promise<object[]> =>
  ask(em, `update invoice_task set due_at = now() + interval '1 day', attempts = 0 where id = $1`, [id]);

/** Returns the companies in whose books a job may be: its owner's, and those of its links. */
export async function companiesOfJob(em: EntityManager, { id, companyId }: { id: string; companyId: string }): Promise<string[]> {
  const rows = await ask<{ id: string }>(
    em,
    `select a.customer_company_id as id from job_assignment a where a.job_id = $1
     union select a.vendor_company_id from job_assignment a where a.job_id = $1 and a.vendor_company_id is not null`,
    [id],
  );
  return [...new Set([companyId, ...rows.map((row) => row.id)])];
}
