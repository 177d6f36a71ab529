// Loaded before every test file (jest.config.js): fast-check draws the same values in every run of a commit, so that none fails because of
// other values.
import { hash } from 'node:crypto';
import fc from 'fast-check';

/** The seed of property tests. `npm run fuzz` draws another one each time and prints it; FUZZ_SEED repeats it. */
export const SEED = integer('FUZZ_SEED', 20_261_121);
/** True in `npm run fuzz`, which also has things done at once whose order nobody draws: all other runs of a commit are alike. */
export const isFuzzing = process.env.FUZZ_SEED !== undefined;
/** Factor for the usual number of runs. */
const TIMES = integer('FUZZ_TIMES', 1);

fc.configureGlobal({ seed: SEED, numRuns: runs(100) });

/** Returns how often a property is tried: `usual` times in `npm test`, more often in `npm run fuzz`. */
export function runs(usual: number): number {
  return usual * TIMES;
}

/** False in a plain `npm test`, where a sweep of whose kind there is no other test does a small part of its work (`PARTLY` in jest.config.js). */
export const isWhole = process.env.HAULGATE_TEST_PART !== 'on';

/** Returns what a sweep goes through: all, or in a plain `npm test` one of `nth`. */
export const shareOf = <T>(all: readonly T[], nth: number): readonly T[] => (isWhole ? all : all.filter((_, at) => at % nth === 0));

/** Returns how often a property of a sweep is tried: `usual` times, or in a plain `npm test` a tenth of that, and `fewest` times at least. */
export const sweepRuns = (usual: number, fewest = 1): number => (isWhole ? runs(usual) : Math.max(fewest, Math.ceil(usual / 10)));

/** Returns of how many a sweep must have met more to have shown something; in a plain `npm test` of none. */
export const least = (usual: number): number => (isWhole ? usual : 0);

/** Returns a seed for one of many properties in a loop, which would otherwise draw the same values. */
export function seedOf(name: string): number {
  return hash('sha256', `${SEED} ${name}`, 'buffer').readInt32BE();
}

/** Draws numbers, the same ones for the same seed. */
export function dice(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const below = (n: number): number => Math.floor(next() * n);
  return { below, of: <T>(list: readonly T[]): T => list[below(list.length)]!, chance: (share: number) => next() < share };
}
export type Dice = ReturnType<typeof dice>;

function integer(name: string, usual: number): number {
  const value = Number(process.env[name] || usual);
  if (!Number.isInteger(value)) throw new Error(`${name} is no whole number: ${process.env[name]}`);
  return value;
}
