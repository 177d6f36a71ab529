import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { collectGarbage } from '../../src/platform/lifecycle.ts';

/** Leaves an object behind that was held while many others came and went: it counts as old, and only a whole collection finds it. */
function leave(): WeakRef<object> {
  const held = { since: process.uptime() };
  let made = 0;
  for (let i = 0; i < 500_000; i++) made += new Array(100).fill(i).length;
  expect(made).toBe(50_000_000);
  return new WeakRef(held);
}

test('what a start has left behind is collected, and nobody else can ask for that afterwards', async () => {
  const left = leave();
  // Until then it is kept for whoever asks the reference.
  await turn();
  collectGarbage();
  await turn();
  expect(left.deref()).toBeUndefined();
  expect((globalThis as { gc?: unknown }).gc).toBeUndefined();
});
