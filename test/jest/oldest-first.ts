import type { Pool, PoolClient } from 'pg';

/** Parts of a pool of `pg` that are not documented; test/platform/library-internals.test.ts shows that they are there. */
interface Inside {
  /** All connections, the oldest first. */
  readonly _clients: readonly PoolClient[];
  /** The free ones; the last is taken next. */
  readonly _idle: Free[];
}

interface Free {
  client: PoolClient;
  /** Ends the connection when nobody has used it for a while. */
  timeoutId?: NodeJS.Timeout;
}

/**
 * Has a pool hand out the free connection that is the oldest, and keep its oldest ones however long nobody uses them. A pool hands out the one that was
 * given back last, so that after each moment with several statements at a time another connection goes on, and has to plan what the others know.
 */
export function oldestFirst(pool: Pool): void {
  const { _idle: free } = pool as unknown as Inside;
  const ageOf = ({ client }: Free) => (pool as unknown as Inside)._clients.indexOf(client);
  free.push = (one) => {
    const age = ageOf(one);
    const at = free.findIndex((other) => ageOf(other) < age);
    free.splice(at < 0 ? free.length : at, 0, one);
    if (age < (pool.options.min ?? 0)) clearTimeout(one.timeoutId);
    return free.length;
  };
}
