import pg from 'pg';
import { followPrimary, urlsOf } from '../../platform/database/connection/hosts.ts';
import { poolerBefore } from '../../platform/database/connection/pooler.ts';
import { migrationNames, OLDEST_POSTGRES } from '../../platform/database/migrations.ts';
import { APP_ROLE, gapsAs } from '../../platform/database/roles.ts';
import { SHARE_OF_SERVER, WRITERS } from '../../reporting/logins/login-limits.ts';
import type { Config } from '../config.ts';
import { countProcesses } from '../supervise.ts';
import { embeddedAddress } from './embedded-address.ts';
import { examineArchives, examineMark } from './examine-archives.ts';
import { examineBackups } from './examine-backups.ts';
import { examineHosts } from './examine-hosts.ts';
import { connectionsOf, examinePoolers, sideConnectionsOf } from './examine-pooler.ts';
import { examineQueues } from './examine-queues.ts';
import { examineReplicas } from './examine-replicas.ts';
import { examineZones } from './examine-zones.ts';
import { type Finding, good, look, reasonOf, those, wrong } from './finding.ts';

/** Milliseconds within which a server must be reached, and a statement answered. */
const PATIENCE = 10_000;
/** Milliseconds that two clocks may be apart: what is planned by one is due by the other. */
const SKEW = 2_000;
/** Seconds that a transaction may be idle. */
const IDLE = 300;
/** Extensions that the migrations create if they may. */
const EXTENSIONS = ['unaccent', 'pg_trgm', 'btree_gin'];

/**
 * Examines the database as the product would use it. Nothing is written.
 * @param machines that run what this one would, with the same settings
 */
export async function examineDatabase(config: Config, machines: number): Promise<Finding[]> {
  const own = config.DATABASE_URL ? undefined : embeddedAddress(config.HAULGATE_DATA);
  if (!own && !config.DATABASE_URL)
    return [
      look(
        'PostgreSQL',
        'The embedded PostgreSQL is not running, so that it was not examined. Start Haulgate, and run this while it runs.',
      ),
    ];
  const owner = own ?? config.DATABASE_OWNER_URL ?? config.DATABASE_URL!;
  const about = own ? 'PostgreSQL' : config.DATABASE_OWNER_URL ? 'DATABASE_OWNER_URL' : 'DATABASE_URL';
  const pool = poolFor(owner);
  try {
    const started = performance.now();
    const server = await aboutServer(pool);
    const took = performance.now() - started;
    const pooler = own ? undefined : await asLogin(poolerBefore(config.DATABASE_URL!));
    const app = own ? [] : await asLogin(examineLogin(config.DATABASE_URL!));
    return [
      good(about, `PostgreSQL ${server.version} answers in ${took.toFixed(0)} ms.`),
      ...app,
      ...examineServer(about, server, config, await aboutLogins(pool), pooler !== undefined, machines),
      ...(config.DATABASE_URL && !own ? await examinePoolers(config, server.settings, machines) : []),
      ...(await examineHosts(config.DATABASE_URL)),
      ...(await examineReplicas(config, pool)),
      ...(await examineSchema(config, pool)),
      ...(await examineZones(pool)),
      ...(await examineBackups(config, pool)),
      ...(await examineQueues(config, pool)),
      ...(await examineArchives(config, pool)),
      ...(await examineMark(config, pool)),
    ];
  } catch (error) {
    const named = error instanceof LoginRefused ? 'DATABASE_URL' : about;
    return [wrong(named, `names a server or database that cannot be used: ${reasonOf(error)}. Start it, or correct the address.`)];
  } finally {
    await pool.end();
  }
}

/** What was asked as the login that works, which may be another one than the owner of the tables. */
class LoginRefused extends Error {}

const asLogin = <T>(asked: Promise<T>): Promise<T> =>
  asked.catch((error: unknown) => {
    throw new LoginRefused(reasonOf(error), { cause: error });
  });

/** A connection as the product would open it, to the primary if there are several servers. */
function poolFor(url: string): pg.Pool {
  const limits = { max: 1, connectionTimeoutMillis: PATIENCE, query_timeout: PATIENCE };
  const pool = new pg.Pool({ connectionString: urlsOf(url)[0], ...limits });
  pool.on('error', () => {});
  followPrimary(pool, url);
  return pool;
}

