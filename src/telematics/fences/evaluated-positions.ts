import type { Fix } from './region.ts';

/** The device that measured a position: the driver's telephone, or one in the truck. */
export type PositionSource = 'phone' | 'telematics';

/** A position of a driver or a truck, as triggers are worked out from it. */
export interface Position extends Fix {
  id: string;
  /** Metres; null if the device did not say. */
  accuracy: number | null;
  source: PositionSource;
}

/** Milliseconds over which two sources are compared, and positions in that time that are enough: one in two minutes. */
const COMPARED = 10 * 60_000;
const ENOUGH = 5;

/**
 * Returns the positions from which triggers are worked out: sorted, each moment once, and of telephone and truck only the source that was
 * better in the ten minutes before. Two devices 80 m apart would otherwise enter and leave in turn.
 */
export function evaluatedPositions(positions: readonly Position[]): Position[] {
  const sorted = positions.toSorted((a, b) => a.at - b.at || (a.source === b.source ? compare(a.id, b.id) : compare(a.source, b.source)));
  const once = sorted.filter((one, i) => one.at !== sorted[i - 1]?.at || one.source !== sorted[i - 1]?.source);
  if (once.every(({ source }) => source === once[0]!.source)) return once;
  const counts = { phone: 0, telematics: 0 };
  let [first, next] = [0, 0];
  return once.filter(({ at, source }) => {
    for (; next < once.length && once[next]!.at <= at; next++) counts[once[next]!.source]++;
    for (; once[first]!.at <= at - COMPARED; first++) counts[once[first]!.source]--;
    return source === better(counts);
  });
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The truck's device, unless it is clearly worse: by more than one position, because the two send in turn. */
const better = ({ phone, telematics }: Record<PositionSource, number>): PositionSource =>
  telematics > 0 && (telematics >= ENOUGH || telematics + 1 >= phone) ? 'telematics' : 'phone';
