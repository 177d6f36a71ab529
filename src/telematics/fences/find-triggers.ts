import { stringEnum } from '../../platform/model/columns.ts';
import type { Position } from './evaluated-positions.ts';
import { metresBetween, type Place, type Point, pointOf, type Region } from './region.ts';

export const GeofenceTriggerType = stringEnum('GeofenceTriggerType', ['enter', 'exit'], 'Whether a geofence was entered or left.');
export type GeofenceTriggerType = keyof typeof GeofenceTriggerType;

/** The rule by which positions are judged: `live` is that of automatic states, the others are the contract's (PROOF A5). */
export type Strategy = 'live' | 'naive' | 'accuracy_strict';

export interface Rule {
  strategy: Strategy;
  /** Seconds that somebody must be inside before they have entered, and outside before they have left. */
  delaySeconds: number;
}

/** Somebody entered or left a fence. */
export interface Trigger {
  type: GeofenceTriggerType;
  /** The first position on that side; `at` is when it happened. */
  position: Position;
  /** When it was certain, in milliseconds. */
  confirmedAt: number;
  /** From 0 to 1. */
  confidence: number;
  /** The way between two positions touched the fence, and neither was inside: somebody drove through. Nobody was seen there. */
  crossed: boolean;
  /** `fence` if a moving fence left somebody who stayed. */
  causedBy: 'asset' | 'fence';
}

type Vote = 'inside' | 'outside' | 'undecided';

/** Positions that say the same, and are not enough yet. */
interface Run {
  first: Position;
  votes: number;
  /** Positions in the minute before and the minute after the first. */
  near: number;
  overGap: boolean;
  /** Metres of the best position. */
  accuracy: number;
  causedBy: Trigger['causedBy'];
}

/** The knowledge about somebody and a fence after their positions up to a moment. It is plain JSON, so that it can be kept. */
export interface Progress {
  /** The last position that was looked at. */
  at: number;
  inside: boolean;
  run: Run | null;
  last: { at: number; vote: Vote; point: Point } | null;
  lastInside: (Place & { at: number }) | null;
  /** The telephone that counted then; absent as long as none did. */
  phone?: string;
}

/** Nobody is inside of a fence before they were seen there. */
export const BEGINNING: Progress = { at: Number.MIN_SAFE_INTEGER, inside: false, run: null, last: null, lastInside: null };

/** Milliseconds without a position after which a run is less certain. */
const GAP = 15 * 60_000;
/** Milliseconds to each side of a trigger in which positions are counted. */
const AROUND = 60_000;
/** Metres: what an unknown accuracy counts as, by source; what is too poor to vote; what only a network measures. */
const UNKNOWN = { phone: 25, telematics: 10 } as const;
const USELESS = 200;
const NETWORK = 50;
const CERTAINTY: Record<Strategy, number> = { accuracy_strict: 0.95, live: 0.85, naive: 0.6 };

/**
 * Works out who entered and left a fence when: a function of the positions alone, so that positions that come late, in parts or twice
 * lead to the same triggers.
 * @param positions of `evaluatedPositions`; those up to `from.at` were looked at before, and are only counted
 * @param from what is known of the positions before
 */
