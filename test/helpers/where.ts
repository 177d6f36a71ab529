import { existsSync } from 'node:fs';
import { test } from '@jest/globals';

/** The Chromium that opens the pages. */
export const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const hasBrowser = existsSync(BROWSER);

/**
 * `test` if the machine has the tool; otherwise the tests are skipped, and the run says which and why. With HAULGATE_TEST_ALL, which
 * `.ci/run` sets, nothing is skipped: a missing tool fails the run.
 */
export function where(present: boolean, missing: string): typeof test {
  if (present) return test;
  if (process.env.HAULGATE_TEST_ALL) throw new Error(missing);
  console.warn(`left out: ${missing}`);
  return test.skip as typeof test;
}
