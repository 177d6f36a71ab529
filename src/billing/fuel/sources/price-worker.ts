import { definePurpose } from '../../../platform/database/scope.ts';
import { queryAs } from '../../../platform/database/sql.ts';
import { ProviderError, reasonOf } from '../../../platform/http/remote.ts';
import type { BackgroundWorkerOptions } from '../../../platform/queue/background-worker.ts';
import type { Drainer } from '../../../platform/queue/drainer.ts';
import { claimSql, type Lease, type Leased, startLeaseQueue } from '../../../platform/queue/lease-queue.ts';
import { tracing } from '../../../platform/tracing/spans.ts';
import { type FuelPriceSource, fuelPriceSource } from './fuel-price-source.ts';
import { type FollowedIndex, storePrices } from './store-prices.ts';

/** Finds the indices of all companies whose series are to be read. What is read is stored company by company. */
export const FUEL_PRICES = definePurpose('fuel_prices', {
  fuel_price_index: [
    'select (id, company_id, series, next_read_at, read_attempts, last_error)',
    'update (next_read_at, read_attempts, last_error, updated_at)',
  ],
  fuel_price: ['select (fuel_price_index_id, date, discarded_at)'],
});

export interface PriceWorkerOptions extends BackgroundWorkerOptions {
  /** Milliseconds between two looks; a minute by default, because prices come once a week. */
  sweepEvery?: number;
  /** Seconds until a source is tried again that could not be read. There are three tries, and three more on the next day. */
  delays?: readonly number[];
}

/** Indices at a time: a source is asked gently. */
const SLOTS = 1;
const LEASE = 300;
const DELAYS = [300, 1_800];
/** Seconds after which a source is tried again that could not be read three times, and that has not published what it should have. */
const [TOMORROW, LATER] = [86_400, 7_200];
const DAY = 86_400_000;
/** Days before the newest price that are read again: weeks that were left out come together later, as in the summer of 2022. */
const BACK = 56;
/** Days that an index begins with: the most weeks by which schedules look back, twice. */
const FIRST = 182;

type Claimed = FollowedIndex & Leased;

const CLAIM = claimSql(
  'fuel_price_index',
  { due: 'next_read_at', attempts: 'read_attempts' },
  'id, company_id as "companyId", series, read_attempts as attempts',
);
/** One whose series was changed meanwhile has another time. */
const MINE = 'id = $1 and series = $2 and next_read_at is not null';
const POSTPONE = `update fuel_price_index set next_read_at = now() + $3 * interval '1 second' where ${MINE}`;
const GIVE_UP = `update fuel_price_index set next_read_at = now() + $3 * interval '1 second', read_attempts = 0 where ${MINE}`;
const FAILED = `update fuel_price_index set last_error = $3, updated_at = now() where ${MINE} and last_error is distinct from $3`;
const NEWEST = `select max(f.date)::text as date from fuel_price f where f.fuel_price_index_id = $1 and f.discarded_at is null`;

/**
 * Starts the worker that reads what fuel costs, for indices that follow a series of the source of the installation (BILLING B6). If a process
 * dies, its lease ends and another one reads the same again.
 * @throws Error without a source
 */
export function startFuelPriceWorker({ em, log, sweepEvery = 60_000, delays = DELAYS }: PriceWorkerOptions): Drainer {
  const source = fuelPriceSource.of(em);
  if (!source) throw new Error('there is no source of fuel prices');
  const ask = <R extends object>(sql: string, values: unknown[]): Promise<R[]> => queryAs<R>(FUEL_PRICES, em, sql, values);
  const readIndex = async (index: Claimed, { signal }: Lease): Promise<void> => {
    const [newest] = await ask<{ date: string | null }>(NEWEST, [index.id]);
    const found = await readPrices(source, index.series, newest?.date ?? null, signal);
    const now = new Date();
    const isCurrent = found.at(-1)!.date >= source.newestBy(now);
    const next = isCurrent ? source.nextAfter(now) : new Date(now.getTime() + LATER * 1_000);
    await storePrices(em, index, { source: source.name, found, next });
  };
  return startLeaseQueue<Claimed>({
    name: 'fuel prices',
    tracing: tracing.of(em),
    slots: SLOTS,
    lease: LEASE,
    claim: (most, seconds) => ask<Claimed>(CLAIM, [most, seconds]),
    async work(index, lease) {
      try {
        await readIndex(index, lease);
      } catch (error) {
        if (!lease.signal.aborted) await ask(FAILED, [index.id, index.series, reasonOf(error)]);
        throw error;
      }
    },
    delayAfter: (attempts) => delays[attempts - 1],
    postpone: ({ id, series }, seconds) => ask(POSTPONE, [id, series, seconds]),
    giveUp: ({ id, series }) => ask(GIVE_UP, [id, series, TOMORROW]),
    failed: (error, { id, series, attempts }, again) =>
      log.warn({ err: error, fuelPriceIndex: id, series, attempts, again }, 'prices of fuel could not be read'),
    whenStopped: 'at once',
    sweepEvery,
    log,
  });
}

/** @throws ProviderError, also for a source that has nothing: a series without any price is none */
async function readPrices(source: FuelPriceSource, series: string, newest: string | null, signal: AbortSignal) {
  const today = Date.now();
  const from = newest === null ? today - FIRST * DAY : Math.min(Date.parse(newest), today) - BACK * DAY;
  const day = new Date(from).toISOString().slice(0, 10);
  const found = await source.read(series, day, signal);
  if (found.length === 0) throw new ProviderError(`the provider has no price of ${series} since ${day}`);
  return found;
}
