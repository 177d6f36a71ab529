import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { openEmbedded } from '../platform/database/embedded.ts';
import type { MetricObjects } from '../platform/http/health.ts';
import { Lifecycle, Stopped } from '../platform/lifecycle.ts';
import { createLog, type Logger } from '../platform/log.ts';
import { StartError } from '../platform/start-error.ts';
import type { Config } from './config.ts';
import { nameAddress } from './name-address.ts';
import type { Logins } from './open-database.ts';
import type { Orders, ToProcess, ToSupervisor } from './siblings.ts';

/** Milliseconds that a process has for its figures. */
const COLLECT = 2_000;
/**
 * Milliseconds that the processes have to stop, after they have taken requests for as long as is configured: longer than their parts take together,
 * each of which has a limit of its own.
 */
const STOPPING = 60_000;
/** A process that lived for less has a fault that a restart does not mend: the pause before the next one doubles. Milliseconds. */
const SHORT_LIFE = 10_000;
const PAUSE = { first: 500, most: 30_000 };
/** Connections of PostgreSQL for its superuser, for migrations and for the operator, next to the processes' pools. */
const OTHER_CONNECTIONS = 20;

type Role = Orders['role'];

/**
 * Starts several processes of this program that share its ports, and keeps them running: one that dies is replaced. Resolves when all of them
 * run. This process answers nothing itself: it owns the embedded PostgreSQL, and passes wakes and figures on.
 * @throws StartError if the first one cannot be started; it has said why
 */
export function supervise(config: Config): Promise<void> {
  const log = createLog(config.LOG_LEVEL);
  const life = new Lifecycle({ log, patience: STOPPING + config.HAULGATE_STOP_DELAY_SECONDS * 1000 });
  return life.run(async () => {
    const roles = rolesOf(config);
    await requireFree(config);
    const embedded = config.DATABASE_URL ? undefined : await ownPostgres(config, roles.length, log, life);
    const fleet = await life.open(
      'processes',
      () => new Fleet(config, log, embedded),
      (one) => one.stop(),
    );
    // The first one migrates, makes the demo or invites the first administrator, and the others find it done.
    const [first, ...others] = roles;
    await fleet.start(first!);
    await Promise.all(others.map((role) => fleet.start(role)));
    log.info({ processes: roles.length }, 'all processes are ready');
  });
}

/** Returns the processes to start: as many as configured that answer, and half as many that work, because they wait more. */
export function rolesOf({ HAULGATE_ROLE: role, HAULGATE_PROCESSES: count }: Pick<Config, 'HAULGATE_ROLE' | 'HAULGATE_PROCESSES'>): Role[] {
  if (role !== 'all') return Array<Role>(count).fill(role);
  return [...Array<Role>(count).fill('web'), ...Array<Role>(Math.ceil(count / 2)).fill('worker')];
}

/** Returns what each process has of limits that are made for a machine. */
export function sharesOf(config: SharedConfig): Pick<Orders, 'ingestConcurrency' | 'requestsAtOnce'> {
  const roles = rolesOf(config);
  const share = (together: number, role: Role) => Math.ceil(together / Math.max(1, roles.filter((one) => one === role).length));
  return {
    // They share the cores that the number was made for.
    ingestConcurrency: Math.max(1, share(config.HAULGATE_INGEST_CONCURRENCY, 'worker')),
    // The database that one caller holds at a moment is one. The kernel deals the caller's connections out; 0 stays 0.
    requestsAtOnce: share(config.HAULGATE_REQUESTS_AT_ONCE, 'web'),
  };
}

type SharedConfig = Pick<Config, 'HAULGATE_ROLE' | 'HAULGATE_PROCESSES' | 'HAULGATE_INGEST_CONCURRENCY' | 'HAULGATE_REQUESTS_AT_ONCE'>;

/** Returns how many processes of this machine use the database: one start without a supervisor is one. */
export const countProcesses = (config: Pick<Config, 'HAULGATE_ROLE' | 'HAULGATE_PROCESSES'>): number =>
  config.HAULGATE_PROCESSES === 1 ? 1 : rolesOf(config).length;

/** The processes may share a port with any other process of this user, so that nobody would notice that somebody has it. */
async function requireFree({ HOST: host, PORT, HAULGATE_HEALTH_PORT, HAULGATE_ROLE: role }: Config): Promise<void> {
  const wanted = { PORT: role === 'worker' ? 0 : PORT, HAULGATE_HEALTH_PORT };
  for (const [name, port] of Object.entries(wanted)) {
    if (port === 0) continue;
    const server = createServer();
    await new Promise<void>((done, fail) => server.once('error', fail).listen(port, host, done)).catch(nameAddress(name, host, port));
    await new Promise((done) => server.close(done));
  }
}

async function ownPostgres(config: Config, processes: number, log: Logger, life: Lifecycle): Promise<Logins> {
  const connections = Math.max(200, processes * (config.DATABASE_POOL + 3) + OTHER_CONNECTIONS);
  const settings = { max_connections: String(connections) };
  return openEmbedded({ dataDir: resolve(config.HAULGATE_DATA), settings }, log, life);
}

/** The processes. */
class Fleet {
  readonly #config: Config;
  readonly #log: Logger;
  readonly #embedded: Logins | undefined;
  readonly #roles = new Map<number, Role>();
  readonly #collecting = new Map<string, (are: MetricObjects) => void>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  #port: number;
  #replaced = 0;
  #short = 0;
  #stopping = false;

