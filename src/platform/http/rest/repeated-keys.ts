/** A value that is lost because its object has the same key again further on, where the last one counts. */
export interface RepeatedKey {
  /** Keys and places from the root of the body. */
  path: readonly (string | number)[];
  /** What was lost. */
  given: unknown;
  /** What counts. */
  used: unknown;
}

/** Losses told of one element of a body's list: whoever shows them cuts off before. */
const MOST = 200;

/** How many members the objects of a parsed value have; fewer than its text has where keys are repeated. */
export function countMembers(value: unknown, isLeaf: (value: object) => boolean): number {
  if (typeof value !== 'object' || value === null || isLeaf(value)) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countMembers(item, isLeaf);
  else {
    const members = Object.values(value);
    count = members.length;
    for (const member of members) if (typeof member === 'object') count += countMembers(member, isLeaf);
  }
  return count;
}

/** Where keys are repeated in a text that is known to be JSON. It reads all of it letter by letter: ask only when there are any. */
export function repeatedKeys(text: string): RepeatedKey[] {
  return new Walk(text).all();
}

/** One pass over a JSON text. */
class Walk {
  readonly #text: string;
  readonly #found: RepeatedKey[] = [];
  /** Losses of each element so far. */
  readonly #told = new Map<string, number>();
  /** Where in the body it is. */
  readonly #path: (string | number)[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  all(): RepeatedKey[] {
    this.#blanks();
    this.#value();
    return this.#found;
  }

  /** Goes past a value. @returns its text */
  #value(): string {
    const start = this.#at;
    const first = this.#text[start];
    if (first === '{') this.#object();
    else if (first === '[') this.#array();
    else if (first === '"') this.#string();
    else while (!ENDS.has(this.#text[this.#at])) this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #object(): void {
    const values = new Map<string, string>();
    const lost = new Map<string, string[]>();
    for (this.#past(); this.#text[this.#at] !== '}'; this.#comma()) {
      const name = this.#string();
      const key = name.includes('\\') ? (JSON.parse(name) as string) : name.slice(1, -1);
      this.#blanks();
      this.#past();
      this.#path.push(key);
      const value = this.#value();
      this.#path.pop();
      const before = values.get(key);
      if (before !== undefined) {
        const all = lost.get(key) ?? [];
        if (all.length < MOST) all.push(before);
        lost.set(key, all);
      }
      values.set(key, value);
    }
    this.#at++;
    for (const [key, all] of lost) this.#tell([...this.#path, key], all, values.get(key)!);
  }

  #array(): void {
    const place = this.#path.length;
    this.#past();
    for (let i = 0; this.#text[this.#at] !== ']'; i++, this.#comma()) {
      this.#path[place] = i;
      this.#value();
    }
    this.#path.length = place;
    this.#at++;
  }

  #string(): string {
    const start = this.#at;
    let escaped = true;
    while (escaped) {
      this.#at = this.#text.indexOf('"', this.#at + 1);
      escaped = false;
      for (let i = this.#at - 1; this.#text[i] === '\\'; i--) escaped = !escaped;
    }
    this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #comma(): void {
    this.#blanks();
    if (this.#text[this.#at] === ',') this.#past();
  }

  /** Goes past a sign and the blanks behind it. */
  #past(): void {
    this.#at++;
    this.#blanks();
  }

  #blanks(): void {
    while (BLANKS.has(this.#text[this.#at])) this.#at++;
  }

  #tell(path: readonly (string | number)[], all: readonly string[], last: string): void {
    const element = JSON.stringify(path.slice(0, 2));
    const told = this.#told.get(element) ?? 0;
    const lost = all.slice(0, MOST - told);
    this.#told.set(element, told + lost.length);
    const used: unknown = JSON.parse(last);
    for (const given of lost) this.#found.push({ path, given: JSON.parse(given), used });
  }
}

const BLANKS: ReadonlySet<string | undefined> = new Set([' ', '\t', '\n', '\r']);
/** What stands behind a number or a word. */
const ENDS: ReadonlySet<string | undefined> = new Set([...BLANKS, ',', ']', '}', undefined]);
