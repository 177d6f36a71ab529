import { ref } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { find } from '../../../platform/authz/authorization.ts';
import { asSystem } from '../../../platform/commands/system-context.ts';
import { emitEvent, type TxContext } from '../../../platform/commands/transact.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { FuelPrice, FuelPriceIndex } from '../fuel-price-index.entity.ts';
import { closedByRepricing } from '../refuse-repricing.ts';
import type { PublishedPrice } from './fuel-price-source.ts';

/** An index that follows a series. */
export interface FollowedIndex {
  id: string;
  companyId: string;
  series: string;
}

const READ = `update fuel_price_index set prices_read_at = now(), next_read_at = $3, read_attempts = 0, last_error = $4,
    updated_at = case when last_error is distinct from $4 then now() else updated_at end
  where id = $1 and series = $2`;

/**
 * Notes what a source has published. What somebody entered or deleted stays as it is, and has what was published next to it; what was read follows the
 * source, and pending invoices follow that. Prices by which a closed period was charged stay, too.
 * @param source the name of the source
 * @param next when the series is read again
 */
export async function storePrices(
  em: EntityManager,
  { id, companyId, series }: FollowedIndex,
  { source, found, next }: { source: string; found: readonly PublishedPrice[]; next: Date },
): Promise<void> {
  await asSystem(em, companyId, async (tx) => {
    const index = await find(tx, FuelPriceIndex, id, { companyId, lock: true });
    if (index.series !== series || index.discardedAt) return;
    const dates = found.map(({ date }) => date);
    const known = await tx.em.find(FuelPrice, { fuelPriceIndex: id, date: { $in: dates } }, { filters: { tenant: false } });
    const closed: string[] = [];
    for (const published of found) {
      const ofDay = known.filter(({ date }) => date === published.date);
      if (!(await note(tx, index, ofDay, published, source))) closed.push(published.date);
    }
    const problem = closed.length > 0 ? `stays as it is, because its period is closed: ${closed.join(', ')}` : null;
    await queryIn(tx.em, READ, [id, series, next, problem]);
  });
}

/** @returns false if the price stays although it was published otherwise, because its period is closed */
async function note(
  tx: TxContext,
  index: FuelPriceIndex,
  ofDay: readonly FuelPrice[],
  { date, price }: PublishedPrice,
  source: string,
): Promise<boolean> {
  const known = ofDay.find(({ discardedAt }) => !discardedAt);
  if (!known) {
    // A price that somebody deleted does not come back by itself.
    if (ofDay.some((one) => one.source === source)) return true;
    const made = Object.assign(new FuelPrice(), { company: index.company, fuelPriceIndex: ref(index), date, price, source });
    if (await closedByRepricing(tx, made, [date])) return false;
    tx.em.persist(Object.assign(made, { publishedPrice: price }));
    emitEvent(tx, 'fuel_price.created', made);
    return true;
  }
  if (known.publishedPrice?.eq(price)) return true;
  const follows = known.source === source;
  if (follows && (await closedByRepricing(tx, known, [date]))) return false;
  known.publishedPrice = price;
  if (follows) known.price = price;
  emitEvent(tx, 'fuel_price.updated', known);
  return true;
}
