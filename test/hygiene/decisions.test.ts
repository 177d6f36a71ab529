import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

test('every decision has a number of its own, which its address repeats', () => {
  const folder = 'docs/decisions';
  const entries = readdirSync(folder).flatMap((file) => [
    ...readFileSync(`${folder}/${file}`, 'utf8').matchAll(/<a id="(d-[a-z]+-\d+)"><\/a>\*\*(D-[A-Z]+-\d+)\*\*/g),
  ]);
  const numbers = entries.map(([, address]) => address!);
  expect(numbers.length).toBeGreaterThan(400);
  expect(numbers.filter((one, at) => numbers.indexOf(one) !== at)).toEqual([]);
  expect(entries.filter(([, address, number]) => address !== number!.toLowerCase())).toEqual([]);
});
