import type { Pool, PoolClient } from 'pg';
import { isUnreachable } from '../../errors.ts';
import { backoff } from '../backoff.ts';
import { isStale } from './wire.ts';

/** A statement is sent so many times at most. */
const TRIES = 3;
const DEADLOCK = '40P01';

/**
 * Has a statement outside of transactions run as the code that asks for it: the pool's own `query` would run it when a connection is free, which is
 * when another request gives one back, and so in that request's scope and trace. A statement that lost to a migration runs again.
 */
export function queryAsCaller(pool: Pool): void {
  pool.query = ((...args: Parameters<PoolClient['query']>) => askAgain(() => queryOnce(pool, args))) as never;
}

/**
 * Asks a statement outside of transactions again if a migration got into its way: each waited for a table of the other's, or a table has other columns
 * now. It has done nothing then.
 */
export async function askAgain<T>(ask: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await ask();
    } catch (error) {
      const isUndone = (error as { code?: string }).code === DEADLOCK || isStale(error as Error);
      if (tried === TRIES || !isUndone) throw error;
      await backoff(tried);
    }
  }
}

async function queryOnce(pool: Pool, args: Parameters<PoolClient['query']>): Promise<unknown> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const dies = (error: Error) => {
    broken = error;
  };
  client.once('error', dies);
  try {
    return await client.query(...args);
  } catch (error) {
    // pg leaves a connection open whose answer did not come in time, and its next statement would wait for that answer.
    if (isUnreachable(error)) broken = error as Error;
    throw error;
  } finally {
    client.removeListener('error', dies);
    client.release(broken);
  }
}
