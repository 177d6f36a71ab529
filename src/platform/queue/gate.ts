/**
 * Lets so many works of this process go on at a time; the others wait, first come, first served. What takes longer than `patience` waits
 * for something itself, or hangs: it keeps nobody out any longer.
 */
export class Gate {
  #inside = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param patience milliseconds */
  constructor(
    readonly width: number,
    readonly patience: number,
  ) {
    if (!Number.isInteger(width) || width < 1) throw new RangeError(`a gate's width must be a positive whole number, not ${width}`);
  }

  /** Works that would be let in at once. */
  get room(): number {
    return this.#waiting.length > 0 ? 0 : this.width - this.#inside;
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside < this.width) this.#inside++;
    else await new Promise<void>((enter) => this.#waiting.push(enter));
    let inside = true;
    const leave = () => {
      if (!inside) return;
      inside = false;
      // Who waited longest takes the place over, so that nobody who comes meanwhile gets in before.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#inside--;
    };
    const patience = setTimeout(leave, this.patience);
    try {
      return await work();
    } finally {
      clearTimeout(patience);
      leave();
    }
  }
}
