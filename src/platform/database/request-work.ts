import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Connections that one request holds at a time. The fields of a GraphQL document are read concurrently; without a bound, one document
 * takes the whole pool and everybody else waits for it.
 */
const CONNECTIONS = 2;

/** Places that are taken and left; whoever comes when all are taken waits, in order. */
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
    // Whoever leaves hands its place over, so that nobody gets in between.
    const next = this.#taken <= this.#most ? this.#waiting.shift() : undefined;
    if (next) next();
    else this.#taken--;
  }
}

/** Connections of a pool that the requests of one company leave to others, and those that they have of the smallest pool. */
const LEFT = 2;
const LEAST = 2;

/** Connections that a company's requests hold, by who asks, and those who wait for one. */
class Share {
  readonly #most: number;
  #taken = 0;
  readonly #held = new Map<string, number>();
  #waiting: { caller: string; called: () => void }[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get isFree(): boolean {
    return this.#taken === 0;
  }

  async enter(caller: string): Promise<void> {
    if (this.#taken < this.#most) return this.#take(caller);
    await new Promise<void>((called) => this.#waiting.push({ caller, called }));
  }

  leave(caller: string): void {
    this.#taken--;
    const held = this.#heldBy(caller) - 1;
    if (held > 0) this.#held.set(caller, held);
    else this.#held.delete(caller);
    // Who holds the fewest comes first, so that nobody waits for all that somebody else asked for.
    const least = Math.min(...this.#waiting.map((one) => this.#heldBy(one.caller)));
    const next = this.#waiting.find((one) => this.#heldBy(one.caller) === least);
    if (!next) return;
    this.#waiting = this.#waiting.filter((one) => one !== next);
    this.#take(next.caller);
    next.called();
  }

  #take(caller: string): void {
    this.#taken++;
    this.#held.set(caller, this.#heldBy(caller) + 1);
  }

  #heldBy(caller: string): number {
    return this.#held.get(caller) ?? 0;
  }
}

/**
 * Leaves connections of a pool to other companies: a caller's turns bound what one person takes, but a company has many people, and makes
 * machine clients at will. Among its people those who hold the fewest come first.
 */
export class CompanyShares {
  readonly #most: number;
  readonly #shares = new Map<string, Share>();

  /** @param connections of the pool */
  constructor(connections: number) {
    this.#most = Math.max(connections - LEFT, LEAST);
  }

  /**
   * Waits until the company of a request may hold one connection more.
   * @returns gives it back
   */
  async enter({ asker, transactions }: RequestWork): Promise<() => void> {
    // Who is in a transaction waits for nobody who may be waiting for its end.
    if (!asker || transactions.size > 0) return () => {};
    const { company, caller } = asker;
    const share = this.#shares.get(company) ?? new Share(this.#most);
    this.#shares.set(company, share);
    await share.enter(caller);
    return () => {
      share.leave(caller);
      if (share.isFree) this.#shares.delete(company);
    };
  }
}

/** What one HTTP request takes of the database: how long a statement may run, how many connections it holds, and whether anybody still waits for it. */
export class RequestWork {
  /** Milliseconds that a statement of the request may run; 0 for any time. */
  readonly statementMs: number;
  /** Whose request it is, once that is known. */
  asker: { company: string; caller: string } | undefined;
  /** Connections on which the request has begun a transaction. */
  readonly transactions = new Set<object>();
  #abandoned = false;
  readonly #connections = new Places(CONNECTIONS);
  readonly #reads = new Places(CONNECTIONS);
  readonly #running = new Set<() => void>();

  constructor(statementMs: number) {
    this.statementMs = statementMs;
  }

  /** Nobody waits for the answer any more: the client has left, or was told that time is up. */
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
   * Waits until the request may hold one connection more. While a transaction of the request is open there is no bound: what it asks on a
   * second connection must not wait for its own end. Commands run one after the other, so that those are few.
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
