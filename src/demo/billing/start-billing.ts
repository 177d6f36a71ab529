import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from '../../platform/log.ts';
import { billDemo } from './bill.ts';

/** The billing of the demo's work, which goes on while the product answers already. */
export interface DemoBilling {
  /** Resolves when it has ended. */
  idle(): Promise<void>;
  /** Leaves it to the next start if it is not done: nobody who stops the product waits for it. */
  stop(): Promise<void>;
}

/** Bills the demo's work unless it is billed. If that fails it is reported, and tried again at the next start. */
export function startDemoBilling({ em, log }: { em: EntityManager; log: Pick<Logger, 'error'> }): DemoBilling {
  const stopping = new AbortController();
  const { signal } = stopping;
  const ended = billDemo(em, undefined, signal).catch((error: unknown) => {
    if (error !== signal.reason) log.error({ err: error }, 'the work of the demo is not billed');
  });
  return {
    idle: () => ended,
    stop() {
      stopping.abort();
      return ended;
    },
  };
}
