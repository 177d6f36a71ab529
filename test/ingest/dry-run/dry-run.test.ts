import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import * as dryRuns from '../dry-runs.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
});

const payload = (more: object = {}): Json => ({
  external_id: 'A-1',
  load_at: '2026-12-01T07:00:00',
  customer: { external_id: 'C-1', name: 'Hill Country Paving' },
  ...more,
});

const preview = (...orders: unknown[]) => dryRuns.preview(tenant, 'orders', orders);
const send = (...orders: unknown[]) => dryRuns.send(app, tenant, 'orders', orders);
const fieldsOf = (fields: Json[]) => Object.fromEntries(fields.map(({ field, after }) => [field, after]));
const written = () => dryRuns.written(app, tenant);

test('a new order is previewed with its fields and matches, and nothing is written', async () => {
  await tenant.save(Account, { company: ref(tenant.company), name: 'Hill Country Paving', accountTypes: ['customer'] });
  const before = await written();
  const [first] = await preview(
    payload({
      material: { name: 'Flex base' },
      sites: [{ waypoint: 'pickup', external_id: 'PIT', lat: 30, lon: -97 }],
      unit_of_measure: 'lumps',
    }),
  );
  expect(first).toMatchObject({ index: 0, imported_for: 'A-1', state: 'processed', last_error: null, result_id: null });
  expect(first.warnings).toEqual([
    { code: 'unknown_unit', pointer: '/unit_of_measure', given: 'lumps', used: 'Ton' },
    { code: 'not_updated', pointer: '/customer/external_id', given: 'C-1', used: null },
  ]);
  expect(first.matches).toEqual([
    { pointer: '/customer', model: 'Account', id: expect.any(String), by: 'name' },
    { pointer: '/material', model: 'Material', id: null, by: 'created' },
    { pointer: '/sites/0', model: 'Site', id: null, by: 'created' },
  ]);
  const made = first.changes.map(({ model, id, event, fields }: Json) => [model, id, event, fieldsOf(fields)]);
  expect(made).toEqual([
    ['Order', null, 'create', expect.objectContaining({ external_id: 'A-1', account_id: first.matches[0].id, material_id: '/material' })],
    ['Material', null, 'create', expect.objectContaining({ name: 'Flex base', external_id: null })],
    ['Site', null, 'create', expect.objectContaining({ name: 'PIT', external_id: 'PIT', lat: '30', lon: '-97' })],
  ]);
  expect(made[0][3].waypoints).toEqual([{ type: 'pickup', site_id: '/sites/0' }]);
  expect(await written()).toEqual(before);
});

test('changed lists are shown as lists, with the records that would be created for them', async () => {
  await send(payload({ foremen: [{ email: 'ana@example.com' }] }));
  const [known] = await preview(payload({ foremen: [{ email: 'ana@example.com' }, { email: 'ben@example.com' }] }));
  const [{ fields }, person] = known.changes;
  expect(fields).toEqual([{ field: 'foreman_ids', before: [known.matches.at(-2).id], after: [known.matches.at(-2).id, '/foremen/1'] }]);
  expect([person.model, fieldsOf(person.fields)]).toEqual([
    'User',
    expect.objectContaining({ email: 'ben@example.com', roles: ['foreman'] }),
  ]);
});

test('a known order is previewed with the fields that would change, before and after', async () => {
  const [record] = await send(payload({ notes: 'Gate 3' }));
  const before = await written();
  const [moved] = await preview(payload({ notes: 'Gate 3', load_at: '2026-12-01T08:00:00' }));
  expect(moved.changes[0].fields).toEqual([{ field: 'load_at', before: '2026-12-01T13:00:00.000Z', after: '2026-12-01T14:00:00.000Z' }]);
  const [first] = await preview(payload({ notes: 'Gate 4' }));
  expect(first).toMatchObject({ state: 'processed', result_id: record.result_id });
  expect(first.matches[0]).toEqual({ pointer: '', model: 'Order', id: record.result_id, by: 'external_id' });
  expect(first.changes).toEqual([
    { model: 'Order', id: record.result_id, event: 'update', fields: [{ field: 'notes', before: 'Gate 3', after: 'Gate 4' }] },
  ]);
  expect(await written()).toEqual(before);
});

test('repeated, superseded, wrong and unreadable elements have the outcome of the ledger', async () => {
  await send(payload());
  const all = await preview(
    payload(),
    payload({ external_id: 'A-2' }),
    payload({ external_id: 'A-2', name: 'later' }),
    { external_id: 'A-3' },
    7,
  );
  expect(all.map((one) => [one.state, one.last_error])).toEqual([
    ['skipped', 'duplicate'],
    ['skipped', 'superseded'],
    ['processed', null],
    ['failed', expect.stringContaining('missing_field: /customer/external_id')],
    ['exhausted', 'not_an_object: : must be an object'],
  ]);
});

test('GraphQL returns the same, and the preview requires the permission to send', async () => {
  const { data } = await tenant.gql(
    'mutation($orders: [JSON]!) { ingestOrders(orders: $orders, dryRun: true) { ... on ImportPreview { records { importedFor state } } } }',
    { orders: [payload()] },
  );
  expect(data.ingestOrders).toEqual({ records: [{ importedFor: 'A-1', state: 'processed' }] });
  const reader = await makeTenant(app, { permissions: ['view_imports'] });
  expect((await reader.http('POST', '/ingest/orders?dry_run=true', { orders: [payload()] })).status).toBe(403);
});

test.each([
  [{ orders: [] }, 'orders'],
  [{ orders: Array.from({ length: 1001 }, () => ({})) }, 'orders'],
  [{}, 'orders'],
])('what the real run refuses, the dry run refuses', async (body, field) => {
  const answer = await tenant.http('POST', '/ingest/orders?dry_run=true', body);
  expect([answer.status, answer.body.error.errors[0].field]).toEqual([422, field]);
});

test('a dry run that runs concurrently with the import of the same order sees its result', async () => {
  for (let round = 0; round < 10; round++) {
    const order = payload({ external_id: `RACE-${round}`, truck_count: 5, loads_per_truck: 5 });
    await tenant.must('POST', '/ingest/orders', { orders: [order] });
    const [first] = await preview({ ...order, notes: 'Gate 4' });
    expect([first.state, first.last_error]).toEqual(['processed', null]);
    await app.settled();
    const { data } = await tenant.gql(`{ orders(first: 1) { nodes { externalId notes } } }`);
    expect(data.orders.nodes).toEqual([{ externalId: `RACE-${round}`, notes: null }]);
  }
});
