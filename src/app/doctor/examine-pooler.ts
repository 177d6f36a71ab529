import pg from 'pg';
import { endQuietly } from '../../platform/database/connection/end.ts';
import { urlsOf } from '../../platform/database/connection/hosts.ts';
import { type Pooler, poolerOf } from '../../platform/database/connection/pooler.ts';
import { StartError } from '../../platform/start-error.ts';
import type { Config } from '../config.ts';
import { SPARE_BATCHES } from '../configured.ts';
import { countProcesses, rolesOf } from '../supervise.ts';
import { type Finding, good, look, those, wrong } from './finding.ts';

/** Milliseconds within which a pooler must give a connection. */
const PATIENCE = 3_000;
/**
 * Connections of a process that are not of its pool: the side pool has one (src/platform/database/side-pool.ts), and with replicas the questions how
 * far the primary is have one.
 */
export const sideConnectionsOf = ({ DATABASE_READ_URLS: replicas }: Pick<Config, 'DATABASE_READ_URLS'>): number =>
  replicas.length > 0 ? 2 : 1;

/** The connections that PostgreSQL takes for others than its superuser. */
export const connectionsOf = (settings: Record<string, string>): number =>
  Number(settings.max_connections) - Number(settings.superuser_reserved_connections);

/** Examines what is before each server that DATABASE_URL names: each may become that of the primary. */
export async function examinePoolers(config: Config, server: Record<string, string>, machines: number): Promise<Finding[]> {
  const urls = urlsOf(config.DATABASE_URL!);
  const found: Finding[] = [];
  for (const url of urls) {
    const about = urls.length > 1 ? `pooler ${new URL(url).host}` : 'pooler';
    const pooler = await poolerAt(url).catch((error: unknown) => {
      if (!(error instanceof StartError)) throw error;
      found.push(wrong(about, error.message));
    });
    if (pooler) found.push(...(await examinePooler(url, { config, pooler, server, machines, about })));
  }
  return found;
}

/** The pooler before a server; undefined if there is none, or nothing can be reached, which is said elsewhere. */
async function poolerAt(url: string): Promise<Pooler | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PATIENCE, query_timeout: PATIENCE });
  client.on('error', () => {});
  try {
    await client.connect();
  } catch {
    await endQuietly(client);
    return undefined;
  }
  try {
    return await poolerOf(client);
  } finally {
    await client.end();
  }
}

interface Examined {
  config: Config;
  pooler: Pooler;
  /** Settings of PostgreSQL. */
  server: Record<string, string>;
  machines: number;
  about: string;
}

/** Examines what is between the product and PostgreSQL, by what it does; and by its settings, if it shows them to the login. */
async function examinePooler(url: string, { config, pooler, server, machines, about }: Examined): Promise<Finding[]> {
  const workers = config.HAULGATE_PROCESSES === 1 ? 1 : rolesOf(config).filter((role) => role !== 'web').length;
  const batches =
    config.HAULGATE_ROLE === 'web' ? 0 : machines * (Math.max(config.HAULGATE_INGEST_CONCURRENCY, workers) + SPARE_BATCHES * workers);
  // A batch holds a connection while it asks for numbers of orders on another one, of which there must be one.
  const needed = batches + 2;
  const { given, pools } = await tryOut(url, needed);
  const processes = countProcesses(config);
  const side = sideConnectionsOf(config);
  const clients = machines * processes * (config.DATABASE_POOL + side);
  const settings = await settingsOf(url);
  const [most, each] = [Number(settings?.max_client_conn ?? Number.POSITIVE_INFINITY), Number(settings?.default_pool_size ?? 0)];
  const takes = connectionsOf(server);
  return those(
    !pools &&
      look(
        about,
        'gives every client a connection of its own, so that it pools nothing: set pool_mode = transaction, or connect to PostgreSQL itself.',
      ),
    pools &&
      !pooler.prepares &&
      look(
        about,
        'keeps no count of prepared statements, so that PostgreSQL plans every statement anew: use PgBouncer 1.21 or newer with max_prepared_statements = 200, and start Haulgate again.',
      ),
    given < needed &&
      wrong(
        about,
        `gave ${given} connections within ${PATIENCE / 1000} s, and ${needed} are needed at a time: imports hold up to ${batches}, and wait for one more. Raise default_pool_size.`,
      ),
    clients >= most &&
      wrong(
        about,
        `takes ${most} clients, and ${machines > 1 ? `${machines} machines, each with ` : ''}${processes} ${processes === 1 ? 'process' : 'processes'} with ${config.DATABASE_POOL} and ${side} connections are ${clients}: raise max_client_conn.`,
      ),
    each > takes &&
      wrong(about, `opens up to ${each} connections, and PostgreSQL takes ${takes}: lower default_pool_size, or raise max_connections.`),
    pools &&
      given === needed &&
      good(
        about,
        `gives each transaction a connection${pooler.prepares ? ', and keeps count of prepared statements' : ''}. Haulgate has up to ${clients} connections to it; the limit max_client_conn must be higher, and its pools lower than the ${takes} connections that PostgreSQL takes.`,
      ),
  );
}

/** Asks for several connections at a time. @returns how many were given, and whether clients share them */
async function tryOut(url: string, count: number): Promise<{ given: number; pools: boolean }> {
  const clients = Array.from({ length: count }, () => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PATIENCE, query_timeout: PATIENCE });
    // Whoever queries gets the error, too.
    client.on('error', () => {});
    return client;
  });
  try {
    // One that is not let in, or waits for too long, was given none.
    const held = await Promise.all(
      clients.map(async (client) => {
        try {
          await client.connect();
          await client.query('begin');
          return { client, pid: await backendOf(client) };
        } catch {
          // It would go on waiting, and get what others give back.
          await client.end();
          return undefined;
        }
      }),
    );
    const given = held.filter((one) => one !== undefined);
    for (const { client } of given) await client.query('rollback');
    // Without transactions those who ask one after the other get what the one before gave back.
    let pools = false;
    for (const { client, pid } of given) pools ||= (await backendOf(client)) !== pid;
    return { given: given.length, pools: pools || given.length < 2 };
  } finally {
    await Promise.all(clients.map(endQuietly));
  }
}

const backendOf = async (client: pg.Client): Promise<number> =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;

/** PgBouncer's settings; undefined if the login may not see them (`stats_users`), or it is another pooler. */
async function settingsOf(url: string): Promise<Record<string, string> | undefined> {
  const console = Object.assign(new URL(url), { pathname: '/pgbouncer' }).href;
  const client = new pg.Client({ connectionString: console, connectionTimeoutMillis: PATIENCE, query_timeout: PATIENCE });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ key: string; value: string }>('show config');
    return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  } catch {
    return undefined;
  } finally {
    await endQuietly(client);
  }
}
