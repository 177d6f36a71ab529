import type { EntityManager } from '@mikro-orm/postgresql';
import { provided } from '../platform/application.ts';

/** The sandbox that is to be seeded. */
export interface SandboxToSeed {
  /** The ids of its company, and of two companies below it that haul for it. */
  companyIds: readonly [parent: string, north: string, south: string];
  /** Platform ids of these. */
  platformIds: readonly string[];
  name: string;
  /** Of e-mail addresses; nobody else has it. */
  domain: string;
  /** Digits that begin the telephone numbers of its people; nobody else has them. */
  phones: string;
  now: Date;
}

/** The data with which its administrator and its machine client sign in. */
export interface SeededSandbox {
  administrator: string;
  password: string;
  clientId: string;
  clientSecret: string;
}

/** Fills a new sandbox in the transaction of `em`. The demo does, whose work it gets. */
export const sandboxSeed = provided<(em: EntityManager, sandbox: SandboxToSeed) => Promise<SeededSandbox>>('seed of sandboxes');
