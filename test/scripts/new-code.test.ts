import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

/** A copy of what the generator reads and writes. */
let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'haulgate-new-'));
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
const stamp = (...words: string[]) => run(process.execPath, '--import', './scripts/typescript.mjs', 'scripts/new.ts', ...words);
const read = (path: string) => readFileSync(join(project, path), 'utf8');

test('endpoints with and without a table of mutations are written and listed', () => {
  const made = [
    // As in CONTRIBUTING.md.
    stamp('mutation', 'dispatch/orders', 'RenameOrder'),
    stamp('mutation', 'dispatch/orders/estimates', 'RenameOrderDispatch'),
    stamp('query', 'proof/usage-logs', 'ListResourceUsageLogs'),
    // As in CONTRIBUTING.md, a record that has no permission of its own.
    stamp('mutation', 'dispatch/drivers', 'ShowDriverDay', 'edit_company'),
    // A record whose plural no rule makes.
    stamp('mutation', 'directory/equipment', 'NoteEquipmentOdometer'),
    // A record of a lower room, and a new one.
    stamp('mutation', 'proof/reviews', 'SettleOrder'),
    stamp('mutation', 'dispatch/gates', 'CreateDispatchNumber', 'create_order'),
  ];
  expect(made.map(({ status, said }) => [status, status === 0 ? '' : said])).toEqual(made.map(() => [0, '']));
  expect(read('src/dispatch/orders/order.resolver.ts')).toContain(
    "renameOrder: requires(['edit_order'], withInput(RenameOrderInput, renameOrder)),",
  );
  expect(existsSync(join(project, 'src/dispatch/orders/rename-order.resolver.ts'))).toBe(false);
  // The event is in the past tense, and the noun that follows the record is part of the path.
  expect(read('src/dispatch/orders/rename-order.ts')).toContain("emitEvent(tx, 'order.renamed', order)");
  expect(read('src/dispatch/orders/estimates/rename-order-dispatch.ts')).toContain("emitEvent(tx, 'order.dispatch_renamed', order)");
  expect(read('schema/rest/dispatch/RenameOrderDispatch.graphql')).toContain('"/v1/orders/{order-id}/rename_dispatch"');
  expect(read('schema/rest/dispatch/ShowDriverDay.graphql')).toContain('"/v1/driver_days/{driver-day-id}/show"');
  expect(read('schema/rest/directory/NoteEquipmentOdometer.graphql')).toContain('"/v1/equipment/{equipment-id}/note_odometer"');
  expect(read('src/dispatch/drivers/show-driver-day.ts')).toContain("allow(ctx, 'edit_company')");
  expect(read('schema/rest/proof/ListResourceUsageLogs.graphql')).toContain('"/v1/resource_usage_logs"');
  // The lists that tests compare.
  expect(read('test/contract/statuses.test.ts')).toContain("'PUT /v1/orders/{order-id}/rename':");
  expect(read('test/architecture.test.ts')).toContain("['gates'],\n  ],\n  identity: [");
}, 300_000);

test('entities of new folders and of a room are written and listed', () => {
  const made = [
    // As in CONTRIBUTING.md.
    stamp('entity', 'reporting/forecasts', 'Forecast', 'edit_company'),
    stamp('entity', 'proof/batches', 'ReviewBatch', 'edit_job'),
    stamp('entity', 'directory', 'HaulCategory', 'edit_company'),
  ];
  expect(made.map(({ status }) => status)).toEqual([0, 0, 0]);
  expect(read('src/proof/batches/review-batch.policy.ts')).toContain("'edit_job'");
  // The texts of the schema on it, that it is in the feed, and names in the plural.
  expect(read('src/events/changes/record-types.ts')).toContain("['HaulCategory']");
  expect(read('src/app/words/types.ts')).toContain('ForecastStateEvent: What may be done with a forecast.');
  expect(read('schema/rest/directory/ListHaulCategories.graphql')).toContain('"/v1/haul_categories"');
  expect(read('schema/rest/reporting/ListForecasts.graphql')).toContain('"/v1/forecasts"');
  expect(
    readdirSync(join(project, 'migrations')).filter((name) => /-add-(forecasts|review-batches|haul-categories)\.ts$/.test(name)),
  ).toHaveLength(3);
}, 300_000);

