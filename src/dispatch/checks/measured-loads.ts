import type { EntityManager } from '@mikro-orm/postgresql';
import { provided } from '../../platform/application.ts';

/** What follows from it that positions say something else of these loads, in the same transaction. */
export type Follow = (em: EntityManager, loadIds: readonly string[]) => Promise<void>;

/** Who asks what positions say of loads, in this order: higher rooms than that which measures, or of the same height. */
export const measuredLoads = provided<readonly Follow[]>('followers of measured loads');

/** What positions say of loads is another thing now, in the transaction in which that is written. */
export async function loadsAreMeasured(em: EntityManager, loadIds: readonly string[]): Promise<void> {
  for (const follow of measuredLoads.of(em)) await follow(em, loadIds);
}
