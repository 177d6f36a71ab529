/** Milliseconds after which an attempt is slow. */
const QUICK = 1_000;
/** Endpoints of which it is kept that they were slow; beyond that, those that were so first are forgotten. */
const MOST_KNOWN = 10_000;

interface Running {
  /** When each attempt began, by its delivery. */
  since: Map<string, number>;
  /** Its last attempt has failed. */
  failing: boolean;
}

/** What a process has under way to endpoints, by their subscriptions, and which of them take long to answer. */
export class EndpointLoad {
  readonly #running = new Map<string, Running>();
  /** Those whose last attempt took long or failed, in the order in which that happened. */
  readonly #slow = new Set<string>();

  /** Notes that an attempt begins. @param failing the last attempt to the endpoint has failed, as the database knows it */
  begin(subscriptionId: string, deliveryId: string, failing: boolean): void {
    const one = this.#running.get(subscriptionId) ?? { since: new Map<string, number>(), failing };
    this.#running.set(subscriptionId, one);
    one.failing = failing;
    one.since.set(deliveryId, Date.now());
  }

  /** Notes that an attempt has ended. @param failed undefined if it says nothing of the endpoint */
  end(subscriptionId: string, deliveryId: string, failed: boolean | undefined): void {
    const one = this.#running.get(subscriptionId);
    const since = one?.since.get(deliveryId);
    if (!one || since === undefined) return;
    one.since.delete(deliveryId);
    if (one.since.size === 0) this.#running.delete(subscriptionId);
    if (failed === undefined) return;
    this.#slow.delete(subscriptionId);
    if (failed || isLate(since)) this.#slow.add(subscriptionId);
    if (this.#slow.size > MOST_KNOWN) this.#slow.delete(this.#slow.values().next().value!);
  }

  /**
   * The endpoints of which something is known, with how many attempts run and whether they are slow: the last attempt was, or one that runs already is.
   * `ofSlow` and `all` count the attempts that run to those that are slow or fail, and to all.
   */
  now(): { ids: string[]; running: number[]; slow: boolean[]; ofSlow: number; all: number } {
    const ids = [...new Set([...this.#running.keys(), ...this.#slow])];
    const running = ids.map((id) => this.#running.get(id)?.since.size ?? 0);
    const slow = ids.map((id) => this.#slow.has(id) || [...(this.#running.get(id)?.since.values() ?? [])].some(isLate));
    const counts = ids.map((id, at) => (slow[at] || this.#running.get(id)?.failing ? running[at]! : 0));
    return { ids, running, slow, ofSlow: sumOf(counts), all: sumOf(running) };
  }
}

const isLate = (since: number): boolean => Date.now() - since > QUICK;
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
