import type { EntityManager } from '@mikro-orm/postgresql';
import { type Registration, registration } from '../../platform/registration.ts';

type Follow = (em: EntityManager, loadIds: readonly string[]) => Promise<void>;
const following = new Map<string, Follow>();

/**
 * Declares what follows from what positions say of loads, in a higher room than that which measures, or one of the same height.
 * @param about what follows; it is done in the order of these names
 */
export const defineMeasuredLoads = (about: string, then: Follow): Registration =>
  registration('defineMeasuredLoads', about, () => void following.set(about, then));

/** What positions say of loads is another thing now, in the transaction in which that is written. */
export async function loadsAreMeasured(em: EntityManager, loadIds: readonly string[]): Promise<void> {
  for (const [, then] of [...following].sort(([one], [other]) => (one < other ? -1 : 1))) await then(em, loadIds);
}
