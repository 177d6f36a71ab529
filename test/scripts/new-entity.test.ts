import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

/** A copy of what the generator reads and writes. */
let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'haulgate-entity-'));
  for (const part of ['src', 'schema', 'migrations', 'scripts', 'docs', 'package.json', 'tsconfig.json', 'biome.json'])
    cpSync(part, join(project, part), { recursive: true });
  for (const part of readdirSync('test')) cpSync(join('test', part), join(project, 'test', part), { recursive: true });
  symlinkSync(resolve('node_modules'), join(project, 'node_modules'));
});
afterAll(() => rmSync(project, { recursive: true }));

function run(command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: project, encoding: 'utf8' });
  return { status, said: stdout + stderr };
}
const stamp = (folder: string, name: string) =>
  run(process.execPath, '--import', './scripts/typescript.mjs', 'scripts/new.ts', 'entity', folder, name);

test('entities of new folders and of a room have the right types, form and documents', () => {
  const made = [stamp('reporting/plans', 'ReportPlan'), stamp('proof/reviews', 'ReviewBatch'), stamp('directory', 'HaulCategory')];
  expect(made.map(({ status }) => status)).toEqual([0, 0, 0]);
  expect(made[1]!.said).toContain('create_review_batch is no permission: edit_company was taken');
  // Names in the plural, and what the contract says of the old path.
  expect(readFileSync(join(project, 'schema/rest/directory/ListHaulCategories.graphql'), 'utf8')).toContain('"/v1/haul_categories"');
  expect(readFileSync(join(project, 'schema/rest/reporting/ListReportPlans.graphql'), 'utf8')).toContain('"/v1/report_plans"');
  expect(
    readdirSync(join(project, 'migrations')).filter((name) => /-add-(report-plans|review-batches|haul-categories)\.ts$/.test(name)),
  ).toHaveLength(3);
  expect(run('node_modules/.bin/tsc', '--noEmit')).toEqual({ status: 0, said: '' });
  expect(run('node_modules/.bin/biome', 'check', 'src', 'test', 'migrations')).toMatchObject({ status: 0 });
  expect(run(process.execPath, '--import', './scripts/typescript.mjs', 'scripts/check.ts')).toMatchObject({ status: 0 });
}, 300_000);

test('an entity that is there already is left alone', () => {
  const { status, said } = stamp('dispatch', 'Order');
  expect([status, said]).toEqual([1, expect.stringContaining('Order is there already')]);
});

test.each([
  ['billing', 'settlement'],
  ['nowhere', 'Settlement'],
  ['../billing', 'Settlement'],
])('%s %s is no place or name of an entity', (folder, name) => {
  const { status, said } = stamp(folder, name);
  expect([status, said]).toEqual([2, expect.stringContaining('npm run new -- entity <room>[/<folder>] <Noun>')]);
});
