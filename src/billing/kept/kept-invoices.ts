import type DataLoader from 'dataloader';
import { scheduleOfJob } from '../../dispatch/pricing/rate-statement.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { limitsFor } from '../../platform/model/limits.ts';
import { loaderOf } from '../../platform/read/loader.ts';
import type { ParentColumn } from '../auto-add-ons/auto-add-on-assignment.entity.ts';
import { FUELED } from '../fuel/refuse-repricing.ts';
import { Invoice } from '../invoices/invoice.entity.ts';

/** A record by which invoices are priced, and which is changed later (BILLING B5). */
export type Pricing =
  | 'Rate'
  | 'SiteRateSchedule'
  | 'FuelPrice'
  | 'FuelSurchargeSchedule'
  | 'FuelSurchargeSchedulePrice'
  | 'AutoAddOnAssignment';

/** An invoice `i` that stays as it is. Each has a day on which it counts, by which it is found. */
const APPROVED = `i.company_id = any($2::uuid[]) and i.posting_date is not null and i.billing_approved_at is not null and i.state <> 'voided'`;
const BY_SCHEDULE =
  'join add_on a on a.fuel_surcharge_schedule_id = p.schedule_id join add_on_charge h on h.add_on_id = a.id join invoice i on i.id = h.add_on_applicable_id';

/** The side of an invoice `i` that an automatic add-on `a` is charged on. One for settlements alone is on no invoice. */
const ON_ITS_SIDE = `not i.of_material and case a.side when 'customer' then i.side = 'receivable' and 'invoicing' = any(a.add_on_types)
  else i.side = 'payable' and 'driver_pay' = any(a.add_on_types) and (i.payee_driver_id is not null) = (a.side = 'driver') end`;
/** By which column of an invoice `i` an automatic add-on `a` finds the work of its record; schedules are found by their conditions. */
const WORK_OF: readonly [Exclude<ParentColumn, 'site_rate_schedule_id'>, string][] = [
  ['job_assignment_id', 'i.job_assignment_id = a.job_assignment_id'],
  ['job_id', 'i.job_id = a.job_id'],
  ['order_id', 'i.order_id = a.order_id'],
  ['project_id', 'i.project_id = a.project_id'],
  ['rate_id', 'i.rate_id = a.rate_id'],
  // No index has the accounts of invoices: those of an account are looked for among the approved ones of its company (`invoice_posting_idx`), each side by itself.
  ['account_id', `a.side = 'customer' and i.customer_account_id = a.account_id`],
  ['account_id', `a.side <> 'customer' and i.vendor_account_id = a.account_id`],
  ['driver_id', 'i.payee_driver_id = a.driver_id'],
];
/**
 * SQL of the invoices of the work of each automatic add-on $1, each once: an add-on has one record, by whose index its invoices are found. They count where the
 * add-on of a more particular record takes its place.
 */
const ofAutoAddOns = (condition: string): string =>
  [
    ...WORK_OF.map(
      ([
        column,
        found,
      ]) => `select a.id, i.id as invoice from auto_add_on_assignment a join invoice i on ${found} and i.company_id = a.company_id
        where a.id = any($1::uuid[]) and a.${column} is not null and ${ON_ITS_SIDE} and ${condition}`,
    ),
    `select a.id, i.id from auto_add_on_assignment a join site_rate_schedule p on p.id = a.site_rate_schedule_id join invoice i on i.project_id = p.project_id
      join job j on j.id = i.job_id join orders o on o.id = j.order_id where a.id = any($1::uuid[]) and ${scheduleOfJob} = p.id and ${ON_ITS_SIDE} and ${condition}`,
  ].join(' union all ');

/** SQL of the rows of invoices `i` that records $1 price, with the id of the record. Without a condition on the invoices. */
const PRICED: Record<Exclude<Pricing, 'AutoAddOnAssignment'>, string> = {
  Rate: 'select i.rate_id as id, i.id as invoice from invoice i where i.rate_id = any($1::uuid[])',
  // The schedule as it is now: work that meets its conditions, whatever it was priced by.
  SiteRateSchedule: `select p.id, i.id as invoice from site_rate_schedule p join invoice i on i.project_id = p.project_id join job j on j.id = i.job_id
      join orders o on o.id = j.order_id where p.id = any($1::uuid[]) and not i.of_material and ${scheduleOfJob} = p.id`,
  FuelPrice: `select p.id, i.id as invoice from (select f.id, f.fuel_price_index_id, f.date, (select min(n.date) from fuel_price n
        where n.fuel_price_index_id = f.fuel_price_index_id and n.discarded_at is null and n.date > f.date) as until
      from fuel_price f where f.id = any($1::uuid[])) p
    join fuel_surcharge_schedule s on s.fuel_price_index_id = p.fuel_price_index_id join ${FUELED} where w.day >= p.date and (p.until is null or w.day < p.until)`,
  FuelSurchargeSchedule: `select p.schedule_id as id, i.id as invoice from unnest($1::uuid[]) p(schedule_id) ${BY_SCHEDULE} where true`,
  FuelSurchargeSchedulePrice: `select p.id, i.id as invoice from (select r.id, r.fuel_surcharge_schedule_id as schedule_id from fuel_surcharge_schedule_price r
      where r.id = any($1::uuid[])) p ${BY_SCHEDULE} where true`,
};

/**
 * Counts the approved invoices in the viewer's books that a record would price, batched: they keep what they say when it is changed, and whoever changes it
 * learns how many (BILLING B5, B6). Null for those who do not read invoices.
 */
export const keptInvoices = (ctx: Context, pricing: Pricing): DataLoader<string, number | null> =>
  loaderOf(ctx, `keptInvoices${pricing}`, async (ids) => {
    const viewer = viewerOf(ctx);
    if (!viewer.can('view_settlements')) return ids.map(() => null);
    const values: unknown[] = [ids, viewer.companyIds];
    const condition = `${APPROVED}${limitsFor(viewer, Invoice, 'i', values)}`;
    const rowsOfEach =
      pricing === 'AutoAddOnAssignment' ? ofAutoAddOns(condition) : `select distinct * from (${PRICED[pricing]} and ${condition}) each_row`;
    const sql = `select id, count(*)::int as count from (${rowsOfEach}) priced group by id`;
    // The orders of passed work are those of other companies.
    const rows = await withPartnerVisibility(() => queryOf<{ id: string; count: number }>(ctx, sql, values));
    const counts = new Map(rows.map(({ id, count }) => [id, count]));
    return ids.map((id) => counts.get(id) ?? 0);
  });
