import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { faultOf } from '../ingest/ledger/retries.ts';
import { type Pooler, poolerBefore } from '../platform/database/connection/pooler.ts';
import { openEmbedded } from '../platform/database/embedded.ts';
import { OLDEST_POSTGRES } from '../platform/database/migrations.ts';
import { createOrm, migrate } from '../platform/database/orm.ts';
import { openReplicas } from '../platform/database/replicas/open-replicas.ts';
import type { Replicas } from '../platform/database/replicas/replicas.ts';
import { APP_ROLE, gapsOf, mayActAsApp } from '../platform/database/roles.ts';
import { poolOf } from '../platform/database/sql.ts';
import type { StatementListener } from '../platform/database/statements.ts';
import { type Lifecycle, Stopped } from '../platform/lifecycle.ts';
import { type Logger, withoutLiterals } from '../platform/log.ts';
import { StartError } from '../platform/start-error.ts';
import type { Config } from './config.ts';
import { entities, published, registerRooms } from './rooms.ts';

const TAKES_NO_WRITES = 'it takes no writes, because it is a standby, or because default_transaction_read_only is on';
/** Milliseconds between two checks whether the server answers. */
const LOOK_EVERY = 500;

/** The logins for migrating and for working: addresses of the database with name and password. */
export interface Logins {
  owner: string;
  app: string;
}

export interface OpenDatabase {
  orm: MikroORM;
  /** Undefined if none are configured. */
  replicas?: Replicas;
}

/**
 * Opens the database: its owner migrates it, then a pool works in the application's role, which owns nothing. If the configured login may
 * not take that role, the pool works as that login, and the log warns that PostgreSQL does not keep companies apart.
 * @param embedded the embedded PostgreSQL, if another process has started it
 * @throws StartError
 */
export async function openDatabase(
  config: Config,
  dataDir: string,
  log: Logger,
  life: Lifecycle,
  embedded?: Logins,
): Promise<OpenDatabase> {
  registerRooms();
  const { owner, app } = embedded ?? (await loginsOf(config, dataDir, log, life));
  const whenThere = waiting(config.HAULGATE_DATABASE_WAIT, log, life);
  // Before anything else: what a pooler refuses would look like a server that is not there.
  const pooler = config.DATABASE_URL ? await whenThere('DATABASE_URL', () => poolerBefore(app).catch(unusable('DATABASE_URL'))) : undefined;
  if (pooler) log.info(pooler, 'a pooler is before the database');
  const variable = config.DATABASE_OWNER_URL ? 'DATABASE_OWNER_URL' : 'DATABASE_URL';
  await whenThere(variable, () => life.open('migrations', () => migrateAs(owner, variable, log)));
  const mayActAs = await whenThere('DATABASE_URL', () => mayActAsApp(app).catch(unusable('DATABASE_URL')));
  const actAs = mayActAs ? APP_ROLE : undefined;
  const onStatement = log.isLevelEnabled('debug') ? (sql: string) => log.debug({ sql: withoutLiterals(sql) }, 'statement') : undefined;
  const orm = await life.open(
    'database',
    () => createOrm({ url: app, actAs, pooler, entities, poolSize: config.DATABASE_POOL, onStatement }).catch(unusable('DATABASE_URL')),
    (one) => one.close(true),
  );
  const pool = await poolOf(orm.em).catch(unusable('DATABASE_URL'));
  const gaps = await whenThere('DATABASE_URL', () => gapsOf(pool).catch(unusable('DATABASE_URL')));
  if (gaps.length > 0)
    log.warn(
      { because: gaps },
      'row-level security does not bind this process; docs/configuration.md "Roles of the database" says what it needs',
    );
  const replicas = await replicasOf({ config, pool, app, actAs, pooler, onStatement, log, life });
  return { orm, replicas };
}

interface ReplicasOf {
  config: Config;
  pool: Pool;
  app: string;
  actAs?: string;
  pooler?: Pooler;
  onStatement?: StatementListener;
  log: Logger;
  life: Lifecycle;
}

