import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { registrations } from '../src/app/rooms.ts';
import type { Registration } from '../src/platform/registration.ts';

const SRC = resolve(import.meta.dirname, '../src');

/** The files of src, without their comments. */
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((file) => ({ file, code: readFileSync(join(SRC, file), 'utf8').replace(/^\s*(\/\/|\/?\*).*$/gm, '') }));

/** The functions whose values a room lists: those that call `registration`. */
const MAKERS = new Set(sources.flatMap(({ code }) => [...code.matchAll(/\bregistration\('(\w+)'/g)].map(([, maker]) => maker!)));

/** The calls of makers in a file, of those that it imports or makes itself. */
function callsIn(code: string): { call: string; index: number }[] {
  const imported = [...code.matchAll(/import (?:type )?\{([^}]*)\}/g)].flatMap(([, names]) => names!.split(',').map((name) => name.trim()));
  const own = [...code.matchAll(/\bexport (?:const|function) (\w+)/g)].map(([, name]) => name!);
  const makers = [...imported, ...own].filter((name) => MAKERS.has(name));
  if (makers.length === 0) return [];
  return [...code.matchAll(new RegExp(`(?<!function )\\b(?:${makers.join('|')})\\(`, 'g'))].map(({ 0: call, index }) => ({ call, index }));
}

/** The declarations among the exports of a module, also those in lists. */
function declarationsIn(value: unknown): Registration[] {
  if (Array.isArray(value)) return value.flatMap(declarationsIn);
  return typeof value === 'object' && value !== null && 'madeBy' in value && 'register' in value ? [value as Registration] : [];
}

test('every declaration that a module exports is in a list of a room', async () => {
  const listed = new Set(registrations);
  const forgotten: string[] = [];
  const met = new Set<string>();
  for (const { file } of sources.filter(({ code }) => callsIn(code).length > 0)) {
    const exported = (await import(join(SRC, file))) as Record<string, unknown>;
    for (const [name, value] of Object.entries(exported))
      for (const one of declarationsIn(value)) {
        met.add(one.madeBy);
        if (!listed.has(one))
          forgotten.push(`src/${file}: ${name} (${one.madeBy} of ${one.about}) is in no list of a room.ts, so it has no effect`);
      }
  }
  expect(forgotten).toEqual([]);
  // Each maker is used, and its declarations are looked at.
  expect([...met].sort()).toEqual([...MAKERS].sort());
  expect(registrations.length).toBeGreaterThan(300);
});

test('no declaration is made and dropped', () => {
  const dropped = sources.flatMap(({ file, code }) =>
    callsIn(code)
      .filter(({ index }) => /[;{})/]\s*$|^\s*$/.test(code.slice(0, index)))
      .map(
        ({ call, index }) =>
          `src/${file}:${code.slice(0, index).split('\n').length}: ${call}...) is made and in no list: export it, and list it in room.ts`,
      ),
  );
  expect(dropped).toEqual([]);
});

test('CONTRIBUTING names every list that a room may have', () => {
  const rooms = readFileSync(join(SRC, 'app/rooms.ts'), 'utf8');
  const lists = [...rooms.slice(rooms.indexOf('interface Room {'), rooms.indexOf('const rooms')).matchAll(/^ {2}(\w+)\?:/gm)].map(
    ([, list]) => list!,
  );
  expect(lists.length).toBeGreaterThan(10);
  const [row] = /^\| `room\.ts` \|.*$/m.exec(readFileSync('CONTRIBUTING.md', 'utf8'))!;
  expect(lists.filter((list) => !row!.includes(`\`${list}\``))).toEqual([]);
});
