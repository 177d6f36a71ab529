import { setTimeout as sleep } from 'node:timers/promises';
import { type EntityClass, FlushMode } from '@mikro-orm/core';
import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy';
import { Migrator } from '@mikro-orm/migrations';
import { type EntityManager, MikroORM, UnderscoreNamingStrategy } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { Application, joinApplication } from '../application.ts';
import { requireRegistered } from '../registration.ts';
import { BindingDriver } from './connection/binding-driver.ts';
import { queryAsCaller } from './connection/callers-query.ts';
import { returnDeadConnections } from './connection/dead-connections.ts';
import { followPrimary, urlsOf } from './connection/hosts.ts';
import type { Keeping } from './connection/kept-statements.ts';
import { type Pooler, withoutNames } from './connection/pooler.ts';
import { scopeStatements } from './connection/scoped-query.ts';
import { traceStatements } from './connection/traced-statements.ts';
import { type Named, runMigrations } from './migrating/run-migrations.ts';
import { type OnWait, type Waiting, whenFree } from './migrating/when-free.ts';
import { isNewer, loadMigrations, refuseUnreleased } from './migrations.ts';
import { LIFETIME } from './prepared.ts';
import { finishPublished, type Published, preparePublished, ReadersOut, withdrawPublished } from './published.ts';
import { grantToApp } from './roles.ts';
import { applyRowPolicies, findOutdatedPolicies, grantToPurposes } from './row-level-security.ts';
import { addSidePool } from './side-pool.ts';
import { listenToStatements, type StatementListener } from './statements.ts';
import { tenantFilter } from './tenant.ts';

/** Milliseconds without a word after which the system asks the other machine whether it is there; ten seconds without an answer end the connection. */
const KEPT_ALIVE = 5_000;

export interface OrmOptions {
  /** Of one server, or of several of which one is the primary (`hosts.ts`). */
  url: string;
  entities: readonly Function[];
  /** Connections held at most; the default suits a web process of two cores. */
  poolSize?: number;
  /** The application's role, which every connection takes as it opens, and with a pooler each transaction; statements carry their scope then. */
  actAs?: string;
  /** The pooler between these connections and PostgreSQL (`poolerBefore`). */
  pooler?: Pooler;
  /** The most statements that each connection of the application's role keeps prepared; 50 of 131,072 characters by default. */
  keeping?: Keeping;
  /** Called with every statement that leaves through the pool, for tests and debugging. */
  onStatement?: StatementListener;
}

/**
 * Opens the database for an application; for a new one that has nothing yet unless one is given.
 * @throws Error if no room has registered what it declares
 */
export async function createOrm(options: OrmOptions, application = new Application()): Promise<MikroORM> {
  requireRegistered();
  const orm = await MikroORM.init(ormSettings(options));
  joinApplication(orm.em, application);
  return orm;
}

/** The only place where MikroORM is set up: explicit flushes, the tenant filter on, sessions in UTC. */
export function ormSettings(options: OrmOptions) {
  return {
    driver: BindingDriver,
    clientUrl: urlsOf(options.url)[0],
    entities: [...options.entities] as EntityClass<unknown>[],
    metadataProvider: ReflectMetadataProvider,
    namingStrategy: UnderscoreNamingStrategy,
    flushMode: FlushMode.COMMIT,
    forceUtcTimezone: true,
    filters: { tenant: tenantFilter },
    filtersOnRelations: false,
    autoJoinRefsForFilters: false,
    // No relation has an inverse side to keep up to date. Otherwise each field of each entity gets accessors of its own as it is set, so that an order
    // with its 120 fields takes several times as long to make, to compare and to collect. Without them a removed entity stays in the fields of those that
    // refer to it, and would come back with the flush after the one that removed it: have nobody refer to it, or flush once.
    propagationOnPrototype: false,
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: {
      tableName: 'migration',
      snapshot: false,
      silent: true,
      transactional: true,
      allOrNothing: true,
    },
    pool: { min: 0, max: options.poolSize ?? 10 },
    driverOptions: {
      // In the message that opens the connection, so that no statement comes before it and no round trip is added. A pooler would refuse it.
      ...(options.actAs && !options.pooler ? { options: `-c role=${options.actAs}` } : {}),
      maxLifetimeSeconds: LIFETIME,
      // A machine that lost its power, or its way to us, ends no connection.
      keepAlive: true,
      keepAliveInitialDelayMillis: KEPT_ALIVE,
      // A process that has nothing left to do ends, although connections are kept for the next statement.
      allowExitOnIdle: true,
      onPoolCreated(pool: Pool) {
        const prepare = (one: Pool) => {
          returnDeadConnections(one);
          followPrimary(one, options.url, options.pooler !== undefined);
          if (options.actAs) scopeStatements(one, options.keeping, options.pooler);
          else {
            if (options.pooler?.prepares === false) withoutNames(one);
            queryAsCaller(one);
          }
          if (options.onStatement) listenToStatements(one, options.onStatement);
          traceStatements(one);
        };
        prepare(pool);
        addSidePool(pool, prepare);
      },
    },
  } satisfies Parameters<typeof MikroORM.init>[0];
}