/** Opens the configured replicas. Whether they are there is no condition of a start: reads go to the primary until they are. */
async function replicasOf({ config, pool, app, actAs, pooler, onStatement, log, life }: ReplicasOf): Promise<Replicas | undefined> {
  if (config.DATABASE_READ_URLS.length === 0) return undefined;
  if (!actAs)
    throw new StartError(
      'DATABASE_READ_URLS needs a login that may take the role of the application, so that row-level security binds reads: docs/configuration.md "Roles of the database" says how.',
    );
  const mostLag = config.DATABASE_READ_LAG * 1_000;
  return life.open(
    'replicas',
    () => openReplicas({ pool, url: app, urls: config.DATABASE_READ_URLS, actAs, pooler, mostLag, log, onStatement }),
    (one) => one.close(),
  );
}

async function loginsOf(config: Config, dataDir: string, log: Logger, life: Lifecycle): Promise<Logins> {
  if (config.DATABASE_URL) return { owner: config.DATABASE_OWNER_URL ?? config.DATABASE_URL, app: config.DATABASE_URL };
  return openEmbedded({ dataDir }, log, life);
}

async function migrateAs(owner: string, variable: string, log: Logger): Promise<void> {
  const orm = await createOrm({ url: owner, entities, poolSize: 2 }).catch(unusable(variable));
  try {
    const pool = await poolOf(orm.em).catch(unusable(variable));
    const { rows } = await pool
      .query<{ version: number; folds: boolean; closed: boolean }>(
        `select current_setting('server_version_num')::int / 10000 as version, lower('É') = 'é' as folds,
          current_setting('transaction_read_only') = 'on' as closed`,
      )
      .catch(unusable(variable));
    const { version, folds, closed } = rows[0]!;
    if (version < OLDEST_POSTGRES) throw new StartError(`${variable} must name a PostgreSQL ${OLDEST_POSTGRES} or newer.`);
    // Unique rules do not depend on the locale, but searches and the order of lists would not know the case of letters beyond ASCII.
    if (!folds)
      throw new StartError(
        `${variable} names a database that knows no case of letters beyond ASCII (its locale is C): make it with a UTF-8 locale, such as C.UTF-8.`,
      );
    // Like a server that takes no connections yet: it may be promoted while this waits.
    if (closed) throw Object.assign(new Error(TAKES_NO_WRITES), { code: '57P03' });
    const onWait = (step: string, seconds: number) =>
      log.warn({ step, seconds }, 'a migration waits for tables that long transactions hold, and goes on when it gets them');
    await migrate(orm, published, onWait).catch((error: Error & { code?: string }) => {
      if (error.code !== '42501') throw error;
      throw new StartError(
        `${variable} names a login that may not migrate (${error.message}): set DATABASE_OWNER_URL to one that owns the tables.`,
      );
    });
  } finally {
    await orm.close(true);
  }
}

/**
 * Runs a step that requires the server, and repeats it from its start while the server is missing, starting or recovering: processes often
 * start together with it, or after the crash of a machine.
 */
type WhenThere = <T>(variable: string, step: () => Promise<T>) => Promise<T>;

/** @param seconds that the server may take; the log reports once what is waited for */
function waiting(seconds: number, log: Logger, life: Lifecycle): WhenThere {
  return async (variable, step) => {
    const deadline = Date.now() + seconds * 1000;
    for (let reported = false; ; reported = true) {
      try {
        return await step();
      } catch (error) {
        const reason = error instanceof StartError ? error.cause : error;
        if (faultOf(reason) !== 'lost-connection') throw error;
        // Also if the first attempt took all of the time.
        if (!reported && seconds > 0)
          log.warn({ because: saidBy(reason as Error), seconds }, `the server that ${variable} names is not there yet; waiting`);
        if (Date.now() >= deadline) unusable(variable)(reason as Error);
        await new Promise((wake) => setTimeout(wake, LOOK_EVERY));
        if (life.stopping) throw new Stopped(variable);
      }
    }
  };
}

/** Returns a handler that turns the server's error about a login into the sentence that names the variable. */
function unusable(variable: string): (error: Error) => never {
  return (cause) => {
    throw new StartError(`${variable} names a server or database that cannot be used: ${saidBy(cause)}`, { cause });
  };
}

/** If a name has several addresses and none answers, the error has a code but no message. */
const saidBy = (error: Error & { code?: string }): string => error.message || error.code || String(error);
