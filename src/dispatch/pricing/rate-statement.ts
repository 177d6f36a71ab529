import type { MinimumPer, RateOwnerType, RateTier, TierMode, TimeBasis } from '../../directory/master-data/rate.entity.ts';
import type { RateType } from '../../directory/master-data/units.ts';
import { stringEnum } from '../../platform/model/columns.ts';
import type { ProjectWage } from '../model/project.entity.ts';

/** Where a rate comes from; the first source with a value counts (DOMAIN 3.3). */
export const RateSource = stringEnum('RateSource', ['job', 'prevailing_wage', 'order', 'site_rate_schedule', 'project', 'rate_card']);
export type RateSource = keyof typeof RateSource;

/** The terms of a rate card for how its value is paid; absent as usual. */
export interface RateTerms {
  minimumPer?: MinimumPer;
  timeBasis?: TimeBasis;
  tierMode?: TierMode;
  tiers?: RateTier[];
  /** The company's percentage of the freight for fuel without a schedule (DOMAIN 3.7). */
  fuelPercentage?: string;
  /** Of what a prevailing wage is made: what is paid for an hour is base and fringe less the credit. */
  wage?: Omit<ProjectWage, 'classification'> & { projectId: string };
}

/** SQL of what is paid for: a type belongs to the value that is given with it, and a rate card without a value has its own. */
export const typeSql = (value: string, type: string, ofCard: string): string =>
  `case when ${value} is null then coalesce(${ofCard}, ${type}) else coalesce(${type}, ${ofCard}) end`;

/**
 * SQL of a term of rate card `c` for what is paid by `type`, which is another one where a value with its type goes before that of the rate card: minutes of an hour are no
 * tons of a load, and tons are no tonnes.
 */
const ofSameType = (c: string, type: string, term: string): string => `case when ${c}.type = ${type} then ${term} end`;

/** SQL of what rate card `c` says beyond its values, for what is paid by `type`. Fuel is charged whatever is paid for. */
export const termsSql = (c: string, type: string): string => `nullif(jsonb_strip_nulls(jsonb_build_object(
  'minimumPer', ${ofSameType(c, type, `nullif(${c}.minimum_per, 'job')`)}, 'timeBasis', ${ofSameType(c, type, `nullif(${c}.time_basis, 'job')`)},
  'tierMode', ${ofSameType(c, type, `${c}.tier_mode`)}, 'tiers', ${ofSameType(c, type, `nullif(${c}.tiers, '[]')`)},
  'fuelPercentage', case when ${c}.fuel_surcharge_enabled then (select trim_scale(nullif(f.fuel_surcharge_percentage, 0))::text from company f where f.id = ${c}.company_id) end)), '{}')`;

