import { randomBytes } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { applicationOf, joinApplication } from '../../src/platform/application.ts';
import { ormSettings } from '../../src/platform/database/orm.ts';
import { APP_ROLE } from '../../src/platform/database/roles.ts';

/** Creates a database on the server of `serverUrl` and returns its URL. */
export async function createDatabase(serverUrl: string, name: string, template?: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`create database ${name}${template ? ` template ${template}` : ' template template0'}`);
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

/**
 * Returns the owner's view of a database that the product has open. It shares the product's metadata of the entities, which MikroORM would
 * otherwise discover again in every test file.
 */
export function ownersOrm(url: string, own: MikroORM): MikroORM {
  const orm = new MikroORM({ ...ormSettings({ url, entities: [] }), discovery: { warnWhenNoEntities: false, skipSyncDiscovery: true } });
  const metadata = own.getMetadata();
  orm.driver.setMetadata(metadata);
  const em = Object.assign(orm.driver.createEntityManager() as MikroORM['em'], { global: true });
  joinApplication(em, applicationOf(own.em));
  return Object.assign(orm, { em, getMetadata: (() => metadata) as MikroORM['getMetadata'] });
}

/** A new name each time, so that a test file that could not close its database disturbs no other. */
const nextName = () => `haulgate_${randomBytes(8).toString('hex')}`;

/** Returns the URL of a new database without tables. */
export const freshDatabase = (): Promise<string> => createDatabase(process.env.HAULGATE_TEST_SERVER!, nextName());

/** Returns the URL of a new database with every migration applied, cloned from the run's template (about 0.1 s). */
export const migratedDatabase = (): Promise<string> =>
  createDatabase(process.env.HAULGATE_TEST_SERVER!, nextName(), process.env.HAULGATE_TEST_TEMPLATE!);
