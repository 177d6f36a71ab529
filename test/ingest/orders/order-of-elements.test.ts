import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { geocoder } from '../../../src/directory/contacts/geocoded-addresses.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { until } from '../../helpers/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
/** Ends when the test says so. */
let held = Promise.withResolvers<void>();
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  // The batch with such an address is claimed first and ready last.
  app.application.provide(geocoder, {
    find: async (address: string) => void (await (address.startsWith('Held') ? held.promise : sleep(address.startsWith('Far') ? 700 : 0))),
  });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
});

const order = (id: string, more: object = {}) => ({
  external_id: id,
  load_at: '2026-12-01T07:00',
  customer: { external_id: 'C-1', name: 'Hill Country Paving' },
  ...more,
});
async function send(orders: Json[], query = ''): Promise<Json[]> {
  const answer = await tenant.http('POST', `/ingest/orders${query}`, { orders });
  expect(answer.status).toBe(202);
  await app.settled();
  return Promise.all(answer.body.data.records.map(({ id }: Json) => tenant.must('GET', `/v1/imported_records/${id}`)));
}

test('what many elements name and nobody has is made as the first of them says, whichever batch is ready first, as in a dry run', async () => {
  const foremen = (first_name: string, more: object = {}) => ({
    foremen: [{ email: 'ana@example.com', first_name, last_name: 'Vega', ...more }],
  });
  const orders = Array.from({ length: 130 }, (_, i) =>
    order(`O-${i}`, {
      ...(i === 3 ? { ...foremen('Ana'), sites: [{ waypoint: 'pickup', name: 'New pit', full_address: 'Far Road 1' }] } : {}),
      ...(i > 100
        ? { ...foremen('Anna', { phone: '+15125550123' }), sites: [{ waypoint: 'pickup', name: 'New pit', lat: 30.1, lon: -97.1 }] }
        : {}),
    }),
  );
  const { records: dry } = await tenant.must('POST', '/ingest/orders?dry_run=true', { orders });
  const real = await send(orders);
  const said = (records: Json[]) => records.map(({ state, warnings }) => [state, warnings.map(({ used: _, ...warning }: Json) => warning)]);
  expect(said(real)).toEqual(said(dry));
  const { foremen: shown, waypoints } = await tenant.must('GET', `/v1/orders/${real[110].result_id}`);
  expect([shown[0].first_name, shown[0].phone, waypoints[0].site.full_address]).toEqual(['Ana', null, 'Far Road 1']);
});

test('a batch that waits for the one before it keeps nobody waiting, and still makes nothing before its turn', async () => {
  held = Promise.withResolvers<void>();
  const [known] = (await send([order('O-120')])) as [Json];
  const foremen = (first_name: string) => ({ foremen: [{ email: 'ana@example.com', first_name, last_name: 'Vega' }] });
  const orders = Array.from({ length: 130 }, (_, i) =>
    order(`O-${i}`, {
      ...(i === 3 ? { ...foremen('Ana'), sites: [{ waypoint: 'pickup', name: 'New pit', full_address: 'Held Road 1' }] } : {}),
      ...(i > 100 ? foremen('Anna') : {}),
    }),
  );
  const { records } = await tenant.must('POST', '/ingest/orders', { orders });
  const em = app.orm.em.fork();
  const isHeld = async () =>
    (await em.getConnection().execute('select id from orders where id = ? for update skip locked', [known.result_id])).length === 0;
  await until(isHeld);
  expect(await tenant.must('PATCH', `/v1/orders/${known.result_id}`, { zone: 'North' })).toMatchObject({ zone: 'North' });
  held.resolve();
  await app.settled();
  const [later, same] = await Promise.all([110, 120].map((at) => tenant.must('GET', `/v1/imported_records/${records[at].id}`)));
  const shown = await Promise.all([later, same].map(({ result_id }) => tenant.must('GET', `/v1/orders/${result_id}`)));
  expect(shown).toMatchObject([
    { foremen: [{ first_name: 'Ana' }] },
    { id: known.result_id, zone: 'North', foremen: [{ first_name: 'Ana' }] },
  ]);
});

test('a batch of projects waits for the one before it without keeping it out', async () => {
  const foremen = (first_name: string) => ({ foremen: [{ email: 'ana@example.com', first_name, last_name: 'Vega' }] });
  const projects = Array.from({ length: 130 }, (_, i) => ({
    external_id: `P-${i}`,
    customer: { external_id: 'C-1', name: 'Hill Country Paving' },
    ...(i === 3 ? { ...foremen('Ana'), sites: [{ waypoint: 'pickup', full_address: 'Far Road 2' }] } : {}),
    ...(i > 100 ? foremen('Anna') : {}),
  }));
  const { records } = await tenant.must('POST', '/ingest/projects', { projects });
  await app.settled();
  const record = await tenant.must('GET', `/v1/imported_records/${records[110].id}`);
  expect((await tenant.must('GET', `/v1/projects/${record.result_id}`)).foremen).toMatchObject([{ first_name: 'Ana' }]);
});

test.each([
  ['cannot be read', '', { load_at: 'tomorrow' }],
  ['is taken back because its sender wants no guesses', '?strict=true', { unit_of_measure: 'buckets' }],
])('no element waits for one of its own batch that %s', async (_, query, wrong) => {
  const orders = [
    order('O-1', wrong),
    order('O-2', { customer: { external_id: 'C-2', name: 'New customer' } }),
    order('O-3', { sites: [{ waypoint: 'pickup', name: 'New pit' }] }),
  ];
  const { value, statements } = await app.countStatements(() => send(orders, query));
  expect(value.map(({ state }) => state)).toEqual(['failed', 'processed', 'processed']);
  // Once each time that the batch is applied; a wait looks again and again whether the element is done.
  expect([1, 2]).toContain(statements.filter((sql) => /select from import_task t, .* mine/s.test(sql)).length);
});

test('a payload that replaces another one of its request says what only that one had, in a dry run, too', async () => {
  const orders = [
    order('O-1', {
      notes: 'Call first',
      quantity: 5,
      customer: { external_id: 'C-1', name: 'Hill' },
      sites: [{ waypoint: 'pickup', name: 'Pit' }],
      foremen: [],
    }),
    order('O-1', { quantity: 6, customer: { external_id: 'C-1' }, sites: [{ waypoint: 'drop_off', name: 'Bridge' }] }),
    order('O-2', { notes: 'x' }),
    order('O-2', { notes: 'y' }),
  ];
  const warning = { code: 'superseded_fields', pointer: '', given: ['customer.name', 'notes', 'sites.pickup'] };
  const { records: dry } = await tenant.must('POST', '/ingest/orders?dry_run=true', { orders });
  const real = await send(orders);
  for (const records of [dry, real]) {
    expect(records.map(({ state, last_error }: Json) => [state, last_error])).toEqual([
      ['skipped', 'superseded'],
      ['processed', null],
      ['skipped', 'superseded'],
      ['processed', null],
    ]);
    expect(records[1].warnings[0]).toMatchObject(warning);
    expect(records[3].warnings.map(({ code }: Json) => code)).not.toContain('superseded_fields');
  }
});
