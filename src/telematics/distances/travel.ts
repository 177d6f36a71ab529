import { greatCircle } from '../../platform/routing.ts';
import type { Position } from '../fences/evaluated-positions.ts';
import { type AdministrativeArea, areaAt } from './administrative-area.ts';

export type TravelledDistanceType = 'off_job' | 'unloaded' | 'loaded';

/** A position of somebody at work. Times are milliseconds, angles degrees. */
export interface TrackPosition extends Position {
  offline: boolean;
  equipmentId: string | null;
}

/** A time from which something was under way until it ended; without an end it still is. */
interface Stretch {
  from: number;
  until: number | null;
}

/** A load, from its first event to its completion. */
export interface TravelledLoad extends Stretch {
  id: string;
  loadedAt: number | null;
  unloadedAt: number | null;
}

/** A job, from the first departure for it to its end. */
export interface TravelledJob extends Stretch {
  id: string;
  equipmentId: string | null;
  loads: readonly TravelledLoad[];
}

/** The distance that was driven in one area, for one load, with one truck. */
export interface Travelled {
  jobId: string | null;
  loadId: string | null;
  area: AdministrativeArea;
  type: TravelledDistanceType;
  equipmentId: string | null;
  /** Whole tenths of a metre, so that sums are exact. */
  decimetres: number;
}

/** The facts of a time that its positions show. */
export interface Track {
  pings: number;
  offlinePings: number;
  /** Whole minutes from the first position to the last, less gaps of more than ten minutes. */
  minutes: number;
  longestGapSeconds: number;
}

const MINUTE = 60_000;
/** PROOF A6: metres per second that no truck drives, and milliseconds after which nobody knows where it went. */
const FASTEST = 45;
const GAP = 15 * MINUTE;
/** Metres that a truck which is parked may seem to move. */
const JITTER = 25;
/** Metres of accuracy of a device that names none. */
const USUAL = { phone: 25, telematics: 10 };
const GPS_GAP = 10 * MINUTE;

/**
 * Returns what a shift drove (PROOF A6), from positions of one source in order (`evaluatedPositions`). A leg belongs to the job and the load of its middle in time; a leg
 * over a border is split at its middle. What is too fast, or over a gap of fifteen minutes, is not counted. The rounded parts add up to the
 * rounded total, whatever they are grouped by.
 */
export function travelledBy(positions: readonly TrackPosition[], jobs: readonly TravelledJob[]): Travelled[] {
  const sums = new Map<string, { of: Omit<Travelled, 'decimetres'>; metres: number }>();
  const add = (of: Omit<Travelled, 'decimetres'>, metres: number) => {
    const key = Object.values(of).join();
    const known = sums.get(key);
    if (known) known.metres += metres;
    else sums.set(key, { of, metres });
  };
  for (const { from, to, metres, counts } of legsOf(positions)) {
    if (!counts) continue;
    const of = workAt(jobs, (from.at + to.at) / 2, to.equipmentId);
    add({ ...of, area: areaAt(from.lat, from.lon) }, metres / 2);
    add({ ...of, area: areaAt(to.lat, to.lon) }, metres / 2);
  }
  let [exact, rounded] = [0, 0];
  return [...sums.values()].map(({ of, metres }) => {
    exact += metres * 10;
    const decimetres = Math.round(exact) - rounded;
    rounded += decimetres;
    return { ...of, decimetres };
  });
}

/** Returns the metres as the crow flies between positions that nothing is measured between: over a gap, or too fast (PROOF A6, `unmeasured`). */
export function unmeasuredIn(positions: readonly TrackPosition[]): number {
  let sum = 0;
  for (const { metres, counts } of legsOf(positions)) if (!counts) sum += metres;
  return sum;
}

/** The legs on which something moved; `counts` is false for those that are too fast, or over a gap. */
function* legsOf(positions: readonly TrackPosition[]) {
  let anchor: TrackPosition | undefined;
  let before: TrackPosition | undefined;
  for (const one of positions) {
    const metres = anchor ? greatCircle(anchor, one) : 0;
    const counts = Boolean(anchor && before && one.at - before.at <= GAP && metres <= FASTEST * ((one.at - anchor.at) / 1000));
    const parked = counts && metres <= JITTER && metres < (one.accuracy ?? USUAL[one.source]);
    if (anchor && !parked && metres > 0) yield { from: anchor, to: one, metres, counts };
    before = one;
    if (!parked) anchor = one;
  }
}

const isDuring = ({ from, until }: Stretch, at: number): boolean => from <= at && (until === null || at <= until);

/** The job, the load and the truck of a moment. Of two jobs at a time the one counts that began later. */
function workAt(jobs: readonly TravelledJob[], at: number, truck: string | null): Omit<Travelled, 'area' | 'decimetres'> {
  const job = jobs.filter((one) => isDuring(one, at)).reduce<TravelledJob | undefined>((a, b) => (a && a.from > b.from ? a : b), undefined);
  if (!job) return { jobId: null, loadId: null, type: 'off_job', equipmentId: truck };
  const load = job.loads.findLast((one) => isDuring(one, at));
  const loaded = load?.loadedAt != null && load.loadedAt <= at && (load.unloadedAt === null || at < load.unloadedAt);
  return { jobId: job.id, loadId: load?.id ?? null, type: loaded ? 'loaded' : 'unloaded', equipmentId: job.equipmentId ?? truck };
}

/** Returns the facts of a time that positions of one source, in order, show. */
export function trackOf(positions: readonly TrackPosition[], during: Stretch): Track {
  const pings = positions.filter(({ at }) => isDuring(during, at));
  const gaps = pings.slice(1).map(({ at }, i) => at - pings[i]!.at);
  return {
    pings: pings.length,
    offlinePings: pings.filter(({ offline }) => offline).length,
    minutes: Math.floor(gaps.reduce((sum, gap) => sum + (gap > GPS_GAP ? 0 : gap), 0) / MINUTE),
    longestGapSeconds: Math.floor(Math.max(0, ...gaps) / 1000),
  };
}
