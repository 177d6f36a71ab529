import { join, resolve } from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import { Pieces } from '../archives/pieces.ts';
import { type Ask, isMarkedStorage } from '../archives/storage-mark.ts';
import { ACCOUNTING_TIMEOUT } from '../billing/accounting/settings.ts';
import { keepDemoAccess } from '../demo/seed.ts';
import { listSmsNumbers } from '../directory/companies/sms-integration.entity.ts';
import { WEBHOOK_TIMEOUT } from '../events/webhooks/settings.ts';
import { letFirstAdministratorIn } from '../partners/companies/first-administrator.ts';
import { openGeocoder } from '../platform/geocoding.ts';
import { applicationMetrics, type Build, figuresOf } from '../platform/http/health.ts';
import { listen } from '../platform/http/listen.ts';
import { createApp } from '../platform/http/server.ts';
import { collectGarbage, Lifecycle } from '../platform/lifecycle.ts';
import { createLog, type Logger } from '../platform/log.ts';
import { withoutSlash } from '../platform/public-url.ts';
import { inProcessWaker } from '../platform/queue/in-process-waker.ts';
import type { Waker } from '../platform/queue/waker.ts';
import { openRouter } from '../platform/routing.ts';
import { StartError } from '../platform/start-error.ts';
import { openIncoming } from '../platform/storage/incoming.ts';
import type { FileStorage } from '../platform/storage/storage.ts';
import { PROVIDER_TIMEOUT } from '../telematics/fleets/settings.ts';
import { buildOf } from './build-info.ts';
import type { Config } from './config.ts';
import { archivesOf, fuelPricesOf, identityOf, readerOf, storageOf, tracingOf, unworkedQueues, workersOf } from './configured.ts';
import { healthOf } from './health.ts';
import { LOOK_EVERY } from './look-out.ts';
import { nameAddress, nameFolder } from './name-address.ts';
import { type Logins, openDatabase } from './open-database.ts';
import type { ServeOptions } from './serve.ts';
import type { Siblings } from './siblings.ts';
import { startApplication } from './start-application.ts';
import { welcome } from './welcome.ts';

/**
 * With the embedded database, a key in a file would be in the same folder as the data. Other databases are copied and backed up without it.
 */
const NO_SECRETS_KEY =
  'HAULGATE_SECRETS_KEY is not set, so that the key of sealed secrets lies in the database, and in every copy of it: make one with ' +
  '"openssl rand -base64 32", keep it outside of the database and give it to every process. What was sealed before opens on';

/**
 * Starts the configured roles. On a signal it stops them: not ready, drain, release, close. Resolves when everything runs.
 * @throws StartError with a sentence for the operator
 */
export function run(config: Config, root: string, family: Family = {}): Promise<void> {
  const log = createLog(config.LOG_LEVEL);
  // Nobody leads traffic to a worker.
  const linger = config.HAULGATE_ROLE === 'worker' ? 0 : config.HAULGATE_STOP_DELAY_SECONDS * 1000;
  const life = new Lifecycle({ log, linger });
  return life.run(() => boot(config, root, log, life, family));
}

/** The parts of a process that the supervisor has started; nothing by default. */
export interface Family {
  siblings?: Siblings;
  /** The PostgreSQL of the supervisor. */
  embedded?: Logins;
}

