import type { EntityManager } from '@mikro-orm/postgresql';
import { defineConsequence } from '../../platform/commands/consequences.ts';
import type { AuditRecord } from '../../platform/commands/records.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { claimSql, type Leased } from '../../platform/queue/lease-queue.ts';
import { payBySql } from '../invoices/job-facts.sql.ts';

/** Claims and ends tasks of all companies, and looks up whose work a day was. What is written is written as these companies. */
export const PAYING_DAYS = definePurpose('paying_days', {
  day_invoice_task: ['select', 'update', 'delete'],
  job: ['select (id, driver_day_id, company_id)'],
  job_assignment: ['select (job_id, customer_company_id, vendor_company_id)'],
});

export interface DayInvoiceTask extends Leased {
  /** The day. */
  id: string;
  companyId: string;
  /** How often something happened for which its payable is to be compared with the day. */
  asked: number;
}

/** Columns on which the pay for a day depends, by type of record. */
const OF: Record<string, ReadonlySet<string>> = {
  DriverDay: new Set([
    ...['started_shift_at', 'ended_shift_at', 'adjusted_started_shift_at', 'adjusted_ended_shift_at', 'shift_adjustment_minutes'],
    ...['billing_approved_at', 'approved_totals'],
  ]),
  AddOnCharge: new Set([
    ...[
      'driver_day_id',
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
  Job: new Set(['driver_day_id', 'driver_id']),
  Invoice: new Set(['state']),
  User: new Set(['pay_by']),
  CompanySettings: new Set(['driver_pay_by', 'breaks_paid', 'overtime_paid', 'overtime_after_minutes']),
};

/** SQL that has the payables of days compared with their shifts: of days that are paid as such, or that have a payable. */
const asking = (days: string): string => `
insert into day_invoice_task (id, company_id, due_at)
select d.id, d.company_id, now() from driver_day d join app_user u on u.id = d.driver_id left join company_settings cs on cs.id = d.company_id
where ${days} and (${payBySql('u', 'cs')} = 'driver_day' or exists (select from invoice i where i.driver_day_id = d.id and i.state <> 'voided'))
order by d.id
on conflict (id) do update set due_at = now(), attempts = 0, asked = day_invoice_task.asked + 1`;

/** Has the payable of the day of a job compared with its shift, by the worker of jobs. */
export const ASK_FOR_DAY = namedStatement(asking('d.id = $1'));

const ASK = namedStatement(
  asking(`(d.id = any($1::uuid[]) or d.id in (select h.driver_day_id from add_on_charge h where h.id = any($2::uuid[]))
  or d.id in (select i.driver_day_id from invoice i where i.id = any($3::uuid[])) or d.id in (select j.driver_day_id from job j where j.id = any($4::uuid[])))`),
);
// What was chosen counts for what nobody has approved yet. Jobs of other companies are asked for by the worker, who may write for those.
const DRAFTS = `i.state in ('created', 'in_progress', 'pending') and i.payee_driver_id is not null`;
const CHOSEN = namedStatement(`with drafts as (
    select i.job_id, i.driver_day_id, i.company_id from invoice i
    where ${DRAFTS} and (i.payee_driver_id = any($1::uuid[]) or i.driver_company_id = any($2::uuid[]))),
  jobs as (insert into invoice_task (id, company_id, due_at)
    select j.id, j.company_id, now() from job j join drafts w on w.job_id = j.id where j.company_id = w.company_id order by j.id
    on conflict (id) do update set due_at = now(), attempts = 0, asked = invoice_task.asked + 1)
  ${asking('d.id in (select coalesce(w.driver_day_id, j.driver_day_id) from drafts w left join job j on j.id = w.job_id)')}`);

/** Has the payables of driver days compared with the days that changed, after the commit. */
export const invoicesOfDays = defineConsequence(
  'invoices of driver days',
  async (tx, changes) => {
    const concerned = changes
      .flatMap((records) => records.audits)
      .filter(
        ({ type, event, changes: of }) => OF[type] && (event === 'destroy' || Object.keys(of).some((column) => OF[type]!.has(column))),
      );
    if (concerned.length === 0) return;
    const idsOf = (type: string, of: (audit: AuditRecord) => unknown[] = ({ id }) => [id]) => [
      ...new Set(
        concerned
          .filter((one) => one.type === type)
          .flatMap(of)
          .filter((id): id is string => typeof id === 'string'),
      ),
    ];
    const dayOf = ({ changes: of }: AuditRecord) => of.driver_day_id ?? [];
    const days = [...idsOf('DriverDay'), ...idsOf('AddOnCharge', dayOf), ...idsOf('Job', dayOf)];
    const invoices = idsOf('Invoice', ({ id, changes: of }) => (of.state?.[1] === 'voided' ? [id] : []));
    const jobs = idsOf('Job', ({ id, changes: of }) => (of.driver_id?.[0] ? [id] : []));
    const charges = idsOf('AddOnCharge');
    if (days.length + invoices.length + jobs.length + charges.length > 0) await tx.query(ASK, [days, charges, invoices, jobs]);
    const [drivers, companies] = [idsOf('User'), idsOf('CompanySettings')];
    if (drivers.length + companies.length > 0) await tx.query(CHOSEN, [drivers, companies]);
  },
  { last: true },
);

const ask = async <R extends object>(em: EntityManager, sql: string, values: unknown[]): Promise<R[]> =>
  runAsPurpose(PAYING_DAYS, async () => (await (await poolOf(em)).query<R>(sql, values)).rows);

const RETURNED = 'id, company_id as "companyId", asked, attempts';

/** Claims at most `most` due tasks for `seconds`. */
export const claimDays = (em: EntityManager, most: number, seconds: number): Promise<DayInvoiceTask[]> =>
  ask<DayInvoiceTask>(em, claimSql('day_invoice_task', { due: 'due_at', attempts: 'attempts' }, RETURNED), [most, seconds]);

/** Ends a task, unless something happened to the day meanwhile. */
export const endDay = (em: EntityManager, { id, asked }: DayInvoiceTask): Promise<object[]> =>
  ask(em, 'delete from day_invoice_task where id = $1 and asked = $2', [id, asked]);

/** Makes a task due again after `seconds`. */
export const postponeDay = (em: EntityManager, { id }: DayInvoiceTask, seconds: number): Promise<object[]> =>
  ask(em, `update day_invoice_task set due_at = now() + $2 * interval '1 second' where id = $1`, [id, seconds]);

/** Has a day that failed too often looked at again tomorrow. */
export const putOffDay = (em: EntityManager, { id }: DayInvoiceTask): Promise<object[]> =>
  ask(em, `update day_invoice_task set due_at = now() + interval '1 day', attempts = 0 where id = $1`, [id]);

/** Returns the companies whose records the pay for a day depends on: the driver's, and those of the chains of its jobs. */
export async function companiesOfDay(em: EntityManager, { id, companyId }: { id: string; companyId: string }): Promise<string[]> {
  const rows = await ask<{ id: string }>(
    em,
    `select j.company_id as id from job j where j.driver_day_id = $1
     union select unnest(array[a.customer_company_id, a.vendor_company_id]) from job_assignment a join job j on j.id = a.job_id where j.driver_day_id = $1`,
    [id],
  );
  return [...new Set([companyId, ...rows.flatMap((row) => row.id ?? [])])];
}
