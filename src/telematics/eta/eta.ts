/** The facts of which an estimated time of arrival is computed. */
export interface EtaFacts {
  /** Milliseconds: when the truck was where the way that is left begins. */
  at: number;
  /** The way that is left, and what it usually takes. */
  route: { metres: number; seconds: number };
  /** Metres per second of the positions of the last ten minutes. */
  speeds: readonly number[];
  /** Seconds that the truck will still be where it is now. */
  stays: number;
}

/** When a truck arrives, in milliseconds: probably, at the earliest and at the latest. */
export interface Arrival {
  arrivesAt: number;
  earliestAt: number;
  latestAt: number;
}

/** Metres per second: below it a truck does not move; and the slowest and the fastest that a way is driven on average. */
const MOVING = 2;
const [SLOWEST, FASTEST] = [5, 30];
/** The share of the time that is left by which the estimate may be wrong. */
const BAND = 0.2;

/**
 * Returns when a truck arrives (PROOF A6): half of the speed is what it drove in the last minutes, half what the way usually allows. Of a
 * truck that stood all the time only the way is known.
 */
export function arrivalOf({ at, route, speeds, stays }: EtaFacts): Arrival {
  const usual = route.seconds > 0 ? route.metres / route.seconds : FASTEST;
  const driven = median(speeds.filter((speed) => speed > MOVING)) ?? usual;
  const speed = Math.min(FASTEST, Math.max(SLOWEST, (driven + usual) / 2));
  const left = (stays + route.metres / speed) * 1000;
  return {
    arrivesAt: Math.round(at + left),
    earliestAt: Math.round(at + left * (1 - BAND)),
    latestAt: Math.round(at + left * (1 + BAND)),
  };
}

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 || sorted.length === 0 ? sorted[middle] : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
