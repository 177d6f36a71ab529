import type { Load } from '../model/load.entity.ts';

/** The times of a load, in the order of the road. */
export const LOAD_STAMPS = ['arrivedPickupAt', 'loadedAt', 'arrivedDropoffAt', 'unloadedAt', 'loadCompletedAt'] as const;
export type LoadStamp = (typeof LOAD_STAMPS)[number];

/** Returns before when a step of a load cannot have been, by the times of the steps before it (PROOF A-I5); undefined if nobody noted any. */
export function earliestOf({ loadSummary }: Load, stamp: LoadStamp): Date | undefined {
  const times = LOAD_STAMPS.slice(0, LOAD_STAMPS.indexOf(stamp)).flatMap((one) => loadSummary[one]?.getTime() ?? []);
  return times.length > 0 ? new Date(Math.max(...times)) : undefined;
}

/** Whether a time is of the truck that handed the load over, and not of the one that has it: the load was made when it was handed over, with the times before. */
const isOfFirstTruck = ({ continued, createdAt }: Load, time: Date): boolean => Boolean(continued) && time <= createdAt;

/**
 * Notes when a load took a step that lies after the ones before it. The office may have entered times of steps that nobody had reported yet. A driver
 * knows better: what the report shows to be wrong is nobody's knowledge any more. A geofence or a ticket leaves it as it is (PROOF A5).
 * @param byItself nobody reported it
 */
export function stampLoad(load: Load, stamp: LoadStamp, at: Date, byItself: boolean): void {
  const { loadSummary: stamps } = load;
  const wrong = LOAD_STAMPS.slice(LOAD_STAMPS.indexOf(stamp) + 1).filter((one) => stamps[one] && stamps[one] < at);
  if (byItself && (wrong.length > 0 || (stamps[stamp] && !isOfFirstTruck(load, stamps[stamp])))) return;
  for (const one of wrong) stamps[one] = null;
  stamps[stamp] = at;
}
