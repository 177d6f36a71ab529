import type { EntityManager } from '@mikro-orm/postgresql';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { poolOf } from '../platform/database/sql.ts';
import { sharedCounter } from '../platform/http/rate-limits.ts';

/** Wrong secrets from one address in five minutes, over all processes. */
const WRONG = { points: 60, duration: 300 };
/** Tokens of one client in a minute, in each process: every one is a row of the audit log. */
const TOKENS = { points: 120, duration: 60 };

/** Each answers the seconds to wait; undefined when there is no need to. */
export interface TokenGuards {
  /** For an address that has shown too many wrong secrets. */
  guessing(address: string): Promise<number | undefined>;
  failed(address: string): Promise<void>;
  /** Counts a token of a client. */
  issuing(clientId: string): Promise<number | undefined>;
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
      return state && state.consumedPoints >= WRONG.points ? seconds(state) : undefined;
    },
    async failed(address) {
      counter ??= wrong();
      await (await counter).penalty(address);
    },
    issuing: (clientId) =>
      tokens.consume(clientId).then(
        () => undefined,
        (reason: unknown) => {
          if (reason instanceof RateLimiterRes) return seconds(reason);
          throw reason;
        },
      ),
  };
}

const seconds = ({ msBeforeNext }: RateLimiterRes) => Math.max(1, Math.ceil(msBeforeNext / 1000));
