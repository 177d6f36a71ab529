/**
 * Lets so many works of this process go on at a time; the others wait, first come, first served. What takes longer than `patience` waits
 * for something itself, or hangs: it keeps nobody out any longer.
 */
export class ConcurrencyGate {
  #inside = 0;
  readonly #waiting: { places: number; enter(): void }[] = [];

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

  /** @param places that the work takes: one, or the whole width for work that must run alone */
  async pass<T>(work: () => Promise<T>, places = 1): Promise<T> {
    if (this.room >= places) this.#inside += places;
    else await new Promise<void>((enter) => this.#waiting.push({ places, enter }));
    let inside = true;
    const leave = () => {
      if (!inside) return;
      inside = false;
      this.#inside -= places;
      this.#letIn();
    };
    const patience = setTimeout(leave, this.patience);
    try {
      return await work();
    } finally {
      clearTimeout(patience);
      leave();
    }
  }

  /** The caller who waits longest gets the places at once, so that nobody who comes in the meantime is served before. */
  #letIn(): void {
    for (let first = this.#waiting[0]; first && this.#inside + first.places <= this.width; first = this.#waiting[0]) {
      this.#waiting.shift();
      this.#inside += first.places;
      first.enter();
    }
  }
}
