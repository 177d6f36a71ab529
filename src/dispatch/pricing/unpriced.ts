import type { RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { rateStatement } from './rate-statement.ts';

/** Work that has no rate on a side is looked for among orders by what customers pay, and among jobs by what drivers are paid. */
const WORK = {
  customer: { of: 'order', from: 'orders j join orders o on o.id = j.id', party: 'o.account_id', named: 'account_id', mustKeep: 'false' },
  driver: {
    of: 'job',
    from: 'job j join orders o on o.id = j.order_id',
    party: 'j.driver_id',
    named: 'driver_id',
    // The wage that a project prescribes depends on who drives.
    mustKeep: 'j.project_id in (select w.id from waged w)',
  },
} as const satisfies Partial<Record<RateOwnerType, object>>;

/**
 * SQL of the ids of the work to which no rate applies on a side (`rateStatement`), as it would be noted now. Work that agrees in everything by which
 * the rate is decided is asked about once: a customer, a driver or a truck decides only if a rate card names it, and a route only if the project has
 * schedules.
 * @param ids SQL of the work of one company: `id`
 * @param company SQL of the id of that company
 */
export function unpricedSql(side: keyof typeof WORK, ids: string, company: string): string {
  const { of, from, party, named, mustKeep } = WORK[side];
  const ownRate = (t: string) => ['id', 'value', 'type'].map((part) => `${t}.${side}_rate_${part}`);
  const kind = [
    ...['project_id', 'material_id', 'service_id', 'service_class_id'].map((column) => `j.${column}`),
    ...[...ownRate('j'), ...(of === 'job' ? ownRate('o') : [])],
    `coalesce((select e.equipment_type_id from equipment e where e.id = j.equipment_id), o.equipment_type_id)`,
    `case when j.equipment_id in (select unnest(c.equipment_ids) from rate_cards c) then j.equipment_id end`,
    `case when ${mustKeep} or ${party} in (select c.${named} from rate_cards c where c.${named} is not null) then ${party} end`,
    `case when j.project_id in (select s.project_id from scheduled s) then j.route_id end`,
  ];
  return `with asked as materialized (${ids}),
    rate_cards as materialized (
      select c.${named}, c.equipment_ids from rate c where c.company_id = ${company} and c.owner_type = '${side}' and c.discarded_at is null),
    scheduled as materialized (select distinct s.project_id from site_rate_schedule s where s.company_id = ${company} and s.discarded_at is null),
    waged as materialized (select p.id from project p where p.company_id = ${company} and p.prevailing_wage),
    kinds as materialized (
      select j.id, first_value(j.id) over (partition by ${kind.join(', ')}) as alike from ${from} where j.id = any(array(select a.id from asked a)))
    select k.id from kinds k join (
      select x.id from (select distinct alike as id from kinds) x
      where not exists (select from (${rateStatement(side, 'x.id', of)}) known where known.rate_type is not null and known.value is not null)) u on u.id = k.alike`;
}
