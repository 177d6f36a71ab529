import { sinceSql } from '../../dispatch/pricing/rate-statement.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { Decimal } from '../../platform/decimal.ts';
import { stringEnum } from '../../platform/model/columns.ts';

/** The permission to see what fuel costs and what is charged for it: an office's (DOMAIN section 2). */
export const SEES_FUEL = 'view_fuel_prices';

/** Why a fuel surcharge may not be what was meant. Nothing is left out in silence (DOMAIN 3.7). */
export const FuelSurchargeWarning = stringEnum('FuelSurchargeWarning', [
  'fuel_price_missing',
  'fuel_price_stale',
  'schedule_empty',
  'below_schedule',
]);
export type FuelSurchargeWarning = keyof typeof FuelSurchargeWarning;

/** A price of fuel, or a row of a schedule, by which something was charged: which record it is, and since when that has been as it was read. */
export interface FuelRecord {
  id: string;
  since: string | null;
}

/** The values of the tables for a schedule on a day. */
export interface FuelFacts {
  /** The latest price of the index on the day that counts, and the days since it; null if the index has none by then. */
  price: (FuelRecord & { price: Decimal; date: string; age: number }) | null;
  /** The row with the greatest price up to that one; null if fuel is cheaper than in the first row. */
  row: (FuelRecord & { price: Decimal; billSurcharge: Decimal }) | null;
  hasRows: boolean;
}

export interface FuelRate extends FuelFacts {
  /** Percent or money for each unit, by the type of the schedule; null if it is not known. */
  billSurcharge: Decimal | null;
  warnings: FuelSurchargeWarning[];
}

/** Days after which a price is suspiciously old: prices are published every week, a few days late at holidays. */
const STALE = 10;

/**
 * Returns what a schedule charges, given what its tables say (BILLING B6). Fuel below the first row costs nothing extra. Without any price
 * or any row nobody knows: a blank is no zero.
 */
function fuelRateOf(facts: FuelFacts): FuelRate {
  const { price, row, hasRows } = facts;
  if (!price) return { ...facts, billSurcharge: null, warnings: ['fuel_price_missing'] };
  const warnings: FuelSurchargeWarning[] = price.age > STALE ? ['fuel_price_stale'] : [];
  if (!hasRows) return { ...facts, billSurcharge: null, warnings: [...warnings, 'schedule_empty'] };
  if (!row) return { ...facts, billSurcharge: new Decimal(0), warnings: [...warnings, 'below_schedule'] };
  return { ...facts, billSurcharge: row.billSurcharge, warnings };
}

interface FactsRow {
  priceId: string | null;
  priceSince: string | null;
  price: string | null;
  date: string | null;
  age: number | null;
  rowId: string | null;
  rowSince: string | null;
  rowPrice: string | null;
  billSurcharge: string | null;
  hasRows: boolean;
}

// The day that counts is the day of the work less the weeks of the schedule.
const FACTS = namedStatement(`
  select p.id as "priceId", p.since as "priceSince", p.price::text, p.date::text, p.age, r.id as "rowId", r.since as "rowSince", r.price::text as "rowPrice", r.bill_surcharge::text as "billSurcharge",
    exists (select 1 from fuel_surcharge_schedule_price x where x.fuel_surcharge_schedule_id = s.id and x.discarded_at is null) as "hasRows"
  from unnest($1::uuid[], $2::date[], $3::int[]) with ordinality g(schedule_id, date, weeks, place)
  left join fuel_surcharge_schedule s on s.id = g.schedule_id
  left join lateral (select g.date - 7 * coalesce(g.weeks, s.lag_weeks) as counts) d on true
  left join lateral (
    select f.id, ${sinceSql('f')} as since, f.price, f.date, d.counts - f.date as age from fuel_price f
    where f.fuel_price_index_id = s.fuel_price_index_id and f.discarded_at is null and f.date <= d.counts
    order by f.date desc limit 1) p on true
  left join lateral (
    select x.id, ${sinceSql('x')} as since, x.price, x.bill_surcharge from fuel_surcharge_schedule_price x
    where x.fuel_surcharge_schedule_id = s.id and x.discarded_at is null and x.price <= p.price
    order by x.price desc limit 1) r on true
  order by g.place`);

/** A schedule and a day of work. */
export interface FueledDay {
  scheduleId: string;
  /** `YYYY-MM-DD`. */
  date: string;
  /** Instead of the weeks of the schedule. */
  lagWeeks?: number | null;
}
type RunsStatement = (sql: string, values: unknown[]) => Promise<unknown[]>;

/** Returns what a schedule charges for work of a day. @param query runs a statement in the caller's scope @param date `YYYY-MM-DD` */
export async function fuelRateOn(query: RunsStatement, scheduleId: string, date: string): Promise<FuelRate> {
  return (await fuelRatesOn(query, [{ scheduleId, date }]))[0]!;
}

/** The same for several schedules and days in one statement, each looked up once; in their order. */
export async function fuelRatesOn(query: RunsStatement, days: readonly FueledDay[]): Promise<FuelRate[]> {
  const keyOf = ({ scheduleId, date, lagWeeks }: FueledDay): string => `${scheduleId} ${date} ${lagWeeks ?? ''}`;
  const asked = [...new Map(days.map((day) => [keyOf(day), day])).values()];
  if (asked.length === 0) return [];
  const columns = [asked.map((day) => day.scheduleId), asked.map((day) => day.date), asked.map((day) => day.lagWeeks ?? null)];
  const rows = (await query(FACTS, columns)) as FactsRow[];
  const rates = new Map(asked.map((day, i) => [keyOf(day), fuelRateOf(factsIn(rows[i]!))]));
  return days.map((day) => rates.get(keyOf(day))!);
}

const factsIn = ({ priceId, priceSince, price, date, age, rowId, rowSince, rowPrice, billSurcharge, hasRows }: FactsRow): FuelFacts => ({
  price: price === null ? null : { id: priceId!, since: priceSince, price: new Decimal(price), date: date!, age: age! },
  row: rowPrice === null ? null : { id: rowId!, since: rowSince, price: new Decimal(rowPrice), billSurcharge: new Decimal(billSurcharge!) },
  hasRows,
});
