import type { Pool, PoolClient } from 'pg';
import { isUnreachable } from '../../errors.ts';

/**
 * Has a statement outside of transactions run as the code that asks for it: the pool's own `query` would run it when a connection is free, which is
 * when another request gives one back, and so in that request's scope and trace.
 */
export function queryAsCaller(pool: Pool): void {
  pool.query = (async (...args: Parameters<PoolClient['query']>) => {
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
  }) as never;
}
