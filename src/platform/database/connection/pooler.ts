import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Pool, QueryConfig } from 'pg';
import { StartError } from '../../start-error.ts';
import { connectToPrimary } from './hosts.ts';

/**
 * A pooler between the product and PostgreSQL, such as PgBouncer, that gives each transaction the connection that is free: nothing of a session
 * lasts longer than a transaction. One that gives each client a connection of its own is used in the same way, and that does no harm.
 */
export interface Pooler {
  /** Whether it knows what its clients have prepared by name, and prepares it on the connection that it gives. Otherwise nothing gets a name. */
  prepares: boolean;
}

/**
 * Returns what pools connections before the server of a URL; undefined if nothing does.
 * @throws StartError for a pooler that lets no transaction through
 */
export async function poolerBefore(url: string): Promise<Pooler | undefined> {
  const client = await connectToPrimary(url);
  try {
    return await poolerOf(client);
  } finally {
    await client.end();
  }
}

/** The same for an open connection that is in no transaction. */
export async function poolerOf(client: pg.Client): Promise<Pooler | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  // PostgreSQL says with the connection which of its processes serves it. For a pooler that is another one each time, so it makes a number up.
  if (rows[0]!.pid === (client as pg.Client & { processID: number }).processID) return undefined;
  await client.query('begin').catch((error: Error) => {
    // PgBouncer has no code for it.
    if (!/statement pooling/i.test(error.message)) throw error;
    throw new StartError(
      "The pooler before the database takes one statement at a time (PgBouncer's pool_mode = statement), and refuses transactions: set pool_mode = transaction.",
    );
  });
  // A pooler that keeps count of names gives each statement one of its own.
  const name = `haulgate_${randomUUID()}`;
  const asked = await client.query<{ passed: boolean }>({
    name,
    text: 'select exists (select from pg_prepared_statements where name = $1) as passed',
    values: [name],
  });
  const { passed } = asked.rows[0]!;
  // Nobody would remove it from the connection, which others get.
  if (passed) await client.query(`deallocate "${name}"`);
  await client.query('commit');
  return { prepares: !passed };
}

/** Sends the statements of a pool without names, which a pooler that keeps no count of them would not know on its next connection. */
export function withoutNames(pool: Pool): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query: (first: string | QueryConfig, ...more: unknown[]) =>
        query(typeof first === 'string' || !first.name ? first : { ...first, name: undefined }, ...more),
    });
  });
}
