/** The most statements that a connection keeps prepared. */
export interface Keeping {
  statements: number;
  /** Of SQL that the statements have together. */
  characters: number;
}

/** About 40 MB of plans in PostgreSQL. */
const USUAL: Keeping = { statements: 50, characters: 131_072 };

/**
 * The statements that one connection keeps prepared. PostgreSQL holds their plans until the connection ends, so the statement that was
 * unused the longest makes room for a new one.
 */
export class KeptStatements {
  /** Length by name; the statement that was unused the longest comes first. */
  readonly #lengths = new Map<string, number>();
  #characters = 0;
  /** Statements to close when the next one is asked. */
  #forgotten: string[] = [];
  readonly #most: Keeping;

  constructor(most = USUAL) {
    this.#most = most;
  }

  /**
   * Notes that a statement is asked under a name.
   * @returns names of statements to close for it
   */
  keep(name: string, length: number): string[] {
    const closed = this.#forgotten;
    this.#forgotten = [];
    const known = this.#lengths.delete(name);
    this.#lengths.set(name, length);
    if (known) return closed;
    this.#characters += length;
    for (const [oldest, its] of this.#lengths) {
      if (oldest === name || (this.#lengths.size <= this.#most.statements && this.#characters <= this.#most.characters)) break;
      this.#lengths.delete(oldest);
      this.#characters -= its;
      closed.push(oldest);
    }
    return closed;
  }

  /** Has all statements closed, because PostgreSQL may no longer run them as they were prepared. */
  forgetAll(): void {
    this.#forgotten.push(...this.#lengths.keys());
    this.#lengths.clear();
    this.#characters = 0;
  }
}
