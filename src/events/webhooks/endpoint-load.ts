/** Milliseconds after which an attempt gives its place back: it goes on, and others begin. */
const HOLDS_PLACE = 500;
/** Milliseconds after which an attempt is slow. */
const QUICK = 1_000;
/** Milliseconds within which an endpoint is at once, and for which it is known to be. */
const AT_ONCE = 250;
/** Endpoints of which it is kept that they were slow; beyond that, those that were so first are forgotten. */
const MOST_KNOWN = 10_000;

/** Endpoints that share places: those that took what they were sent last, those that never took anything, those that take long, those that hang. */
export const KINDS = { good: 0, untried: 1, slow: 2, hanging: 3 } as const;

interface Attempt {
  since: number;
  /** Of `KINDS`, as the endpoint was known when the attempt began. */
  kind: number;
}

/** Attempts that run, whether the endpoint is slow, hung, stuck, and takes what it is sent at once. */
type Known = readonly [running: number, slow: boolean, hung: boolean, stuck: boolean, quick: boolean];

/** The attempts that a process has under way to endpoints, by their subscriptions, and the endpoints that take long to answer. */
export class EndpointLoad {
  /** By subscription and delivery. */
  readonly #running = new Map<string, Map<string, Attempt>>();
  /** Those whose last attempt took long, in the order in which that happened, and whether it failed. */
  readonly #slow = new Map<string, 'taken' | 'failed'>();
  /** When endpoints took something at once that had just been sent to them. */
  readonly #quick = new Map<string, number>();

  /** Notes that an attempt begins. */
  begin(subscriptionId: string, deliveryId: string, kind: number): void {
    const one = this.#running.get(subscriptionId) ?? new Map<string, Attempt>();
    this.#running.set(subscriptionId, one);
    one.set(deliveryId, { since: Date.now(), kind });
  }

  /** Notes that an attempt has ended. @param failed undefined if it says nothing of the endpoint */
  end(subscriptionId: string, deliveryId: string, failed: boolean | undefined): void {
    const one = this.#running.get(subscriptionId);
    const attempt = one?.get(deliveryId);
    if (!one || !attempt) return;
    one.delete(deliveryId);
    if (one.size === 0) this.#running.delete(subscriptionId);
    if (failed === undefined) return;
    this.#slow.delete(subscriptionId);
    this.#quick.delete(subscriptionId);
    if (!failed && !isOlder(attempt, AT_ONCE)) this.#quick.set(subscriptionId, Date.now());
    if (isOlder(attempt, QUICK)) this.#slow.set(subscriptionId, failed ? 'failed' : 'taken');
    if (this.#slow.size > MOST_KNOWN) this.#slow.delete(this.#slow.keys().next().value!);
  }

  /**
   * The endpoints of which something is known, by their subscriptions: how many attempts run, whether the last one took long (slow) and failed (hung), and
   * whether one that runs takes longer than its endpoint ever did (stuck): how that one ends decides about the endpoint; and whether the last one was taken at
   * once, a moment ago (quick). `placed` counts the attempts that hold a
   * place, and `of` all that run, both by kind.
   */
  now(): { known: Record<string, Known>; placed: number[]; of: number[] } {
    const known: Record<string, Known> = {};
    const all: Attempt[] = [];
    for (const [id, since] of this.#quick) if (isOlder({ since }, AT_ONCE)) this.#quick.delete(id);
    for (const id of new Set([...this.#running.keys(), ...this.#slow.keys(), ...this.#quick.keys()])) {
      const attempts = [...(this.#running.get(id)?.values() ?? [])];
      all.push(...attempts);
      const slow = this.#slow.get(id);
      const isStuck = !slow && attempts.some((one) => isOlder(one, QUICK));
      known[id] = [attempts.length, slow !== undefined, slow === 'failed', isStuck, this.#quick.has(id)];
    }
    const placed = all.filter((one) => !isOlder(one, HOLDS_PLACE));
    const byKind = (some: readonly Attempt[]) => Object.values(KINDS).map((kind) => some.filter((one) => one.kind === kind).length);
    return { known, placed: byKind(placed), of: byKind(all) };
  }
}

const isOlder = ({ since }: Pick<Attempt, 'since'>, than: number): boolean => Date.now() - since > than;
