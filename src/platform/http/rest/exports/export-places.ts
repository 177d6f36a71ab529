import type { Response } from 'express';
import { TooMany } from '../../../errors.ts';

/** For whom a place is. */
interface Holder {
  company: string;
  caller: string;
}

interface Waiting extends Holder {
  called: () => void;
}

/** Milliseconds that an export waits for a place, and seconds after which its client tries again. */
const PATIENCE = 20_000;
const AGAIN = 10;

/**
 * The places of exports, each of which keeps its place for as long as its client takes it. Therefore a company leaves one of them to others, and a
 * caller takes half of them at most; of those who wait, the company and then the caller who hold the fewest come first.
 */
export class ExportPlaces {
  readonly #most: number;
  readonly #perCompany: number;
  readonly #perCaller: number;
  readonly #held: Holder[] = [];
  #waiting: Waiting[] = [];

  /** @param most exports at a time */
  constructor(most: number) {
    this.#most = most;
    this.#perCompany = Math.max(1, most - 1);
    this.#perCaller = Math.max(1, Math.floor(most / 2));
  }

  /**
   * Waits for a place.
   * @returns gives it back
   * @throws TooMany when none becomes free in time; a client that leaves does not wait
   */
  async enter(holder: Holder, res: Response): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const one: Waiting = { ...holder, called: () => resolve(true) };
    const leave = () => resolve(false);
    const late = setTimeout(leave, PATIENCE);
    res.once('close', leave);
    this.#waiting.push(one);
    this.#call();
    try {
      if (await promise) return () => this.#leave(one);
    } finally {
      clearTimeout(late);
      res.off('close', leave);
      this.#waiting = this.#waiting.filter((other) => other !== one);
    }
    throw new TooMany(AGAIN);
  }

  #leave(one: Holder): void {
    this.#held.splice(this.#held.indexOf(one), 1);
    this.#call();
  }

  /** Gives free places to those who wait. */
  #call(): void {
    while (this.#held.length < this.#most) {
      const ranked = this.#waiting
        .map((one) => ({ one, ofCompany: this.#count('company', one), ofCaller: this.#count('caller', one) }))
        .filter(({ ofCompany, ofCaller }) => ofCompany < this.#perCompany && ofCaller < this.#perCaller)
        .sort((a, b) => a.ofCompany - b.ofCompany || a.ofCaller - b.ofCaller);
      const next = ranked[0]?.one;
      if (!next) return;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      this.#held.push(next);
      next.called();
    }
  }

  #count(kind: keyof Holder, one: Holder): number {
    return this.#held.filter((other) => other[kind] === one[kind]).length;
  }
}
