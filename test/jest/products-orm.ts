import type { MetadataStorage } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/postgresql';
import { entities } from '../../src/app/rooms.ts';
import { Application, applicationOf, joinApplication } from '../../src/platform/application.ts';
import { createOrm, type OrmOptions, ormSettings } from '../../src/platform/database/orm.ts';

/** What MikroORM finds out about the entities: it depends on nothing but the code. */
let found: MetadataStorage | undefined;

/** Opens a database as `createOrm` does, with all entities, which are examined once for all test files of a worker. */
export async function productsOrm(options: Omit<OrmOptions, 'entities'>, application = new Application()): Promise<MikroORM> {
  if (found) return withMetadata(options, found, application);
  const orm = await createOrm({ ...options, entities }, application);
  found = orm.getMetadata();
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
