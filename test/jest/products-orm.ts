import type { MetadataStorage } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/postgresql';
import { entities } from '../../src/app/rooms.ts';
import { Application, applicationOf, joinApplication } from '../../src/platform/application.ts';
import { createOrm, type OrmOptions, ormSettings } from '../../src/platform/database/orm.ts';
import type { StatementListener } from '../../src/platform/database/statements.ts';
import { asApp, KEEPING, migratedDatabase } from '../helpers/database.ts';

/** What MikroORM finds out about the entities: it depends on nothing but the code. */
let found: MetadataStorage | undefined;

/** Opens a database as `createOrm` does, with all entities, which are examined once for all test files of a worker. */
export async function productsOrm(options: Omit<OrmOptions, 'entities'>, application = new Application()): Promise<MikroORM> {
  if (found) return withMetadata(options, found, application);
  const orm = await createOrm({ ...options, entities }, application);
  found = orm.getMetadata();
  return orm;
}

interface Shared {
  product: MikroORM;
  owner: MikroORM;
  /** Called with every statement of the product. */
  onStatement?: StatementListener;
}

/** Tables of tasks: what the files before left undone would be done, and counted, while the next one runs. */
const LEFT_BEHIND = [
  'import_task',
  'invoice_task',
  'day_invoice_task',
  'load_review_task',
  'ticket_match_task',
  'position_task',
  'ticket_chase_task',
];

/** The databases that the test files of a worker share. */
const shared = new Map<string, Promise<Shared>>();

/**
 * Opens a database that the test files of a worker share for one more application: most files need none of their own, because each test
 * makes its companies. What PostgreSQL prepared for the files before is still there. The connections are not to be closed.
 * @param which a name: files that leave work undone must not share with files that run workers
 * @param onStatement called with every statement of the product, until the next application opens the database
 */
export async function sharedOrms(which: string, onStatement: StatementListener): Promise<{ productOrm: MikroORM; orm: MikroORM }> {
  const opened = shared.get(which) ?? openShared();
  shared.set(which, opened);
  const lent = await opened;
  lent.onStatement = onStatement;
  for (const tasks of LEFT_BEHIND) await lent.owner.em.getConnection().execute(`delete from ${tasks}`);
  const application = new Application();
  return { productOrm: lend(lent.product, application), orm: lend(lent.owner, application) };
}

async function openShared(): Promise<Shared> {
  const url = await migratedDatabase();
  const product = await productsOrm({ ...asApp(url), keeping: KEEPING, onStatement: (sql) => one.onStatement?.(sql) });
  const one: Shared = { product, owner: ownersOrm(url, product) };
  return one;
}

/** Returns an ORM of another application on the same connections. */
function lend(lent: MikroORM, application: Application): MikroORM {
  const orm = withMetadata({ url: lent.config.get('clientUrl')! }, lent.getMetadata(), application);
  Object.assign(orm.driver, { connection: lent.driver.getConnection() });
  return orm;
}

/** Returns the owner's view of a database that the product has open. */
export const ownersOrm = (url: string, own: MikroORM): MikroORM => withMetadata({ url }, own.getMetadata(), applicationOf(own.em));

function withMetadata(options: Omit<OrmOptions, 'entities'>, metadata: MetadataStorage, application: Application): MikroORM {
  const settings = ormSettings({ ...options, entities: [] });
  const orm = new MikroORM({ ...settings, discovery: { warnWhenNoEntities: false, skipSyncDiscovery: true } });
  orm.driver.setMetadata(metadata);
  const em = Object.assign(orm.driver.createEntityManager() as MikroORM['em'], { global: true });
  joinApplication(em, application);
  return Object.assign(orm, { em, getMetadata: (() => metadata) as MikroORM['getMetadata'] });
}
