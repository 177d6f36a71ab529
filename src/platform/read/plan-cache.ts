import type { Plan } from './plan.ts';

/** Bytes that plans take in all. */
const MOST = 32 * 1024 * 1024;
/** Bytes that a plan takes for each character of its SQL: its text, its parameters and the mapper of what comes back. */
const OF_A_CHARACTER = 20;

/** Plans of one place in a document, by what they depend on. */
export type Plans = Map<string, { plan: Plan; number: number }>;

/**
 * The plans that are kept, limited by memory: one place in a document has a plan for each set of filters, pages and rights with which it
 * was asked. A plan refers to its document, so only the document refers to the plan: both are released together.
 */
export class PlanCache {
  /** The place of each plan, by its number; the plan that was unused the longest comes first. */
  readonly #places = new Map<number, { plans: WeakRef<Plans>; key: string; bytes: number }>();
  #bytes = 0;
  #made = 0;

  /** The plan of a place, made when there is none. */
  of(plans: Plans, key: string, make: () => Plan): Plan {
    const known = plans.get(key);
    if (known) {
      const place = this.#places.get(known.number)!;
      this.#places.delete(known.number);
      this.#places.set(known.number, place);
      return known.plan;
    }
    const plan = make();
    const number = ++this.#made;
    // Narrowed ones of it are half as long, and few.
    const bytes = plan.text.length * OF_A_CHARACTER * (plan.narrows ? 2 : 1);
    plans.set(key, { plan, number });
    this.#places.set(number, { plans: new WeakRef(plans), key, bytes });
    this.#bytes += bytes;
    for (const [oldest, place] of this.#places) {
      if (this.#bytes <= MOST || oldest === number) break;
      place.plans.deref()?.delete(place.key);
      this.#places.delete(oldest);
      this.#bytes -= place.bytes;
    }
    return plan;
  }
}