interface Server {
  version: string;
  number: number;
  encoding: string;
  folds: boolean;
  /** It takes no writes. */
  closed: boolean;
  now: Date;
  settings: Record<string, string>;
  connections: number;
  oldest_transaction: number | null;
  /** The process and the name of the program that holds it. */
  oldest_holder: string | null;
  transactions: number;
  replicas: number;
}

async function aboutServer(pool: pg.Pool): Promise<Server & { skew: number }> {
  const asked = Date.now();
  const { rows } = await pool.query<Server>(
    `
    select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as number,
      current_setting('server_encoding') as encoding, lower('É') = 'é' as folds, clock_timestamp() as now,
      current_setting('transaction_read_only') = 'on' as closed,
      (select json_object_agg(name, setting) from pg_settings where name = any($1)) as settings,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
      (select extract(epoch from now() - min(xact_start))::int from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%') as oldest_transaction,
      (select format('%s (%s)', pid, coalesce(nullif(application_name, ''), usename)) from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%' order by xact_start limit 1) as oldest_holder,
      (select age(datfrozenxid) from pg_database where datname = current_database()) as transactions,
      (select count(*)::int from pg_stat_replication) as replicas`,
    [['fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum', 'max_connections', 'superuser_reserved_connections']],
  );
  const answered = Date.now();
  const server = rows[0]!;
  // The server's clock was read at some time between.
  const skew = Math.max(asked - server.now.getTime(), server.now.getTime() - answered, 0);
  return { ...server, skew };
}

/** Logins of companies for BI tools: the sessions that they may have together, and by which functions they could write. */
interface Logins {
  sessions: number;
  writers: string[];
}

async function aboutLogins(pool: pg.Pool): Promise<Logins> {
  const { rows: known } = await pool.query<{ there: boolean }>(`select to_regclass('reporting_login') is not null as there`);
  if (!known[0]!.there) return { sessions: 0, writers: [] };
  const { rows } = await pool.query<Logins>(
    `select least(coalesce(sum(r.rolconnlimit), 0), current_setting('max_connections')::int / ${SHARE_OF_SERVER})::int as sessions,
       case when count(l.id) > 0 then array(select p.proname::text from pg_proc p where p.pronamespace = 'pg_catalog'::regnamespace
         and p.proname = any($1) and has_function_privilege('public', p.oid, 'execute') order by 1) else '{}' end as writers
     from reporting_login l join pg_roles r on r.rolname = l.username where l.revoked_at is null`,
    [WRITERS],
  );
  return rows[0]!;
}

function examineServer(
  about: string,
  server: Server & { skew: number },
  config: Config,
  logins: Logins,
  isPooled: boolean,
  machines: number,
): Finding[] {
  const { settings } = server;
  const processes = countProcesses(config);
  const side = sideConnectionsOf(config);
  const ours = machines * processes * (config.DATABASE_POOL + side);
  const wanted = ours + logins.sessions;
  const counted = `${machines > 1 ? `${machines} machines, each with ` : ''}${processes} ${processes === 1 ? 'process' : 'processes'} with ${config.DATABASE_POOL} and ${side} connections${
    logins.sessions > 0 ? `, and ${logins.sessions} sessions of BI tools,` : ''
  }`;
  const allowed = connectionsOf(settings);
  return those(
    server.number < OLDEST_POSTGRES && wrong(about, `is PostgreSQL ${server.version}; ${OLDEST_POSTGRES} or newer is needed.`),
    server.closed && wrong(about, 'takes no writes: it is a standby, or default_transaction_read_only is on. Name the primary.'),
    server.encoding !== 'UTF8' && wrong(about, `has the encoding ${server.encoding}: make a database with UTF8.`),
    !server.folds && wrong(about, 'knows no case of letters beyond ASCII: make the database with a UTF-8 locale, such as C.UTF-8.'),
    settings.fsync === 'off' && wrong(about, 'has fsync off: a power cut destroys the database. Switch it on.'),
    settings.full_page_writes === 'off' && wrong(about, 'has full_page_writes off: a crash can destroy pages. Switch it on.'),
    settings.synchronous_commit === 'off' &&
      wrong(about, 'has synchronous_commit off: a crash loses what was acknowledged in the last moments. Switch it on.'),
    settings.autovacuum === 'off' && wrong(about, 'has autovacuum off: tables grow and plans get worse from day to day. Switch it on.'),
    // Behind a pooler these are its clients, and it has connections of its own.
    !isPooled &&
      (wanted > allowed - (server.number >= 16 ? 0 : 3)
        ? wrong(
            'DATABASE_POOL',
            `is too large: ${counted} are ${wanted}, and PostgreSQL takes ${allowed}. Raise max_connections, or lower the pool.`,
          )
        : good(
            'DATABASE_POOL',
            `fits: ${counted} are ${wanted} of the ${allowed} connections that PostgreSQL takes, of which ${server.connections} are open.${machines > 1 ? '' : ' With more machines, say how many: npm run doctor -- --machines 4.'}`,
          )),
    logins.writers.length > 0 &&
      look(
        'reporting logins',
        `can write by ${logins.writers.join(', ')}, and fill the disk: let a superuser revoke these functions from public in this database.`,
      ),
    server.skew > SKEW &&
      wrong(
        'clock',
        `The clocks of PostgreSQL and of this machine are ${(server.skew / 1000).toFixed(1)} s apart: let both follow a time server.`,
      ),
    (server.oldest_transaction ?? 0) > IDLE &&
      wrong(
        about,
        `has a transaction that has been idle for ${server.oldest_transaction} s and keeps old rows from being removed: end the program that holds it, process ${server.oldest_holder} of PostgreSQL.`,
      ),
    server.transactions > 1_500_000_000 &&
      wrong(about, `is ${server.transactions} transactions old, and stops at some two billion: run vacuumdb --freeze on it now.`),
    server.replicas === 0 &&
      config.DATABASE_URL !== undefined &&
      look(about, 'has no replica that is connected: what is not in a backup yet is lost with its disk.'),
  );
}

