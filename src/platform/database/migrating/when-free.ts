import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';

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
/** Milliseconds for which it then lets them in, before it begins again. */
const AGAIN = 1_000;
/** Attempts after which what waits is reported for the first time, and then each time again. */
const REPORTED = 3;
/** Somebody held a table for longer, such as an export; or waited for a table that the migrations hold. */
const IN_THE_WAY = new Set(['55P03', '40P01']);

/**
 * Milliseconds after which a migration sees at first that it and somebody else wait for each other. It is the first to see that, and begins again; the other
 * one would be ended after a second. It looks twice as late each time, so that traffic that never ends does not keep it from its tables for ever.
 */
const SEES_DEADLOCKS = 20;

/** Has a transaction be the one that goes when others are in its way. An owner who is no superuser may not set the second. */
export async function giveWay(em: EntityManager, attempt: number): Promise<void> {
  const patience = Math.min(PATIENCE * 2 ** attempt, MOST_PATIENCE);
  const seesDeadlocks = Math.min(SEES_DEADLOCKS * 2 ** attempt, MOST_PATIENCE);
  await em.execute(`select set_config('lock_timeout', '${patience}', true), case when has_parameter_privilege('deadlock_timeout', 'set')
    then set_config('deadlock_timeout', '${seesDeadlocks}', true) end`);
}

/** Steps of migrating wait with this. */
export interface Waiting {
  /** Of the transaction that keeps others from migrating. With it, imports make way for a step that waits. */
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
 * Does something in a transaction of its own, and again as long as others are in its way. No batch of imports begins from its second attempt on, for
 * batches of several seconds that overlap would never leave it a moment.
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
  try {
    for (let attempt = 0; ; attempt++) {
      let result: { of: T } | undefined;
      const running = orm.em.fork().transactional(async (em) => {
        await giveWay(em, attempt);
        result = { of: await work(em) };
      });
      if ((await isDone(running)) && result) return result.of;
      const waited = Date.now() - began;
      if (attempt % REPORTED === REPORTED - 1) onWait?.(step, Math.round(waited / 1_000));
      await keepBack(waited < KEPT_BACK);
      await sleep(AGAIN);
    }
  } finally {
    await keepBack(false);
  }
}

/** @returns false if others were in its way */
export async function isDone(running: Promise<unknown>): Promise<boolean> {
  try {
    await running;
    return true;
  } catch (error) {
    if (IN_THE_WAY.has((error as { code?: string }).code ?? '')) return false;
    throw error;
  }
}
