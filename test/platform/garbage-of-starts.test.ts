import { getHeapStatistics } from 'node:v8';
import { expect, test } from '@jest/globals';
import { collectGarbage } from '../../src/platform/lifecycle.ts';

const MOST = 32 * 1024 * 1024;

/** Objects that nobody holds when they are made, and that are old by then. */
function leave(): void {
  const held: object[] = [];
  for (let i = 0; i < 1_000_000; i++) held.push({ i, text: `${i}` });
  expect(held).toHaveLength(1_000_000);
}

test('what a start has left behind is collected, and nobody else can ask for that afterwards', () => {
  collectGarbage();
  const before = getHeapStatistics().used_heap_size;
  leave();
  collectGarbage();
  expect(getHeapStatistics().used_heap_size - before).toBeLessThan(MOST);
  expect((globalThis as { gc?: unknown }).gc).toBeUndefined();
});
