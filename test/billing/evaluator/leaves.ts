import { add, by, type Fraction, isAbove0, isLess, minus, read, round, stepped, times, ZERO } from './fractions.ts';

/** A figure of an explanation, as it is sent: its operation, decimals and parts. */
export interface Explained {
  operation: string;
  amount: string;
  places?: number;
  parts?: Explained[];
}

/** Works a figure out from what its leaves say, in exact fractions; the amounts in between are not looked at. */
export function worth({ operation, amount, places, parts = [] }: Explained): Fraction {
  const exact = operation === 'given' ? read(amount) : OPERATIONS[operation]!(parts.map(worth));
  return places === undefined ? exact : round(exact, places);
}

const least = (a: Fraction, b: Fraction) => (isLess(b, a) ? b : a);
const most = (a: Fraction, b: Fraction) => (isLess(a, b) ? b : a);

const OPERATIONS: Record<string, (parts: Fraction[]) => Fraction> = {
  sum: (parts) => add(...parts),
  product: (parts) => parts.reduce(times),
  quotient: ([a, b]) => by(a!, b!),
  percent: ([a, b]) => by(times(a!, b!), read(100)),
  atLeast: ([a, b]) => (isAbove0(a!) ? most(a!, b!) : a!),
  upTo: ([a, step]) => stepped(a!, step!),
  rest: ([whole, ...taken]) => most(ZERO, minus(whole!, add(...taken))),
  least: (parts) => parts.reduce(least),
  latest: (parts) => parts.at(-1)!,
  band: ([before, quantity, from, until]) => {
    const end = add(before!, quantity!);
    return most(ZERO, minus(until ? least(until, end) : end, most(before!, from!)));
  },
  reached: ([counted, first, ...steps]) => {
    let rate = first!;
    for (let i = 0; i < steps.length; i += 2) if (!isLess(counted!, steps[i]!)) rate = steps[i + 1]!;
    return rate;
  },
  portion: ([whole, place, ...weights]) => {
    const sum = add(...weights);
    if (!isAbove0(sum)) return ZERO;
    const exact = weights.map((weight) => by(times(whole!, weight), sum));
    const floors = exact.map(({ over, under }) => over / under);
    const rests = exact.map((one, i) => minus(one, { over: floors[i]!, under: 1n }));
    const left = minus(whole!, add(...floors.map((floor) => ({ over: floor, under: 1n }))));
    const own = at(place!);
    // A share with a larger remainder, or an equal one that comes before, gets a unit first, and the next one what is less than a unit.
    const before = rests.filter((rest, i) => isLess(rests[own]!, rest) || (i < own && !isLess(rest, rests[own]!))).length;
    return add({ over: floors[own]!, under: 1n }, most(ZERO, least(read(1), minus(left, read(before)))));
  },
  split: ([whole, place, ...weights]) => {
    const sum = add(...weights);
    const last = weights.map(isAbove0).lastIndexOf(true);
    const shares = weights.map((weight) => (isAbove0(weight) ? round(by(times(whole!, weight), sum), 2) : ZERO));
    const own = at(place!);
    return own === last ? minus(whole!, add(...shares.filter((_, i) => i !== last))) : shares[own]!;
  },
};

/** The place of a share, from 0. */
const at = ({ over, under }: Fraction): number => Number(over / under) - 1;
