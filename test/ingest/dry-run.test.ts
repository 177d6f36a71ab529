import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { Account } from '../../src/directory/account.entity.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeYard, type Yard } from '../helpers/yard.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
type Json = any;

let app: TestApp;
let yard: Yard;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  yard = await makeYard(app);
});

const payload = (more: object = {}): Json => ({
  external_id: 'A-1',
  load_at: '2026-12-01T07:00:00',
  customer: { external_id: 'C-1', name: 'Hill Country Paving' },
  ...more,
});

const preview = async (...orders: unknown[]): Promise<Json[]> => {
  const answer = await yard.http('POST', '/ingest/orders?dry_run=true', { orders });
  expect([answer.status, Object.keys(answer.body.data)]).toEqual([200, ['records']]);
  return answer.body.data.records;
};

/** Sends for real and reads every record once it is settled. */
const send = async (...orders: unknown[]): Promise<Json[]> => {
  const answer = await yard.http('POST', '/ingest/orders', { orders });
  expect(answer.status).toBe(202);
  await app.settled();
  return Promise.all(answer.body.data.records.map(({ id }: Json) => yard.must('GET', `/v1/imported_records/${id}`)));
};

/** Rows of every table that an import may write, counted, with the company's counters. */
const written = async (): Promise<unknown> => {
  const tables = [
    'orders',
    'job',
    'load',
    'waypoint',
    'site',
    'account',
    'material',
    'app_user',
    'phase',
    'contact',
    'audit_entry',
    'outbox_event',
  ];
  const more = ['imported_record', 'import_task', 'import_batch', 'import_key', 'company_counter', 'transition'];
  const pool = await poolOf(app.orm.em.fork());
  const sums = [...tables, ...more].map(
    (table) => `(select count(*) || ':' || coalesce(sum(hashtext(t::text)::bigint), 0) from ${table} t where company_id = $1)`,
  );
  const { rows } = await pool.query({ text: `select array[${sums.join(', ')}] as sums`, values: [yard.company.id] });
  return rows[0].sums;
};

test('a new order: what it would be made of and whom it would find, and nothing is written', async () => {
  await yard.save(Account, { company: ref(yard.company), name: 'Hill Country Paving', accountTypes: ['customer'] });
  const before = await written();
  const [told] = await preview(
    payload({
      material: { name: 'Flex base' },
      sites: [{ waypoint: 'pickup', external_id: 'PIT', lat: 30, lon: -97 }],
      unit_of_measure: 'lumps',
    }),
  );
  expect(told).toMatchObject({ index: 0, imported_for: 'A-1', state: 'processed', last_error: null, result_id: null });
  expect(told.warnings).toEqual([{ code: 'unknown_unit', pointer: '/unit_of_measure', given: 'lumps', used: 'Ton' }]);
  expect(told.matches).toEqual([
    { pointer: '/customer', model: 'Account', id: expect.any(String), by: 'name' },
    { pointer: '/material', model: 'Material', id: null, by: 'created' },
    { pointer: '/sites/0', model: 'Site', id: null, by: 'created' },
  ]);
  expect(told.changes).toEqual([
    { model: 'Order', id: null, event: 'create', fields: expect.arrayContaining([{ field: 'external_id', before: null, after: 'A-1' }]) },
  ]);
  expect(await written()).toEqual(before);
});

test('a known order: only the fields that would change, before and after', async () => {
  const [record] = await send(payload({ notes: 'Gate 3' }));
  const before = await written();
  const [told] = await preview(payload({ notes: 'Gate 4' }));
  expect(told).toMatchObject({ state: 'processed', result_id: record.result_id });
  expect(told.matches[0]).toEqual({ pointer: '', model: 'Order', id: record.result_id, by: 'external_id' });
  expect(told.changes).toEqual([
    { model: 'Order', id: record.result_id, event: 'update', fields: [{ field: 'notes', before: 'Gate 3', after: 'Gate 4' }] },
  ]);
  expect(await written()).toEqual(before);
});

