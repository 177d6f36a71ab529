import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { registrations } from '../src/app/rooms.ts';
import type { Registration } from '../src/platform/registration.ts';

const SRC = resolve(import.meta.dirname, '../src');

/** The functions whose values a room lists. */
const MADE_BY =
  /\b(define(Access|Filters|Sorts|Search|SearchText|Unique|Check|Messages|Purpose|Consequence|Bulk|Attachable)|extendEntity|reserveForPurposes|composeWith)\(/g;

/** The files that call one of them, without their comments. */
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((file) => ({ file, code: readFileSync(join(SRC, file), 'utf8').replace(/^\s*(\/\/|\/?\*).*$/gm, '') }))
  .filter(({ code }) => code.search(MADE_BY) >= 0);

/** The declarations among the exports of a module, also those in lists. */
function declarationsIn(value: unknown): Registration[] {
  if (Array.isArray(value)) return value.flatMap(declarationsIn);
  return typeof value === 'object' && value !== null && 'madeBy' in value && 'register' in value ? [value as Registration] : [];
}

test('every declaration that a module exports is in a list of a room', async () => {
  const listed = new Set(registrations);
  const forgotten: string[] = [];
  let met = 0;
  for (const { file } of files) {
    const exported = (await import(join(SRC, file))) as Record<string, unknown>;
    for (const [name, value] of Object.entries(exported))
      for (const one of declarationsIn(value)) {
        met++;
        if (!listed.has(one))
          forgotten.push(`src/${file}: ${name} (${one.madeBy} of ${one.about}) is in no list of a room.ts, so it has no effect`);
      }
  }
  expect(met).toBeGreaterThan(150);
  expect(forgotten).toEqual([]);
});

test('no declaration is made and dropped', () => {
  const dropped = files.flatMap(({ file, code }) =>
    [...code.matchAll(MADE_BY)]
      .filter(({ index }) => /[;{})/]\s*$|^\s*$/.test(code.slice(0, index)))
      .map(
        ({ 0: call, index }) =>
          `src/${file}:${code.slice(0, index).split('\n').length}: ${call}...) is made and in no list: export it, and list it in room.ts`,
      ),
  );
  expect(dropped).toEqual([]);
});
