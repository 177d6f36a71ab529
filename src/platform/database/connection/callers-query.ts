import type { Pool, PoolClient } from 'pg';
import { isUnreachable } from '../../errors.ts';
import { backoff } from '../backoff.ts';
import { isStale } from './wire.ts';

/** How often a statement is sent at most. */
const TRIES = 3;
const DEADLOCK = '40P01';

/**
 * Has a statement outside of transactions run as the code that asks for it: the pool's own `query` would run it when a connection is free, which is
 * when another request gives one back, and so in that request's scope and trace. A statement that lost to a
 * migration runs again.
 */
export function queryAsCaller(pool: Pool): void {
  pool.query = (async (...args: Parameters<PoolClient['query']>) => {
    for (let tried = 1; ; tried++) {
      try {
        return await queryOnce(pool, args);
      } catch (error) {
        if (tried === TRIES || !isUndone(error as Error)) throw error;
        await backoff(tried);
      }
    }
  }) as never;
}

/**
 * Whether a migration got into the way of a statement: each waited for a table of the other's, or a table has other columns now. A statement outside of
 * transactions has then done nothing, and may be sent again.
 */
const isUndone = (error: Error): boolean => (error as { code?: string }).code === DEADLOCK || isStale(error);

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