async function boot(config: Config, root: string, log: Logger, life: Lifecycle, { siblings, embedded }: Family): Promise<void> {
  const started = performance.now();
  const dataDir = resolve(config.HAULGATE_DATA);
  const build = buildOf(root, config.HAULGATE_SHA);
  const incoming = join(dataDir, 'incoming');
  // The embedded database makes the folder of data itself, for the user as which it runs.
  if (config.DATABASE_URL) await openIncoming(incoming).catch(nameFolder(dataDir));
  const { orm, replicas } = await openDatabase(config, dataDir, log, life, embedded);
  if (config.DATABASE_URL && config.HAULGATE_SECRETS_KEY.length === 0) log.warn(NO_SECRETS_KEY);
  const { HAULGATE_GEOCODER: provider, HAULGATE_GEOCODER_KEY: key, HAULGATE_GEOCODER_URL: url, HAULGATE_ROLE: role } = config;
  const redis = new Redis(config.REDIS_URL, log, siblings);
  const itself: Process = { build, life, redis, siblings };
  const storage = await storageOf(config, dataDir);
  await requireStorage(config, orm, storage, incoming, log);
  const {
    port,
    url: baseUrl,
    demo,
  } = await startApplication({
    orm,
    replicas,
    log,
    life,
    root,
    port: config.PORT,
    publicUrl: (port) => urlAt(config, port),
    identity: identityOf(config, log),
    telematics: { privateHosts: config.HAULGATE_TELEMATICS_PRIVATE_HOSTS === 'on', timeout: PROVIDER_TIMEOUT },
    accounting: { privateHosts: config.HAULGATE_ACCOUNTING_PRIVATE_HOSTS === 'on', timeout: ACCOUNTING_TIMEOUT },
    webhooks: { privateHosts: config.HAULGATE_WEBHOOK_PRIVATE_HOSTS === 'on', timeout: WEBHOOK_TIMEOUT },
    storage,
    archives: archivesOf(config),
    incoming,
    geocoder: await openGeocoder({ provider, key, url }),
    routing: {
      router: openRouter({ url: config.HAULGATE_ROUTER_URL }),
      onFailure: (error) => log.warn({ err: error }, 'the routing service does not answer; routes are estimated without roads'),
    },
    reader: readerOf(config),
    fuelPrices: fuelPricesOf(config),
    unworkedQueues: unworkedQueues(config),
    tracing: await life.open(
      'traces',
      () => tracingOf(config, build.version, log),
      async (one) => one?.close(),
    ),
    smsSecret: config.HAULGATE_SMS_TOKEN || undefined,
    reportingAddress: config.HAULGATE_REPORTING_ADDRESS ?? (config.DATABASE_URL ? undefined : addressOf(orm)),
    reportingTrusted: config.HAULGATE_REPORTING_TRUSTED === 'on',
    openWaker: (queue) => redis.openWaker(queue),
    demo: config.HAULGATE_DEMO === 'on',
    workers: role === 'web' ? {} : workersOf(config, dataDir, log),
    lookEvery: LOOK_EVERY,
    sweepers: role === 'web' ? 'own' : 'all',
    web: role === 'worker' ? undefined : webOf(config, root, itself),
  });
  await listNumbers(config, orm, log);
  siblings?.share(() => figuresOf(applicationMetrics.of(orm.em)));
  if (config.HAULGATE_HEALTH_PORT !== 0) await openHealth(config, orm, log, itself);
  const accessFile = join(dataDir, 'demo.json');
  const access = config.HAULGATE_DEMO === 'on' ? keepDemoAccess(accessFile, baseUrl, demo) : undefined;
  if (config.HAULGATE_DEMO === 'off' && port !== undefined) await letSomebodyIn(config, orm, log);
  collectGarbage();
  const ms = Math.round(performance.now() - started);
  log.info({ role, url: port === undefined ? undefined : baseUrl, ms }, 'ready');
  siblings?.ready(port);
  if (access && port !== undefined) process.stdout.write(welcome(access, accessFile, demo !== undefined && process.stdout.isTTY));
}

/**
 * Compares the storage of files with that of the other processes. Where theirs is another one, neither finds the files of the other.
 * @throws StartError if rows would leave the database for it
 */
async function requireStorage(config: Config, orm: MikroORM, storage: FileStorage, incoming: string, log: Logger): Promise<void> {
  const pieces = new Pieces(orm.em);
  const ask: Ask = (sql, values) => pieces.ask(sql, values);
  try {
    if (await isMarkedStorage(ask, storage, incoming)) return;
  } catch (error) {
    // The product serves without its files, and each round of archives asks again.
    return log.warn({ err: error }, 'the storage of files does not answer, so that it is not known whether other processes have the same');
  }
  const other = `${config.HAULGATE_FILES === 's3' ? 'HAULGATE_S3_BUCKET' : 'HAULGATE_DATA'} names another storage of files than that of the processes that used this database before`;
  // A web process archives nothing: one that tries a copy of the database may have files of its own.
  if (config.HAULGATE_ARCHIVES === 'on' && config.HAULGATE_ROLE !== 'web')
    throw new StartError(
      `${other}, and HAULGATE_ARCHIVES=on would move rows into it: share one, or say "npm run archive -- adopt" if the files were moved.`,
    );
  log.warn(`${other}: files that one process stores are missing in others`);
}

/** Invites the configured administrator into an empty database, because nobody else could. The link contains the port. */
async function letSomebodyIn({ HAULGATE_ADMIN_EMAIL: email }: Config, orm: MikroORM, log: Logger): Promise<void> {
  const outcome = await letFirstAdministratorIn(orm.em, email);
  if (outcome === 'made') log.info({ email }, 'the first administrator is made and invited by mail');
  if (outcome === 'nobody')
    log.warn(
      'the database is empty and nobody can sign in: HAULGATE_ADMIN_EMAIL names who is invited first, HAULGATE_DEMO=on makes a demo company',
    );
}

