import type { EntityManager } from '@mikro-orm/postgresql';
import { Concerned, type Watched } from '../../platform/commands/concerned.ts';
import { defineConsequence } from '../../platform/commands/consequences.ts';
import { FollowUps } from '../../platform/commands/follow-up-tasks.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { definePurpose } from '../../platform/database/scope.ts';
import { PRICED_COLUMNS } from '../charges/add-on-charge.entity.ts';
import { payBySql } from '../invoices/facts/job-facts.sql.ts';
import { repricedBy } from '../invoices/following/repriced.ts';
import { invoicesToCompare, voided } from '../invoices/invoice-tasks.ts';

/** Claims and ends tasks of all companies, and looks up whose work a day was. What is written is written as these companies. */
export const PAYING_DAYS = definePurpose('paying_days', {
  day_invoice_task: ['select', 'update', 'delete'],
  job: ['select (id, driver_day_id, company_id)'],
  job_assignment: ['select (job_id, customer_company_id, vendor_company_id)'],
});

/** Days whose payable is to be compared with the shift. */
export const daysToCompare = new FollowUps('day_invoice_task', PAYING_DAYS);

/** On what the pay for a day depends. */
const WATCHED: Watched = {
  DriverDay: new Set([
    ...['started_shift_at', 'ended_shift_at', 'adjusted_started_shift_at', 'adjusted_ended_shift_at', 'shift_adjustment_minutes'],
    ...['billing_approved_at', 'approved_totals'],
  ]),
  AddOnCharge: new Set(['driver_day_id', ...PRICED_COLUMNS]),
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
${daysToCompare.again}`;

const ASK = namedStatement(
  asking(`(d.id = any($1::uuid[]) or d.id in (select h.driver_day_id from add_on_charge h where h.id = any($2::uuid[]))
  or d.id in (select i.driver_day_id from invoice i where i.id = any($3::uuid[])) or d.id in (select j.driver_day_id from job j where j.id = any($4::uuid[])))`),
);
// A setting counts for everything that nobody has approved yet. Jobs of other companies are asked for by the worker, who may write for those.
const DRAFTS = `i.state in ('created', 'in_progress', 'pending') and i.payee_driver_id is not null`;
const CHOSEN = namedStatement(`with drafts as (
    select i.job_id, i.driver_day_id, i.company_id from invoice i
    where ${DRAFTS} and (i.payee_driver_id = any($1::uuid[]) or i.driver_company_id = any($2::uuid[]))),
  jobs as (insert into invoice_task (id, company_id, due_at)
    select j.id, j.company_id, now() from job j join drafts w on w.job_id = j.id where j.company_id = w.company_id order by j.id
    ${invoicesToCompare.again})
  ${asking('d.id in (select coalesce(w.driver_day_id, j.driver_day_id) from drafts w left join job j on j.id = w.job_id)')}`);

/** Has the payables of driver days compared with the days that changed, after the commit. */
export const invoicesOfDays = defineConsequence(
  'invoices of driver days',
  async (tx, changes) => {
    const concerned = new Concerned(changes, WATCHED);
    const noted = daysToCompare.notedIn(changes);
    const repriced = await repricedBy(tx, changes);
    if (concerned.none && noted.length + repriced.days.length === 0) return;
    const days = [
      ...noted,
      ...repriced.days,
      ...concerned.ids('DriverDay'),
      ...['AddOnCharge', 'Job'].flatMap((type) => concerned.inColumn(type, 'driver_day_id')),
    ];
    const invoices = concerned.ids('Invoice', voided);
    const jobs = concerned.ids('Job', ({ id, changes: of }) => (of.driver_id?.[0] ? [id] : []));
    const charges = concerned.ids('AddOnCharge');
    if (days.length + invoices.length + jobs.length + charges.length > 0) await tx.query(ASK, [days, charges, invoices, jobs]);
    const [drivers, companies] = [concerned.ids('User'), concerned.ids('CompanySettings')];
    if (drivers.length + companies.length > 0) await tx.query(CHOSEN, [drivers, companies]);
  },
  { last: true },
);

/** Returns the companies whose records the pay for a day depends on: the driver's, and those of the chains of its jobs. */
export async function companiesOfDay(em: EntityManager, { id, companyId }: { id: string; companyId: string }): Promise<string[]> {
  const rows = await daysToCompare.query<{ id: string }>(
    em,
    `select j.company_id as id from job j where j.driver_day_id = $1
     union select unnest(array[a.customer_company_id, a.vendor_company_id]) from job_assignment a join job j on j.id = a.job_id where j.driver_day_id = $1`,
    [id],
  );
  return [...new Set([companyId, ...rows.flatMap((row) => row.id ?? [])])];
}
