import pg, { type Pool } from 'pg';

const sidePools = new WeakMap<Pool, Pool>();

/**
 * Gives a pool a side pool of a single connection, which closes with it.
 * @param prepare what is done to a pool before its first connection
 */
export function addSidePool(pool: Pool, prepare: (pool: Pool) => void): void {
  // The pool hides its password from code that lists its options.
  const side = new pg.Pool({ ...pool.options, password: pool.options.password, min: 0, max: 1 });
  // Without listeners, a connection that the server drops would end the process. The statement reports the error to its caller.
  side.on('error', () => {});
  side.on('connect', (client) => void client.on('error', () => {}));
  prepare(side);
  sidePools.set(pool, side);
  const end = pool.end.bind(pool) as () => Promise<void>;
  Object.assign(pool, { end: async () => void (await Promise.all([side.end(), end()])) });
}

/**
 * The side pool of a pool, for a separate statement by code that holds a connection and locks. On the pool itself it would wait for a free
 * connection, and the holders of all connections may be waiting for these locks: a deadlock.
 */
export const sidePool = (pool: Pool): Pool => sidePools.get(pool) ?? pool;
