import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { type RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { poolOf } from '../database/sql.ts';
import { TooMany } from '../errors.ts';
import { sharedCounter } from './rate-limits.ts';

/** So many points within so many seconds, counted for each key across all processes. */
export interface Limit {
  /** Names it in the table; a limit keeps its name for ever. */
  name: string;
  points: number;
  seconds: number;
}

/** The rest of a limit, for the `RateLimit` headers. */
export interface Taken {
  limit: number;
  remaining: number;
  /** Seconds until the window is over. */
  reset: number;
  seconds: number;
  /** That none was left. */
  refused?: true;
}

declare module '../context.ts' {
  interface Context {
    /** The rest of the limit towards which this request counts, for the headers of its answer; absent in jobs. */
    rate?: { taken?: Taken };
  }
}

const limiters = new WeakMap<Pool, Map<string, RateLimiterPostgres>>();

/**
 * Takes a point of a limit, before the work it is about, so that guesses made at once are all counted.
 * @param key whom it is counted for; kept as a hash, for it may be an address or a name
 * @throws LimitReached when none is left
 */
export async function takePoint(em: EntityManager, limit: Limit, key: string): Promise<Taken> {
  const limiter = limiterOf(await poolOf(em), limit);
  try {
    return describeLimit(limit, await limiter.consume(hashed(key)));
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) throw new LimitReached({ ...describeLimit(limit, refusal), refused: true });
    throw refusal;
  }
}

/** Takes nothing, and refuses like `takePoint` when nothing is left. @throws LimitReached */
export async function requirePoint(em: EntityManager, limit: Limit, key: string): Promise<void> {
  const used = await limiterOf(await poolOf(em), limit).get(hashed(key));
  if (used && used.remainingPoints <= 0) throw new LimitReached({ ...describeLimit(limit, used), refused: true });
}

/** Resets a key to all of its points: the caller has shown who they are. */
export async function resetPoints(em: EntityManager, limit: Limit, key: string): Promise<void> {
  await limiterOf(await poolOf(em), limit).delete(hashed(key));
}

/** Gives the point that was just taken back: what it was taken for was no failure. */
export async function refundAttempt(em: EntityManager, limit: Limit, key: string): Promise<void> {
  await limiterOf(await poolOf(em), limit).reward(hashed(key), 1);
}

/** The 429 answer, with headers that describe the limit that was reached. */
export class LimitReached extends TooMany {
  constructor(readonly taken: Taken) {
    super(Math.max(taken.reset, 1));
  }
}

/** `RateLimit-Limit`, `-Remaining`, `-Reset` and `-Policy` (draft-ietf-httpapi-ratelimit-headers-06). */
export function rateHeaders(taken: Taken): Record<string, string> {
  return {
    'RateLimit-Limit': String(taken.limit),
    'RateLimit-Remaining': String(taken.remaining),
    'RateLimit-Reset': String(taken.reset),
    'RateLimit-Policy': `${taken.limit};w=${taken.seconds}`,
  };
}

/** Of several limits, the one that is reached next. */
export function tightestLimit(taken: readonly Taken[]): Taken | undefined {
  return taken.reduce<Taken | undefined>((least, one) => (least && least.remaining <= one.remaining ? least : one), undefined);
}

/**
 * The key under which an address is counted: the address, or for IPv6 its /64 network, because one customer has all addresses of it.
 * @param address as Express reports it; behind configured proxies the forwarded one
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1]!;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.toLowerCase().split('%')[0]!.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = tail === undefined ? before : [...before, ...Array(Math.max(8 - before.length - after.length, 0)).fill('0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

function limiterOf(pool: Pool, { name, points, seconds }: Limit): RateLimiterPostgres {
  const own = limiters.get(pool) ?? new Map<string, RateLimiterPostgres>();
  limiters.set(pool, own);
  const id = `${name}:${points}:${seconds}`;
  const known = own.get(id);
  if (known) return known;
  const limiter = sharedCounter(pool, { keyPrefix: name, points, duration: seconds });
  own.set(id, limiter);
  return limiter;
}

function describeLimit(limit: Limit, { remainingPoints, msBeforeNext }: RateLimiterRes): Taken {
  return { limit: limit.points, remaining: Math.max(remainingPoints, 0), reset: Math.ceil(msBeforeNext / 1000), seconds: limit.seconds };
}

function hashed(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
