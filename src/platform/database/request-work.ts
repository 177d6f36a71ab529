import { AsyncLocalStorage } from 'node:async_hooks';
import { Unavailable } from '../errors.ts';

/**
 * Connections that one request holds at a time. The fields of a GraphQL document are read concurrently; without a limit one document would
 * take the whole pool, and every other request would wait for it.
 */
const CONNECTIONS = 2;

/** A limited number of places. When all are taken, callers wait in order. */
class Places {
  readonly #most: number;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** @param unbounded takes a place also when there is none */
  async enter(unbounded = false): Promise<void> {
    if (this.#taken < this.#most || unbounded) this.#taken++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  leave(): void {
    // A caller that leaves hands its place over, so that no other gets in between.
    const next = this.#taken <= this.#most ? this.#waiting.shift() : undefined;
    if (next) next();
    else this.#taken--;
  }
}

/**
 * The use that one HTTP request makes of the database: how long a statement may run, how many connections it holds, and whether a client
 * still waits for the answer.
 */
export class RequestWork {
  /** Milliseconds that a statement of the request may run; 0 for any time. */
  readonly statementMs: number;
  /** The caller of the request, once it is known. */
  asker: { company: string; caller: string } | undefined;
  /** Whether webhooks of what it does are sent twice: a client of a sandbox tries that. */
  sendsTwice = false;
  /** The number of statements that the request has sent. */
  statements = 0;
  /** Connections on which the request has begun a transaction. */
  readonly transactions = new Set<object>();
  #abandoned = false;
  readonly #connections = new Places(CONNECTIONS);
  readonly #reads = new Places(CONNECTIONS);
  readonly #running = new Set<() => void>();
  readonly #tasks = new Set<Promise<unknown>>();
  #commands = 0;

  constructor(statementMs: number) {
    this.statementMs = statementMs;
  }

  /** No client waits for the answer any more: it has left, or has got the answer that its time is up. */
  get abandoned(): boolean {
    return this.#abandoned;
  }

  /** Cancels what runs for the request, and refuses what has not begun. */
  abandon(): void {
    this.#abandoned = true;
    for (const cancel of [...this.#running]) cancel();
  }

  /**
   * Calls `cancel` when the request is abandoned.
   * @returns stops that
   */
  onAbandoned(cancel: () => void): () => void {
    this.#running.add(cancel);
    return () => void this.#running.delete(cancel);
  }

  /** Runs what answers the request; of a client that has left, too. */
  async during<T>(run: () => Promise<T>): Promise<T> {
    const task = run();
    this.#tasks.add(task);
    try {
      return await task;
    } finally {
      this.#tasks.delete(task);
    }
  }

  /** Waits for what goes on although nobody waits for the answer: a command that has begun. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#tasks]);
  }

  /**
   * Notes that a command begins. Many clients send one command and leave, and want it done; but a document of hundreds of commands would go
   * on for minutes.
   * @throws Unavailable when no client waits for it, and it is not the request's first command
   */
  beginCommand(): void {
    if (this.#abandoned && this.#commands > 0) throw new Unavailable();
    this.#commands++;
  }

  /** Runs a read that is a transaction: of these, too, a document asks for many at once. */
  async read<T>(run: () => Promise<T>): Promise<T> {
    await this.#reads.enter();
    try {
      return await run();
    } finally {
      this.#reads.leave();
    }
  }

  /**
   * Waits until the request may hold one more connection. While a transaction of the request is open there is no limit: what it asks on a
   * second connection must not wait for its own end. Commands run one after the other, so there are few such connections.
   */
  enter(): Promise<void> {
    return this.#connections.enter(this.transactions.size > 0);
  }

  leave(): void {
    this.#connections.leave();
  }
}

const works = new AsyncLocalStorage<RequestWork>();

/** Runs a request. */
export const inRequest = <T>(work: RequestWork, run: () => T): T => works.run(work, run);

/** The request that the running code works for; undefined in workers. */
export const currentWork = (): RequestWork | undefined => works.getStore();
