import { setTimeout as sleep } from 'node:timers/promises';
import { type EntityClass, FlushMode } from '@mikro-orm/core';
import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy';
import { type Migration, Migrator } from '@mikro-orm/migrations';
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

/**
 * Hears, now and then, of a step of migrating that has not got its tables yet.
 * @param step the name of a migration, or what else is done
 * @param seconds since it began
 */
export type OnWait = (step: string, seconds: number) => void;

/** @returns false while another process migrates */
async function migrateAlone({ orm, em, known, published, readers, onWait }: Migrating): Promise<boolean> {
  const [{ mine }] = await em.execute<[{ mine: boolean }]>("select pg_try_advisory_xact_lock(hashtext('haulgate:migrate')) as mine");
  if (!mine) return false;
  await refuseUnreleased(em);
  if (await isNewer(em)) return true;
  // Committed before the migrations, which are transactions of their own.
  const pending = new Set((await orm.migrator.getPending()).map(({ name }) => name));
  if (pending.size > 0) await withdrawPublished(orm.em.fork(), readers);
  await runMigrations(
    orm,
    known.filter(({ name }) => pending.has(name)),
    onWait,
  );
  const { prepared, outdated } = await whenFree(orm, { step: 'rights', onWait }, async (own) => {
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
    await whenFree(orm, { step: 'policies', onWait }, (own) => applyRowPolicies(own, one));
  }
  await whenFree(orm, { step: 'reporting views', onWait }, (own) => finishPublished(own, published, prepared, readers));
  return true;
}

interface Named {
  name: string;
  class: Function;
}

/**
 * Runs migrations in their order: neighbours in one transaction, unless others are in their way, and each that says that it is not transactional by
 * itself and outside of any (`create index concurrently`). One that fails leaves nothing of itself, and none behind it runs.
 */
export async function runMigrations(orm: MikroORM, migrations: readonly Named[], onWait?: OnWait): Promise<void> {
  const parts: { names: string[]; together: boolean }[] = [];
  for (const { name, class: made } of migrations) {
    const together = (made.prototype as Migration).isTransactional();
    const last = parts.at(-1);
    if (last?.together && together) last.names.push(name);
    else parts.push({ names: [name], together });
  }
  for (const { names, together } of parts) {
    orm.config.set('migrations', { ...orm.config.get('migrations'), migrationsList: [...migrations] as never, allOrNothing: together });
    // It reads the settings when it is made.
    const migrator = new Migrator(orm.em);
    if (together) await runTogether(orm, migrator, names, onWait);
    else await migrator.up({ migrations: names });
  }
}

/**
 * Milliseconds for which a migration waits for a table at first; whoever wants that table meanwhile waits behind it. It has given up before PostgreSQL ends
 * somebody who waits for what the migration holds, which it does after a second.
 */
const PATIENCE = 800;
/** The longest wait, where each is twice as long as the one before: less than a statement of a request may take (`HAULGATE_STATEMENT_SECONDS`), which waits behind it. */
const MOST_PATIENCE = 8_000;
/** Milliseconds for which it then lets them in, before it begins again. */
const AGAIN = 1_000;
/** Attempts after which what waits is reported for the first time, and then each time again. */
const REPORTED = 3;
/** Somebody held a table for longer, such as an export; or waited for a table that the migrations hold. */
const IN_THE_WAY = new Set(['55P03', '40P01']);

/**
 * Milliseconds after which a migration sees at first that it and somebody else wait for each other. It is the first to see that, and begins again; the other
 * one would be ended after a second. It looks twice as late each time, so that traffic that never ends does not keep it from its tables for ever.
 */
const SEES_DEADLOCKS = 20;

/** Has a transaction be the one that goes when others are in its way. An owner who is no superuser may not set the second. */
async function giveWay(em: EntityManager, attempt: number): Promise<void> {
  const patience = Math.min(PATIENCE * 2 ** attempt, MOST_PATIENCE);
  const seesDeadlocks = Math.min(SEES_DEADLOCKS * 2 ** attempt, MOST_PATIENCE);
  await em.execute(`select set_config('lock_timeout', '${patience}', true), case when has_parameter_privilege('deadlock_timeout', 'set')
    then set_config('deadlock_timeout', '${seesDeadlocks}', true) end`);
}

/**
 * Runs migrations in one transaction. As soon as others are in their way each has a transaction of its own: it needs fewer tables at once, and what was
 * done stays. Each begins again until it has its tables, and then these and all behind them go on.
 */
async function runTogether(orm: MikroORM, migrator: Migrator, names: string[], onWait?: OnWait): Promise<void> {
  const run = (part: string[]) => (em: EntityManager) => migrator.up({ migrations: part, transaction: em.getTransactionContext() });
  // Prepares outside of the transaction, which would otherwise wait for a connection more than an owner's pool has.
  await migrator.getPending();
  const together = orm.em.fork().transactional(async (em) => {
    await giveWay(em, 0);
    await run(names)(em);
  });
  if (await isDone(together)) return;
  for (const name of names) await whenFree(orm, { step: name, onWait }, run([name]));
}

/** Does something in a transaction of its own, and again as long as others are in its way. */
async function whenFree<T>(
  orm: MikroORM,
  { step, onWait }: { step: string; onWait?: OnWait },
  work: (em: EntityManager) => Promise<T>,
): Promise<T> {
  const began = Date.now();
  for (let attempt = 0; ; attempt++) {
    let result: { of: T } | undefined;
    const running = orm.em.fork().transactional(async (em) => {
      await giveWay(em, attempt);
      result = { of: await work(em) };
    });
    if ((await isDone(running)) && result) return result.of;
    if (attempt % REPORTED === REPORTED - 1) onWait?.(step, Math.round((Date.now() - began) / 1_000));
    await sleep(AGAIN);
  }
}

/** @returns false if others were in its way */
async function isDone(running: Promise<unknown>): Promise<boolean> {
  try {
    await running;
    return true;
  } catch (error) {
    if (IN_THE_WAY.has((error as { code?: string }).code ?? '')) return false;
    throw error;
  }
}
