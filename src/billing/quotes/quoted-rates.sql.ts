import { settingSql } from '../../directory/companies/settings/setting-sql.ts';
import { UNIT_OF_RATE } from '../../dispatch/model/units-of-rates.ts';
import {
  conditionsMet,
  incrementSql,
  minimumSql,
  saysRate,
  schedulesOf,
  typeSql,
  valueSql,
} from '../../dispatch/pricing/rate-statement.ts';
import { isInUse } from '../../platform/database/former-ids.ts';
import { parentIdOf } from '../auto-add-ons/auto-add-on-assignment.entity.ts';

/** Types of rates that change with how much was hauled, and those of which a minimum of units is paid: a load is one. */
const TIERED = Object.keys(UNIT_OF_RATE);
const MEASURED = TIERED.filter((type) => type !== 'RatePerLoad');
const ifAmong = (types: readonly string[], sql: string): string => `case when k.type in ('${types.join("', '")}') then ${sql} end`;
const ifHourly = (sql: string): string => ifAmong(['RatePerHour'], sql);
/** SQL of a term of rate card `r` if that is paid for what the quoted rate is. */
const ifSame = (sql: string): string => `case when r.type = k.type then ${sql} end`;
const MINIMUM = `nullif(${minimumSql('r', 'k.type')}, 0)`;
const INCREMENT = `nullif(${incrementSql('r', 'k.type')}, 0)`;

const decimal = (sql: string): string => `trim_scale(${sql})::text`;
const isScheduleUsed = (s: string): string => isInUse(...['site_id', 'dropoff_site_id', 'material_id'].map((column) => `${s}.${column}`));

/** The records whose add-ons are charged by themselves, the most particular first (`PARENTS`). */
const PARENTS_OF_RATE = 'array[x.schedule_id, p.id, r.id, p.account_id]::uuid[]';
const PARENT = parentIdOf('a');
/** SQL of whether assignment `a` is charged to customers of company `c` by itself. */
const IS_CHARGED = `a.company_id = c.id and a.side = 'customer' and 'invoicing' = any(a.add_on_types)
        and (a.total_installments = 0 or a.auto_add_on_installments_count < a.total_installments)`;

/** SQL of the fuel surcharge of schedule `s` as customers read it: `bp` is the billing profile of the customer, `cs` are the settings of the company. */
const FUEL = `json_build_object('name', s.name, 'indexName', i.name, 'surchargeType', s.surcharge_type, 'date', ${settingSql('cs', 'fuelDate')},
  'lagWeeks', coalesce(bp.fuel_lag_weeks, s.lag_weeks), 'rows', coalesce((
    select json_agg(json_build_object('price', ${decimal('w.price')}, 'billSurcharge', ${decimal('w.bill_surcharge')}) order by w.price)
    from fuel_surcharge_schedule_price w where w.fuel_surcharge_schedule_id = s.id and w.discarded_at is null), '[]'))`;

/**
 * SQL of the add-ons that are charged by themselves with quoted rate `x` of project `p`, as `autoAddOnsOf` finds those of a job: of one root, the
 * most particular. An hourly rate pays for waiting already.
 */
const CHARGES = `select coalesce(json_agg(json_build_object('name', f.name, 'type', f.revenue_cost_rate_type,
    'rate', case when f.revenue_cost_rate_type in ('RateForEach', 'PerLoad') then ${decimal('coalesce(f.revenue_rate_value, 0)')} end,
    'quantity', case when f.revenue_cost_rate_type = 'RateForEach' and d.wait_counted_in is null then ${decimal('f.quantity')} end,
    'percentage', case when f.revenue_cost_rate_type = 'RatePercentOfTotal' then ${decimal('coalesce(f.percentage, 0)')} end,
    'percentageBase', case when f.revenue_cost_rate_type = 'RatePercentOfTotal' then coalesce(d.percentage_base, 'lines') end,
    'taxable', coalesce(d.taxable, false), 'waitCountedIn', d.wait_counted_in,
    'waitFreeMinutes', case when d.wait_counted_in is not null then coalesce(d.wait_free_minutes, 0) end, 'waitIncrementMinutes', nullif(d.wait_increment_minutes, 0),
    'fuel', case when f.revenue_cost_rate_type = 'FuelSurcharge' and s.id is not null then ${FUEL} end) order by f.created_at, f.id), '[]') as charges,
    coalesce(bool_or(f.revenue_cost_rate_type = 'FuelSurcharge'), false) as fueled
  from (select distinct on (coalesce(a.original_auto_add_on_assignment_id, a.id)) a.* from auto_add_on_assignment a
      where ${PARENT} = any(${PARENTS_OF_RATE}) and ${IS_CHARGED}
      order by coalesce(a.original_auto_add_on_assignment_id, a.id), array_position(${PARENTS_OF_RATE}, ${PARENT})) f
    left join add_on d on d.id = f.add_on_id
    left join fuel_surcharge_schedule s on s.id = d.fuel_surcharge_schedule_id left join fuel_price_index i on i.id = s.fuel_price_index_id
  where d.wait_counted_in is null or k.type <> 'RatePerHour'`;