test('repeated, overtaken, wrong and unreadable elements are told as the ledger would settle them', async () => {
  await send(payload());
  const told = await preview(
    payload(),
    payload({ external_id: 'A-2' }),
    payload({ external_id: 'A-2', name: 'later' }),
    { external_id: 'A-3' },
    7,
  );
  expect(told.map((one) => [one.state, one.last_error])).toEqual([
    ['skipped', 'duplicate'],
    ['skipped', 'superseded'],
    ['processed', null],
    ['failed', expect.stringContaining('missing_field: /customer/external_id')],
    ['exhausted', 'not_an_object: : must be an object'],
  ]);
});

test('the same in GraphQL; the preview needs the permission to send', async () => {
  const { data } = await yard.gql(
    'mutation($orders: [JSON]!) { ingestOrders(orders: $orders, dryRun: true) { ... on ImportPreview { records { importedFor state } } } }',
    { orders: [payload()] },
  );
  expect(data.ingestOrders).toEqual({ records: [{ importedFor: 'A-1', state: 'processed' }] });
  const reader = await makeYard(app, { permissions: ['view_imports'] });
  expect((await reader.http('POST', '/ingest/orders?dry_run=true', { orders: [payload()] })).status).toBe(403);
});

test.each([
  [{ orders: [] }, 'orders'],
  [{ orders: Array.from({ length: 1001 }, () => ({})) }, 'orders'],
  [{}, 'orders'],
])('what the real run refuses, the dry run refuses', async (body, field) => {
  const answer = await yard.http('POST', '/ingest/orders?dry_run=true', body);
  expect([answer.status, answer.body.error.errors[0].field]).toEqual([422, field]);
});

const ids = fc.constantFrom('P-1', 'P-2', 'P-3', ' P-1', 'p-1', '');
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 3 });
const named = fc.record({
  external_id: maybe(fc.constantFrom('C-1', 'C-2', 'c-1')),
  name: maybe(fc.constantFrom('Pit', ' pit ', 'Plant')),
});
const elements = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record(
      {
        external_id: maybe(ids),
        load_at: maybe(fc.constantFrom('2026-12-01T07:00:00', '2026-12-02T07:00:00Z', 'tomorrow')),
        customer: maybe(named),
        material: maybe(named),
        sites: maybe(
          fc.array(
            fc.record({
              waypoint: fc.constantFrom('pickup', 'drop_off', 'nowhere'),
              external_id: maybe(fc.constantFrom('S-1', 'S-2')),
              name: maybe(fc.constantFrom('Pit', 'Plant')),
              full_address: maybe(fc.constant('1 Quarry Road')),
              lat: maybe(fc.constantFrom(30, 'x', 91)),
              lon: maybe(fc.constant(-97)),
            }),
            { maxLength: 3 },
          ),
        ),
        foremen: maybe(
          fc.array(
            fc.record({ email: maybe(fc.constantFrom('a@b.example', 'A@b.example')), phone: maybe(fc.constantFrom('+15125550100', '12')) }),
            { maxLength: 2 },
          ),
        ),
        unit_of_measure: maybe(fc.constantFrom('tons', 'YARD', 'lumps')),
        quantity: maybe(fc.constantFrom(1, '2.5', -1, 'many', 1e30)),
        truck_count: maybe(fc.constantFrom(1, 2, 0, 201)),
        state: maybe(fc.constantFrom('created', 'hold', 'canceled', 'odd')),
        notes: maybe(fc.constantFrom('x', 'y', null)),
        phases: maybe(fc.array(fc.record({ name: maybe(fc.constantFrom('One', 'Two')), primary: fc.boolean() }), { maxLength: 2 })),
      },
      { noNullPrototype: true },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, 7, 'x', []) },
);

test('over random payloads, the dry run says what the real run then does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(elements, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }), async (batches) => {
      yard = await makeYard(app);
      for (const batch of batches) {
        const before = await written();
        const told = await preview(...batch);
        expect(await written()).toEqual(before);
        const done = await send(...batch);
        const outcome = (one: Json) => ({
          imported_for: one.imported_for,
          state: one.state,
          last_error: one.last_error,
          warnings: one.warnings,
        });
        expect(told.map(outcome)).toEqual(done.map(outcome));
        for (const [i, { result_id }] of told.entries()) if (result_id) expect(result_id).toBe(done[i].result_id);
      }
    }),
    { numRuns: 25 },
  );
});
