import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import { entities } from '../../src/app/rooms.ts';
import { startApplication } from '../../src/app/start-application.ts';
import { startWorkers, type WorkerOptions } from '../../src/app/workers.ts';
import type { DemoAccess } from '../../src/demo/seed.ts';
import { type IdentitySettings, identitySettings } from '../../src/identity/settings.ts';
import type { Application } from '../../src/platform/application.ts';
import { createOrm } from '../../src/platform/database/orm.ts';
import { currentScope } from '../../src/platform/database/scope.ts';
import { Lifecycle } from '../../src/platform/lifecycle.ts';
import { createLog } from '../../src/platform/log.ts';
import { folderMailer, type Mailer } from '../../src/platform/outgoing/mail.ts';
import { folderTexter, type Texter } from '../../src/platform/outgoing/sms.ts';
import { inProcessWaker } from '../../src/platform/queue/in-process-waker.ts';
import { type FileStorage, localStorage } from '../../src/platform/storage/storage.ts';
import { usualIdentity } from './application.ts';
import { asApp, migratedDatabase, ownersOrm } from './database.ts';
import { type Email, filesOf, parseEmail } from './emails.ts';

export interface TestAppOptions {
  /** Also works the import ledger and bulk actions, as `HAULGATE_ROLE=all` does. */
  worker?: boolean;
  /** Makes previews of files (with `settled`). */
  previews?: boolean;
  /** Sends mails and texts, into `folder` unless other ways are given. */
  deliveries?: true | { mailer: Mailer; texter: Texter };
  /** Tries to sign in from one network in five minutes; no limit of signing in holds by default. */
  signInsPerAddress?: number;
  /** Makes the demo company (about 1 s); how to get in is in `access`. */
  demo?: boolean;
  /** Where files lie; a folder of its own by default. */
  storage?: FileStorage;
  /** Whether the GraphQL schema is told; as in production by default. */
  introspection?: boolean;
  /** Requests a minute; unlimited by default. */
  limits?: { perCaller: number; perAddress: number };
  trustedProxies?: string[];
  corsOrigins?: string[];
  /** Requests of one caller that are worked on at a time, and milliseconds that a statement of theirs may run; no bounds by default. */
  requestsAtOnce?: number;
  statementMs?: number;
  /** Milliseconds that a request may take; as in production by default. */
  timeout?: number;
  /** Connections of the product; ten by default. */
  poolSize?: number;
  /** `silent` by default; `HAULGATE_TEST_LOG=debug` shows everything of a run. */
  logLevel?: string;
}

export interface Call {
  token?: string;
  /** An object is sent as JSON; a string or bytes as they are. */
  body?: unknown;
  headers?: Record<string, string>;
}

// biome-ignore lint/suspicious/noExplicitAny: what a server answers is whatever it answers; tests assert it.
type Json = any;

export interface Answer<T = Json> {
  status: number;
  headers: Headers;
  /** Parsed when the answer is JSON, else the text; undefined when empty. */
  body: T;
}

export interface TestApp {
  url: string;
  application: Application;
  /** Changes settings of identity while it runs, for this application only. */
  configure(changes: Partial<IdentitySettings>): void;
  /** The product's own, in the application's role. */
  own: MikroORM;
  /** The owner's, whom no fence of the database stops: to arrange what a test needs and to look at what became of it. */
  orm: MikroORM;
  /** What requests are served with: the application's own connections. */
  served: MikroORM;
  /** Holds `incoming`, and `files` unless another storage was given. */
  folder: string;
  /** Of the demo company; only with `demo`. */
  access?: Omit<DemoAccess, 'base_url'>;
  http<T = Json>(method: string, path: string, call?: Call): Promise<Answer<T>>;
  /** POSTs to /graphql. */
  graphql<T = Json>(query: string, variables?: Record<string, unknown>, call?: Omit<Call, 'body'>): Promise<Answer<T>>;
  /** Every statement that reached PostgreSQL through this app while `fn` ran; calls of other tests must not run beside it. */
  countStatements<T>(fn: () => Promise<T>): Promise<{ value: T; statements: string[] }>;
  /** Resolves when the worker has nothing claimed and nothing due; only with `worker`. */
  settled(): Promise<void>;
  /** Mails and texts that were sent into `folder`, oldest first, when none is due any more; only with `deliveries`. */
  emails(): Promise<{ mails: Email[]; texts: string[] }>;
  close(): Promise<void>;
}