/** SQL of whether breaks are paid where time is: as the profile of the customer says, and otherwise those of a whole day as the company chose. */
const BREAKS_PAID = `coalesce(bp.breaks_paid, case when r.type = k.type and r.time_basis in ('portal', 'shift') then ${settingSql('cs', 'breaksPaid')} else false end)`;

/**
 * SQL of schedules `h` of project `p` that have no rate for customers, and by which it is decided what customers are charged in addition: they charge it, or keep away what another
 * schedule would charge whose conditions their work meets, too. A job of it is paid at the rate of another schedule whose conditions it meets, or of the project.
 */
const DECIDING_CHARGES = `select 1, ${['rate_id', 'rate_value', 'rate_type'].map((part) => `case when b.id is null then p.customer_${part} else b.${part} end`).join(', ')}, h.id,
      h.site_id, h.dropoff_site_id, h.equipment_type_id, h.material_id, h.created_at, h.id
    from site_rate_schedule h
      cross join lateral (select h.project_id, h.site_id as pickup_id, h.dropoff_site_id as dropoff_id, h.equipment_type_id, h.material_id) w
      left join lateral (select s.id, s.customer_rate_id as rate_id, s.customer_rate_value as rate_value, s.customer_rate_type as rate_type from ${schedulesOf('customer')} limit 1) b on true
    where h.project_id = p.id and h.discarded_at is null and ${isScheduleUsed('h')} and not ${saysRate('customer', 'h')}
      and exists (select from site_rate_schedule s join auto_add_on_assignment a on a.site_rate_schedule_id = s.id
        where s.project_id = w.project_id and s.discarded_at is null and ${conditionsMet} and ${IS_CHARGED})`;

/**
 * SQL of the customer's rates of project `p` of company `c`: its own, and those of its schedules, with all terms by which invoices are made. A value goes before that of a rate card that
 * is given, too, whose terms hold nevertheless if it is paid for the same. A rate for a site that is not shared any more is left out: without the name of its site it would be one for
 * any place.
 */
export const RATES = `select k.type as "rateType", ${decimal(`coalesce(x.value, ${valueSql('r')})`)} as value,
    ${ifAmong(MEASURED, decimal(MINIMUM))} as "minimumQuantity", ${ifAmong(MEASURED, decimal(INCREMENT))} as "incrementQuantity",
    ${ifHourly(`${MINIMUM}::int`)} as "minimumMinutes", ${ifHourly(`${INCREMENT}::int`)} as "incrementMinutes",
    ${ifHourly(`coalesce(${ifSame('r.minimum_per')}, 'job')`)} as "minimumPer", ${ifHourly(`coalesce(${ifSame('r.time_basis')}, 'job')`)} as "timeBasis",
    ${ifAmong(['RatePerDay'], `${MINIMUM}::int`)} as "fullDayMinutes", ${ifAmong(['RatePerHour', 'RatePerDay'], BREAKS_PAID)} as "breaksPaid",
    coalesce(${ifAmong(TIERED, ifSame(`case when r.tier_mode is not null then r.tiers end`))}, '[]') as tiers, ${ifAmong(TIERED, ifSame('r.tier_mode'))} as "tierMode",
    case when r.fuel_surcharge_enabled and not g.fueled then ${decimal('nullif(c.fuel_surcharge_percentage, 0)')} end as "fuelPercentage", g.charges,
    ps.name as "pickupSiteName", ds.name as "dropoffSiteName", e.name as "equipmentTypeName", m.name as "materialName"
  from (select 0 as place, p.customer_rate_id as rate_id, p.customer_rate_value as value, p.customer_rate_type as type, null::uuid as schedule_id,
      null::uuid as site_id, null::uuid as dropoff_site_id, null::uuid as equipment_type_id, null::uuid as material_id, null::timestamptz as created_at, p.id
    union all select 1, s.customer_rate_id, s.customer_rate_value, s.customer_rate_type, s.id, s.site_id, s.dropoff_site_id, s.equipment_type_id, s.material_id, s.created_at, s.id
    from site_rate_schedule s where s.project_id = p.id and s.discarded_at is null and ${isScheduleUsed('s')} and ${saysRate('customer', 's')}
    union all ${DECIDING_CHARGES}) x
    left join rate r on r.id = x.rate_id cross join lateral (select ${typeSql('x.value', 'x.type', 'r.type')} as type) k
    cross join lateral (${CHARGES}) g left join site ps on ps.id = x.site_id left join site ds on ds.id = x.dropoff_site_id
    left join equipment_type e on e.id = x.equipment_type_id left join material m on m.id = x.material_id
  where k.type is not null and coalesce(x.value, ${valueSql('r')}) is not null and (x.site_id is null or ps.id is not null) and (x.dropoff_site_id is null or ds.id is not null)
  order by x.place, x.created_at, x.id`;
