import type { RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { rateStatement, scheduleOfJob, sinceSql } from '../../dispatch/pricing/rate-statement.ts';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import type { Query } from '../../platform/database/sql.ts';
import type { AddOnRateType, AddOnType, PercentageBase, WaitUnit } from '../add-ons/add-on.entity.ts';
import type { FuelSurchargeScheduleType } from '../fuel/fuel-surcharge-schedule.entity.ts';
import { PARENTS, parentIdOf } from './auto-add-on-assignment.entity.ts';

/** An add-on that is charged by itself for a job. */
export interface ApplyingAddOn {
  /** The assignment that applies. */
  id: string;
  /** The root, of which it is the one on the most particular record. */
  root_id: string;
  /** Since when it has been as it is. */
  since: string;
  job_id: string;
  add_on_id: string | null;
  name: string;
  quantity: string;
  revenue_rate_value: string;
  revenue_cost_rate_type: AddOnRateType;
  cost_rate_value: string | null;
  percentage: string;
  /** As its add-on is. */
  percentage_base: PercentageBase;
  /** As its add-on is; a charge without one is not taxed. */
  taxable: boolean;
  /** The way in which waiting is counted; null for charges that are not for waiting. */
  waiting: { unit: WaitUnit; free: number; increment: number } | null;
  /** By which a fuel surcharge is charged. */
  schedule_id: string | null;
  schedule_type: FuelSurchargeScheduleType | null;
}

/** The use that an add-on must have, to be charged by itself on a side of a job. */
const USE: Record<RateOwnerType, AddOnType> = { customer: 'invoicing', vendor: 'driver_pay', driver: 'driver_pay' };

/**
 * Returns the add-ons that are charged by themselves for jobs, on a side and in the books of a company: of those with one root, the one on the
 * most particular record, in the order of `PARENTS` (BILLING B4). Those that have been charged as often as they were to be are left out. A job
 * without somebody on the side, such as a driver of the company, has none.
 * @param query runs with the rights of the company
 */
export async function autoAddOnsOf(
  query: Query,
  { jobIds, side, companyId }: { jobIds: readonly string[]; side: RateOwnerType; companyId: string },
): Promise<Map<string, ApplyingAddOn[]>> {
  if (jobIds.length === 0) return new Map();
  // Planning it takes twenty times as long as looking for one job.
  const rows = await query<ApplyingAddOn>(planOnceForFew(STATEMENTS[side], jobIds.length), [jobIds, companyId, USE[side]]);
  const byJob = new Map<string, ApplyingAddOn[]>();
  for (const row of rows) byJob.set(row.job_id, [...(byJob.get(row.job_id) ?? []), row]);
  return byJob;
}

/** The account or driver of a side, from the view of company $2, and the link by which it pays a vendor. */
const PARTY: Record<RateOwnerType, string> = {
  customer: `case when j.company_id = $2 then o.account_id
    else (select a.customer_account_id from job_assignment a where a.job_id = j.id and a.vendor_company_id = $2 order by a.link limit 1) end`,
  vendor: 'l.vendor_account_id',
  driver: '(select u.id from app_user u where u.id = j.driver_id and u.company_id = $2)',
};

/** The rate card by which the side is paid: noted on the job, otherwise worked out. A vendor that is not the owner's has the rate card of its link. */
const RATE_CARD = (side: RateOwnerType): string => {
  const noted = `case when j.rate_source is not null then (j.rate_source #>> '{${side},rate_id}')::uuid
    else (select r.rate_id from (${rateStatement(side, 'j.id')}) r) end`;
  const ofOwner = `case when j.company_id = $2 then ${noted} end`;
  return side === 'vendor' ? `coalesce(l.rate_id, ${ofOwner})` : ofOwner;
};

const PARENT_ID = parentIdOf('a');

/** The SQL of each parent of a job's add-ons, by its column. Records of the job's owner have add-ons of its owner only. */
const parentsOf = (side: RateOwnerType): Record<(typeof PARENTS)[number], string> => {
  const ofOwner = (id: string) => `case when j.company_id = $2 then ${id} end`;
  return {
    ...{ job_assignment_id: 'l.id', job_id: 'j.id', order_id: ofOwner('j.order_id') },
    ...{ site_rate_schedule_id: ofOwner(scheduleOfJob), project_id: ofOwner('j.project_id'), rate_id: RATE_CARD(side) },
    ...{ account_id: PARTY[side], driver_id: PARTY[side] },
  };
};

const statement = (side: RateOwnerType): string => {
  const parents = parentsOf(side);
  return `with work as materialized (
      select j.id as work_id, ${PARTY[side]} as party, array[${PARENTS.map((column) => parents[column]).join(', ')}]::uuid[] as parents
      from job j join orders o on o.id = j.order_id
      left join lateral (select a.id, a.vendor_account_id, a.rate_id from job_assignment a
        where a.job_id = j.id and a.customer_company_id = $2 order by a.link limit 1) l on true
      where j.id = any($1::uuid[])),
    found as (
      select distinct on (w.work_id, coalesce(a.original_auto_add_on_assignment_id, a.id)) w.work_id, a.*,
        coalesce(a.original_auto_add_on_assignment_id, a.id) as root_id
      from work w join auto_add_on_assignment a on ${PARENT_ID} = any(w.parents)
      where w.party is not null and a.company_id = $2 and a.side = '${side}' and $3 = any(a.add_on_types)
        and (a.total_installments = 0 or a.auto_add_on_installments_count < a.total_installments)
      order by w.work_id, coalesce(a.original_auto_add_on_assignment_id, a.id), array_position(w.parents, ${PARENT_ID}))
    select f.id, f.root_id, ${sinceSql('f')} as since, f.work_id as job_id, f.add_on_id, f.name, f.quantity::text, f.revenue_rate_value::text, f.revenue_cost_rate_type,
      f.cost_rate_value::text, f.percentage::text, coalesce(d.percentage_base, 'lines') as percentage_base, coalesce(d.taxable, false) as taxable,
      case when d.wait_counted_in is not null then jsonb_build_object('unit', d.wait_counted_in, 'free', coalesce(d.wait_free_minutes, 0),
        'increment', coalesce(d.wait_increment_minutes, 0)) end as waiting,
      s.id as schedule_id, s.surcharge_type as schedule_type
    from found f left join add_on d on d.id = f.add_on_id left join fuel_surcharge_schedule s on s.id = d.fuel_surcharge_schedule_id order by f.work_id, f.created_at, f.id`;
};

const STATEMENTS: Record<RateOwnerType, string> = {
  customer: statement('customer'),
  vendor: statement('vendor'),
  driver: statement('driver'),
};
