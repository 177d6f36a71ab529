import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import { startApplication } from '../../src/app/start-application.ts';
import { startWorkers } from '../../src/app/workers.ts';
import type { DemoAccess } from '../../src/demo/seed.ts';
import { type IdentitySettings, identitySettings } from '../../src/identity/settings.ts';
import type { Application } from '../../src/platform/application.ts';
import { openReplicas } from '../../src/platform/database/replicas/open-replicas.ts';
import { APP_ROLE } from '../../src/platform/database/roles.ts';
import { currentScope, type Scope } from '../../src/platform/database/scope.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import type { StatementListener } from '../../src/platform/database/statements.ts';
import { Lifecycle } from '../../src/platform/lifecycle.ts';
import { createLog } from '../../src/platform/log.ts';
import { inProcessWaker } from '../../src/platform/queue/in-process-waker.ts';
import { localStorage } from '../../src/platform/storage/storage.ts';
import { HttpClient } from '../jest/http-client.ts';
import { lendDatabase, ownersOrm, productsOrm } from '../jest/products-orm.ts';
import { deliveriesOf, type TestAppOptions, workersOf } from './app-options.ts';
import { usualIdentity } from './application.ts';
import { asApp, KEEPING, migratedDatabase } from './database.ts';
import { type Email, filesOf, parseEmail } from './emails.ts';
import { lookWhileWaiting } from './until.ts';

export type { TestAppOptions } from './app-options.ts';

export interface Call {
  token?: string;
  /** An object is sent as JSON; a string or bytes unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
}

// biome-ignore lint/suspicious/noExplicitAny: what a server answers is whatever it answers; tests assert it.
type Json = any;

export interface Answer<T = Json> {
  status: number;
  headers: Headers;
  /** Parsed if the answer is JSON, otherwise the text; undefined if empty. */
  body: T;
}

/** A statement, and whose rows it may see. */
export interface Overheard {
  sql: string;
  scope: Scope;
}

export interface TestApp {
  url: string;
  application: Application;
  /** Changes settings of identity while it runs, for this application only. */
  configure(changes: Partial<IdentitySettings>): void;
  /** The product's connections, which serve requests in the application's role. */
  productOrm: MikroORM;
  /** The owner's connections, which row-level security does not bind: to arrange a test and to check its result. */
  orm: MikroORM;
  /** Contains `incoming`, and `files` unless another storage is set. */
  folder: string;
  /** The logins of the demo company; only with `demo`. */
  access?: Omit<DemoAccess, 'base_url'>;
  http<T = Json>(method: string, path: string, call?: Call): Promise<Answer<T>>;
  /** POSTs to /graphql. */
  graphql<T = Json>(query: string, variables?: Record<string, unknown>, call?: Omit<Call, 'body'>): Promise<Answer<T>>;
  /** Returns the statements that reached PostgreSQL through this app while `fn` ran; calls of other tests must not run at the same time. */
  countStatements<T>(fn: () => Promise<T>): Promise<{ value: T; statements: string[] }>;
  /** Returns all statements that reached PostgreSQL through this app while `fn` ran, also those of workers, with what they may see; only those `wanted`. */
  overhear(fn: () => Promise<unknown>, wanted?: (one: Overheard) => boolean): Promise<Overheard[]>;
  /** Resolves when the worker has nothing claimed and nothing due; only with `worker`. */
  settled(): Promise<void>;
  /** Returns mails and texts that were sent into `folder`, oldest first, when none is due any more; only with `deliveries`. */
  emails(): Promise<{ mails: Email[]; texts: string[] }>;
  close(): Promise<void>;
}

/** The purposes in which workers check for due work, at times of their own. */
const LOOKING = new Set([
  'ledger',
  'bulk',
  'previews',
  'downloads',
  'deliveries',
  'position_tasks',
  'reviews',
  'ticket_matches',
  'readings',
  'chases',
  'invoicing',
  'paying_days',
  'notifications',
  'telematics_fleets',
  'accounting_imports',
  'accounting_exports',
  'fuel_prices',
  'list_exports',
  'webhook_deliveries',
  'sandbox_clocks',
  'open_streams',
  'queues',
]);

/** Workers in the order in which what one has done is due for the next. */
const SETTLED = [
  'imports',
  'bulkActions',
  'downloads',
  'previews',
  'fleets',
  'accounting',
  'accountingExports',
  'listExports',
  'positions',
  'readings',
  'reviews',
  'ticketMatches',
  'chases',
  'invoices',
  'notifications',
  'webhooks',
] as const;

/** The caller and the signing keys are looked up every few seconds, and counts of requests are forgotten every few minutes: within a count on a slow machine. */
const BY_TIME = /recursive principal|from "signing_key"|from sealing_key|^delete from "rate_limit"/i;

