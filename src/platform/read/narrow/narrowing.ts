import { Plan } from '../plan.ts';

/** Reads of a company after which it is taken to leave a relation empty by which none of their records named anything; twice as many after each mistake. */
const LEARNED_AFTER = 8;
/** Reads of a company after which it is asked anew: what was used once may never be used again. */
const LEARNED_FOR = 10_000;
/** Companies of which it is known. */
const MOST_COMPANIES = 500;
/** Relations that a statement must do without to be worth its planning on each connection. */
const FEWEST = 4;
/** Narrowed statements of one plan. */
const MOST_PLANS = 4;
/** Reads of the plan after which a narrowed statement makes room for another one if nobody used it. */
const UNUSED_AFTER = 1_000;

/** What is known of a company's records: small, because there is one for each company and plan. */
interface Company {
  reads: number;
  /** Reads with everything, before something is left out. */
  toLearn: number;
  /** Relations by which some record named something, a bit for each by its place among those of the plan. */
  used: bigint;
  mistakes: number;
  /** Null if nothing is to be left out; undefined if it is to be chosen. */
  narrowed: Narrowed | null | undefined;
}

interface Narrowed {
  plan: Plan;
  leftOut: ReadonlySet<string>;
  lastUsed: number;
}

const narrowings = new WeakMap<Plan, Narrowing>();

/** What is left out of the reads of a plan. */
export function narrowingOf(plan: Plan): Narrowing {
  let narrowing = narrowings.get(plan);
  if (!narrowing) {
    narrowing = new Narrowing(plan);
    narrowings.set(plan, narrowing);
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
  readonly #optional: readonly string[];
  readonly #companies = new Map<string, Company>();
  #narrowed: Narrowed[] = [];
  #reads = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#optional = plan.narrows ? [...new Set(plan.optional())] : [];
  }

  /** The plan with which a record of a company is read first; the plan itself if nothing is left out. */
  planFor(companyId: string): Plan {
    this.#reads++;
    const company = this.#companies.get(companyId);
    if (!company || company.reads < company.toLearn) return this.#plan;
    if (++company.reads > LEARNED_FOR) {
      this.#companies.delete(companyId);
      return this.#plan;
    }
    if (company.narrowed === undefined) company.narrowed = this.#choose(company.used) ?? null;
    if (!company.narrowed) return this.#plan;
    company.narrowed.lastUsed = this.#reads;
    return company.narrowed.plan;
  }

  /**
   * Learns from a row that was read.
   * @param plan that of `planFor`
   * @returns whether the row is whole: nothing was left out that the record has
   */
  learn(plan: Plan, companyId: string, row: Record<string, unknown>): boolean {
    if (this.#optional.length < FEWEST) return true;
    const { leftOut } = plan.request;
    const company = this.#companyOf(companyId);
    if (!leftOut && company.reads >= company.toLearn) return true;
    const used = plan.usedBy(row);
    const isWhole = !leftOut || ![...leftOut].some((path) => used.has(path));
    if (leftOut && isWhole) return true;
    company.used |= this.#bitsOf(used);
    if (isWhole) company.reads++;
    // Others that were read with the same statement meanwhile are the same mistake.
    else if (company.narrowed?.plan === plan) {
      company.mistakes++;
      company.reads = 0;
      company.toLearn = Math.min(LEARNED_AFTER * 2 ** company.mistakes, LEARNED_FOR);
      company.narrowed = undefined;
    }
    return isWhole;
  }

  #bitsOf(paths: ReadonlySet<string>): bigint {
    let bits = 0n;
    for (const [at, path] of this.#optional.entries()) if (paths.has(path)) bits |= 1n << BigInt(at);
    return bits;
  }

  #companyOf(id: string): Company {
    let company = this.#companies.get(id);
    if (!company) {
      company = { reads: 0, toLearn: LEARNED_AFTER, used: 0n, mistakes: 0, narrowed: undefined };
      this.#companies.set(id, company);
      if (this.#companies.size > MOST_COMPANIES) this.#companies.delete(this.#companies.keys().next().value!);
    }
    return company;
  }

  /** A narrowed plan that does without nothing that is used: one that is there if it leaves out nearly as much as a new one would. */
  #choose(used: bigint): Narrowed | undefined {
    const leftOut = new Set(this.#optional.filter((_, at) => ((used >> BigInt(at)) & 1n) === 0n));
    const [best] = this.#narrowed
      .filter((one) => [...one.leftOut].every((path) => leftOut.has(path)))
      .toSorted((one, other) => other.leftOut.size - one.leftOut.size);
    if (leftOut.size < FEWEST || leftOut.size - (best?.leftOut.size ?? 0) < FEWEST) return best;
    if (this.#narrowed.length >= MOST_PLANS && !this.#makeRoom()) return best;
    const made = { plan: new Plan({ ...this.#plan.request, leftOut }), leftOut, lastUsed: this.#reads };
    this.#narrowed.push(made);
    return made;
  }

  #makeRoom(): boolean {
    const unused = this.#narrowed.find(({ lastUsed }) => this.#reads - lastUsed > UNUSED_AFTER);
    if (!unused) return false;
    this.#narrowed = this.#narrowed.filter((one) => one !== unused);
    for (const company of this.#companies.values()) if (company.narrowed === unused) company.narrowed = undefined;
    return true;
  }
}
