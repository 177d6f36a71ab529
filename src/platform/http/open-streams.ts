import { TooMany } from '../errors.ts';

/** How many connections that stay open one process has at a time; 0 for any number. */
export interface StreamLimits {
  perCaller: number;
  perCompany: number;
  /** From one address, whoever uses them, also before it is known who they are. */
  perAddress: number;
}

export const USUAL_STREAMS: StreamLimits = { perCaller: 100, perCompany: 1_000, perAddress: 1_000 };

/** The holder of an open connection: the same text for the same one. */
export interface StreamHolder {
  caller?: string;
  company?: string;
  address?: string;
}

/** Seconds after which somebody who has too many tries again. */
const AGAIN = 5;

/** Counts what stays open for longer than a request: each costs memory, and a look at its caller's rights every few seconds. */
export class OpenStreams {
  readonly #limits: StreamLimits;
  readonly #open = new Map<string, number>();

  constructor(limits: Partial<StreamLimits> = {}) {
    this.#limits = { ...USUAL_STREAMS, ...limits };
  }

  /**
   * Counts one more, at once: what comes between is counted too.
   * @returns gives it back; further calls do nothing
   * @throws TooMany when the caller, the company or the address has as many as it may
   */
  take({ caller, company, address }: StreamHolder): () => void {
    const { perCaller, perCompany, perAddress } = this.#limits;
    const counted = [
      [caller && `caller ${caller}`, perCaller],
      [company && `company ${company}`, perCompany],
      [address && `address ${address}`, perAddress],
    ] as const;
    const keys = counted.flatMap(([key, most]) => (key && most > 0 ? [{ key, most }] : []));
    if (keys.some(({ key, most }) => this.#of(key) >= most)) throw new TooMany(AGAIN);
    for (const { key } of keys) this.#open.set(key, this.#of(key) + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      for (const { key } of keys) {
        const left = this.#of(key) - 1;
        if (left > 0) this.#open.set(key, left);
        else this.#open.delete(key);
      }
    };
  }

  #of(key: string): number {
    return this.#open.get(key) ?? 0;
  }
}