/** Starts the whole application on a free port, on a separate migrated database: what a client of the running product meets. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  let listening: string[] | undefined;
  const log = createLog(options.logLevel ?? process.env.HAULGATE_TEST_LOG ?? (options.logTo ? 'warn' : 'silent'), options.logTo);
  let overheard: ((one: Overheard) => void) | undefined;
  const onStatement = (sql: string) => {
    overheard?.({ sql, scope: currentScope() });
    countStatement(sql);
  };
  const countStatement = (sql: string) => void (LOOKING.has(currentScope().purpose?.name ?? '') || listening?.push(sql));
  const { productOrm, orm, giveBack } = await openDatabase(options, onStatement);
  const folder = await mkdtemp(join(tmpdir(), 'haulgate-files-'));
  const life = new Lifecycle({ log });
  const { signInsPerAddress, server } = options;
  const replicas =
    server &&
    server.readUrls.length > 0 &&
    (await life.open(
      'replicas',
      async () => {
        const { url, readUrls: urls, mostLag } = server;
        return openReplicas({ pool: await poolOf(productOrm.em), url, urls, actAs: APP_ROLE, mostLag, log, keeping: KEEPING, onStatement });
      },
      (one) => one.close(),
    ));
  const { application, workers, url, demo, demoBilling } = await startApplication({
    orm: productOrm,
    replicas: replicas || undefined,
    log,
    life,
    root: resolve('.'),
    port: 0,
    publicUrl: (port) => `http://127.0.0.1:${port}`,
    identity: usualIdentity(signInsPerAddress === undefined ? {} : { limitSignIns: true, signInsPerAddress }),
    storage: options.storage ?? localStorage(join(folder, 'files')),
    archives: options.archives,
    incoming: join(folder, 'incoming'),
    openWaker: inProcessWaker,
    demo: options.demo,
    reader: options.reader,
    smsSecret: options.smsSecret,
    tracing: options.tracing,
    webhooks: { privateHosts: options.webhooks ?? false, timeout: 10_000 },
    workers: workersOf(options),
    web: {
      port: 0,
      host: '127.0.0.1',
      root: resolve('.'),
      build: { version: 'test', sha: 'abc', time: new Date() },
      // Once for the whole run, in test/jest/setup.ts.
      checked: true,
      introspection: options.introspection,
      limits: options.limits,
      trustedProxies: options.trustedProxies,
      corsOrigins: options.corsOrigins,
      tiles: options.tiles,
      requestsAtOnce: options.requestsAtOnce,
      statementMs: options.statementMs ?? 0,
      faultHeld: FAULT_HELD,
      timeout: options.timeout,
      streams: options.streams,
      longestExport: options.longestExport,
    },
  });

  // On the other connections, because what is sent later is no statement of an answer.
  const { deliveries } = await startWorkers({ orm, log }, life, deliveriesOf(options, folder));

  const lookNoMore = lookWhileWaiting(() => {
    for (const kind of SETTLED) workers[kind]?.look?.();
  });

  const client = new HttpClient();
  const http: TestApp['http'] = async (method, path, call = {}) => {
    const { token, body, headers = {} } = call;
    const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const sent = {
      // Nobody measures the way; what is compressed has tests of its own.
      'Accept-Encoding': 'identity',
      ...(raw ? {} : { 'Content-Type': 'application/json' }),
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...headers,
    };
    const received = await client.send(method, url + path, sent, raw ? body : JSON.stringify(body));
    const { status, isJson, text } = received;
    return {
      status,
      get headers() {
        return received.headers;
      },
      body: text === '' ? undefined : isJson ? JSON.parse(text) : text,
    };
  };

  return {
    url,
    application,
    configure: (changes) => void application.provide(identitySettings, { ...identitySettings.of(application), ...changes }),
    productOrm,
    orm,
    folder,
    access: demo,
    http,
    graphql: (query, variables, call) => http('POST', '/graphql', { ...call, body: { query, variables } }),
    async countStatements(fn) {
      const statements: string[] = [];
      listening = statements;
      try {
        const value = await fn();
        return { value, statements: statements.filter((sql) => !BY_TIME.test(sql)) };
      } finally {
        listening = undefined;
      }
    },
    async overhear(fn, wanted = () => true) {
      const statements: Overheard[] = [];
      overheard = (one) => void (wanted(one) && statements.push(one));
      try {
        await fn();
        return statements;
      } finally {
        overheard = undefined;
      }
    },
    async settled() {
      await demoBilling?.idle();
      for (const kind of SETTLED) {
        workers[kind]?.look?.();
        await workers[kind]?.idle();
      }
    },
    async emails() {
      await deliveries?.idle();
      return { mails: (await filesOf(join(folder, 'mail'))).map(parseEmail), texts: await filesOf(join(folder, 'sms')) };
    },
    async close() {
      lookNoMore();
      await life.close();
      client.close();
      await giveBack();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Opens a database that the worker keeps, or a new one if the application needs connections of its own, or two are open at a time. */
async function openDatabase(options: TestAppOptions, onStatement: StatementListener) {
  const { shared = false, worker = false, newDatabase, poolSize, productionPlans, server } = options;
  if (server) {
    const productOrm = await productsOrm({ url: server.url, actAs: APP_ROLE, poolSize, onStatement, keeping: KEEPING });
    const orm = ownersOrm(server.url, productOrm);
    return { productOrm, orm, giveBack: () => Promise.all([productOrm.close(true), orm.close(true)]) };
  }
  const own = newDatabase || poolSize !== undefined || productionPlans;
  const lent = own ? undefined : await lendDatabase({ works: worker, alone: !shared, onStatement });
  if (lent) return lent;
  const database = await migratedDatabase(productionPlans ? 'auto' : undefined);
  const productOrm = await productsOrm({ ...asApp(database), poolSize, onStatement, keeping: productionPlans ? undefined : KEEPING });
  const orm = ownersOrm(database, productOrm);
  return { productOrm, orm, giveBack: () => Promise.all([productOrm.close(true), orm.close(true)]) };
}

/** Milliseconds for which a client of a sandbox waits that asks for no answer. */
const FAULT_HELD = 300;
