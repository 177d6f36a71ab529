import { existsSync } from 'node:fs';
import { test } from '@jest/globals';

/** The Chromium that pages are looked at with. */
export const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const hasBrowser = existsSync(BROWSER);

/**
 * `test` where the machine has what it takes; elsewhere the tests are left out, and the run says which and why. `.ci/run` sets
 * HAULGATE_TEST_ALL, with which nothing is left out: a missing tool fails the run.
 */
export function where(present: boolean, missing: string): typeof test {
  if (present) return test;
  if (process.env.HAULGATE_TEST_ALL) throw new Error(missing);
  console.warn(`left out: ${missing}`);
  return test.skip as typeof test;
}
