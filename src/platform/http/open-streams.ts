import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { TooMany } from '../errors.ts';
import { startSweeper } from '../queue/sweeper.ts';
import { exchangeStreams } from './shared-streams.ts';

/** Limits of connections that stay open, for all processes together; 0 for any number. */
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

/** With whom processes count together. */
export interface StreamSharing {
  pool: () => Promise<Pool>;
  onError(error: unknown): void;
}

/** Seconds after which somebody who has too many tries again. */
const AGAIN = 5;
/** Milliseconds between two exchanges of counts with the other processes. */
const EXCHANGE_EVERY = 1_000;
/** Share of a limit below which a process keeps its count to itself: most never get there. */
const QUIET = 0.1;

/**
 * Counts what stays open for longer than a request: each costs memory, and a look at its caller's rights every few seconds. It is counted in memory. Who
 * has a tenth of a limit in a process is noted in PostgreSQL once a second, where the process learns what the others have. Therefore up to a tenth of the
 * limit for each further process, and what is opened within a second, may go unnoticed.
 */
export class OpenStreams {
  readonly #name: string;
  readonly #limits: StreamLimits;
  readonly #process = randomUUID();
  readonly #open = new Map<string, number>();
  /** Holders that this process has noted in PostgreSQL. */
  #noted = new Set<string>();
  /** What the other processes had at the last exchange, of holders that are noted. */
  #others: ReadonlyMap<string, number> = new Map();
  /** Returns from how many on somebody is noted. */
  readonly #from = new Map<string, number>();
  readonly #exchanges: { stop(): Promise<void> };
  readonly #sharing: StreamSharing;

  /** @param name of what is counted: the same in every process */
  constructor(name: string, limits: Partial<StreamLimits>, sharing: StreamSharing) {
    this.#name = name;
    this.#limits = { ...USUAL_STREAMS, ...limits };
    this.#sharing = sharing;
    this.#exchanges = startSweeper(EXCHANGE_EVERY, () => this.exchange(), sharing.onError);
  }

  /**
   * Counts one more, at once: what comes between is counted too.
   * @returns gives it back; further calls do nothing
   * @throws TooMany when the caller, the company or the address has as many as it may
   */
  take({ caller, company, address }: StreamHolder): () => void {
    const { perCaller, perCompany, perAddress } = this.#limits;
    const counted = [
      [caller && `${this.#name} caller ${caller}`, perCaller],
      [company && `${this.#name} company ${company}`, perCompany],
      [address && `${this.#name} address ${address}`, perAddress],
    ] as const;
    const keys = counted.flatMap(([key, most]) => (key && most > 0 ? [{ key, most }] : []));
    if (keys.some(({ key, most }) => this.#of(key) + (this.#others.get(key) ?? 0) >= most)) throw new TooMany(AGAIN);
    for (const { key, most } of keys) {
      this.#open.set(key, this.#of(key) + 1);
      this.#from.set(key, Math.ceil(most * QUIET));
    }
    let given = false;
    return () => {
      if (given) return;
      given = true;
      for (const { key } of keys) {
        const left = this.#of(key) - 1;
        if (left > 0) this.#open.set(key, left);
        else {
          this.#open.delete(key);
          this.#from.delete(key);
        }
      }
    };
  }

  /** Exchanges counts with the other processes. Nothing is asked while nobody has many. */
  async exchange(): Promise<void> {
    const many = new Map([...this.#open].filter(([key, open]) => open >= this.#from.get(key)!));
    const ended = [...this.#noted].filter((key) => !many.has(key));
    if (many.size === 0 && ended.length === 0) return;
    // Also if the answer is lost: what was noted has to end.
    for (const key of many.keys()) this.#noted.add(key);
    this.#others = await exchangeStreams(await this.#sharing.pool(), this.#process, many, ended);
    this.#noted = new Set(many.keys());
  }

  /** Ends the exchange, and takes back what this process has noted. */
  async stop(): Promise<void> {
    await this.#exchanges.stop();
    if (this.#noted.size === 0) return;
    // Streams that are still closing end with the process.
    const { pool, onError } = this.#sharing;
    await pool()
      .then((one) => exchangeStreams(one, this.#process, new Map(), [...this.#noted]))
      .catch(onError);
  }

  #of(key: string): number {
    return this.#open.get(key) ?? 0;
  }
}
