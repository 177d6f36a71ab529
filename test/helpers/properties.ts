// Loaded before every test file (jest.config.js): fast-check draws the same values in every run of a commit, so that none fails for what another one drew.
import { hash } from 'node:crypto';
import fc from 'fast-check';

/** What property tests draw from. `npm run fuzz` draws another one each time and prints it; FUZZ_SEED draws the same again. */
export const SEED = integer('FUZZ_SEED', 20_261_121);
/** How many times the usual number of runs. */
const TIMES = integer('FUZZ_TIMES', 1);

fc.configureGlobal({ seed: SEED, numRuns: runs(100) });

/** How often a property is tried: `usual` times in `npm test`, more often in `npm run fuzz`. */
export function runs(usual: number): number {
  return usual * TIMES;
}

/** A seed of its own for one of many properties in a loop, which would all draw alike otherwise. */
export function seedOf(name: string): number {
  return hash('sha256', `${SEED} ${name}`, 'buffer').readInt32BE();
}

function integer(name: string, usual: number): number {
  const value = Number(process.env[name] || usual);
  if (!Number.isInteger(value)) throw new Error(`${name} is no whole number: ${process.env[name]}`);
  return value;
}