/** The purposes in which workers look whether anything is due, at times of their own. */
const LOOKING = new Set(['ledger', 'bulk', 'previews', 'downloads', 'deliveries']);

/** The whole application on a free port, in a migrated database of its own: what a client of the running product meets. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  let listening: string[] | undefined;
  const log = createLog(options.logLevel ?? process.env.HAULGATE_TEST_LOG ?? 'silent');
  const database = await migratedDatabase();
  const own = await createOrm({
    ...asApp(database),
    entities,
    poolSize: options.poolSize,
    onStatement: (sql) => void (LOOKING.has(currentScope().purpose?.name ?? '') || listening?.push(sql)),
  });
  const orm = ownersOrm(database, own);
  const folder = await mkdtemp(join(tmpdir(), 'haulgate-files-'));
  const life = new Lifecycle({ log });
  const { signInsPerAddress } = options;
  const { application, workers, url, demo } = await startApplication({
    orm: own,
    log,
    life,
    port: 0,
    publicUrl: (port) => `http://127.0.0.1:${port}`,
    identity: usualIdentity(signInsPerAddress === undefined ? {} : { limitSignIns: true, signInsPerAddress }),
    storage: options.storage ?? localStorage(join(folder, 'files')),
    incoming: join(folder, 'incoming'),
    openWaker: inProcessWaker,
    demo: options.demo,
    workers: workersOf(options),
    web: {
      port: 0,
      host: '127.0.0.1',
      root: resolve('.'),
      build: { version: 'test', sha: 'abc', time: new Date() },
      // Once for the whole run, in global-setup.ts.
      checked: true,
      introspection: options.introspection,
      limits: options.limits,
      trustedProxies: options.trustedProxies,
      corsOrigins: options.corsOrigins,
      requestsAtOnce: options.requestsAtOnce,
      statementMs: options.statementMs ?? 0,
      timeout: options.timeout,
    },
  });

  // On the other connections, because what is sent later is no statement of an answer.
  const { deliveries } = await startWorkers({ orm, log }, life, deliveriesOf(options, folder));

  const http: TestApp['http'] = async (method, path, call = {}) => {
    const { token, body, headers = {} } = call;
    const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(raw ? {} : { 'Content-Type': 'application/json' }),
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...headers,
      },
      body: raw ? (body as string | undefined) : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : isJson ? JSON.parse(text) : text };
  };

  return {
    url,
    application,
    configure: (changes) => void application.provide(identitySettings, { ...identitySettings.of(application), ...changes }),
    own,
    orm,
    served: own,
    folder,
    access: demo,
    http,
    graphql: (query, variables, call) => http('POST', '/graphql', { ...call, body: { query, variables } }),
    async countStatements(fn) {
      const statements: string[] = [];
      listening = statements;
      try {
        const value = await fn();
        // Who the caller is and with which keys tokens verify is asked every few seconds, and on a slow machine within the count.
        return { value, statements: statements.filter((sql) => !/recursive principal|from "signing_key"|from sealing_key/.test(sql)) };
      } finally {
        listening = undefined;
      }
    },
    async settled() {
      for (const kind of ['imports', 'bulkActions', 'downloads', 'previews'] as const) {
        workers[kind]?.look?.();
        await workers[kind]?.idle();
      }
    },
    async emails() {
      await deliveries?.idle();
      return { mails: (await filesOf(join(folder, 'mail'))).map(parseEmail), texts: await filesOf(join(folder, 'sms')) };
    },
    async close() {
      await life.close();
      await own.close(true);
      await orm.close(true);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function workersOf({ worker, previews }: TestAppOptions): WorkerOptions {
  return {
    ...(worker ? { bulkActions: { sweepEvery: 200 }, imports: { concurrency: 2, sweepEvery: 200 }, downloads: { sweepEvery: 200 } } : {}),
    ...(previews ? { previews: { concurrency: 2, sweepEvery: 3_600_000 } } : {}),
  };
}

function deliveriesOf({ deliveries }: TestAppOptions, folder: string): WorkerOptions {
  if (!deliveries) return {};
  const intoFolder = {
    mailer: folderMailer(join(folder, 'mail'), 'Haulgate <desk@haulgate.test>', () => {}),
    texter: folderTexter(join(folder, 'sms'), () => {}),
  };
  return { deliveries: { ...(deliveries === true ? intoFolder : deliveries), every: 3_600_000 } };
}
