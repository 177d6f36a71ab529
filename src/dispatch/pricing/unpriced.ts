import type { RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import {
  CARDS_FIRST,
  differsFromOrder,
  MEETS_CARD,
  ownRate,
  saysRate,
  schedulesOf,
  typeSql,
  valueSql,
  WAGE,
  workSql,
} from './rate-statement.ts';

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

type Side = keyof typeof WORK;

/**
 * SQL of the ids of the work to which no rate applies on a side, as it would be noted now: the levels are those of `rateStatement`, for all work together. Work that agrees in
 * everything by which the rate is decided is looked at once: a customer, a driver or a truck decides only if a rate card names it, and a route only if the project has schedules.
 * @param ids SQL of the work of one company: `id`
 * @param company SQL of the id of that company
 */
export function unpricedSql(side: Side, ids: string, company: string): string {
  const { of, from, party, named, mustKeep } = WORK[side];
  const rateOf = (t: string) => ['id', 'value', 'type'].map((part) => `${t}.${side}_rate_${part}`);
  const kind = [
    ...['project_id', 'material_id', 'service_id', 'service_class_id'].map((column) => `j.${column}`),
    ...[...rateOf('j'), ...(of === 'job' ? rateOf('o') : [])],
    `coalesce((select e.equipment_type_id from equipment e where e.id = j.equipment_id), o.equipment_type_id)`,
    `case when j.equipment_id in (select unnest(c.equipment_ids) from rate_cards c) then j.equipment_id end`,
    `case when ${mustKeep} or ${party} in (select c.${named} from rate_cards c where c.${named} is not null) then ${party} end`,
    `case when j.project_id in (select s.project_id from scheduled s) then j.route_id end`,
  ];
  return `with asked as materialized (${ids}),
    rate_cards as materialized (select c.* from rate c where c.company_id = ${company} and c.owner_type = '${side}' and c.discarded_at is null),
    scheduled as materialized (select distinct s.project_id from site_rate_schedule s where s.company_id = ${company} and s.discarded_at is null),
    waged as materialized (select p.id from project p where p.company_id = ${company} and p.prevailing_wage),
    kinds as materialized (
      select j.id, first_value(j.id) over (partition by ${kind.join(', ')}) as alike from ${from} where j.id = any(array(select a.id from asked a))),
    w as materialized (${workSql(side, 'j.id = any(array(select k.alike from kinds k))', of)}),
    ${levelsSql(side)},
    priced as materialized (
      select distinct on (l.id) l.id, coalesce(l.bare, ${valueSql('r')}) is not null and ${typeSql('l.bare', 'l.bare_type', 'r.type')} is not null as is_priced
      from levels l left join rate r on r.id = l.rate_id order by l.id, l.level)
    select k.id from kinds k where k.alike not in (select p.id from priced p where p.is_priced)`;
}

/**
 * SQL of the rates of work `w`, by level. Rate cards of exactly its customer or driver go before all others, and are found by whom they name; others are compared with work that has
 * none of these.
 */
function levelsSql(side: Side): string {
  const { from, named } = WORK[side];
  const ofWork = `${from} where j.id in (select w.id from w)`;
  const cards = (how: string) => `select w.id, c.id as rate_id, row_number() over (partition by w.id order by ${CARDS_FIRST}) as place
    from w join rate_cards c on ${how} and ${MEETS_CARD}`;
  return `named as materialized (${cards(`c.${named} = w.${named}`)}),
    unnamed as materialized (${cards(`c.${named} is null and w.id not in (select n.id from named n)${side === 'driver' ? ' and w.driver_id is not null' : ''}`)}),
    levels as (
      select j.id, 1 as level, ${ownRate(side, 'j')} from ${ofWork} and ${saysRate(side, 'j')} and ${differsFromOrder(side)}
      ${side === 'driver' ? `union all select w.id, 2, null::uuid, ${WAGE.value}, ${WAGE.type} from ${WAGE.from}` : ''}
      union all select j.id, 3, ${ownRate(side, 'o')} from ${ofWork} and ${saysRate(side, 'o')}
      union all select w.id, 4, s.* from w, lateral (select ${ownRate(side, 's')} from ${schedulesOf(side)} limit 1) s
      union all select w.id, 5, ${ownRate(side, 'p')} from w join project p on p.id = w.project_id where ${saysRate(side, 'p')}
      union all select c.id, 6, c.rate_id, null, null from (select * from named union all select * from unnamed) c where c.place = 1)`;
}
