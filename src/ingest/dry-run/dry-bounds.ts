import { setTimeout as sleep } from 'node:timers/promises';
import { TooMany, Unavailable } from '../../platform/errors.ts';
import type { BatchTx } from '../importer.ts';
import { faultOf } from '../ledger/retries.ts';

/** Seconds a dry run may take in all, with all that it began again. */
export const DRY_SECONDS = 20;
/** Seconds of one statement: until it ends, nobody can be let past. */
const STATEMENT_SECONDS = 5;
/** Milliseconds a dry run waits for a lock of others. */
const LOCK_WAIT = 300;
/** Milliseconds after which a dry run looks whether somebody waits for it: the longest an import is held up between statements. */
const LOOK_EVERY = 50;
/** Milliseconds before what gave way begins again: at first, and at most. */
const PAUSES = [25, 1_000] as const;
/** Seconds a client waits that was kept out, and one whose records others worked on all the time. */
const RETRY_AFTER = { place: 1, way: 5 };
/** Dry runs of this process at a time: each holds a connection for as long as it lasts. */
const SIDE_BY_SIDE = 4;
/** How often what looks like a race is taken for one: importers make no equal keys, but a mistake of theirs would be met again. */
const RACES = 3;

const running = new Set<string>();

/** Ends a dry run between two statements. Its code is one that no bisecting tries again. */
export class OutOfTime extends Error {
  readonly code = '57P05';
}

/** Somebody waits for what a dry run holds, or holds what it wants: it is rolled back and begins again. */
class Yielded extends Error {
  readonly code = '40001';
}

/** Does the work while the company has a place for it, of which it has one in a process. @throws TooMany when it has none */
export async function inPlaceOf<T>(companyId: string, work: () => Promise<T>): Promise<T> {
  if (running.has(companyId) || running.size >= SIDE_BY_SIDE) throw new TooMany(RETRY_AFTER.place);
  running.add(companyId);
  try {
    return await work();
  } finally {
    running.delete(companyId);
  }
}

/** The time of a dry run, and its manners: imports go first, in whatever transaction they are. */
export class DryBounds {
  readonly #until = performance.now() + DRY_SECONDS * 1000;
  #looked = 0;
  #tries = 0;

  /**
   * Attempts until one is not in anybody's way. An attempt has rolled back when it ends.
   * @throws OutOfTime; TooMany when others were in the way all the time; Unavailable when the database is away
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

  /** The first statements of an attempt: its limits, and the company's only place among all processes. @throws TooMany */
  async begin(query: BatchTx['query'], companyId: string): Promise<void> {
    await this.limit(query);
    const [row] = await query<{ free: boolean }>(
      `select set_config('lock_timeout', $2, true), pg_try_advisory_xact_lock(hashtextextended('haulgate:dry-run:' || $1, 0)) as free`,
      [companyId, `${LOCK_WAIT}ms`],
    );
    if (!row?.free) throw new TooMany(RETRY_AFTER.place);
  }

  /** Lets no statement from here on last longer than what is left. */
  async limit(query: BatchTx['query']): Promise<void> {
    const left = Math.max(1, Math.min(this.#left(), STATEMENT_SECONDS * 1000));
    await query(`select set_config('statement_timeout', $1, true)`, [`${Math.ceil(left)}ms`]);
  }

  /** To be called before a statement. @throws OutOfTime, GaveWay */
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
   * Does the work of an attempt and tells its errors for what they are to a dry run: a statement that was cut short is the end of the
   * time, a lock that is not to be had or a key that came into being meanwhile is somebody in the way.
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