test('a text field of orders takes the six files that CONTRIBUTING names', () => {
  expect(stamp('migration', 'add-gate-code').status).toBe(0);
  const [migration] = readdirSync(join(project, 'migrations')).filter((name) => name.endsWith('-add-gate-code.ts'));
  const description = "description: 'The code of the gate.'";
  const edits: [path: string, before: string | RegExp, after: string][] = [
    [`migrations/${migration}`, /-- TODO: .*(?=`)/, 'alter table orders add column gate_code text;'],
    ['src/dispatch/model/order.entity.ts', '  @Text() zone?', `  @Text({ ${description} }) gateCode?: string | null;\n  @Text() zone?`],
    [
      'src/dispatch/orders/order.inputs.ts',
      '  @Field(() => String, optional) @Length(0, 200) zone?',
      `  @Field(() => String, { nullable: true, ${description} }) @Length(0, 200) gateCode?: string | null;\n  @Field(() => String, optional) @Length(0, 200) zone?`,
    ],
    ['src/dispatch/fields/work-fields.ts', "  zone: { kind: 'text' },", "  gateCode: { kind: 'text' },\n  zone: { kind: 'text' },"],
    ['schema/rest/fragments/OrderTerms.graphql', '  zone\n', '  gateCode\n  zone\n'],
    ['src/dispatch/access/order.access.ts', "      'zone',", "      'gateCode',\n      'zone',"],
  ];
  for (const [path, before, after] of edits) {
    const now = read(path).replace(before, after);
    expect([path, now === read(path)]).toEqual([path, false]);
    writeFileSync(join(project, path), now);
  }
  // CONTRIBUTING names each of them, and no more.
  const contributing = readFileSync('CONTRIBUTING.md', 'utf8');
  const steps = contributing
    .slice(contributing.indexOf('## Add a field to orders'))
    .split('\n## ')[0]!
    .match(/^\d\. .*$/gm)!;
  expect(steps).toHaveLength(edits.length);
  for (const [path] of edits.slice(1)) expect([path, steps.some((step) => step.includes(path))]).toEqual([path, true]);
});

/** Files of the copy that are not as they were. */
const written = (...folders: string[]) =>
  folders
    .flatMap((folder) => readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((path) => statSync(join(project, path)).isFile() && (!existsSync(path) || readFileSync(path, 'utf8') !== read(path)));

test('all of it has the right types, form and documents', () => {
  expect(run('node_modules/.bin/tsc', '--noEmit')).toEqual({ status: 0, said: '' });
  const files = written('src', 'test', 'migrations');
  expect(files.length).toBeGreaterThan(40);
  expect(run('node_modules/.bin/biome', 'check', ...files)).toMatchObject({ status: 0 });
  expect(run(process.execPath, '--import', './scripts/typescript.mjs', 'scripts/check.ts')).toMatchObject({ status: 0 });
  const schema = run(process.execPath, '--import', './scripts/typescript.mjs', 'scripts/schema.ts');
  expect(schema).toEqual({ status: 0, said: expect.stringContaining('wrote schema/schema.graphql') });
  expect(schema.said).not.toContain('no description');
  // The field is in both interfaces and in the guide of the importer.
  expect(read('schema/schema.graphql').match(/^ {2}gateCode: String$/gm)!.length).toBeGreaterThanOrEqual(3);
  expect(read('schema/openapi.json').match(/"gate_code"/g)!.length).toBeGreaterThan(2);
  expect(read('docs/importer.md')).toContain('`gate_code`');
}, 300_000);

test('every room with resolvers is offered, and no other folder', () => {
  const { status, said } = stamp('entity', 'nowhere', 'Gate');
  expect(status).toBe(2);
  expect(/rooms: (.*)/.exec(said)![1]!.split(' ')).toEqual(
    readdirSync('src').filter(
      (room) =>
        existsSync(`src/${room}/room.ts`) &&
        readdirSync(`src/${room}`, { recursive: true, encoding: 'utf8' }).some((file) => file.endsWith('resolver.ts')),
    ),
  );
});

test.each(['src', 'test'])('a folder of %s that would get too many files is left alone, and a folder inside it is offered', (root) => {
  const folder = join(project, root, 'sandbox');
  const fillers = Array.from({ length: 25 - readdirSync(folder).length }, (_, i) => join(folder, `filler-${i}.ts`));
  for (const path of fillers) writeFileSync(path, '');
  const { status, said } = stamp('entity', 'sandbox', 'Gauge', 'edit_company');
  for (const path of fillers) rmSync(path);
  expect([status, said]).toEqual([
    1,
    expect.stringMatching(new RegExp(`${root}/sandbox has 25 files[^]*sandbox/<noun>[^]*Nothing was written`)),
  ]);
  expect(read('src/sandbox/room.ts')).not.toContain('Gauge');
});

test('an entity that is there already is left alone', () => {
  const { status, said } = stamp('entity', 'dispatch', 'Order');
  expect([status, said]).toEqual([1, expect.stringContaining('Order is there already')]);
});

test.each([
  ['billing', 'settlement'],
  ['nowhere', 'Settlement'],
  ['../billing', 'Settlement'],
])('%s %s is no place or name of an entity', (folder, name) => {
  const { status, said } = stamp('entity', folder, name);
  expect([status, said]).toEqual([2, expect.stringContaining('npm run new -- entity <room>[/<folder>] <Noun>')]);
});

test.each([
  // Without the record the files would import a record that does not exist.
  ['mutation', 'RenameDispatch', 'Dispatch is no record, and does not begin with one'],
  ['mutation', 'CreateGate', 'npm run new -- entity dispatch/orders Gate'],
  // The database would refuse what the example writes.
  ['mutation', 'CreateJobEvent', 'JobEvent has columns without which there is no record: companyId, job, eventName'],
  ['query', 'ListGates', 'Gates is the plural of no record'],
  ['mutation', 'AcceptOrder', 'acceptOrder is there already'],
  ['mutation', 'SettleDriverDay', 'edit_driver_day: there is no such permission in src/identity/access/permissions.ts'],
  ['mutation', 'SettleOrder', 'edit_orders: there is no such permission', 'edit_orders'],
  ['entity', 'Gate', 'create_gate and edit_gate: there is no such permission in src/identity/access/permissions.ts'],
])('%s %s is refused, and nothing is written', (kind, name, reason, ...permission) => {
  const before = readdirSync(join(project, 'src/dispatch/orders'));
  const { status, said } = stamp(kind, 'dispatch/orders', name, ...permission);
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
