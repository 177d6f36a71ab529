/** Slots for parallel work inside one process. */
export class Semaphore {
  #taken = 0;

  constructor(readonly slots: number) {
    if (!Number.isInteger(slots) || slots < 1) throw new RangeError(`slots must be a positive whole number, not ${slots}`);
  }

  get free(): number {
    return this.slots - this.#taken;
  }

  /** Runs `work` in a slot; the caller has checked `free`. @throws Error when there is none */
  async run(work: () => Promise<void>): Promise<void> {
    if (this.free === 0) throw new Error('no free slot');
    this.#taken++;
    try {
      await work();
    } finally {
      this.#taken--;
    }
  }
}
