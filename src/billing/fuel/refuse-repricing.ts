import { settingSql } from '../../directory/companies/settings/setting-sql.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Invalid } from '../../platform/errors.ts';
import { closedThrough } from '../periods/books.ts';
import type { FuelPrice } from './fuel-price-index.entity.ts';

const WEEK = 7;

// A price holds from its day on until the next one. The day that counts is that of the order or of the start of its job, or of the driver's day, less
// the weeks of the customer, the vendor or of the schedule: as invoices are charged (`fuelRateOn`).
/** SQL of invoices `i` that charge fuel by schedule `s`, which is before it, and the day `w.day` of the price that counts. */
export const FUELED = `add_on a on a.fuel_surcharge_schedule_id = s.id join add_on_charge h on h.add_on_id = a.id
    join invoice i on i.id = h.add_on_applicable_id join company c on c.id = i.company_id left join company_settings cs on cs.id = i.company_id
    left join billing_profile bp on bp.id in (i.customer_account_id, i.vendor_account_id) and bp.company_id = i.company_id
    cross join lateral (select coalesce((case when ${settingSql('cs', 'fuelDate')} = 'job_start' then null else o.load_at end at time zone c.time_zone)::date, i.service_date) - ${WEEK} * coalesce(bp.fuel_lag_weeks, s.lag_weeks) as day
      from (select i.order_id as id union select dj.order_id from job dj where dj.driver_day_id = i.driver_day_id) x left join orders o on o.id = x.id) w`;
const REPRICED = `select from fuel_surcharge_schedule s join ${FUELED}
    join unnest($3::date[]) as d(day) on w.day >= d.day
      and not exists (select from fuel_price n where n.fuel_price_index_id = $2 and n.discarded_at is null and n.id <> $5 and n.date > d.day and n.date <= w.day)
  where s.fuel_price_index_id = $2 and i.company_id = $1 and i.posting_date <= $4 and i.state <> 'voided' limit 1`;

/** Returns the last closed day if invoices of a closed period were charged by what fuel cost on days; null if none was. */
export async function closedByRepricing(tx: TxContext, price: FuelPrice, dates: readonly string[]): Promise<string | null> {
  const { company, fuelPriceIndex, id } = price;
  const day = await closedThrough(tx, company.id);
  if (day === null) return null;
  // The orders of passed work are those of other companies.
  const found = await withPartnerVisibility(() => queryIn(tx.em, REPRICED, [company.id, fuelPriceIndex.id, dates, day, id]));
  return found.length > 0 ? day : null;
}

/**
 * Refuses to change what fuel cost on days by whose price invoices of a closed period were charged (BILLING B10): what corrects one of them would charge
 * fuel otherwise.
 * @throws Invalid
 */
export async function refuseRepricing(tx: TxContext, price: FuelPrice, dates: readonly string[]): Promise<void> {
  const day = await closedByRepricing(tx, price, dates);
  if (day !== null) throw new Invalid([{ model: 'FuelPrice', field: 'date', key: 'fuel_price_of_closed_period', params: { day } }]);
}
