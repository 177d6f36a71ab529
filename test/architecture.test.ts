import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from '@jest/globals';

const SRC = resolve(import.meta.dirname, '../src');

/** Which rooms a room may import from, beside itself (DESIGN section 3; D-PLATFORM-2 and D-SEND-1 say where it differs). */
const ALLOWED: Record<string, string[]> = {
  platform: [],
  directory: ['platform'],
  identity: ['platform', 'directory'],
  files: ['platform'],
  events: ['platform'],
  dispatch: ['platform', 'directory', 'identity', 'files', 'events'],
  proof: ['platform', 'directory', 'identity', 'files', 'events', 'dispatch'],
  telematics: ['platform', 'directory', 'identity', 'files', 'events', 'dispatch', 'proof'],
  billing: ['platform', 'directory', 'identity', 'files', 'events', 'dispatch', 'proof'],
  ingest: ['platform', 'directory', 'identity', 'files', 'events', 'dispatch', 'proof', 'billing', 'telematics'],
  // Runs on senders' machines: how sheets are read, and nothing else of the server.
  send: ['ingest'],
  // Runs in browsers: it knows the server by its API alone.
  console: [],
  reporting: ['platform', 'directory', 'identity', 'files', 'events', 'dispatch', 'proof', 'billing', 'telematics'],
};
/** Files and rooms of the top floor may import anything. */
const TOP = new Set(['', 'demo']);

interface Import {
  file: string;
  from: string;
  to: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
const roomOf = (path: string): string => (path.includes('/') ? path.split('/')[0]! : '');

const imports: Import[] = files.flatMap((file) =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map((match) => ({
    file,
    from: roomOf(file),
    to: roomOf(relative(SRC, resolve(SRC, dirname(file), match[1]!))),
  })),
);

test('a room imports only from itself and from lower floors', () => {
  const wrong = imports.filter(({ from, to }) => from !== to && !TOP.has(from) && !ALLOWED[from]?.includes(to));
  expect(wrong).toEqual([]);
});

test('every room has a place on the floors', () => {
  const rooms = new Set(files.map(roomOf));
  expect([...rooms].filter((room) => !TOP.has(room) && !(room in ALLOWED))).toEqual([]);
});

test('no file hides what it is for behind a general name', () => {
  const general = /(^|\/)(index|utils?|helpers?|misc|common)\.ts$|\.service\.ts$/;
  expect(files.filter((file) => general.test(file))).toEqual([]);
});
