import type { EntityManager } from '@mikro-orm/postgresql';

/** The part of a request with an idempotency key that `transact` uses (platform/http/rest/idempotency.ts). */
export interface Once {
  /** An earlier run of this request committed something. */
  readonly begun: boolean;
  /** The result that an earlier run of this request committed as its next transaction; undefined when it did not get so far. */
  replay(): { result: unknown } | undefined;
  /** Notes the result in the transaction of `em`. @throws Conflict when another run has taken the request over */
  settle(em: EntityManager, result: unknown): Promise<void>;
}

declare module '../context.ts' {
  interface Context {
    /** Present when the request came with an idempotency key. */
    once?: Once;
  }
}
