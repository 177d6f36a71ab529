import type { RequestWork } from './request-work.ts';

/**
 * Connections of a pool that the requests of one company always leave to others, and those that they may have even of the smallest pool.
 */
const LEFT = 2;
const LEAST = 2;

/** Connections that a company's requests hold, by caller, and the requests that wait for one. */
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
    // The caller who holds the fewest comes first, so that nobody waits for everything that somebody else asked for.
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
 * Leaves connections of a pool to other companies. A caller's turns limit what one person takes, but a company has many people and can make
 * any number of machine clients. Within a company the callers who hold the fewest come first.
 */
export class CompanyShares {
  readonly #most: number;
  readonly #shares = new Map<string, Share>();

  /** @param connections of the pool */
  constructor(connections: number) {
    this.#most = Math.max(connections - LEFT, LEAST);
  }

  /**
   * Waits until the company of a request may hold one more connection.
   * @returns gives it back
   */
  async enter({ asker, transactions }: RequestWork): Promise<() => void> {
    // A request that is in a transaction does not wait: those before it may be waiting for the end of this transaction.
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
