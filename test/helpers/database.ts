import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { APP_ROLE } from '../../src/platform/database/roles.ts';

/** Creates a database on the server of `serverUrl` and returns its URL. */
export async function createDatabase(serverUrl: string, name: string, template?: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    // Copied as files: through the log, which PostgreSQL does by default, a copy takes three times as long.
    await client.query(`create database ${name} template ${template ?? 'template0'} strategy file_copy`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Returns the same database, as the application's connections see it. */
export function asApp(url: string): { url: string; actAs: string } {
  return { url, actAs: APP_ROLE };
}

/** A new name each time, so that a test file that could not close its database disturbs no other. */
const nextName = () => `haulgate_${randomBytes(8).toString('hex')}`;

/** Returns the URL of a new database without tables. */
export const freshDatabase = (): Promise<string> => createDatabase(process.env.HAULGATE_TEST_SERVER!, nextName());

/** Returns the URL of a new database with every migration applied, cloned from the run's template (about 0.1 s). */
export const migratedDatabase = (): Promise<string> =>
  createDatabase(process.env.HAULGATE_TEST_SERVER!, nextName(), process.env.HAULGATE_TEST_TEMPLATE!);
