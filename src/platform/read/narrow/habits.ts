import { type InApplication, perApplication } from '../../application.ts';
import { Plan } from '../plan.ts';

/** Reads of a company after which it is taken to leave a relation empty by which none of their records named anything; twice as many after each mistake. */
const LEARNED_AFTER = 8;
/** Reads of a company after which it is asked anew: what was used once may never be used again. */
const LEARNED_FOR = 10_000;
/** Companies of which it is known. */
const MOST_COMPANIES = 500;
/** Relations that a statement must do without to be worth its planning on each connection. */
const FEWEST = 4;
/** Narrowed statements of one statement. */
const MOST_PLANS = 4;
/** Characters of all narrowed statements together, beyond which a statement has one: a quarter of what a connection keeps prepared (`KeptStatements`). */
const MOST_CHARACTERS = 32_768;
/** Reads of records after which a narrowed statement makes room for another one if nobody used it. */
const UNUSED_AFTER = 1_000;
/** Statements whose habits are known. */
const MOST_STATEMENTS = 200;

/** What is known of a company's records: small, because there is one for each company and statement. */
interface Company {
  reads: number;
  /** Reads with everything, before something is left out. */
  toLearn: number;
  /** Relations by which some record named something, a bit for each by its place among those of the statement. */
  used: bigint;
  mistakes: number;
  /** Null if nothing is to be left out; undefined if it is to be chosen. */
  narrowed: Narrowed | null | undefined;
}

/** A statement that does without some relations. */
export interface Narrowed {
  leftOut: ReadonlySet<string>;
  characters: number;
  lastUsed: number;
}

/** What an application knows of the statements that its connections keep prepared. */
class AllHabits {
  /** Those of each statement by its name; the one that was unused the longest comes first. */
  readonly #known = new Map<string, Habits>();
  /** Reads of single records so far. */
  reads = 0;

  of(plan: Plan): Habits {
    const known = this.#known;
    const habits = known.get(plan.name) ?? new Habits([...new Set(plan.optional())], this);
    known.delete(plan.name);
    known.set(plan.name, habits);
    if (known.size > MOST_STATEMENTS) known.delete(known.keys().next().value!);
    return habits;
  }

  get all(): Habits[] {
    return [...this.#known.values()];
  }
}

const allHabits = perApplication('what companies leave empty', () => new AllHabits());

/** What the companies leave empty in what a statement reads. Plans of several documents have the same statement, and learn together. */
export const habitsOf = (plan: Plan, application: InApplication): Habits => allHabits.of(application).of(plan);

/** Which relations the records of companies leave empty, and the narrowed statements that are sent for them. */
export class Habits {
  readonly #optional: readonly string[];
  readonly #companies = new Map<string, Company>();
  readonly #others: AllHabits;
  #narrowed: Narrowed[] = [];

  /** @param optional the relations that may be left out, by their path */
  constructor(optional: readonly string[], others: AllHabits) {
    this.#optional = optional;
    this.#others = others;
  }

  /** Whether there is enough that may be left out. */
  get isNarrow(): boolean {
    return this.#optional.length < FEWEST;
  }

  /** The narrowed statement with which a record of a company is read first; undefined if nothing is left out. @param plan with everything */
  narrowedFor(companyId: string, plan: Plan): Narrowed | undefined {
    this.#others.reads++;
    const company = this.#companies.get(companyId);
    if (!company || company.reads < company.toLearn) return undefined;
    if (++company.reads > LEARNED_FOR) {
      this.#companies.delete(companyId);
      return undefined;
    }
    if (company.narrowed === undefined) company.narrowed = this.#choose(company.used, plan) ?? null;
    if (!company.narrowed) return undefined;
    company.narrowed.lastUsed = this.#others.reads;
    return company.narrowed;
  }

  /** Whether a company is still watched. */
  isLearning(companyId: string): boolean {
    const company = this.#companies.get(companyId);
    return !company || company.reads < company.toLearn;
  }

  /** Learns from a record by which relations it names something. */
  learn(companyId: string, used: ReadonlySet<string>): void {
    const company = this.#companyOf(companyId);
    company.used |= this.#bitsOf(used);
    company.reads++;
  }

  /** Learns from a record of which something was left out that it has. */
  learnMistake(companyId: string, used: ReadonlySet<string>, leftOut: ReadonlySet<string>): void {
    const company = this.#companyOf(companyId);
    company.used |= this.#bitsOf(used);
    // Others that were read with the same statement meanwhile are the same mistake.
    if (company.narrowed?.leftOut !== leftOut) return;
    company.mistakes++;
    company.reads = 0;
    company.toLearn = Math.min(LEARNED_AFTER * 2 ** company.mistakes, LEARNED_FOR);
    company.narrowed = undefined;
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

  /**
   * A narrowed statement that does without nothing that is used: one that is there if it leaves out nearly as much as a new one would. If there is room for
   * no more, one that is there becomes one for this company as well, and leaves out what both leave empty.
   */
  #choose(used: bigint, plan: Plan): Narrowed | undefined {
    const leftOut = new Set(this.#optional.filter((_, at) => ((used >> BigInt(at)) & 1n) === 0n));
    const least = largest(this.#narrowed.filter((one) => [...one.leftOut].every((path) => leftOut.has(path))));
    const gained = (one: ReadonlySet<string>) => one.size - (least?.leftOut.size ?? 0);
    if (gained(leftOut) < FEWEST) return least;
    const made = this.#made(leftOut, plan);
    if (this.#hasRoomFor(made)) {
      this.#narrowed.push(made);
      return made;
    }
    const shared = largest(this.#narrowed.map((one) => ({ one, leftOut: new Set([...one.leftOut].filter((path) => leftOut.has(path))) })));
    if (!shared || gained(shared.leftOut) < FEWEST) return least;
    const common = this.#made(shared.leftOut, plan);
    this.#replace(shared.one, common);
    this.#narrowed.push(common);
    return common;
  }

  #made(leftOut: ReadonlySet<string>, plan: Plan): Narrowed {
    return { leftOut, characters: new Plan({ ...plan.request, leftOut }).text.length, lastUsed: this.#others.reads };
  }

  /** Whether there may be one more, after those that nobody uses have been given up. */
  #hasRoomFor({ characters }: Narrowed): boolean {
    const isFull = () => this.#narrowed.length >= MOST_PLANS;
    const { all, reads } = this.#others;
    const total = () => all.reduce((sum, habits) => habits.#narrowed.reduce((more, one) => more + one.characters, sum), 0);
    const isTooMuch = () => total() + characters > MOST_CHARACTERS;
    for (const habits of isFull() ? [this] : isTooMuch() ? all : [])
      for (const one of habits.#narrowed) if (reads - one.lastUsed > UNUSED_AFTER) habits.#replace(one, undefined);
    return this.#narrowed.length === 0 || (!isFull() && !isTooMuch());
  }

  #replace(one: Narrowed, by: Narrowed | undefined): void {
    this.#narrowed = this.#narrowed.filter((other) => other !== one);
    for (const company of this.#companies.values()) if (company.narrowed === one) company.narrowed = by;
  }
}

const largest = <T extends { leftOut: ReadonlySet<string> }>(of: readonly T[]): T | undefined =>
  of.reduce<T | undefined>((most, one) => (most && most.leftOut.size >= one.leftOut.size ? most : one), undefined);
