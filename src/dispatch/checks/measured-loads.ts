import type { EntityManager } from '@mikro-orm/postgresql';
import { type Registration, registration } from '../../platform/registration.ts';

type Follow = (em: EntityManager, loadIds: readonly string[]) => Promise<void>;
let follow: Follow | undefined;

/** Declares who asks what positions say of loads: a higher room than that which measures, or one of the same height. */
export const defineMeasuredLoads = (then: Follow): Registration =>
  registration('defineMeasuredLoads', 'measured loads', () => {
    follow = then;
  });

/** What positions say of loads is another thing now, in the transaction in which that is written. */
export const loadsAreMeasured = (em: EntityManager, loadIds: readonly string[]): Promise<void> => follow!(em, loadIds);
