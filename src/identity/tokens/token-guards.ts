import type { EntityManager } from '@mikro-orm/postgresql';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { poolOf } from '../../platform/database/sql.ts';
import type { Taken } from '../../platform/http/attempt-limits.ts';
import { sharedCounter } from '../../platform/http/rate-limits.ts';

/** Wrong secrets from one network in five minutes, over all processes. */
const WRONG = { points: 60, duration: 300 };
/** Tokens of one client in a minute, in each process: every one is a row of the audit log. */
const TOKENS = { points: 120, duration: 60 };

/** Each answers what is left, `refused` when nothing is. */
export interface TokenGuards {
  /** Of the wrong secrets that an address may show. */
  guessing(address: string): Promise<Taken>;
  /** Counts one. */
  failed(address: string): Promise<Taken>;
  /** Counts a token of a client. */
  issuing(clientId: string): Promise<Taken>;
}

/** Limits of the token endpoint. */
export function tokenGuards(em: EntityManager): TokenGuards {
  const wrong = () => poolOf(em).then((pool) => sharedCounter(pool, { ...WRONG, keyPrefix: 'wrong_secret' }));
  let counter: ReturnType<typeof wrong> | undefined;
  const tokens = new RateLimiterMemory(TOKENS);
  return {
    async guessing(address) {
      counter ??= wrong();
      const state = await (await counter).get(address);
      return left(WRONG, state ?? undefined, (state?.consumedPoints ?? 0) >= WRONG.points);
    },
    async failed(address) {
      counter ??= wrong();
      return left(WRONG, await (await counter).penalty(address));
    },
    issuing: (clientId) =>
      tokens.consume(clientId).then(
        (state) => left(TOKENS, state),
        (reason: unknown) => {
          if (reason instanceof RateLimiterRes) return left(TOKENS, reason, true);
          throw reason;
        },
      ),
  };
}

function left(limit: { points: number; duration: number }, state: RateLimiterRes | undefined, refused = false): Taken {
  return {
    limit: limit.points,
    remaining: Math.max(0, limit.points - (state?.consumedPoints ?? 0)),
    reset: state ? Math.max(1, Math.ceil(state.msBeforeNext / 1000)) : limit.duration,
    seconds: limit.duration,
    ...(refused ? { refused } : {}),
  };
}
