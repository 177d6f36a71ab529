import { type Fix, metresBetween } from './region.ts';

/** The device that measured a position: the driver's telephone, or one in the truck. */
export type PositionSource = 'phone' | 'telematics';

/** A position of a driver or a truck, as triggers are worked out from it. */
export interface Position extends Fix {
  id: string;
  /** Metres; null if the device did not say. */
  accuracy: number | null;
  source: PositionSource;
  /** The device's id of itself. */
  device: string;
  /** Of somebody with several telephones: the one that counted then. */
  phone?: string;
}

/** The telephone that counted at a moment, in milliseconds. */
export interface CountedPhone {
  phone: string;
  at: number;
}

const MINUTE = 60_000;
/** Milliseconds over which two sources are compared, and positions in that time that are enough: one in two minutes. */
const COMPARED = 10 * MINUTE;
const ENOUGH = 5;
/** Metres beyond what it may err by which a telephone must be away from where it was in that time: then it is under way, and does not lie somewhere. */
const MOVED = 250;
/** Metres of accuracy of a telephone that names none. */
const USUAL = 25;
/** Milliseconds after which a telephone that is silent leaves its place to another one that is under way, and to any other one. */
const QUIET = 3 * MINUTE;
const SILENT = 30 * MINUTE;

/** Minutes before a moment of which positions are needed to say which telephone counts from then on: those in which it may be silent, and move. */
export const PHONES_COMPARED = 30;

/**
 * Returns the positions from which triggers are worked out: sorted, each moment once, and of telephone and truck only the source that was
 * better in the ten minutes before. Two devices 80 m apart would otherwise enter and leave in turn.
 *
 * Of several telephones of a person one counts until another one is under way while it is not, or says nothing, or until it was silent for half an hour: one
 * that was left at home would otherwise have its person leave the pit with every position.
 * @param before what was worked out of earlier positions, of which those of the last minutes (`PHONES_COMPARED`) are given again
 * @param from the moment from which positions count, if they do from before that; it is worked out anew which telephone counted until then
 */
export function evaluatedPositions(positions: readonly Position[], before?: CountedPhone, from = before?.at): Position[] {
  const sorted = positions.toSorted(
    (a, b) => a.at - b.at || compare(a.source, b.source) || compare(a.device, b.device) || compare(a.id, b.id),
  );
  const once = sorted.filter((one, i) => !isSameMoment(one, sorted[i - 1]));
  const [first] = once;
  if (!first || once.every(({ source }) => source === 'telematics')) return once;
  const isOnly = once.every(({ source, device }) => source === 'phone' && device === first.device);
  if (isOnly && (!before || before.phone === first.device)) return once;
  const truck = new Way();
  const phones = new Map<string, Way>();
  const isKnown = before !== undefined && from! >= before.at;
  let phone = isKnown ? before.phone : undefined;
  // Up to here it is decided which one counts.
  let until = isKnown ? before.at : Number.NEGATIVE_INFINITY;
  let next = 0;
  return once.flatMap((position) => {
    const { at, source, device } = position;
    const moment: Position[] = [];
    for (; next < once.length && once[next]!.at <= at; next++) {
      const one = once[next]!;
      moment.push(one);
      if (one.source === 'phone' && !phones.has(one.device)) phones.set(one.device, new Way());
      (one.source === 'phone' ? phones.get(one.device)! : truck).add(one);
    }
    if (before && until <= before.at && at > before.at) phone = before.phone;
    // All of a moment are compared before any of them counts.
    if (at > until)
      for (const one of moment)
        if (one.source === 'phone' && (phone === undefined || isBetter(phones.get(one.device)!, phones.get(phone), at))) phone = one.device;
    until = Math.max(until, at);
    if (source === 'phone' && device !== phone) return [];
    const counts = { phone: phone === undefined ? 0 : (phones.get(phone)?.countAt(at) ?? 0), telematics: truck.countAt(at) };
    return source === better(counts) ? { ...position, phone } : [];
  });
}

/** Of a truck each moment counts once, and of each telephone. */
const isSameMoment = (one: Position, other: Position | undefined): boolean =>
  one.at === other?.at && one.source === other.source && (one.source === 'telematics' || one.device === other.device);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The truck's device, unless it is clearly worse: by more than one position, because the two send in turn. */
const better = ({ phone, telematics }: Record<PositionSource, number>): PositionSource =>
  telematics > 0 && (telematics >= ENOUGH || telematics + 1 >= phone) ? 'telematics' : 'phone';

/** Whether a telephone takes the place of the one that counted. Two that are under way together are in one truck. */
function isBetter(one: Way, counted: Way | undefined, at: number): boolean {
  if (one === counted) return false;
  if (!counted || counted.lastAt <= at - SILENT) return true;
  return one.movesAt(at) && !(counted.movesAt(at) && counted.lastAt > at - QUIET);
}

/** The positions of one device, which are added in their order. */
class Way {
  readonly #positions: Position[] = [];
  /** The first position of the last ten minutes. */
  #first = 0;
  #movedAt = Number.NEGATIVE_INFINITY;

  get lastAt(): number {
    return this.#positions.at(-1)!.at;
  }

  add(position: Position): void {
    this.#positions.push(position);
    this.#goTo(position.at);
    const before = this.#positions[this.#first]!;
    if (position.source === 'phone' && metresBetween(before, position) - errorOf(before) - errorOf(position) >= MOVED)
      this.#movedAt = position.at;
  }

  /** How many there are in the ten minutes before a moment. @param at not before that of an earlier question */
  countAt(at: number): number {
    this.#goTo(at);
    return this.#positions.length - this.#first;
  }

  /** Whether it was under way in the ten minutes before a moment. */
  movesAt(at: number): boolean {
    return this.#movedAt > at - COMPARED;
  }

  #goTo(at: number): void {
    while (this.#first < this.#positions.length && this.#positions[this.#first]!.at <= at - COMPARED) this.#first++;
  }
}

const errorOf = ({ accuracy }: Position): number => accuracy ?? USUAL;
