import { isConnected } from '../../directory/accounts/connections.ts';
import type { RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { stillValid } from '../../directory/shares/shared-with.ts';
import { convertible, UNMEASURED, unitOfRate } from '../../dispatch/checks/units.ts';
import { JOB_FINISHED } from '../../dispatch/model/states.ts';
import { typeSql } from '../../dispatch/pricing/rate-statement.ts';
import { unpricedSql } from '../../dispatch/pricing/unpriced.ts';
import { dayStartSql } from '../../platform/database/time/day-start.ts';
import { stringEnum } from '../../platform/model/columns.ts';

export const DataHealthCode = stringEnum('DataHealthCode', [
  'account_at_wrong_level',
  'account_twice',
  'customer_type_missing',
  'driver_at_wrong_level',
  'driver_is_vendor',
  'driver_of_vendor',
  'driver_without_rate',
  'material_without_density',
  'order_without_rate',
  'type_without_capacity',
  'unit_mismatch',
  'vendor_not_connected',
  'vendor_type_missing',
]);
export type DataHealthCode = keyof typeof DataHealthCode;

export const DataHealthRecordType = stringEnum('DataHealthRecordType', ['Account', 'EquipmentType', 'Material', 'Order', 'User']);
export type DataHealthRecordType = keyof typeof DataHealthRecordType;

/** Something that is looked for in the records of one company. */
interface HealthCheck {
  recordType: DataHealthRecordType;
  /** It is about the rates of this side: whoever does not see them does not read it. */
  side?: RateOwnerType;
  /**
   * SQL of the records: `id`, `name`, `related_id` and `params`, which are the words of the sentence. It reads the tables of `GIVEN`. Each record is
   * found once at most.
   */
  sql: string;
}

/** Days of work before today by which is judged who works for whom. */
const DAYS = 30;
const RECENT = `(select today from moment) - interval '${DAYS} days'`;

/** Jobs that somebody still has to do. */
const TO_DO = `('created', 'assigned', 'sent', 'accepted')`;
/** Orders that are not over, and that nobody has to accept first. */
const OPEN = `('created', 'accepted', 'in_progress', 'hold', 'weather_hold')`;
const DONE_BY_NOBODY = `('canceled', 'rejected')`;

const rows = (pairs: readonly (readonly string[])[]): string =>
  `(values ${pairs.map((pair) => `(${pair.map((one) => `'${one}'`).join(', ')})`).join(', ')})`;
const UNITS = Object.keys(UnitOfMeasure) as UnitOfMeasure[];
const PAID_UNITS = rows((Object.keys(RateType) as RateType[]).flatMap((type) => (unitOfRate(type) ? [[type, unitOfRate(type)!]] : [])));
const CONVERTIBLE = rows(UNITS.flatMap((one) => UNITS.filter((other) => convertible(one, other)).map((other) => [one, other])));
const unitsLike = (unit: UnitOfMeasure): string => `('${UNITS.filter((one) => convertible(one, unit)).join("', '")}')`;
const [WEIGHTS, VOLUMES] = [unitsLike('Tonne'), unitsLike('CubicMeter')];
/** SQL of whether a weight is to become a volume, or the other way round, which takes a density. */
const takesDensity = (one: string, other: string): string =>
  `((${one} in ${WEIGHTS} and ${other} in ${VOLUMES}) or (${one} in ${VOLUMES} and ${other} in ${WEIGHTS}))`;

/** SQL of whether the rates of job `j` are noted for good: its work is done. */
const IS_NOTED = `(j.state = any('{${JOB_FINISHED.join(',')}}') and j.rate_source is not null)`;

const SIDES: readonly RateOwnerType[] = ['customer', 'vendor', 'driver'];

/**
 * The tables that checks read, each of which is read once however many checks ask for it, and not at all if none does. `$1` is the company, `$2` the
 * companies of the reader, `$3` the sides whose rates they see.
 */
export const GIVEN = `moment as materialized (
    select ${dayStartSql('(present_time() at time zone c.time_zone)::date', 'c.time_zone')} as today, $2::uuid[] as companies, $3::text[] as sides
    from company c where c.id = $1::uuid),
  drivers as materialized (
    select u.id, trim(u.first_name || ' ' || u.last_name) as name, u.phone, u.match_email as email, nullif(fold_text(u.first_name || ' ' || u.last_name), '') as folded, u.managed
    from app_user u where u.company_id = $1 and u.discarded_at is null and 'driver' = any(u.roles)),
  accounts as materialized (
    select a.id, a.name, a.match_name, a.account_types, a.connected_company_id, a.primary_contact_id, a.created_at
    from account a where a.company_id = $1 and a.discarded_at is null),
  vendors as materialized (
    select a.id, a.name, a.match_name as folded, k.phone, fold_text(k.email) as email
    from accounts a left join contact k on k.id = a.primary_contact_id where 'vendor' = any(a.account_types)),
  open_orders as materialized (
    select o.id, o.order_id, o.account_id, o.vendor_id, o.material_id, coalesce(o.load_unit_of_measure, o.unit_of_measure) as unit,
      ${SIDES.map((side) => `o.${side}_rate_id, o.${side}_rate_value, o.${side}_rate_type`).join(', ')}
    from orders o where o.company_id = $1 and o.load_at >= (select today from moment) and o.state in ${OPEN}),
  counted as materialized (
    select o.id, o.order_id, o.material_id, o.unit, p.unit as paid, takes.density
    from open_orders o cross join lateral (values ${SIDES.map((side) => `('${side}', o.${side}_rate_id, o.${side}_rate_value, o.${side}_rate_type)`).join(', ')}) s (side, rate_id, value, type)
      left join rate r on r.id = s.rate_id
      join ${PAID_UNITS} p (type, unit) on p.type = ${typeSql('s.value', 's.type', 'r.type')}
      cross join lateral (select ${takesDensity('o.unit', 'p.unit')} as density) takes
    where s.side = any((select sides from moment)::text[]) and o.unit not in ('${UNMEASURED.join("', '")}')
      and not exists (select from ${CONVERTIBLE} c (one, other) where c.one = o.unit and c.other = p.unit))`;

const alikeVendor = (by: 'folded' | 'phone' | 'email'): string =>
  `select d.id, d.name, v.id as vendor_id, v.name as vendor from drivers d join vendors v on v.${by} = d.${by}`;

const alikeShared = (theirs: string, own: string): string =>
  `select d.id, d.name, s.id as other_id, v.name as vendor from company_share h
    join app_user s on s.id = h.company_shareable_id and s.discarded_at is null and s.roles && array['driver', 'foreman'] and s.company_id <> $1
    join drivers d on d.${own} = s.${theirs} join accounts v on v.connected_company_id = s.company_id
  where h.receiver_company_id = $1 and h.company_shareable_type = 'User' and ${stillValid('h')}`;

/** The checks, in the order of their codes, in which findings are listed. */
export const CHECKS: Record<DataHealthCode, HealthCheck> = {
  account_at_wrong_level: {
    recordType: 'Account',
    // By account_match_name_idx and orders_account_idx.
    sql: `select distinct on (a.id) a.id, a.name, b.id as related_id, jsonb_build_object('company', x.legal_name) as params
      from accounts a join company x on x.id = any((select companies from moment)::uuid[]) and x.id <> $1 and x.discarded_at is null
        join account b on b.company_id = x.id and b.match_name = a.match_name and b.discarded_at is null
      where 'customer' = any(a.account_types)
        and exists (select from orders o where o.account_id = b.id and o.created_at >= ${RECENT})
        and not exists (select from orders o where o.account_id = a.id and o.created_at >= ${RECENT})
      order by a.id, b.id`,
  },
  account_twice: {
    recordType: 'Account',
    sql: `select t.id, t.name, t.first_id as related_id, '{}'::jsonb as params
      from (select a.id, a.name, first_value(a.id) over w as first_id from accounts a where a.match_name <> ''
        window w as (partition by a.match_name order by a.created_at, a.id)) t where t.first_id <> t.id`,
  },
  customer_type_missing: {
    recordType: 'Account',
    // By orders_account_idx and rate_account_idx.
    sql: `select a.id, a.name, null::uuid as related_id, '{}'::jsonb as params from accounts a
      where not 'customer' = any(a.account_types) and (
        exists (select from orders o where o.account_id = a.id and o.created_at >= ${RECENT} and o.state not in ${DONE_BY_NOBODY})
        or exists (select from rate r where r.account_id = a.id and r.owner_type = 'customer' and r.discarded_at is null))`,
  },
  driver_at_wrong_level: {
    recordType: 'User',
    // By job_driver_idx.
    sql: `select d.id, d.name, x.id as related_id, jsonb_build_object('company', x.legal_name) as params
      from drivers d cross join lateral (
        select array_agg(distinct j.company_id) as companies from job j
        where j.driver_id = d.id and j.job_start_at >= ${RECENT} and j.state not in ${DONE_BY_NOBODY}) w
        join company x on x.id = w.companies[1]
      where cardinality(w.companies) = 1 and x.id <> $1 and x.id = any((select companies from moment)::uuid[])`,
  },
  driver_is_vendor: {
    recordType: 'User',
    sql: `select distinct on (m.id) m.id, m.name, m.vendor_id as related_id, jsonb_build_object('vendor', m.vendor) as params
      from (${alikeVendor('folded')} union all ${alikeVendor('phone')} union all ${alikeVendor('email')}) m order by m.id, m.vendor_id`,
  },
  driver_of_vendor: {
    recordType: 'User',
    // By company_share_received_idx.
    sql: `select distinct on (m.id) m.id, m.name, m.other_id as related_id, jsonb_build_object('vendor', m.vendor) as params
      from (${alikeShared('phone', 'phone')} union all ${alikeShared('match_email', 'email')}) m order by m.id, m.other_id`,
  },
  driver_without_rate: {
    recordType: 'User',
    side: 'driver',
    // Of each driver the job that begins last, by job_driver_idx: to ask for all would price a month of work. What is done is paid at the rate that was noted then.
    sql: `with latest as materialized (
        select d.id as driver_id, d.name, l.* from drivers d cross join lateral (
          select j.id, j.job_id, ${IS_NOTED} as noted, j.rate_source -> 'driver' as rate from job j
          where j.driver_id = d.id and j.company_id = $1 and j.job_start_at >= ${RECENT}
            and j.state not in ${DONE_BY_NOBODY} order by j.job_start_at desc limit 1) l
        where not d.managed)
      select l.driver_id as id, l.name, l.id as related_id, jsonb_build_object('job', l.job_id) as params from latest l
      where case when l.noted then l.rate ->> 'rate_type' is null or l.rate ->> 'value' is null
        else l.id in (${unpricedSql('driver', 'select x.id from latest x where not x.noted', '$1')}) end`,
  },
  material_without_density: {
    recordType: 'Material',
    sql: `select m.id, m.name, null::uuid as related_id, jsonb_build_object('orders', n.orders, 'one', n.one, 'other', n.other) as params
      from (select c.material_id, count(distinct c.id) as orders, min(c.paid) as one, min(c.unit) as other from counted c where c.density group by 1) n
        join material m on m.id = n.material_id where m.density is null`,
  },
  order_without_rate: {
    recordType: 'Order',
    side: 'customer',
    // By orders_load_at_idx.
    sql: `select due.id, due.order_id as name, due.account_id as related_id, '{}'::jsonb as params from open_orders due
      where due.id in (${unpricedSql('customer', 'select x.id from open_orders x', '$1')})`,
  },
  type_without_capacity: {
    recordType: 'EquipmentType',
    sql: `select t.id, t.name, null::uuid as related_id, jsonb_build_object('count', n.count) as params
      from (select e.equipment_type_id as id, count(*) as count from equipment e
        where e.company_id = $1 and e.discarded_at is null and e.state = 'active' group by 1) n join equipment_type t on t.id = n.id
      where (t.gross_capacity is null or t.gross_capacity_unit_of_measure is null) and t.additional_gross_capacities = '[]'::jsonb`,
  },
  unit_mismatch: {
    recordType: 'Order',
    sql: `select distinct on (c.id) c.id, c.order_id as name, c.material_id as related_id, jsonb_build_object('one', c.paid, 'other', c.unit) as params
      from counted c where not c.density order by c.id, c.paid`,
  },
  vendor_not_connected: {
    recordType: 'Account',
    // By job_start_idx.
    sql: `select v.id, v.name, null::uuid as related_id, jsonb_build_object('jobs', n.jobs) as params
      from (select a.vendor_account_id as id, count(*) as jobs from job j
          join job_assignment a on a.job_id = j.id and a.customer_company_id = $1 and a.vendor_company_id is null
        where j.company_id = $1 and j.job_start_at >= (select today from moment) and j.state in ${TO_DO} group by 1) n
        join account v on v.id = n.id and v.company_id = $1 where v.discarded_at is null and not ${isConnected('v')}`,
  },
  vendor_type_missing: {
    recordType: 'Account',
    // By job_assignment_vendor_account_idx and rate_account_idx.
    sql: `select a.id, a.name, null::uuid as related_id, '{}'::jsonb as params from accounts a
      where not 'vendor' = any(a.account_types) and (
        a.id in (select o.vendor_id from open_orders o where o.vendor_id is not null)
        or exists (select from job_assignment l join job j on j.id = l.job_id where l.vendor_account_id = a.id and l.customer_company_id = $1
          and j.job_start_at >= ${RECENT} and j.state not in ${DONE_BY_NOBODY})
        or exists (select from rate r where r.account_id = a.id and r.owner_type = 'vendor' and r.discarded_at is null))`,
  },
};