  constructor(config: Config, log: Logger, embedded: Logins | undefined) {
    this.#config = config;
    // Also while they start: the end of the start waits for them.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void this.stop());
    this.#port = config.PORT;
    this.#log = log;
    this.#embedded = embedded;
  }

  /** Resolves when the process does its work. @throws StartError if it ends before */
  async start(role: Role): Promise<void> {
    if (this.#stopping) throw new Stopped('processes');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const worker = this.#fork(role, resolve);
    worker.once('exit', () => reject(new StartError(`A ${role} process could not be started.`)));
    worker.on('error', (error) => reject(new StartError(`A ${role} process could not be started: ${error.message}.`)));
    await promise;
  }

  /** Stops all processes as a signal to each of them would, and waits for their ends. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    await Promise.all(
      this.#workers().map((worker) => {
        const ended = new Promise<void>((done) => worker.once('exit', () => done()));
        worker.process.kill('SIGTERM');
        return ended;
      }),
    );
  }

  #fork(role: Role, onReady: () => void): Worker {
    const worker = cluster.fork();
    const started = Date.now();
    let ready = false;
    this.#roles.set(worker.id, role);
    worker.on('message', (message: ToSupervisor) => {
      if ('here' in message) this.#send(worker, { orders: this.#ordersOf(role) });
      else if ('ready' in message) {
        ready = true;
        this.#port = message.port ?? this.#port;
        this.#log.info({ role, process: worker.process.pid }, 'a process is ready');
        onReady();
      } else if ('wake' in message) for (const one of this.#workers()) this.#send(one, { wake: message.wake });
      else if ('collected' in message) this.#collecting.get(`${message.collected} ${worker.id}`)?.(message.are);
      else if ('ask' in message) void this.#figures().then((of) => this.#send(worker, { figures: message.ask, of }));
    });
    worker.once('exit', (code, signal) => {
      this.#roles.delete(worker.id);
      if (this.#stopping) return;
      const pause = this.#pauseAfter(Date.now() - started);
      // Whoever waits for a process that never became ready decides what follows.
      if (!ready && onReady !== ignore) return;
      this.#log.warn({ role, process: worker.process.pid, code, signal, pause }, 'a process ended; another takes its place');
      this.#replaced++;
      this.#forkAfter(pause, role);
    });
    return worker;
  }

  /** Starts a process in the place of another one. A machine that has no room for it at the moment may have it later. */
  #forkAfter(pause: number, role: Role): void {
    const timer = setTimeout(() => {
      this.#pauses.delete(timer);
      let failed = false;
      const again = (error: Error): void => {
        if (failed || this.#stopping) return;
        failed = true;
        const next = this.#pauseAfter(0);
        this.#log.error({ role, err: error, pause: next }, 'a process could not be started; it is tried again');
        this.#forkAfter(next, role);
      };
      try {
        const worker = this.#fork(role, ignore);
        worker.on('error', (error) => {
          // Node reports errors of a process that runs, too, and the end of that is noticed.
          if (worker.process.pid) return;
          this.#roles.delete(worker.id);
          delete cluster.workers?.[worker.id];
          again(error);
        });
      } catch (error) {
        again(error as Error);
      }
    }, pause);
    this.#pauses.add(timer);
  }

  /** Returns for how long the next process is not started, after one that lived for so many milliseconds. */
  #pauseAfter(lived: number): number {
    this.#short = lived < SHORT_LIFE ? this.#short + 1 : 0;
    return this.#short === 0 ? 0 : Math.min(PAUSE.first * 2 ** (this.#short - 1), PAUSE.most);
  }

  #ordersOf(role: Role): Orders {
    return { role, port: this.#port, ...sharesOf(this.#config), embedded: this.#embedded };
  }

  /** Returns the figures of every process that answers in time, and the supervisor's. */
  async #figures(): Promise<MetricObjects[]> {
    const id = randomUUID();
    const all = await Promise.all(
      this.#workers().map((worker) => {
        const { promise, resolve } = Promise.withResolvers<MetricObjects>();
        const key = `${id} ${worker.id}`;
        const late = setTimeout(() => resolve([]), COLLECT);
        this.#collecting.set(key, resolve);
        this.#send(worker, { collect: id });
        return promise.finally(() => {
          clearTimeout(late);
          this.#collecting.delete(key);
        });
      }),
    );
    const roles = [...this.#roles.values()];
    const running = [...new Set(roles)].map((role) => ({ labels: { role }, value: roles.filter((one) => one === role).length }));
    return [
      ...all,
      [
        { name: 'haulgate_processes', help: 'Processes that run, by role.', type: 'gauge', aggregator: 'sum', values: running },
        {
          name: 'haulgate_processes_replaced_total',
          help: 'Processes that ended unasked and were replaced.',
          type: 'counter',
          aggregator: 'sum',
          values: [{ labels: {}, value: this.#replaced }],
        },
      ],
    ];
  }

  #workers(): Worker[] {
    // One that could not be started never ends.
    return Object.values(cluster.workers ?? {}).filter((worker) => worker?.process.pid !== undefined) as Worker[];
  }

  #send(worker: Worker, message: ToProcess): void {
    // One that is ending takes no message, and its end is noticed.
    if (worker.isConnected()) worker.send(message, () => {});
  }
}

const ignore = (): void => {};
