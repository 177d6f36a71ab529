// Loaded before every test file (jest.config.js): fast-check draws the same values in every run of a commit, so that none fails because of
// other values.
import { hash } from 'node:crypto';
import fc from 'fast-check';

/** The seed of property tests. `npm run fuzz` draws another one each time and prints it; FUZZ_SEED repeats it. */
export const SEED = integer('FUZZ_SEED', 20_261_121);
/** Factor for the usual number of runs. */
const TIMES = integer('FUZZ_TIMES', 1);

fc.configureGlobal({ seed: SEED, numRuns: runs(100) });

/** Returns how often a property is tried: `usual` times in `npm test`, more often in `npm run fuzz`. */
export function runs(usual: number): number {
  return usual * TIMES;
}

/** Returns a seed for one of many properties in a loop, which would otherwise draw the same values. */
export function seedOf(name: string): number {
  return hash('sha256', `${SEED} ${name}`, 'buffer').readInt32BE();
}

function integer(name: string, usual: number): number {
  const value = Number(process.env[name] || usual);
  if (!Number.isInteger(value)) throw new Error(`${name} is no whole number: ${process.env[name]}`);
  return value;
}
