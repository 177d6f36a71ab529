import { setTimeout as sleep } from 'node:timers/promises';
import { poolOf } from '../../src/platform/database/sql.ts';
import type { TestApp } from './app.ts';

/** Longer than a busy machine delays anything, and shorter than the minute after which the product itself ends what takes too long. */
const PATIENCE = 30_000;

/** Milliseconds between two looks of the workers while a test waits. */
const LOOK_EVERY = 50;

/** Has the workers of an application look for due work; for each application of the test file. */
const looks = new Set<() => void>();

/** Has workers look whenever a test waits: by themselves they look so seldom that it would wait for them. @returns what ends it */
export function lookWhileWaiting(look: () => void): () => void {
  looks.add(look);
  return () => void looks.delete(look);
}

/**
 * Resolves when `holds` returns true, which is tried again and again. Meanwhile workers look for what has become due.
 * @throws if it does not within half a minute
 */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE;
  for (let looked = -Infinity; !(await holds()); await sleep(10)) {
    const now = performance.now();
    if (now > end) throw new Error('waited in vain for half a minute');
    if (now - looked < LOOK_EVERY) continue;
    looked = now;
    for (const look of looks) look();
  }
}

/**
 * Calls `works` until it returns false.
 * @returns after how many milliseconds the last call began that returned true. A call that ended late because the machine was busy counts
 *   from its beginning, so that a limit for this time is one for the product alone.
 */
export async function lastWorked(works: () => Promise<boolean>): Promise<number> {
  const start = performance.now();
  for (let last = 0, begun = start; ; await sleep(50)) {
    begun = performance.now();
    if (!(await works())) return last;
    last = begun - start;
  }
}

/** Returns how many statements in the database of an application wait for a lock. */
export async function countWaiting({ orm }: Pick<TestApp, 'orm'>): Promise<number> {
  // On a connection of its own: PostgreSQL shows the same list throughout a transaction.
  const pool = await poolOf(orm.em.fork());
  const { rows } = await pool.query<{ count: number }>(
    "select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows[0]!.count;
}

/** Resolves when at least so many statements in the database of an application wait for a lock. */
export const untilWaiting = (app: Pick<TestApp, 'orm'>, count = 1): Promise<void> => until(async () => (await countWaiting(app)) >= count);

/** Returns the milliseconds of this thread's processor time that pass during `work`: what else the machine does is not counted. */
export async function processorTime(work: () => unknown): Promise<number> {
  const start = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

/** Returns the least processor time of several runs, in milliseconds: what else the machine does, and code that is not compiled yet, only add to it. */
export async function leastProcessorTime(work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 5; i++) least = Math.min(least, await processorTime(work));
  return least;
}