/** Makes the lists of numbers that companies text from those of the configuration. Without any they stay as they are. */
async function listNumbers({ HAULGATE_SMS_NUMBERS: numbers }: Config, orm: MikroORM, log: Logger): Promise<void> {
  if (!numbers) return;
  const unknown = await listSmsNumbers(orm.em, numbers);
  if (unknown.length > 0) log.warn({ companies: unknown }, 'HAULGATE_SMS_NUMBERS names companies that do not exist');
}

/** The embedded PostgreSQL, which BI tools on this machine reach. */
function addressOf(orm: MikroORM): { host: string; port: number } {
  const { hostname, port } = new URL(orm.config.get('clientUrl')!);
  return { host: hostname, port: Number(port) };
}

/** The address under which clients reach this server. */
function urlAt({ BASE_URL, HOST }: Config, port: number): string {
  return withoutSlash(BASE_URL ?? `http://${HOST === '0.0.0.0' ? 'localhost' : HOST}:${port}`);
}

/** The Redis that wakes workers of other processes, if one is configured; without it the processes of one machine wake each other. */
class Redis {
  /** False while it is configured and lost. Without Redis nothing can be lost. */
  works = true;
  readonly #url: string | undefined;
  readonly #log: Logger;
  readonly #siblings: Siblings | undefined;

  constructor(url: string | undefined, log: Logger, siblings?: Siblings) {
    this.#url = url;
    this.#log = log;
    this.#siblings = siblings;
  }

  async openWaker(name: string): Promise<Waker> {
    if (!this.#url) return this.#siblings?.openWaker(name) ?? inProcessWaker();
    // Loaded on demand, because it takes 33 MB of memory.
    const { beeWaker } = await import('../platform/queue/bee-waker.ts');
    return beeWaker({
      name,
      redisUrl: this.#url,
      report: (state, error) => {
        this.works = state !== 'lost';
        this.#log.warn({ err: error }, this.works ? 'Redis is back' : 'Redis is lost; workers sweep until it is back');
      },
    });
  }
}

/** What this process knows of itself, and of those that it was started with. */
interface Process {
  build: Build;
  life: Lifecycle;
  redis: Redis;
  siblings?: Siblings | undefined;
}

const healthOptionsOf = ({ build, life, redis, siblings }: Process) => ({
  build,
  isStopping: () => life.stopping,
  redis: () => redis.works,
  family: siblings && (() => siblings.figures()),
});

function webOf(config: Config, root: string, process: Process): Omit<ServeOptions, 'orm' | 'log'> {
  return {
    port: config.PORT,
    host: config.HOST,
    root,
    ...healthOptionsOf(process),
    trustedProxies: config.HAULGATE_TRUSTED_PROXIES,
    corsOrigins: config.HAULGATE_CORS_ORIGINS,
    tiles: config.HAULGATE_TILE_URL ? { url: config.HAULGATE_TILE_URL, attribution: config.HAULGATE_TILE_ATTRIBUTION } : undefined,
    https: config.BASE_URL !== undefined && new URL(config.BASE_URL).protocol === 'https:',
    figuresElsewhere: config.HAULGATE_HEALTH_PORT !== 0,
    introspection: config.HAULGATE_INTROSPECTION === 'on',
    requestsAtOnce: config.HAULGATE_REQUESTS_AT_ONCE,
    statementMs: config.HAULGATE_STATEMENT_SECONDS * 1000,
    streams: {
      perCaller: config.HAULGATE_STREAMS_PER_CALLER,
      perCompany: config.HAULGATE_STREAMS_PER_COMPANY,
      perAddress: config.HAULGATE_STREAMS_PER_ADDRESS,
    },
    limits: { perCaller: config.HAULGATE_REQUESTS_PER_MINUTE, perAddress: config.HAULGATE_ANONYMOUS_PER_MINUTE },
  };
}

/** Serves the monitoring of a process on a port that need not be public: its health and metrics, and nothing else. */
async function openHealth({ HOST: host, HAULGATE_HEALTH_PORT: port }: Config, orm: MikroORM, log: Logger, process: Process): Promise<void> {
  const { life, siblings } = process;
  const { isStopping, ...options } = healthOptionsOf(process);
  const app = createApp({ log, health: healthOf(orm, { ...options, isStopping }), parts: [], isStopping });
  const address = { port, host, shared: siblings !== undefined };
  await life.open(
    'health',
    () => listen(app, address).catch(nameAddress('HAULGATE_HEALTH_PORT', host, port)),
    (one) => one.close(),
  );
}
