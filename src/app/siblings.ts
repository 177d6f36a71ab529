import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import type { MetricObjects } from '../platform/http/health.ts';
import type { Waker } from '../platform/queue/waker.ts';
import type { Config } from './config.ts';
import type { Logins } from './open-database.ts';

/** The orders that the supervisor gives a process when it starts it. */
export interface Orders {
  role: 'web' | 'worker';
  /** Batches of imports that this process writes at a time. */
  ingestConcurrency: number;
  /** Requests of one caller that this process answers at a time; 0 for any number. */
  requestsAtOnce: number;
  /** The port that the first web process has found free; the configured one until then. */
  port: number;
  /** The embedded PostgreSQL, which the supervisor has started and stops. */
  embedded?: Logins;
}

/** The messages that the supervisor sends. */
export type ToProcess = { orders: Orders } | { wake: string } | { collect: string } | { figures: string; of: MetricObjects[] };
/** The messages that a process sends to the supervisor. */
export type ToSupervisor =
  | { here: true }
  | { ready: true; port?: number }
  | { wake: string }
  | { ask: string }
  | { collected: string; are: MetricObjects };

/** Milliseconds after which a process answers for itself alone: the supervisor answers sooner, even if a process is stuck. */
const PATIENCE = 5_000;

/** The other processes that the supervisor has started, as a process of them sees them. */
export class Siblings {
  readonly #listeners = new Map<string, () => void>();
  readonly #asked = new Map<string, (figures: MetricObjects[]) => void>();
  readonly #orders = Promise.withResolvers<Orders>();
  #collect: (() => Promise<MetricObjects>) | undefined;

  /** Joins them, and asks for orders. Only a process that the supervisor has started can. */
  constructor() {
    process.on('message', (message: ToProcess) => this.#take(message));
    this.#send({ here: true });
  }

  /** The orders for this process. */
  get orders(): Promise<Orders> {
    return this.#orders.promise;
  }

  /** Reports to the supervisor that this process does its work, and on which port if it is a web process. */
  ready(port?: number): void {
    this.#send({ ready: true, port });
  }

  /** Returns a Waker that wakes the processes of this machine, through the supervisor. */
  openWaker(queue: string): Waker {
    let pending = false;
    return {
      wake: () => {
        if (pending) return;
        pending = true;
        // Wakes of one turn are one message.
        setImmediate(() => {
          pending = false;
          this.#send({ wake: queue });
        });
      },
      listen: (listener) => void this.#listeners.set(queue, listener),
      close: async () => void this.#listeners.delete(queue),
    };
  }

  /** Lets the others have the figures of this process. */
  share(collect: () => Promise<MetricObjects>): void {
    this.#collect = collect;
  }

  /** Returns the figures of all processes that answer; those of this process if the supervisor does not. */
  async figures(): Promise<MetricObjects[]> {
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<MetricObjects[]>();
    this.#asked.set(id, resolve);
    const late = setTimeout(() => void this.#collect?.().then((own) => resolve([own])), PATIENCE);
    this.#send({ ask: id });
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      this.#asked.delete(id);
    }
  }

  #take(message: ToProcess): void {
    if ('orders' in message) this.#orders.resolve(message.orders);
    else if ('wake' in message) this.#listeners.get(message.wake)?.();
    else if ('figures' in message) this.#asked.get(message.figures)?.(message.of);
    // Before it shares any, it has none.
    else if ('collect' in message)
      void (this.#collect?.() ?? Promise.resolve([])).then((are) => this.#send({ collected: message.collect, are }));
  }

  #send(message: ToSupervisor): void {
    // Without the supervisor this process is about to end (node:cluster sees to it).
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  }
}

/** Returns the others, if the supervisor has started this process. */
export const siblingsOf = (): Siblings | undefined => (cluster.isWorker ? new Siblings() : undefined);

/** Returns the configuration as a process with these orders has it. */
export const orderedConfig = (config: Config, { role, ingestConcurrency, requestsAtOnce, port }: Orders): Config => ({
  ...config,
  HAULGATE_ROLE: role,
  PORT: port,
  HAULGATE_INGEST_CONCURRENCY: ingestConcurrency,
  HAULGATE_REQUESTS_AT_ONCE: requestsAtOnce,
});
