import { join, resolve } from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import { keepDemoAccess, seedDemo } from '../demo/seed.ts';
import { geocoder } from '../directory/contacts/geocoded-addresses.ts';
import { startBulkWorker } from '../dispatch/bulk/bulk-worker.ts';
import { bulkWaker } from '../dispatch/bulk/enqueue.ts';
import { routing } from '../dispatch/orders/route-estimate.ts';
import { type ExternalIssuer, identitySettings, identitySettingsWith } from '../identity/settings.ts';
import { keepSigningKeys } from '../identity/tokens/key-rotation.ts';
import { forgetSigningKeys } from '../identity/tokens/signing-keys.ts';
import { ingestWaker } from '../ingest/wake.ts';
import { startIngestWorker } from '../ingest/worker.ts';
import { letFirstAdministratorIn } from '../partners/companies/first-administrator.ts';
import { applicationOf } from '../platform/application.ts';
import { openGeocoder } from '../platform/geocoding.ts';
import { listen } from '../platform/http/listen.ts';
import { deleteExpiredKeys } from '../platform/http/rest/idempotency.ts';
import { createApp } from '../platform/http/server.ts';
import { Lifecycle } from '../platform/lifecycle.ts';
import { createLog, type Logger } from '../platform/log.ts';
import { publicUrl, withoutSlash } from '../platform/public-url.ts';
import { inProcessWaker } from '../platform/queue/in-process-waker.ts';
import { startSweeper } from '../platform/queue/sweeper.ts';
import type { Waker } from '../platform/queue/waker.ts';
import { openRouter } from '../platform/routing.ts';
import { StartError } from '../platform/start-error.ts';
import { buildOf } from './build-info.ts';
import type { Config } from './config.ts';
import { openDatabase } from './open-database.ts';
import { openDeliveries } from './open-deliveries.ts';
import { openFileWorkers } from './open-file-workers.ts';
import { openStorage, sweepStorage } from './open-storage.ts';
import { importers } from './rooms.ts';
import { healthOf, readerOf, serve } from './serve.ts';
import { welcome } from './welcome.ts';

/** Further batches of imports next to those that are being written: their addresses are being geocoded, or they hang. */
const SPARE_BATCHES = 2;
/** Milliseconds between two sweeps of expired idempotency keys (they are kept for seven days). */
const KEYS_EVERY = 60_000;
/** Milliseconds between two checks of the age of signing keys. */
const SIGNING_KEYS_EVERY = 600_000;

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
export function run(config: Config, root: string): Promise<void> {
  const log = createLog(config.LOG_LEVEL);
  const life = new Lifecycle({ log });
  return life.run(() => boot(config, root, log, life));
}

