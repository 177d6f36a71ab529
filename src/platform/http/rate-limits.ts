import type { ServerResponse } from 'node:http';
import type { Request } from 'express';
import type { Pool } from 'pg';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { TooMany } from '../errors.ts';

/** The window that is counted, in seconds; it starts on the minute for every process. */
const WINDOW = 60;
/** Milliseconds between two exchanges of counts with the other processes. */
const EXCHANGE_EVERY = 1_000;
/** Share of the limit below which nobody's count is exchanged: most never get there. */
const QUIET = 0.1;
const TABLE = 'rate_limit';

export interface RateLimitOptions {
  pool: () => Promise<Pool>;
  /** Requests a minute of one person or machine client, over all processes; 0: any number. */
  perCaller: number;
  /** Requests a minute from one address without a valid token; 0: any number. */
  perAddress: number;
  onError(error: unknown): void;
}

/** The caller: the same text for the same caller in every process. */
export interface Caller {
  /** `User:<id>`; undefined when nobody is signed in. */
  principal?: string;
  address: string;
}

/** Counts a request that has no context against its address, or against `principal`, who was allowed it before. @throws TooMany */
export type CountRequest = (req: Request, res: ServerResponse, principal?: string) => Promise<void>;

interface Busy {
  /** Requests that this process has counted since the last exchange. */
  fresh: number;
}

/**
 * Counts requests in memory, without a round trip for any of them. A caller who uses more than a tenth of the limit is noted in PostgreSQL
 * once a second, and the process learns there what the others counted: a caller who is over the limit in all of them together is over it in
 * each. Therefore up to a tenth of the limit for each further process, and the requests of one second, may go unnoticed.
 */
export class RateLimits {
  readonly #options: RateLimitOptions;
  readonly #limiters: Record<'caller' | 'address', RateLimiterMemory>;
  readonly #busy = new Map<string, Busy & { kind: 'caller' | 'address' }>();
  readonly #timer: NodeJS.Timeout;
  #shared: Promise<RateLimiterPostgres> | undefined;
  #exchanging: Promise<void> = Promise.resolve();

  constructor(options: RateLimitOptions) {
    this.#options = options;
    const limiter = (points: number) => new RateLimiterMemory({ points, duration: WINDOW });
    this.#limiters = { caller: limiter(options.perCaller), address: limiter(options.perAddress) };
    this.#timer = setInterval(() => {
      this.#exchanging = this.#exchanging.then(() => this.exchange()).catch(options.onError);
    }, EXCHANGE_EVERY).unref();
  }

  /** Counts a request and sets the headers that say how many are left. @throws TooMany with the seconds to wait */
  async take({ principal, address }: Caller, res?: ServerResponse): Promise<void> {
    const kind = principal ? 'caller' : 'address';
    const limiter = this.#limiters[kind];
    if (limiter.points === 0) return;
    const key = `${principal ?? `address:${address}`}:${Math.floor(Date.now() / 1000 / WINDOW)}`;
    const state = await limiter.consume(key).catch((reason: unknown) => {
      if (reason instanceof RateLimiterRes) return reason;
      throw reason;
    });
    const reset = WINDOW - (Math.floor(Date.now() / 1000) % WINDOW);
    if (res && !res.headersSent) {
      res.setHeader('RateLimit-Limit', limiter.points);
      res.setHeader('RateLimit-Remaining', state.remainingPoints);
      res.setHeader('RateLimit-Reset', reset);
    }
    if (state.consumedPoints >= limiter.points * QUIET) this.#note(key, kind, state.consumedPoints);
    if (state.consumedPoints > limiter.points) throw new TooMany(reset);
  }

  /** Exchanges counts with the other processes. */
  async exchange(): Promise<void> {
    const changed = [...this.#busy].filter(([, { fresh }]) => fresh > 0);
    const now = `:${Math.floor(Date.now() / 1000 / WINDOW)}`;
    for (const key of this.#busy.keys()) if (!key.endsWith(now)) this.#busy.delete(key);
    for (const [key, busy] of changed) {
      const { fresh, kind } = busy;
      const { consumedPoints: all } = await (await this.#store()).penalty(key, fresh);
      busy.fresh -= fresh;
      const limiter = this.#limiters[kind];
      const mine = (await limiter.get(key))?.consumedPoints ?? 0;
      // The others counted everything except what was counted here. Requests that came in the meantime are reported next time.
      const theirs = all - (mine - busy.fresh);
      if (theirs > 0) await limiter.penalty(key, theirs);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#exchanging;
  }

  #note(key: string, kind: 'caller' | 'address', consumed: number): void {
    const busy = this.#busy.get(key);
    if (busy) busy.fresh++;
    else this.#busy.set(key, { kind, fresh: consumed });
  }

  #store(): Promise<RateLimiterPostgres> {
    this.#shared ??= this.#options.pool().then((pool) => sharedCounter(pool, { points: this.#options.perCaller, duration: WINDOW }));
    return this.#shared;
  }
}

/** A counter in PostgreSQL: a round trip for each use, for what is rare or must be exact at once. */
export function sharedCounter(
  pool: Pool,
  limits: { points: number; duration: number; keyPrefix?: string; blockDuration?: number },
): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    tableName: TABLE,
    // A migration made it.
    tableCreated: true,
    clearExpiredByTimeout: true,
    keyPrefix: 'requests',
    ...limits,
  });
}
