import type { EntityManager } from '@mikro-orm/postgresql';

/** The options that workers have in common which look for their work from time to time. */
export interface BackgroundWorkerOptions {
  em: EntityManager;
  log: { warn(fields: object, message: string): void };
  /** Milliseconds between two looks; each worker has its own default. */
  sweepEvery?: number;
}