async function boot(config: Config, root: string, log: Logger, life: Lifecycle): Promise<void> {
  const started = performance.now();
  const dataDir = resolve(config.HAULGATE_DATA);
  const orm = await openDatabase(config, dataDir, log, life);
  if (config.DATABASE_URL && config.HAULGATE_SECRETS_KEY.length === 0) log.warn(NO_SECRETS_KEY);
  const application = applicationOf(orm.em);
  application.provide(publicUrl, urlAt(config, config.PORT));
  const settings = identitySettingsWith({
    issuer: config.HAULGATE_ISSUER,
    audience: config.HAULGATE_AUDIENCE,
    serviceAudiences: config.HAULGATE_SERVICE_AUDIENCES,
    externalIssuer: externalIssuerOf(config),
    sessionSeconds: config.HAULGATE_SESSION_SECONDS,
    refreshSeconds: config.HAULGATE_REFRESH_SECONDS,
    machineSeconds: config.HAULGATE_MACHINE_TOKEN_SECONDS,
    keyDays: config.HAULGATE_KEY_DAYS,
    keyAlgorithm: config.HAULGATE_KEY_ALGORITHM,
    rotateKeysBefore: config.HAULGATE_ROTATE_KEYS_BEFORE,
    dropKeysBefore: config.HAULGATE_DROP_KEYS_BEFORE,
    viewerCacheMs: config.HAULGATE_VIEWER_CACHE_MS,
    intercomSecret: config.HAULGATE_INTERCOM_SECRET,
    signInsPerAddress: config.HAULGATE_SIGN_INS_PER_ADDRESS,
    wrongCodesPerAddress: config.HAULGATE_WRONG_CODES_PER_ADDRESS,
    appUrl: config.HAULGATE_APP_URL && withoutSlash(config.HAULGATE_APP_URL),
    breachedPasswordsUrl: config.HAULGATE_BREACHED_PASSWORDS_URL,
    onBreachedListFailure: (error) =>
      log.warn({ err: error }, 'the list of breached passwords does not answer; passwords are accepted without it'),
    ssoReturnUrls: config.HAULGATE_SSO_RETURN_URLS,
    secretsKeys: config.HAULGATE_SECRETS_KEY,
    ssoDomainProof: config.HAULGATE_SSO_DOMAIN_PROOF === 'on',
    dnsServers: config.HAULGATE_DNS_SERVERS,
    ssoPrivateHosts: config.HAULGATE_SSO_PRIVATE_HOSTS === 'on',
  });
  application.provide(identitySettings, settings);
  const { HAULGATE_GEOCODER: provider, HAULGATE_GEOCODER_KEY: key, HAULGATE_GEOCODER_URL: url } = config;
  application.provide(geocoder, await openGeocoder({ provider, key, url }));
  application.provide(routing, {
    router: openRouter({ url: config.HAULGATE_ROUTER_URL }),
    onFailure: (error) => log.warn({ err: error }, 'the routing service does not answer; routes are estimated without roads'),
  });
  await openStorage(application, config, dataDir);
  const demo = config.HAULGATE_DEMO === 'on' ? await life.open('demo', () => seedDemo(orm.em)) : undefined;
  const waker = await life.open(
    'waker',
    () => openWaker(config, log),
    (one) => one.close(),
  );
  application.provide(ingestWaker, waker);
  const wakesBulk = await life.open(
    'waker of bulk actions',
    () => openWaker(config, log, 'haulgate-bulk'),
    (one) => one.close(),
  );
  application.provide(bulkWaker, wakesBulk);
  if (config.HAULGATE_ROLE !== 'web') {
    await life.open(
      'worker of bulk actions',
      () => startBulkWorker({ em: orm.em, readerFor: readerOf(orm), waker: wakesBulk, log }),
      (worker) => worker.stop(),
    );
    const { HAULGATE_INGEST_CONCURRENCY: wanted, HAULGATE_INGEST_SWEEP_MS: sweepEvery } = config;
    // Claims, leases and the web must have connections left, however many batches hold one each.
    const most = Math.max(1, config.DATABASE_POOL - 2);
    const concurrency = Math.min(wanted, most);
    const spare = Math.min(SPARE_BATCHES, most - concurrency);
    await life.open(
      'worker',
      () => startIngestWorker({ em: orm.em, importers, waker, log, concurrency, spare, sweepEvery }),
      (worker) => worker.stop(),
    );
    await life.open(
      'sweeper of idempotency keys',
      () =>
        startSweeper(
          KEYS_EVERY,
          async () => void (await deleteExpiredKeys(orm.em)),
          (error) => log.warn({ err: error }, 'expired idempotency keys stay'),
        ),
      (sweeper) => sweeper.stop(),
    );
  }
  await tendKeys(orm, log, life);
  if (config.HAULGATE_ROLE !== 'web') await openFileWorkers(config, orm, log, life);
  if (config.HAULGATE_ROLE !== 'web') await openDeliveries(config, dataDir, orm, log, life);
  await sweepStorage(orm, log, life);
  const port = config.HAULGATE_ROLE === 'worker' ? undefined : await openWeb(config, root, orm, log, life);
  if (config.HAULGATE_HEALTH_PORT !== 0) await openHealth(config, root, orm, log, life);
  const baseUrl = urlAt(config, port ?? config.PORT);
  // A free port is known only when it listens.
  application.provide(publicUrl, baseUrl);
  const accessFile = join(dataDir, 'demo.json');
  const access = config.HAULGATE_DEMO === 'on' ? keepDemoAccess(accessFile, baseUrl, demo) : undefined;
  if (config.HAULGATE_DEMO === 'off' && port !== undefined) await letSomebodyIn(config, orm, log);
  const ms = Math.round(performance.now() - started);
  log.info({ role: config.HAULGATE_ROLE, url: port === undefined ? undefined : baseUrl, ms }, 'ready');
  if (access && port !== undefined) process.stdout.write(welcome(access, accessFile, demo !== undefined && process.stdout.isTTY));
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

function externalIssuerOf(config: Config): ExternalIssuer | undefined {
  const { HAULGATE_EXTERNAL_ISSUER: issuer, HAULGATE_EXTERNAL_JWKS_URL: jwksUrl } = config;
  if (!issuer || !jwksUrl) return undefined;
  const audience = config.HAULGATE_EXTERNAL_AUDIENCE || config.HAULGATE_AUDIENCE;
  return { issuer, jwksUrl, audience, userClaim: config.HAULGATE_EXTERNAL_USER_CLAIM, clientClaim: config.HAULGATE_EXTERNAL_CLIENT_CLAIM };
}

/** Rotates the signing keys of tokens, at the start and while the process runs. */
async function tendKeys(orm: MikroORM, log: Logger, life: Lifecycle): Promise<void> {
  const tend = async () => {
    const { made, removed } = await keepSigningKeys(orm.em);
    forgetSigningKeys(orm.em);
    if (made.length + removed.length > 0) log.info({ made, removed }, 'signing keys changed');
  };
  await tend();
  const report = (error: unknown) => log.warn({ err: error }, 'signing keys stay as they are');
  await life.open(
    'sweeper of signing keys',
    () => startSweeper(SIGNING_KEYS_EVERY, tend, report),
    (sweeper) => sweeper.stop(),
  );
}

/** The address under which clients reach this server. */
function urlAt({ BASE_URL, HOST }: Config, port: number): string {
  return withoutSlash(BASE_URL ?? `http://${HOST === '0.0.0.0' ? 'localhost' : HOST}:${port}`);
}

/** The state of Redis for `/health`. Without Redis nothing can be lost. */
const redis = { lost: false, works: () => !redis.lost };

async function openWaker(config: Config, log: Logger, name = 'haulgate-ingest'): Promise<Waker> {
  if (!config.REDIS_URL) return inProcessWaker();
  // Loaded on demand, because it takes 33 MB of memory.
  const { beeWaker } = await import('../platform/queue/bee-waker.ts');
  return beeWaker({
    name,
    redisUrl: config.REDIS_URL,
    report: (state, error) => {
      redis.lost = state === 'lost';
      log.warn({ err: error }, redis.lost ? 'Redis is lost; workers sweep until it is back' : 'Redis is back');
    },
  });
}

/** @returns the port */
async function openWeb(config: Config, root: string, orm: MikroORM, log: Logger, life: Lifecycle): Promise<number> {
  const { HOST: host, PORT: port } = config;
  const options = {
    orm,
    log,
    port,
    host,
    root,
    build: buildOf(root, config.HAULGATE_SHA),
    isStopping: () => life.stopping,
    trustedProxies: config.HAULGATE_TRUSTED_PROXIES,
    corsOrigins: config.HAULGATE_CORS_ORIGINS,
    https: config.BASE_URL !== undefined && new URL(config.BASE_URL).protocol === 'https:',
    figuresElsewhere: config.HAULGATE_HEALTH_PORT !== 0,
    redis: redis.works,
    introspection: config.HAULGATE_INTROSPECTION === 'on',
    requestsAtOnce: config.HAULGATE_REQUESTS_AT_ONCE,
    statementMs: config.HAULGATE_STATEMENT_SECONDS * 1000,
    limits: { perCaller: config.HAULGATE_REQUESTS_PER_MINUTE, perAddress: config.HAULGATE_ANONYMOUS_PER_MINUTE },
  };
  const web = await life.open(
    'web',
    () => serve(options).catch(nameAddress('PORT', host, port)),
    (one) => one.close(),
  );
  return web.port;
}

/** Serves the monitoring of a process on a port that need not be public: its health and metrics, and nothing else. */
async function openHealth(config: Config, root: string, orm: MikroORM, log: Logger, life: Lifecycle): Promise<void> {
  const { HOST: host, HAULGATE_HEALTH_PORT: port } = config;
  const isStopping = () => life.stopping;
  const health = healthOf(orm, { build: buildOf(root, config.HAULGATE_SHA), isStopping, redis: redis.works });
  await life.open(
    'health',
    () => listen(createApp({ log, health, parts: [], isStopping }), port, host).catch(nameAddress('HAULGATE_HEALTH_PORT', host, port)),
    (one) => one.close(),
  );
}

/** Returns a handler that turns the operating system's error about an address into the sentence that names the variable. */
function nameAddress(variable: string, host: string, port: number): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') throw error;
    if (error.code === 'EADDRINUSE')
      throw new StartError(`${variable} ${port} is in use by another program: set ${variable} to another port.`);
    if (error.code === 'EACCES')
      throw new StartError(`${variable} ${port} may not be used by this user: set ${variable} to 1024 or above.`);
    throw new StartError(`HOST ${host} is no address of this machine (${error.code}): set HOST to 127.0.0.1 or 0.0.0.0.`);
  };
}
