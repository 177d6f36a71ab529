import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Invalid } from '../../platform/errors.ts';
import { closedThrough } from '../periods/books.ts';
import type { FuelPrice } from './fuel-price-index.entity.ts';

const WEEK = 7;

// A price holds from its day on until the next one. The day that counts is that of the work, less the weeks of the schedule.
const REPRICED = `select from invoice i join add_on_charge h on h.add_on_applicable_id = i.id join add_on a on a.id = h.add_on_id
    join fuel_surcharge_schedule s on s.id = a.fuel_surcharge_schedule_id and s.fuel_price_index_id = $2
    join unnest($3::date[]) as d(day) on i.service_date - ${WEEK} * s.lag_weeks >= d.day
      and not exists (select from fuel_price n where n.fuel_price_index_id = $2 and n.discarded_at is null and n.id <> $5 and n.date > d.day
        and n.date <= i.service_date - ${WEEK} * s.lag_weeks)
  where i.company_id = $1 and i.posting_date <= $4 and i.state <> 'voided' limit 1`;

/** Returns the last closed day if invoices of a closed period were charged by what fuel cost on days; null if none was. */
export async function closedByRepricing(tx: TxContext, price: FuelPrice, dates: readonly string[]): Promise<string | null> {
  const { company, fuelPriceIndex, id } = price;
  const day = await closedThrough(tx, company.id);
  if (day === null) return null;
  return (await queryIn(tx.em, REPRICED, [company.id, fuelPriceIndex.id, dates, day, id])).length > 0 ? day : null;
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
