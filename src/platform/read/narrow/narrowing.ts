import { type InApplication, perApplication } from '../../application.ts';
import { Plan } from '../plan.ts';
import { type Habits, habitsOf, type Narrowed } from './habits.ts';

const narrowings = perApplication('narrowed reads', () => new WeakMap<Plan, Narrowing>());

/** What is left out of the reads of a plan in an application. */
export function narrowingOf(plan: Plan, application: InApplication): Narrowing {
  const known = narrowings.of(application);
  let narrowing = known.get(plan);
  if (!narrowing) {
    narrowing = new Narrowing(plan, habitsOf(plan, application));
    known.set(plan, narrowing);
  }
  return narrowing;
}

/**
 * Leaves the subqueries of relations out of the read of a record by which the records of its company name nothing: for each of the forty that an order
 * has PostgreSQL sets up the subquery and its policies, also if the order has no such record. Whether it has one is learned from what was read. A row
 * says by which relations it names something; one that was read with too little is read again with everything.
 */
export class Narrowing {
  readonly #plan: Plan;
  readonly #habits: Habits;
  readonly #plans = new WeakMap<Narrowed, Plan>();

  constructor(plan: Plan, habits: Habits) {
    this.#plan = plan;
    this.#habits = habits;
  }

  /** The plan with which a record of a company is read first; the plan itself if nothing is left out. */
  planFor(companyId: string): Plan {
    const narrowed = this.#habits.narrowedFor(companyId, this.#plan);
    if (!narrowed) return this.#plan;
    let plan = this.#plans.get(narrowed);
    if (!plan) {
      plan = new Plan({ ...this.#plan.request, leftOut: narrowed.leftOut });
      this.#plans.set(narrowed, plan);
    }
    return plan;
  }

  /**
   * Learns from a row that was read.
   * @param plan that of `planFor`
   * @returns whether the row is whole: nothing was left out that the record has
   */
  learn(plan: Plan, companyId: string, row: Record<string, unknown>): boolean {
    const { leftOut } = plan.request;
    if (this.#habits.isNarrow || (!leftOut && !this.#habits.isLearning(companyId))) return true;
    const used = plan.usedBy(row);
    if (leftOut && ![...leftOut].some((path) => used.has(path))) return true;
    if (leftOut) this.#habits.learnMistake(companyId, used, leftOut);
    else this.#habits.learn(companyId, used);
    return !leftOut;
  }
}
