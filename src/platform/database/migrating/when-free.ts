import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { type Wanted, type Watched, wantedOf, watchOver } from './watch-over.ts';

/**
 * Hears, now and then, of a step of migrating that has not got its tables yet.
 * @param step the name of a migration, or what else is done
 * @param seconds since it began
 */
export type OnWait = (step: string, seconds: number) => void;

/**
 * Milliseconds for which a migration waits for a table at first; whoever wants that table meanwhile waits behind it. It has given up before PostgreSQL ends
 * somebody who waits for what the migration holds, which it does after a second.
 */
const PATIENCE = 800;
/** The longest wait, where each is twice as long as the one before: less than a statement of a request may take (`HAULGATE_STATEMENT_SECONDS`), which waits behind it. */
const MOST_PATIENCE = 8_000;
/**
 * The longest wait for another table, while whoever wants the first one waits behind both. Somebody who has that other one and comes to wait for the first
 * one meanwhile is not ended by PostgreSQL before that.
 */
const MORE_PATIENCE = 900;
/** Milliseconds for which it then lets them in, before it begins again. */
const AGAIN = 1_000;
/** Attempts after which what waits is reported for the first time, and then each time again. */
const REPORTED = 3;
/** Somebody held a table for longer, such as an export; or waited for a table that the migrations hold. */
const IN_THE_WAY = new Set(['55P03', '40P01']);
/** The migration was called off by its watch. */
const CALLED_OFF = '57014';

/**
 * Milliseconds after which a migration sees that it and somebody else have begun to wait for each other. It is the first to see that, and begins again;
 * the other one would be ended after a second.
 */
const SEES_DEADLOCKS = 20;

/** Has a transaction wait for tables for so many milliseconds at most. */
const bePatient = (em: EntityManager, ms: number): Promise<unknown> => em.execute(`select set_config('lock_timeout', '${ms}', true)`);

/** Steps of migrating wait with this. */
export interface Waiting {
  /** Of the transaction that keeps others from migrating. With it, imports make way for a step that waits, and the step is watched. */
  alone?: EntityManager;
  onWait?: OnWait;
}

/** The lock that a claim of imports shares, and that a step which waits has for itself. */
const IMPORTS = "hashtext('haulgate:imports make way')";
/**
 * A condition in SQL: no migration waits for tables. Until the end of the transaction that asks none begins to keep imports back, so ask it in short
 * ones. It waits for nobody.
 */
export const NO_MIGRATION_WAITS = `pg_try_advisory_xact_lock_shared(${IMPORTS})`;
/** Milliseconds for which a step keeps imports back at most: what runs has ended by then, so that somebody else is in the way. */
const KEPT_BACK = 120_000;

/**
 * Does something in a transaction of its own, and again as long as others are in its way. The table that it waited for in vain it asks for first the next
 * time, while it holds nothing that somebody else wants: whoever has that table ends then, and nobody needs another one that the step holds. No batch
 * of imports begins from its second attempt on, for batches of several seconds that overlap would never leave it a moment.
 */
export async function whenFree<T>(
  orm: MikroORM,
  { step, alone, onWait }: Waiting & { step: string },
  work: (em: EntityManager) => Promise<T>,
): Promise<T> {
  const began = Date.now();
  let keepsBack = false;
  const keepBack = async (wish: boolean): Promise<void> => {
    if (!alone || wish === keepsBack) return;
    await alone.execute(`select pg_advisory_${wish ? 'lock' : 'unlock'}(${IMPORTS})`);
    keepsBack = wish;
  };
  let first: readonly Wanted[] = [];
  const again = async (): Promise<T> => {
    for (let attempt = 0; ; attempt++) {
      const tried = await tryOnce(orm, { alone, first, attempt }, work);
      if ('result' in tried) return tried.result;
      const { wanted } = tried;
      if (wanted) first = [wanted, ...first.filter(({ table }) => table !== wanted.table)];
      const waited = Date.now() - began;
      if (attempt % REPORTED === REPORTED - 1) onWait?.(step, Math.round(waited / 1_000));
      await keepBack(waited < KEPT_BACK);
      await sleep(AGAIN);
    }
  };
  return followedBy(again, () => keepBack(false));
}

/**
 * Does something, and then what follows in any case.
 * @throws AggregateError if both fail: who reads the log needs the first one, and the second one may be why
 */
async function followedBy<T>(work: () => Promise<T>, end: () => Promise<unknown>): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await afterFailure(error, end);
    throw error;
  }
  await end();
  return result;
}

/** Does something after a failure. @throws AggregateError with both, and the code of the first one, if it fails, too */
async function afterFailure<T>(failure: unknown, then: () => Promise<T>): Promise<T> {
  try {
    return await then();
  } catch (error) {
    const { message, code } = failure as Error & { code?: string };
    const both = new AggregateError([failure, error], `${message}; then: ${(error as Error).message}`, { cause: failure });
    throw Object.assign(both, code === undefined ? {} : { code });
  }
}

/** An attempt to do something in a transaction. */
interface Attempt {
  /** Watches it. */
  alone?: EntityManager;
  /** The tables that it asks for before it does anything else. */
  first?: readonly Wanted[];
  /** How many there were before. */
  attempt?: number;
}

/**
 * Does something in a transaction that gives way to others.
 * @returns the result, or, if others were in its way, the table that it waited for
 */
export async function tryOnce<T>(
  orm: MikroORM,
  { alone, first = [], attempt = 0 }: Attempt,
  work: (em: EntityManager) => Promise<T>,
): Promise<{ result: T } | { wanted?: Wanted }> {
  let watched: Watched | undefined;
  try {
    const result = await orm.em.fork().transactional(async (em) => {
      const patience = Math.min(PATIENCE * 2 ** attempt, MOST_PATIENCE);
      await bePatient(em, patience);
      await seeDeadlocks(em);
      const endWatch = alone && watchOver(alone, await processOf(em));
      const run = async (): Promise<T> => {
        for (const wanted of first) {
          await em.execute(askFor(wanted));
          await bePatient(em, Math.min(patience, MORE_PATIENCE));
        }
        return work(em);
      };
      // If that fails, the transaction is lost that keeps others from migrating: nothing is kept then.
      return followedBy(run, async () => {
        watched = await endWatch?.();
      });
    });
    return { result };
  } catch (error) {
    const { code = '', detail } = error as { code?: string; detail?: string };
    const isInTheWay = IN_THE_WAY.has(code) || (code === CALLED_OFF && watched?.calledOff);
    if (!isInTheWay || error instanceof AggregateError) throw error;
    return { wanted: (alone && (await afterFailure(error, () => wantedOf(alone, detail)))) ?? watched?.wanted };
  }
}

/** Has a transaction be the one that is ended when it begins to wait for somebody who waits for it. Only a superuser, or who was granted it, may say so. */
const seeDeadlocks = (em: EntityManager): Promise<unknown> =>
  em.execute(
    `select case when has_parameter_privilege('deadlock_timeout', 'set') then set_config('deadlock_timeout', '${SEES_DEADLOCKS}', true) end`,
  );

/** Waits for a table, unless it is gone meanwhile, as the parts of a table whose years are archived. */
const askFor = ({ table, mode }: Wanted): string => `do $$ begin
    lock table only ${table} in ${mode} mode;
  exception when undefined_table then null; end $$`;

/** The process of PostgreSQL that runs a transaction. */
async function processOf(em: EntityManager): Promise<number> {
  const [{ pid }] = await em.execute<[{ pid: number }]>('select pg_backend_pid() as pid');
  return pid;
}
