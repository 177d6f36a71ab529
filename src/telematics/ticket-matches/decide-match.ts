import type { Work } from '../fences/decide.ts';

/** When the truck was loaded, in milliseconds, or why that is not noted. */
export type MatchDecision = { at: number } | { skip: string };

/** Milliseconds by which the clock of a scale may be wrong. */
const SCALE_CLOCK = 15 * 60_000;

/**
 * Decides when a truck at its pickup was loaded, of which a ticket came (PROOF A5, the table of triggers): when the ticket says, if that is
 * between the arrival and now, else now. A ticket of another time than that of the visit proves another load.
 * @param servedAt what the ticket says, in milliseconds
 */
export function decideMatch(servedAt: number | null, now: number, { load, last, paused, order }: Work): MatchDecision {
  if (paused) return { skip: 'paused' };
  if (load?.approved) return { skip: 'approved' };
  if (order === 'hold' || order === 'weather_hold') return { skip: 'order_on_hold' };
  const arrival = Math.max(load?.arrivedPickupAt ?? 0, last?.at ?? 0);
  // A telephone whose clock is ahead has arrived later than now.
  const latest = Math.max(now, arrival);
  if (servedAt === null) return { at: latest };
  if (servedAt < arrival - SCALE_CLOCK || servedAt > now + SCALE_CLOCK) return { skip: 'time_outside_visit' };
  return { at: servedAt >= arrival && servedAt <= now ? servedAt : latest };
}
