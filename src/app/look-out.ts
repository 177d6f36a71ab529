import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { runAsPurpose } from '../platform/database/scope.ts';
import { poolOf } from '../platform/database/sql.ts';
import type { Logger } from '../platform/log.ts';
import { startSweeper } from '../platform/queue/sweeper.ts';
import { tasksWaker } from '../platform/queue/tasks-waker.ts';
import { QUEUES, QUEUES_WATCH } from './queues.ts';
import type { Workers } from './workers.ts';

/** Milliseconds between two looks: nobody wakes a process for what follows from commits, such as invoices, webhooks and positions. */
export const LOOK_EVERY = 500;
/** Milliseconds between the beginnings of two looks at least: many commits wake in a second where many people work, and each look asks for every queue. */
const PAUSE = 100;
/** Milliseconds between two looks of a worker by itself, where a look-out calls it: for its housekeeping, and what it alone knows. */
export const SELDOM = 15_000;
/** Milliseconds between two calls of all workers while it is not known which of them have due work. */
const BLIND_EVERY = 1_000;

/** The look for due work of all workers of a process. */
export interface LookOut {
  /** Ends it after the look that is under way. */
  stop(): Promise<void>;
}

/**
 * Looks with one statement which queues have due work, and calls the workers that empty them: some twenty workers that each look for their own would send
 * thirty statements a second from every process, whether there is work or not. A wake has it look at once, or a moment after the look before. While the
 * statement fails, or waits because one of its tables is locked, it calls all workers, each of which then looks for itself.
 */
export function startLookOut(em: EntityManager, log: Logger, workers: Workers, every = LOOK_EVERY): LookOut {
  const waker = tasksWaker.of(em);
  const watched = QUEUES.filter(({ worker }) => worker && workers[worker]);
  const statement = watched
    .map(({ worker, wants, rows }) => `select '${worker}' as worker where exists (${wants ?? rows(1)})`)
    .join(' union ');
  // Planned once for each connection: it asks for the same each time.
  const name = `look_out_${createHash('sha256').update(statement).digest('hex').slice(0, 16)}`;
  const all = new Set(watched.map(({ worker }) => worker!));
  let again = false;
  let began = Number.NEGATIVE_INFINITY;
  let pause: NodeJS.Timeout | undefined;
  let blindAt = Number.NEGATIVE_INFINITY;
  const callAll = () => {
    blindAt = performance.now();
    for (const worker of all) workers[worker]?.sweep();
  };
  const look = async () => {
    again = false;
    began = performance.now();
    const late = setInterval(callAll, BLIND_EVERY);
    try {
      const pool = await poolOf(em);
      const { rows } = await runAsPurpose(QUEUES_WATCH, () => pool.query<{ worker: keyof Workers }>({ name, text: statement }));
      for (const { worker } of rows) workers[worker]?.sweep();
    } catch (error) {
      if (performance.now() - blindAt >= BLIND_EVERY) callAll();
      throw error;
    } finally {
      clearInterval(late);
    }
    // Somebody woke it when it looked already, and perhaps past what the wake is for.
    if (again) setImmediate(lookSoon);
  };
  const sweeper = startSweeper(every, look, (error) => log.warn({ err: error }, 'due work could not be looked for'));
  const lookSoon = () => {
    clearTimeout(pause);
    const left = began + PAUSE - performance.now();
    if (left <= 0) sweeper.now();
    // Timers may be early.
    else pause = setTimeout(lookSoon, Math.ceil(left));
  };
  waker.listen(() => {
    again = true;
    lookSoon();
  });
  return {
    async stop() {
      clearTimeout(pause);
      await sweeper.stop();
    },
  };
}
