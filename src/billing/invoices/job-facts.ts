import type { Currency } from '../../directory/companies/company-enums.ts';
import type { RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import type { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { ALL_WORK, deliveries } from '../../dispatch/model/delivered.ts';
import { jobSummarySql } from '../../dispatch/model/job-summary.ts';
import type { JobState, LoadState } from '../../dispatch/model/states.ts';
import { incrementSql, minimumSql } from '../../dispatch/pricing/rate-statement.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import type { Query } from '../../platform/database/sql.ts';
import { decimalText } from '../../platform/decimal.ts';
import type { AddOnRateType, AddOnType } from '../add-ons/add-on.entity.ts';
import { autoAddOnsOf } from '../auto-add-ons/applying.ts';
import { fuelRateOn } from '../fuel/fuel-rate.ts';
import type { FuelSurchargeScheduleType } from '../fuel/fuel-surcharge-schedule.entity.ts';

/** A rate as it is noted on a job or agreed on along a link. Numbers are decimal texts, as PostgreSQL writes them. */
export interface RateFacts {
  rateId: string | null;
  type: RateType | null;
  value: string | null;
  minimum: string | null;
  increment: string | null;
}

/** A load that is to be paid, or that keeps a job from being paid. */
export interface LoadOfJob {
  id: string;
  loadId: string;
  state: LoadState;
  version: number;
  quantity: string | null;
  unit: UnitOfMeasure | null;
  /** Of the ticket that says the quantity; null if it was reported. */
  ticketId: string | null;
  ticketVersion: number | null;
  /** Companies that approved it for billing. */
  approvedBy: string[];
}

/** A link of the chain by which a job was passed on. */
export interface LinkOfJob extends RateFacts {
  id: string;
  customerCompanyId: string;
  vendorCompanyId: string | null;
  customerAccountId: string | null;
  vendorAccountId: string | null;
}

/** A charge that was requested for a job, or that comes by itself, in the books of one company. */
export interface ChargeOfJob {
  /** Of the request, or of the assignment by which it comes. */
  id: string;
  /** Of a charge that comes by itself: the side on which it is. */
  auto?: RateOwnerType;
  companyId: string;
  addOnId: string | null;
  name: string;
  quantity: string;
  type: AddOnRateType;
  /** What a customer pays for one; what a vendor or driver gets, or null for the same. */
  rate: string | null;
  costRate: string | null;
  percentage: string | null;
  taxable: boolean;
  /** Where the add-on may be used; null of a charge without one. */
  uses: AddOnType[] | null;
  scheduleId: string | null;
  scheduleType: FuelSurchargeScheduleType | null;
  /** What the schedule charges on the day of the work; null if nobody knows, absent without a schedule. */
  billSurcharge?: string | null;
}

/** Books in which a job may be invoiced. */
export interface BooksCompany {
  id: string;
  currency: Currency;
  /** The local date of the job's start. */
  serviceDate: string;
  /** The local date of the order, by which fuel is charged (BILLING B6). */
  fuelDate: string;
}

/** Everything that the invoices of a job depend on. */
export interface JobFacts {
  id: string;
  version: number;
  companyId: string;
  orderId: string;
  projectId: string | null;
  equipmentId: string | null;
  materialId: string | null;
  driverId: string | null;
  driverCompanyId: string | null;
  pickupSiteId: string | null;
  dropoffSiteId: string | null;
  state: JobState;
  accountId: string;
  /** What somebody decided instead of the work, in hours. */
  overridingHours: string | null;
  approvedMinutes: number | null;
  workedMinutes: number | null;
  startedAt: string | null;
  endedAt: string | null;
  approvedBy: string[];
  taxRate: string | null;
  taxFreight: boolean;
  taxMaterial: boolean;
  taxAddOns: boolean;
  itemized: boolean;
  sellPrice: string | null;
  materialUnit: UnitOfMeasure | null;
  rates: Partial<Record<RateOwnerType, RateFacts>>;
  links: LinkOfJob[];
  loads: LoadOfJob[];
  companies: BooksCompany[];
  charges: ChargeOfJob[];
}

const SIDES: readonly RateOwnerType[] = ['customer', 'vendor', 'driver'];
/** A rate that was noted before minimum and increment were has those of its card. */
const noted = (
  side: RateOwnerType,
): string => `'${side}', (select jsonb_build_object('rateId', n.rate_id, 'type', n.rate_type, 'value', n.value,
    'minimum', coalesce(n.minimum, case when not s.value ? 'minimum' then ${minimumSql('c')}::text end),
    'increment', coalesce(n.increment, case when not s.value ? 'increment' then ${incrementSql('c')}::text end))
  from (select j.rate_source -> '${side}' as value) s
    cross join jsonb_to_record(s.value) n(rate_id uuid, rate_type text, value text, minimum text, increment text)
    left join rate c on c.id = n.rate_id where s.value is not null)`;
const site = (type: string, order: string): string =>
  `(select w.site_id from waypoint w where w.route_id = j.route_id and w.type = '${type}' order by w.ordinality ${order}, w.id ${order} limit 1)`;
const approvedBy = (type: 'Job' | 'Load', own: string, id: string): string => `array_remove(array_append(array(
    select s.company_id from approval_state s where s.approvable_type = '${type}' and s.approvable_id = ${id} and s.billing_approved_at is not null),
    case when ${own}.billing_approved_at is not null then ${own}.company_id end), null)`;

const FACTS = namedStatement(`
select jsonb_build_object('id', j.id, 'version', j.version, 'companyId', j.company_id, 'orderId', j.order_id, 'projectId', j.project_id, 'equipmentId', j.equipment_id,
    'materialId', coalesce(j.material_id, o.material_id), 'driverId', j.driver_id, 'driverCompanyId', (select u.company_id from app_user u where u.id = j.driver_id),
    'pickupSiteId', ${site('pickup', 'asc')}, 'dropoffSiteId', ${site('drop_off', 'desc')}, 'state', j.state, 'accountId', o.account_id,
    'overridingHours', case when j.billable_hours_overridden then j.billable_hours::text end, 'approvedMinutes', j.approved_work_time_minutes,
    'workedMinutes', (s.summary ->> 'workTimeMinutes')::int,
    'startedAt', coalesce(s.summary ->> 'adjustedLoggingStartedAt', s.summary ->> 'loggingStartedAt'),
    'endedAt', coalesce(s.summary ->> 'adjustedLoggingEndedAt', s.summary ->> 'loggingEndedAt'),
    'approvedBy', ${approvedBy('Job', 'j', 'j.id')}, 'taxRate', o.tax_rate::text, 'taxFreight', o.tax_freight, 'taxMaterial', o.tax_material, 'taxAddOns', o.tax_add_ons,
    'itemized', o.material_rate_itemized, 'sellPrice', j.material_sell_price::text, 'materialUnit', j.material_rate_unit_of_measure,
    'rates', jsonb_strip_nulls(jsonb_build_object(${SIDES.map(noted).join(', ')})),
    'links', coalesce((select jsonb_agg(jsonb_build_object('id', a.id, 'customerCompanyId', a.customer_company_id, 'vendorCompanyId', a.vendor_company_id,
        'customerAccountId', a.customer_account_id, 'vendorAccountId', a.vendor_account_id, 'rateId', a.rate_id, 'type', coalesce(a.rate_type, c.type),
        'value', coalesce(a.rate_value, c.time_rate, c.unit_rate, c.commission_percentage, c.commission_amount, c.flat_amount)::text,
        'minimum', ${minimumSql('c')}::text, 'increment', ${incrementSql('c')}::text) order by a.link)
      from job_assignment a left join rate c on c.id = a.rate_id where a.job_id = j.id), '[]'),
    'loads', coalesce((select jsonb_agg(jsonb_build_object('id', d.id, 'loadId', l.load_id, 'state', d.state, 'version', l.version, 'quantity', d.quantity::text,
        'unit', d.unit_of_measure, 'ticketId', k.id, 'ticketVersion', k.version, 'approvedBy', ${approvedBy('Load', 'l', 'l.id')}) order by l.ordinality)
      from (${deliveries(ALL_WORK)}) d join load l on l.id = d.id left join ticket k on k.load_id = d.id and k.voided_at is null and k.quantity is not null
      where d.job_id = j.id), '[]'),
    'companies', (select jsonb_agg(jsonb_build_object('id', c.id, 'currency', c.currency, 'serviceDate', (j.job_start_at at time zone c.time_zone)::date,
        'fuelDate', (o.load_at at time zone c.time_zone)::date)) from company c
      where c.id = j.company_id or c.id in (select a.vendor_company_id from job_assignment a where a.job_id = j.id)),
    'charges', coalesce((select jsonb_agg(jsonb_build_object('id', h.id, 'companyId', h.company_id, 'addOnId', h.add_on_id, 'name', h.name, 'quantity', h.quantity::text,
        'type', h.revenue_cost_rate_type, 'rate', h.revenue_rate_value::text, 'costRate', h.cost_rate_value::text, 'percentage', h.percentage::text, 'taxable', h.taxable,
        'uses', a.add_on_types, 'scheduleId', s.id, 'scheduleType', s.surcharge_type) order by h.created_at, h.id)
      from add_on_charge h left join add_on a on a.id = h.add_on_id left join fuel_surcharge_schedule s on s.id = a.fuel_surcharge_schedule_id
      where h.job_id = j.id and h.add_on_applicable_id is null), '[]')) as facts
from job j join orders o on o.id = j.order_id cross join lateral (select ${jobSummarySql('j')}::jsonb as summary) s
where j.id = $1`);

/** Returns what the invoices of a job depend on; undefined if there is no such job. @param query runs in the scope of all books concerned */
export async function factsOfJob(query: Query, jobId: string): Promise<JobFacts | undefined> {
  const [row] = await query<{ facts: JobFacts }>(FACTS, [jobId]);
  if (!row) return undefined;
  const { companies, charges } = row.facts;
  charges.push(...(await autoCharges(query, jobId, companies)));
  for (const charge of charges) {
    const { fuelDate } = companies.find(({ id }) => id === charge.companyId) ?? {};
    if (!charge.scheduleId || !fuelDate) continue;
    const { billSurcharge } = await fuelRateOn(query, charge.scheduleId, fuelDate);
    charge.billSurcharge = billSurcharge && decimalText(billSurcharge);
  }
  return row.facts;
}

const HAVING_AUTO = namedStatement(
  'select distinct company_id as id from auto_add_on_assignment where company_id = any($1::uuid[]) order by company_id',
);

/** Returns the charges that come by themselves, of the companies that have any. */
async function autoCharges(query: Query, jobId: string, companies: readonly BooksCompany[]): Promise<ChargeOfJob[]> {
  const having = await query<{ id: string }>(HAVING_AUTO, [companies.map(({ id }) => id)]);
  const found: ChargeOfJob[] = [];
  for (const { id: companyId } of having)
    for (const side of SIDES) {
      const applying = await autoAddOnsOf(query, { jobIds: [jobId], side, companyId });
      for (const one of applying.get(jobId) ?? [])
        found.push({
          ...{ id: one.id, auto: side, companyId, addOnId: one.add_on_id, name: one.name, quantity: one.quantity, taxable: one.taxable },
          ...{ type: one.revenue_cost_rate_type, rate: one.revenue_rate_value, costRate: one.cost_rate_value, percentage: one.percentage },
          ...{ uses: null, scheduleId: one.schedule_id, scheduleType: one.schedule_type },
        });
    }
  return found;
}