/** SQL of the time of the last change of row `t`, as it is read again: a record that counts no versions has been as it is since then. */
export const sinceSql = (t: string): string => `to_char(${t}.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** A rate as the statement returns it, and as it is noted on the job. */
export interface RateRow {
  source: RateSource;
  rate_id: string | null;
  rate_name: string | null;
  rate_type: RateType | null;
  value: string | null;
  /** Units of a load, or minutes, that are paid at least, and up to which is rounded; absent of rates that were noted before both were. */
  minimum?: string | null;
  increment?: string | null;
  /** The terms of the rate card beyond its values; null of a bare value. */
  terms?: RateTerms | null;
  /** Since when the rate card, or the project that prescribes a wage, said so; null of a bare value. */
  since?: string | null;
  matched: string[];
}

/** The conditions that a rate card can have, and when a job meets them; an empty one is met by all. `c` is the rate card, `j` the job, `o` its order. */
const DIMENSIONS: Record<string, { given: string; meets: string }> = {
  account: { given: 'c.account_id is not null', meets: 'c.account_id = w.account_id' },
  driver: { given: 'c.driver_id is not null', meets: 'c.driver_id = w.driver_id' },
  project: { given: `c.project_ids <> '{}'`, meets: 'w.project_id = any(c.project_ids)' },
  equipment: { given: `c.equipment_ids <> '{}'`, meets: 'w.equipment_id = any(c.equipment_ids)' },
  equipment_type: { given: 'c.equipment_type_id is not null', meets: 'c.equipment_type_id = w.equipment_type_id' },
  service: { given: `c.service_ids <> '{}'`, meets: 'w.service_id = any(c.service_ids)' },
  service_class: { given: 'c.service_class_id is not null', meets: 'c.service_class_id = w.service_class_id' },
};
const given = Object.values(DIMENSIONS).map((dimension) => dimension.given);
const count = given.map((one) => `(${one})::int`).join(' + ');
const reasons = Object.entries(DIMENSIONS).map(([name, dimension]) => `case when ${dimension.given} then '${name}' end`);

/** The conditions that a schedule of a project can have, the most important first, and the column of the job that meets each. */
const CONDITIONS: Record<string, { column: string; is: string }> = {
  pickup_site: { column: 's.site_id', is: 'w.pickup_id' },
  dropoff_site: { column: 's.dropoff_site_id', is: 'w.dropoff_id' },
  equipment_type: { column: 's.equipment_type_id', is: 'w.equipment_type_id' },
  material: { column: 's.material_id', is: 'w.material_id' },
};
const conditions = Object.values(CONDITIONS);
const asked = conditions.map(({ column }) => `(${column} is not null)`);
/** SQL of whether work `w` meets the conditions of schedule `s`. */
export const conditionsMet = conditions.map(({ column, is }) => `(${column} is null or ${column} = ${is})`).join(' and ');
const named = Object.entries(CONDITIONS).map(([name, { column }]) => `case when ${column} is not null then '${name}' end`);
const mostAsked = `${asked.map((one) => `${one}::int`).join(' + ')} desc, ${asked.map((one) => `${one} desc`).join(', ')}, s.created_at desc, s.id desc`;

/**
 * The names in the conditions: `j` is the work, and `o` its order. A new job takes all that rates depend on from its order, so the order is used for jobs that it
 * is about to get. Owners of a job pay the vendor of the first link.
 */
const MATCHED = {
  job: {
    from: 'job j join orders o on o.id = j.order_id',
    vendor: '(select a.vendor_account_id from job_assignment a where a.job_id = j.id order by a.link limit 1)',
  },
  order: { from: 'orders j join orders o on o.id = j.id', vendor: 'o.vendor_id' },
};

/** The account or driver that a side's rate cards are for; vendors are handled separately. */
const ACCOUNT: Record<Exclude<RateOwnerType, 'vendor'>, string> = {
  customer: 'o.account_id',
  driver: 'null::uuid',
};
const DRIVER: Record<RateOwnerType, string> = { customer: 'null::uuid', vendor: 'null::uuid', driver: 'j.driver_id' };

/** SQL of the value of rate card `c`: for a unit, an hour or a day, of a commission, or of all. */
export const valueSql = (c: string): string =>
  `coalesce(${['time_rate', 'unit_rate', 'commission_percentage', 'commission_amount', 'flat_amount'].map((column) => `${c}.${column}`).join(', ')})`;

/** SQL of the minimum and the increment of rate card `c`, of units or of minutes, for what is paid by `type`. */
export const minimumSql = (c: string, type: string): string =>
  ofSameType(c, type, `coalesce(${c}.unit_minimum, ${c}.time_minimum_minutes)`);
export const incrementSql = (c: string, type: string): string =>
  ofSameType(c, type, `coalesce(${c}.unit_increment, ${c}.time_increment_minutes)`);

/** The facts of work that schedules have conditions on: its kind of truck, and where it is first loaded and last unloaded. `j` is the work, `o` its order. */
const CONDITIONS_OF_WORK = `coalesce((select e.equipment_type_id from equipment e where e.id = j.equipment_id), o.equipment_type_id) as equipment_type_id,
      (select p.site_id from waypoint p where p.route_id = j.route_id and p.type = 'pickup' order by p.ordinality, p.id limit 1) as pickup_id,
      (select p.site_id from waypoint p where p.route_id = j.route_id and p.type = 'drop_off' order by p.ordinality desc, p.id desc limit 1) as dropoff_id`;

/** SQL of the id of the schedule whose conditions a job meets, whatever it pays; null if there is none. `j` is the job, `o` its order. */
export const scheduleOfJob = `(select s.id from (select j.project_id, j.material_id, ${CONDITIONS_OF_WORK}) w
  join site_rate_schedule s on s.project_id = w.project_id where s.discarded_at is null and ${conditionsMet} order by ${mostAsked} limit 1)`;

/** SQL of the wage that a project prescribes for an hour of the driver of work `w`, by the classification of the driver; `g.wage` is null while nobody knows it (BILLING B3). */
export const WAGE = {
  value: `(g.wage ->> 'base')::numeric + (g.wage ->> 'fringe')::numeric - (g.wage ->> 'credit')::numeric`,
  type: `'RatePerHour'`,
  from: `w join project p on p.id = w.project_id join app_user u on u.id = w.driver_id left join lateral (
      select x as wage from jsonb_array_elements(p.wages) x where fold(x ->> 'classification') = fold(u.wage_classification) limit 1) g on true
    where p.prevailing_wage`,
};
const PREVAILING_WAGE = `
    union all
    select 2, 'prevailing_wage', null, ${WAGE.value}, ${WAGE.type},
      case when g.wage is null then '{}'::text[] else array['classification'] end, g.wage - 'classification' || jsonb_build_object('projectId', p.id, 'since', ${sinceSql('p')})
    from ${WAGE.from}`;

/** SQL of work `w` as rates are matched with it. @param which SQL of which `j` it is */
export function workSql(side: RateOwnerType, which: string, matched: keyof typeof MATCHED): string {
  const { from, vendor } = MATCHED[matched];
  return `select j.id, j.company_id, j.project_id, j.equipment_id, j.material_id, j.service_id, j.service_class_id, ${side === 'vendor' ? vendor : ACCOUNT[side]} as account_id, ${DRIVER[side]} as driver_id,
      ${CONDITIONS_OF_WORK}
    from ${from} where ${which}`;
}

/** SQL of whether `t` has a rate of its own on a side. */
export const saysRate = (side: RateOwnerType, t: string): string =>
  `(${t}.${side}_rate_id is not null or ${t}.${side}_rate_value is not null)`;
/** SQL of whether job `j` is paid otherwise than its order `o`. */
export const differsFromOrder = (side: RateOwnerType): string =>
  `(j.${side}_rate_id, j.${side}_rate_value, j.${side}_rate_type) is distinct from (o.${side}_rate_id, o.${side}_rate_value, o.${side}_rate_type)`;
/** SQL of the rate of `t` on a side. */
export const ownRate = (side: RateOwnerType, t: string): string =>
  `${t}.${side}_rate_id as rate_id, ${t}.${side}_rate_value as bare, ${t}.${side}_rate_type as bare_type`;
/** SQL of the schedules `s` of the project of work `w` whose conditions are met, the one that counts first. */
export const schedulesOf = (side: RateOwnerType): string => `site_rate_schedule s
      where s.project_id = w.project_id and s.discarded_at is null and ${saysRate(side, 's')} and ${conditionsMet}
      order by ${mostAsked}`;
/** SQL of whether work `w` meets the conditions of rate card `c`. */
export const MEETS_CARD = Object.values(DIMENSIONS)
  .map((dimension) => `(not ${dimension.given} or coalesce(${dimension.meets}, false))`)
  .join(' and ');
/** The order of rate cards `c` whose conditions are met: the one that counts first. */
export const CARDS_FIRST = `(c.account_id is not null or c.driver_id is not null) desc, c."primary" desc, ${count} desc, c.created_at desc, c.id desc`;

/**
 * Returns one statement for a side, with the levels of DOMAIN 3.3 from the top: the job's own rate, the prevailing wage of a driver, the order's, the
 * schedule of the project, the project's rate, and the rate cards. Of the schedules whose conditions are met, the one with most of them goes first, then by
 * `CONDITIONS`, then the newest. Of the rate cards, those for exactly this account or driver go first, then the primary one, then the one with
 * more conditions, then the newest. Without a vendor or a driver there is no rate card.
 * @param id SQL of the id of what is matched
 */
export const rateStatement = (side: RateOwnerType, id: string, matched: keyof typeof MATCHED = 'job'): string => {
  const { from } = MATCHED[matched];
  const nothing = `'{}'::text[] as matched, null::jsonb as wage`;
  const whom = side === 'customer' ? '' : `and w.${side === 'driver' ? 'driver_id' : 'account_id'} is not null`;
  return `with w as (
    ${workSql(side, `j.id = ${id}`, matched)}),
  levels as (
    select 1 as level, 'job' as source, ${ownRate(side, 'j')}, ${nothing} from ${from} where j.id = ${id} and ${saysRate(side, 'j')} and ${differsFromOrder(side)}${side === 'driver' ? PREVAILING_WAGE : ''}
    union all
    select 3, 'order', ${ownRate(side, 'o')}, ${nothing} from ${from} where j.id = ${id} and ${saysRate(side, 'o')}
    union all
    select 4, 'site_rate_schedule', s.rate_id, s.bare, s.bare_type, s.matched, null from w, lateral (
      select ${ownRate(side, 's')}, array_remove(array[${named.join(', ')}], null) as matched from ${schedulesOf(side)} limit 1) s
    union all
    select 5, 'project', ${ownRate(side, 'p')}, ${nothing} from w join project p on p.id = w.project_id where ${saysRate(side, 'p')}
    union all
    select 6, 'rate_card', c.rate_id, null, null, c.matched, null from w, lateral (
      select c.id as rate_id, array_remove(array[${reasons.join(', ')}, case when c."primary" then 'primary' end], null) as matched
      from rate c where c.company_id = w.company_id and c.owner_type = '${side}' and c.discarded_at is null ${whom} and ${MEETS_CARD}
      order by ${CARDS_FIRST} limit 1) c)
  select l.source, r.id as rate_id, r.name as rate_name, p.type as rate_type,
    coalesce(l.bare, ${valueSql('r')})::text as value,
    ${minimumSql('r', 'p.type')}::text as minimum, ${incrementSql('r', 'p.type')}::text as increment, ${side === 'driver' ? `coalesce(case when l.wage is not null then jsonb_build_object('wage', l.wage - 'since') end, ${termsSql('r', 'p.type')})` : termsSql('r', 'p.type')} as terms,
    coalesce(l.wage ->> 'since', ${sinceSql('r')}) as since, l.matched
  from levels l left join rate r on r.id = l.rate_id cross join lateral (select ${typeSql('l.bare', 'l.bare_type', 'r.type')} as type) p order by l.level limit 1`;
};
