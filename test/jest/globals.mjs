/** The exports of `@jest/globals` for a test file and its helpers: the functions that jest-circus made for the file that runs. */
export let afterAll;
export let afterEach;
export let beforeAll;
export let beforeEach;
export let describe;
export let expect;
export let test;

/** Takes the functions for the file that begins. */
export function useGlobals(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } = globals);
}
