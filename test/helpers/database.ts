import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Pooler } from '../../src/platform/database/connection/pooler.ts';
import { APP_ROLE } from '../../src/platform/database/roles.ts';

/** How PostgreSQL plans statements that are prepared or have parameters: for their values, or once for any. */
export type PlanMode = 'auto' | 'force_generic_plan';

/** Creates a database on the server of `serverUrl` and returns its URL. Its statements are planned in PostgreSQL's own way by default. */
export async function createDatabase(serverUrl: string, name: string, template?: string, plans: PlanMode = 'auto'): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    // Copied as files: through the log, which PostgreSQL does by default, a copy takes three times as long.
    await client.query(`create database ${name} template ${template ?? 'template0'} strategy file_copy`);
    if (plans !== 'auto') await client.query(`alter database ${name} set plan_cache_mode = ${plans}`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Does something on a connection of its own, which the server may end. */
export async function connectedTo<T>(url: string, work: (db: pg.Client) => Promise<T>): Promise<T> {
  const db = new pg.Client({ connectionString: url });
  // That it was ended is what the next statement says.
  db.on('error', () => {});
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end().catch(() => {});
  }
}

/** Returns the pooler between the product and PostgreSQL in this run (`npm run test:pooler`). */
export function poolerOfRun(): Pooler | undefined {
  const { HAULGATE_TEST_POOLER_PORT: port, HAULGATE_TEST_POOLER_PREPARES: prepares } = process.env;
  return port ? { prepares: prepares === 'true' } : undefined;
}

/**
 * Returns the same database, as the application's connections see it: through the pooler of the run, if it has one. What a test arranges itself
 * goes to PostgreSQL.
 */
export function asApp(url: string): { url: string; actAs: string; pooler?: Pooler } {
  const pooler = poolerOfRun();
  return { url: pooler ? Object.assign(new URL(url), { port: process.env.HAULGATE_TEST_POOLER_PORT }).href : url, actAs: APP_ROLE, pooler };
}

/**
 * The most statements that connections keep prepared in tests, where one connection serves requests of every kind: with the number of production, the
 * answers of four commands on a job would push out each other, and each takes longer to plan than all the rest of its request.
 */
export const KEEPING = { statements: 1_000, characters: 524_288 };

/** A new name each time, so that a test file that could not close its database disturbs no other. */
const nextName = () => `haulgate_${randomBytes(8).toString('hex')}`;

/** Returns the URL of a new database without tables. */
export const freshDatabase = (): Promise<string> => createDatabase(process.env.HAULGATE_TEST_SERVER!, nextName());

/**
 * Returns the URL of a new database with every migration applied, cloned from the run's template (about 0.1 s). A test sends most statements a
 * few times, and PostgreSQL would plan each of them anew for the first five times, which takes longer than to run them.
 */
export const migratedDatabase = (plans: PlanMode = 'force_generic_plan'): Promise<string> =>
  createDatabase(process.env.HAULGATE_TEST_SERVER!, nextName(), process.env.HAULGATE_TEST_TEMPLATE!, plans);
