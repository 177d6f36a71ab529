import type { Pool, PoolClient } from 'pg';

/** Milliseconds after which nobody can still be about to give a dead connection back by himself. */
const GRACE = 500;

/**
 * Gives connections back to the pool that died inside a transaction. Kysely releases a transaction's connection after a rollback
 * or commit that worked; on a dead connection neither does, and the slot would be gone for good: a few restarts of PostgreSQL
 * would leave a pool that waits forever.
 */
export function returnDeadConnections(pool: Pool): void {
  const taken = new Set<PoolClient>();
  pool.on('acquire', (client) => void taken.add(client));
  pool.on('release', (_error: Error, client: PoolClient) => void taken.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      // Most connections end after they were given back, and nobody waits for those.
      if (!taken.has(client)) return;
      // The process stays for it: at its start it may have nothing else to wait for, and would end in the middle.
      setTimeout(() => {
        if (taken.has(client)) client.release(new Error('the connection died in a transaction'));
      }, GRACE);
    });
  });
}
