import type { EntityManager } from '@mikro-orm/postgresql';
import { provided } from '../../platform/application.ts';

/** Does what follows, in the same transaction, when positions show something else of these loads. */
export type Follow = (em: EntityManager, loadIds: readonly string[]) => Promise<void>;

/** The functions that are called when positions show something else of loads, in this order: of higher rooms than that which measures, or of the same height. */
export const measuredLoads = provided<readonly Follow[]>('followers of measured loads');

/** Reports that positions show something else of loads now, in the transaction in which that is written. */
export async function loadsAreMeasured(em: EntityManager, loadIds: readonly string[]): Promise<void> {
  for (const follow of measuredLoads.of(em)) await follow(em, loadIds);
}
