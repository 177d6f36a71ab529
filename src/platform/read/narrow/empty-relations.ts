/** Arguments that a function of PostgreSQL takes, with some left over. */
const MOST_ARGUMENTS = 90;

/** Where rows below a row are in its array. */
interface Below {
  at: number;
  isList: boolean;
  of: EmptyRelations;
}

/**
 * The relations of one table's rows in a plan that may name nothing, and those of the rows below. PostgreSQL sets up the subquery of each relation for each
 * execution, also where the row names no record by it, so a statement may leave some out (narrowing.ts). Every row says which of them it names nothing by,
 * so that what was left out wrongly is found.
 */
export class EmptyRelations {
  readonly #path: string;
  readonly #leftOut: ReadonlySet<string> | undefined;
  readonly #names: string[] = [];
  readonly #conditions: string[] = [];
  readonly #below: Below[] = [];
  /** Where the row says it. */
  #at: number | undefined;

  readonly #valueAt: (row: unknown[], at: number) => unknown;

  /**
   * @param leftOut relations that the statement does without, by their path
   * @param valueAt the value of a row at one of its places
   */
  constructor(path: string, leftOut: ReadonlySet<string> | undefined, valueAt: (row: unknown[], at: number) => unknown) {
    this.#path = path;
    this.#leftOut = leftOut;
    this.#valueAt = valueAt;
  }

  pathOf(name: string): string {
    return `${this.#path}.${name}`;
  }

  /**
   * Notes a relation.
   * @param isEmpty SQL of whether the row names nothing by it
   * @returns whether the statement does without it
   */
  leavesOut(name: string, isEmpty: string): boolean {
    const path = this.pathOf(name);
    if (!this.#names.includes(path)) {
      this.#names.push(path);
      this.#conditions.push(isEmpty);
    }
    return this.#leftOut?.has(path) ?? false;
  }

  /** Notes where rows below are. */
  addBelow(at: number, of: EmptyRelations, isList: boolean): void {
    this.#below.push({ at, of, isList });
  }

  /** The text in which the row says it: a digit for each relation, 1 for one that is empty; undefined if there are none. */
  sql(): string | undefined {
    if (this.#conditions.length === 0) return undefined;
    const digits = this.#conditions.map((isEmpty) => `(${isEmpty})::int`);
    const parts: string[] = [];
    for (let at = 0; at < digits.length; at += MOST_ARGUMENTS) parts.push(`concat(${digits.slice(at, at + MOST_ARGUMENTS).join(', ')})`);
    return parts.join(' || ');
  }

  /** Notes where the row says it. */
  saidAt(at: number): void {
    this.#at = at;
  }

  /** The paths of all relations that may be left out. */
  paths(): string[] {
    return [...this.#names, ...this.#below.flatMap(({ of }) => of.paths())];
  }

  /** Adds the paths of relations by which a row, or one below it, names something. */
  addUsed(row: unknown[], used: Set<string>): void {
    if (this.#at !== undefined) {
      const digits = this.#valueAt(row, this.#at) as string;
      for (let at = 0; at < digits.length; at++) if (digits[at] === '0') used.add(this.#names[at]!);
    }
    for (const { at, of, isList } of this.#below) {
      const value = this.#valueAt(row, at) as unknown[] | null;
      if (value === null) continue;
      if (isList) for (const each of value) of.addUsed(each as unknown[], used);
      else of.addUsed(value, used);
    }
  }
}