export function findTriggers(
  region: Region,
  positions: readonly Position[],
  rule: Rule,
  from: Progress = BEGINNING,
): { triggers: Trigger[]; progress: Progress } {
  const triggers: Trigger[] = [];
  // The progress that is kept is not changed. A copy of all of it would take longer than a position.
  const known: Progress = { ...from, run: from.run && { ...from.run } };
  for (const [i, position] of positions.entries()) {
    if (position.at <= from.at) continue;
    known.at = position.at;
    const phone = position.phone ?? (position.source === 'phone' ? position.device : undefined);
    if (phone !== undefined) known.phone = phone;
    if (known.run && position.at <= known.run.first.at + AROUND) known.run.near++;
    const center = region.centerAt(position.at);
    const accuracy = position.accuracy ?? UNKNOWN[position.source];
    if (!center || isTooPoor(position, accuracy, region, rule)) continue;
    const point = pointOf(position, center);
    const vote = voteOf(region.beyond(point), accuracy, region.radius, rule.strategy);
    const { last } = known;
    if (last && position.at - last.at > GAP && known.run) {
      const side = known.inside ? 'outside' : 'inside';
      if (last.vote === side && vote === side) known.run.overGap = true;
      else known.run = null;
    }
    if (!known.inside && !known.run && last && last.vote !== 'inside' && vote !== 'inside' && position.at - last.at <= GAP)
      if (region.crosses(last.point, point))
        triggers.push({ type: 'enter', position, confirmedAt: position.at, confidence: 0, crossed: true, causedBy: 'asset' });
    if (vote === (known.inside ? 'outside' : 'inside')) {
      known.run ??= {
        first: position,
        votes: 0,
        near: countNear(positions, i),
        overGap: false,
        accuracy,
        causedBy: known.inside && known.lastInside && isLeftBehind(region, known.lastInside, position) ? 'fence' : 'asset',
      };
      known.run.votes++;
      known.run.accuracy = Math.min(known.run.accuracy, accuracy);
      if (isEnough(known.run, position, rule)) {
        triggers.push(triggerOf(known.inside ? 'exit' : 'enter', known.run, position, rule.strategy));
        known.inside = !known.inside;
        known.run = null;
      }
    } else if (vote !== 'undecided') known.run = null;
    if (vote === 'inside') known.lastInside = { at: position.at, lat: position.lat, lon: position.lon };
    known.last = { at: position.at, vote, point };
  }
  return { triggers, progress: known };
}

const isTooPoor = ({ accuracy }: Position, metres: number, { radius }: Region, { strategy }: Rule): boolean => {
  if (strategy === 'naive') return false;
  return strategy === 'live' ? metres > USELESS : accuracy === null || metres > Math.min(50, radius / 2);
};

/**
 * Entering one position late costs nothing, but a truck that waits must not leave because one position drifts: outside is only who is
 * outside with the whole circle of their accuracy and a margin.
 */
function voteOf(beyond: number, accuracy: number, radius: number, strategy: Strategy): Vote {
  if (strategy === 'naive') return beyond <= 0 ? 'inside' : 'outside';
  if (beyond + (strategy === 'accuracy_strict' ? accuracy : 0) <= 0) return 'inside';
  return beyond - accuracy > Math.min(25, radius / 10) ? 'outside' : 'undecided';
}

/** Positions of the minute before one, with it. */
function countNear(positions: readonly Position[], index: number): number {
  let first = index;
  while (first > 0 && positions[first - 1]!.at >= positions[index]!.at - AROUND) first--;
  return index - first + 1;
}

/** True if the fence moved further than the truck since the truck was inside. */
function isLeftBehind(region: Region, lastInside: Place & { at: number }, position: Position): boolean {
  const [before, now] = [region.centerAt(lastInside.at), region.centerAt(position.at)];
  return Boolean(before && now) && metresBetween(before!, now!) > metresBetween(lastInside, position);
}

const isEnough = ({ first, votes }: Run, { at }: Position, { strategy, delaySeconds }: Rule): boolean =>
  at - first.at >= delaySeconds * 1000 && (strategy !== 'accuracy_strict' || votes >= 2);

function triggerOf(type: GeofenceTriggerType, run: Run, { at }: Position, strategy: Strategy): Trigger {
  const sure = CERTAINTY[strategy] * Math.min(1, run.near / 2) * (run.overGap ? 0.6 : 1) * (run.accuracy > NETWORK ? 0.8 : 1);
  return {
    type,
    position: run.first,
    confirmedAt: at,
    confidence: Math.round(sure * 100) / 100,
    crossed: false,
    causedBy: run.causedBy,
  };
}