async function examineSchema(config: Config, pool: pg.Pool): Promise<Finding[]> {
  const { rows } = await pool.query<{ made: boolean; missing: string[]; invalid: string[] }>(
    `select to_regclass('public.migration') is not null as made,
      array(select unnest($1::text[]) except select extname from pg_extension order by 1) as missing,
      array(select indexrelid::regclass::text from pg_index
        where not indisvalid and indexrelid not in (select index_relid from pg_stat_progress_create_index) order by 1) as invalid`,
    [EXTENSIONS],
  );
  const { made, missing, invalid } = rows[0]!;
  if (!made)
    return those(
      look('migrations', 'The database is empty: the first start makes its tables.'),
      // Whoever answers no requests makes nobody.
      config.HAULGATE_ROLE !== 'worker' &&
        config.HAULGATE_DEMO === 'off' &&
        !config.HAULGATE_ADMIN_EMAIL &&
        wrong(
          'HAULGATE_ADMIN_EMAIL',
          'is not set, and the database is empty: nobody could sign in. Set it to the address of the first person.',
        ),
    );
  const done = new Set((await pool.query<{ name: string }>('select name from migration')).rows.map(({ name }) => name));
  const names = migrationNames();
  const open = names.filter((name) => !done.has(name));
  const unknown = [...done].filter((name) => !names.includes(name));
  return those(
    open.length > 0
      ? look('migrations', `${open.length} are not applied yet, the first is ${open[0]}. The next start applies them.`)
      : good('migrations', `All ${names.length} are applied.`),
    unknown.length > 0 &&
      wrong('migrations', `The database has ${unknown.join(', ')}, which this version does not know: a newer one has been here. Use that.`),
    missing.length > 0 &&
      look(
        'extensions',
        `${missing.join(', ')} are missing: searches are slower and distinguish accents. A superuser can create them before the next start.`,
      ),
    invalid.length > 0 &&
      wrong(
        'indexes',
        `${invalid.join(', ')} ${invalid.length === 1 ? 'is' : 'are'} invalid, so that nothing uses ${invalid.length === 1 ? 'it' : 'them'}: run ${invalid.map((name) => `"reindex index concurrently ${name}"`).join(', ')}.`,
      ),
  );
}

/** Whether PostgreSQL keeps companies apart on the connections that this login gets. */
async function examineLogin(url: string): Promise<Finding[]> {
  const { actsAs, gaps } = await gapsAs(url);
  return gaps.length > 0
    ? [
        wrong(
          'row-level security',
          `does not bind the product: ${gaps.join('; ')}. docs/configuration.md, "Roles of the database", says what it needs.`,
        ),
      ]
    : [good('row-level security', `binds the product, which acts as ${actsAs ? APP_ROLE : 'the login of DATABASE_URL'}.`)];
}
