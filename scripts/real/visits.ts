import { greatCircle, type RoutePoint } from '../../src/platform/routing.ts';

/** A position of a telephone that says nothing of its accuracy. */
export interface Ping extends RoutePoint {
  at: number;
}

/** Metres that count for an unknown accuracy of a telephone, and those beyond the edge that are still no exit. */
const ACCURACY = 25;
const MARGIN = 25;

/**
 * Returns when a circle was entered and left, as PROOF A5 defines it and as slowly as that: for each position all later ones are looked at, and
 * distances are those on the sphere. For ways without a silence of fifteen minutes.
 */
export function visitsOf(
  pings: readonly Ping[],
  center: RoutePoint,
  radius: number,
  delaySeconds: number,
): { type: 'enter' | 'exit'; at: number }[] {
  const sorted = pings.toSorted((a, b) => a.at - b.at).filter(({ at }, i, all) => at !== all[i - 1]?.at);
  const votes = sorted.map((ping) => {
    const beyond = greatCircle(ping, center) - radius;
    if (beyond <= 0) return 'inside';
    return beyond - ACCURACY > Math.min(MARGIN, radius / 10) ? 'outside' : 'undecided';
  });
  const visits: { type: 'enter' | 'exit'; at: number }[] = [];
  for (let from = 0; ; ) {
    const [wanted, other] = visits.length % 2 === 0 ? ['inside', 'outside'] : ['outside', 'inside'];
    const first = votes.findIndex((vote, i) => {
      if (i < from || vote !== wanted) return false;
      // Only the first of a run counts, which an opposite vote ends.
      const end = votes.findIndex((later, n) => n > i && later === other);
      return votes.some(
        (later, n) => n >= i && (end < 0 || n < end) && later === wanted && sorted[n]!.at - sorted[i]!.at >= delaySeconds * 1000,
      );
    });
    if (first < 0) return visits;
    visits.push({ type: visits.length % 2 === 0 ? 'enter' : 'exit', at: sorted[first]!.at });
    // The next one begins after this one was certain.
    from = votes.findIndex((vote, n) => n >= first && vote === wanted && sorted[n]!.at - sorted[first]!.at >= delaySeconds * 1000) + 1;
  }
}
