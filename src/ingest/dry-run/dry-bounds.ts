import { setTimeout as sleep } from 'node:timers/promises';
import { type InApplication, perApplication } from '../../platform/application.ts';
import { TooMany, Unavailable } from '../../platform/errors.ts';
import type { BatchTx } from '../importer.ts';
import { faultOf } from '../ledger/retries.ts';

/** The most seconds of a dry run, with all its restarts. */
export const DRY_SECONDS = 20;
/** The most seconds of one statement: until it ends, the dry run cannot yield. */
const STATEMENT_SECONDS = 5;
/** Milliseconds that a dry run waits for a lock. */
const LOCK_WAIT = 300;
/** Milliseconds after which a dry run checks whether somebody waits for it: the longest time that it delays an import between statements. */
const LOOK_EVERY = 50;
/** Milliseconds before a dry run that yielded begins again: at first, and at most. */
const PAUSES = [25, 1_000] as const;
/** Seconds of `Retry-After`: for a client that was kept out by another dry run of its company, and for one that yielded all the time. */
const RETRY_AFTER = { place: 1, way: 5 };
/** The most dry runs of an application at a time: each holds a connection while it lasts. */
const SIDE_BY_SIDE = 4;
/** A unique violation is taken for a race so many times. Importers create no equal keys, but a mistake in one of them would fail again. */
const RACES = 3;

/** Companies whose dry runs are under way. */
const dryRuns = perApplication('dry runs under way', () => new Set<string>());

/** Ends a dry run between two statements. Bisecting does not retry errors with its code. */
export class OutOfTime extends Error {
  readonly code = '57P05';
}

/** Somebody waits for a lock of the dry run, or holds one that it wants: it is rolled back and begins again. */
class Yielded extends Error {
  readonly code = '40001';
}

/** Runs the work if the company has no other dry run in this application. @throws TooMany if it has one */
export async function inPlaceOf<T>(application: InApplication, companyId: string, work: () => Promise<T>): Promise<T> {
  const running = dryRuns.of(application);
  if (running.has(companyId) || running.size >= SIDE_BY_SIDE) throw new TooMany(RETRY_AFTER.place);
  running.add(companyId);
  try {
    return await work();
  } finally {
    running.delete(companyId);
  }
}

/** The time limit of a dry run. It also makes the dry run yield: imports go first, in whatever transaction they are. */
export class DryBounds {
  readonly #until = performance.now() + DRY_SECONDS * 1000;
  #looked = 0;
  #tries = 0;

  /**
   * Repeats attempts until one ends without yielding. An attempt is rolled back when it ends.
   * @throws OutOfTime; TooMany if it had to yield all the time; Unavailable if the database cannot be reached
   */
  async through<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      this.#tries++;
      this.#looked = performance.now();
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof OutOfTime) throw error;
        if (faultOf(error) === 'lost-connection') throw new Unavailable(1, error);
        if (faultOf(error) !== 'lost-race') throw error;
      }
      const pause = Math.min(PAUSES[0] * 2 ** this.#tries, PAUSES[1]);
      if (this.#left() <= pause) throw new TooMany(RETRY_AFTER.way);
      await sleep(pause * (0.5 + Math.random() / 2));
    }
  }

  /** Runs the first statements of an attempt, which set its limits and lock the company's only place among all processes. @throws TooMany */
  async begin(query: BatchTx['query'], companyId: string): Promise<void> {
    await this.limit(query);
    const [row] = await query<{ free: boolean }>(
      `select set_config('lock_timeout', $2, true), pg_try_advisory_xact_lock(hashtextextended('haulgate:dry-run:' || $1, 0)) as free`,
      [companyId, `${LOCK_WAIT}ms`],
    );
    if (!row?.free) throw new TooMany(RETRY_AFTER.place);
  }

  /** Limits all following statements to the time that is left. */
  async limit(query: BatchTx['query']): Promise<void> {
    const left = Math.max(1, Math.min(this.#left(), STATEMENT_SECONDS * 1000));
    await query(`select set_config('statement_timeout', $1, true)`, [`${Math.ceil(left)}ms`]);
  }

  /** Call it before each statement. @throws OutOfTime, Yielded */
  async look(query: BatchTx['query']): Promise<void> {
    if (this.#left() <= 0) throw new OutOfTime();
    if (performance.now() - this.#looked < LOOK_EVERY) return;
    const [row] = await query<{ wanted: boolean }>(
      'select exists (select from pg_locks w where not w.granted and pg_backend_pid() = any (pg_blocking_pids(w.pid))) as wanted',
    );
    this.#looked = performance.now();
    if (row?.wanted) throw new Yielded();
  }

  /**
   * Runs the work of an attempt and translates its errors. A canceled statement means that the time is over; a lock that is not available,
   * or a key that was created meanwhile, means that the dry run has to yield.
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { code } = (error ?? {}) as { code?: unknown };
      if (code === '57014') throw new OutOfTime('', { cause: error });
      if (code === '55P03' || (code === '23505' && this.#tries < RACES)) throw new Yielded('', { cause: error });
      throw error;
    }
  }

  #left(): number {
    return this.#until - performance.now();
  }
}
