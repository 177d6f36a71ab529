import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

/** A copy of what the generator reads and writes. */
let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'haulgate-endpoint-'));
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
const stamp = (kind: string, folder: string, name: string) =>
  run(process.execPath, '--import', './scripts/typescript.mjs', 'scripts/new.ts', kind, folder, name);
const read = (path: string) => readFileSync(join(project, path), 'utf8');

test('endpoints with and without a table of mutations have the right types, form and documents', () => {
  const made = [
    // As in CONTRIBUTING.md.
    stamp('mutation', 'dispatch/orders', 'RenameOrder'),
    stamp('mutation', 'dispatch/orders/estimates', 'RenameOrderDispatch'),
    // A record of a lower room, a new one, and one whose permission is not in the catalogue.
    stamp('mutation', 'proof/reviews', 'SettleOrder'),
    stamp('mutation', 'dispatch/gates', 'CreateDispatchNumber'),
    stamp('mutation', 'dispatch/drivers', 'ShowDriverDay'),
  ];
  expect(made.map(({ status, said }) => [status, status === 0 ? '' : said])).toEqual(made.map(() => [0, '']));
  expect(read('src/dispatch/orders/order.resolver.ts')).toContain(
    "renameOrder: requires(['edit_order'], withInput(RenameOrderInput, renameOrder)),",
  );
  expect(existsSync(join(project, 'src/dispatch/orders/rename-order.resolver.ts'))).toBe(false);
  // What happened is in the past tense, and what follows the record is part of the path.
  expect(read('src/dispatch/orders/rename-order.ts')).toContain("emitEvent(tx, 'order.renamed', order)");
  expect(read('src/dispatch/orders/estimates/rename-order-dispatch.ts')).toContain("emitEvent(tx, 'order.dispatch_renamed', order)");
  expect(read('schema/rest/dispatch/RenameOrderDispatch.graphql')).toContain('"/v1/orders/{order-id}/rename_dispatch"');
  expect(read('schema/rest/dispatch/ShowDriverDay.graphql')).toContain('"/v1/driver_days/{driver-day-id}/show"');
  expect(made[4]!.said).toContain('edit_driver_day is no permission: edit_company was taken');
  // The lists that tests compare.
  expect(read('test/contract/statuses.test.ts')).toContain("'PUT /v1/orders/{order-id}/rename':");
  expect(read('test/architecture.test.ts')).toContain("['gates'],\n  ],\n  identity: [");
  expect(run('node_modules/.bin/tsc', '--noEmit')).toEqual({ status: 0, said: '' });
  expect(run('node_modules/.bin/biome', 'check', 'src', 'test')).toMatchObject({ status: 0 });
  expect(run(process.execPath, '--import', './scripts/typescript.mjs', 'scripts/check.ts')).toMatchObject({ status: 0 });
}, 300_000);

test.each([
  // Without the record the files would import a record that does not exist.
  ['mutation', 'RenameDispatch', 'Dispatch is no record, and does not begin with one'],
  ['mutation', 'CreateGate', 'npm run new -- entity dispatch/orders Gate'],
  // The database would refuse what the example writes.
  ['mutation', 'CreateJobEvent', 'JobEvent has columns without which there is no record: companyId, job, eventName'],
  ['query', 'ListGates', 'Gates is the plural of no record'],
  ['mutation', 'AcceptOrder', 'acceptOrder is there already'],
])('%s %s is refused, and nothing is written', (kind, name, reason) => {
  const before = readdirSync(join(project, 'src/dispatch/orders'));
  const { status, said } = stamp(kind, 'dispatch/orders', name);
  expect([status, said]).toEqual([1, expect.stringContaining(reason)]);
  expect(readdirSync(join(project, 'src/dispatch/orders'))).toEqual(before);
});

test('a folder that would have too many files is named, with the folders inside it', () => {
  const folder = join(project, 'src/dispatch/orders');
  const size = () => readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()).length;
  while (size() < 25) writeFileSync(join(folder, `filler-${size()}.ts`), 'export {};\n');
  const { status, said } = stamp('mutation', 'dispatch/orders', 'StampOrder');
  expect([status, said]).toEqual([1, expect.stringContaining('src/dispatch/orders has 25 files, this adds 1')]);
  expect(said).toContain('dispatch/orders/estimates, dispatch/orders/<noun>');
  expect([size(), existsSync(join(project, 'schema/rest/dispatch/StampOrder.graphql'))]).toEqual([25, false]);
});
