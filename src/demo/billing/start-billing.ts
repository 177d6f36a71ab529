import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from '../../platform/log.ts';
import { billDemo } from './bill.ts';

/** The billing of the demo's work, which goes on while the product answers already. */
export interface DemoBilling {
  /** Resolves when it has ended. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** Bills the demo's work unless it is billed. If that fails it is reported, and tried again at the next start. */
export function startDemoBilling({ em, log }: { em: EntityManager; log: Pick<Logger, 'error'> }): DemoBilling {
  const ended = billDemo(em).catch((error: unknown) => log.error({ err: error }, 'the work of the demo is not billed'));
  return { idle: () => ended, stop: () => ended };
}