/**
 * Runs the migrations that have not run yet, grants the roles their rights and applies row-level security, all as the owner. Several
 * processes may call it at once: one migrates, the others wait and find nothing to do. A process of the version before, which starts next to a newer
 * one, leaves everything as that has made it.
 * @param published what logins of companies read
 * @param onWait hears of what waits for tables that others hold
 * @throws StartError for a database that a version before the first release made
 */
export async function migrate(orm: MikroORM, published: Published, onWait?: OnWait): Promise<void> {
  const known = await loadMigrations();
  orm.config.set('migrations', { ...orm.config.get('migrations'), migrationsList: known as never });
  const readers = new ReadersOut(orm.em, published);
  try {
    // Whoever waited for the lock would be waited for by an index that is created concurrently, for as long as they wait.
    while (!(await orm.em.fork().transactional((em) => migrateAlone({ orm, em, known, published, readers, onWait })))) await sleep(TURN);
  } finally {
    await readers.letIn();
  }
}

/** Milliseconds after which a process that found another one migrating looks again. */
const TURN = 200;

interface Migrating {
  orm: MikroORM;
  /** Of the transaction that keeps others from migrating. */
  em: EntityManager;
  known: readonly Named[];
  published: Published;
  readers: ReadersOut;
  onWait?: OnWait;
}

/** @returns false while another process migrates */
async function migrateAlone({ orm, em, known, published, readers, onWait }: Migrating): Promise<boolean> {
  const [{ mine }] = await em.execute<[{ mine: boolean }]>("select pg_try_advisory_xact_lock(hashtext('haulgate:migrate')) as mine");
  if (!mine) return false;
  await refuseUnreleased(em);
  if (await isNewer(em)) return true;
  // Committed before the migrations, which are transactions of their own.
  const pending = new Set((await orm.migrator.getPending()).map(({ name }) => name));
  if (pending.size > 0) await withdrawPublished(orm.em.fork(), readers);
  const waiting: Waiting = { alone: em, onWait };
  const migrations = known.filter(({ name }) => pending.has(name));
  await runMigrations(orm, migrations, { ...waiting, isNew: migrations.length === known.length });
  const { prepared, outdated } = await whenFree(orm, { step: 'rights', ...waiting }, async (own) => {
    await grantToApp(own);
    await grantToPurposes(own);
    const prepared = await preparePublished(own, published);
    const outdated = await findOutdatedPolicies(own, orm.getMetadata(), prepared.bounds);
    // With the right to it, so that nobody ever reads a table without its policies.
    for (const one of outdated) if (one.isNew) await applyRowPolicies(own, one);
    return { prepared, outdated: outdated.filter(({ isNew }) => !isNew) };
  });
  // A table at a time: all of them at once are never free under traffic.
  for (const one of outdated) {
    await readers.begin();
    await whenFree(orm, { step: 'policies', ...waiting }, (own) => applyRowPolicies(own, one));
  }
  await whenFree(orm, { step: 'reporting views', ...waiting }, (own) => finishPublished(own, published, prepared, readers));
  return true;
}
