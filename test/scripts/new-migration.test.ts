import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'haulgate-new-'));
  mkdirSync(join(folder, 'migrations'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** `npm run new -- migration WHAT` in a checkout that has these migrations. */
function stamped(what: string, ...there: string[]) {
  for (const file of there) writeFileSync(join(folder, 'migrations', file), '');
  const command = ['--import', resolve('scripts/typescript.mjs'), resolve('scripts/new.ts'), 'migration', what];
  const { status, stderr } = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
  return { status, stderr, made: readdirSync(join(folder, 'migrations')).filter((file) => !there.includes(file)) };
}

test('a migration is named by the minute in which it is created', () => {
  const minute = () => new Date().toISOString().replaceAll(/\D/g, '').slice(0, 12);
  const before = minute();
  const { status, made } = stamped('add-haul-zones', '202611222000-create-platform.ts');
  expect([status, made]).toEqual([0, [expect.stringMatching(/^\d{12}-add-haul-zones\.ts$/)]]);
  expect(made[0]!.slice(0, 12) >= before && made[0]!.slice(0, 12) <= minute()).toBe(true);
  expect(readFileSync(join(folder, 'migrations', made[0]!), 'utf8')).toContain('export class AddHaulZones extends Migration');
});

test('it comes after the last one, even if that is from a clock that is ahead', () => {
  expect(stamped('add-haul-zones', '209912312358-add-zones.ts').made).toEqual(['209912312359-add-haul-zones.ts']);
});

test.each(['haulzones', 'AddHaulZones', '../add-haul-zones'])('%s is no name of a migration', (what) => {
  const { status, stderr, made } = stamped(what);
  expect([status, made]).toEqual([2, []]);
  expect(stderr).toContain('npm run new -- migration <verb-noun>');
});
