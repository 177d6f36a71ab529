/**
 * A prepared statement stays with its connection, in PostgreSQL and here, some eighty kilobytes of them: documents that are asked
 * once, with ids written into their text, must not fill the memory of both. Only what is asked again is prepared, and no more than
 * `MOST` statements in an hour; connections are closed after `LIFETIME`, and what they prepared with them.
 */
const MOST = 400;
/** Seconds a connection lives at most; the pool closes it when it is next free. */
export const LIFETIME = 3_600;
/** Plans that were asked once, remembered to see them come again. */
const SEEN = 2_000;

export class Prepared {
  readonly #now: () => number;
  #since: number;
  readonly #named = new Set<string>();
  readonly #seen = new Set<string>();

  /** @param now milliseconds, for tests */
  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#since = now();
  }

  /** The name to run a statement under; undefined runs it unprepared. */
  nameOf(name: string): string | undefined {
    if (this.#now() - this.#since > LIFETIME * 1_000) {
      this.#since = this.#now();
      this.#named.clear();
    }
    if (this.#named.has(name)) return name;
    if (!this.#seen.has(name)) {
      if (this.#seen.size >= SEEN) this.#seen.clear();
      this.#seen.add(name);
      return undefined;
    }
    if (this.#named.size >= MOST) return undefined;
    this.#seen.delete(name);
    this.#named.add(name);
    return name;
  }
}
