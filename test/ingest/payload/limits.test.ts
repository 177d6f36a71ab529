import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import * as dryRuns from '../dry-runs.ts';
import { order, ticket } from '../payloads.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
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

const project = (id: string, more: object) => ({ external_id: id, customer: { external_id: 'C-1', name: 'Acme' }, ...more });
const send = (kind: dryRuns.Kind, ...elements: unknown[]): Promise<Json[]> => dryRuns.send(app, tenant, kind, elements);
const x = (length: number) => 'x'.repeat(length);

/** Root fields of an order that the API takes as well, and what it refuses. */
const REFUSED: [field: string, value: unknown, line: string][] = [
  ['quantity', -1, 'invalid_number: /quantity: must be at least 0'],
  ['job_quantity', '-0.5', 'invalid_number: /job_quantity: must be at least 0'],
  ['customer_rate_value', -12.5, 'invalid_number: /customer_rate_value: must be at least 0'],
  ['vendor_rate_value', -1, 'invalid_number: /vendor_rate_value: must be at least 0'],
  ['driver_rate_value', -1, 'invalid_number: /driver_rate_value: must be at least 0'],
  ['material_rate_sell_price', -1, 'invalid_number: /material_rate_sell_price: must be at least 0'],
  ['material_rate_buy_price', -1, 'invalid_number: /material_rate_buy_price: must be at least 0'],
  ['equipment_type_gross_capacity', -1, 'invalid_number: /equipment_type_gross_capacity: must be at least 0'],
  ['pickup_to_dropoff_distance_meters', -1, 'invalid_number: /pickup_to_dropoff_distance_meters: must be at least 0'],
  ['tax_rate', 100.5, 'invalid_number: /tax_rate: must be between 0 and 100'],
  ['units_per_hour', -1, 'invalid_number: /units_per_hour: must be at least 0'],
  ['loads_per_truck', 26, 'invalid_number: /loads_per_truck: must be between 1 and 25'],
  ['trucks_per_delay', 0, 'invalid_number: /trucks_per_delay: must be at least 1'],
  ['cycle_time_minutes', 3_000_000_000, 'invalid_number: /cycle_time_minutes: must be between -2147483648 and 2147483647'],
  ['job_time', 1.5, 'invalid_number: /job_time: is not a whole number'],
  ['name', x(201), 'invalid_text: /name: must have a length between 0 and 200'],
  ['zone', x(201), 'invalid_text: /zone: must have a length between 0 and 200'],
  ['po_job_number', x(201), 'invalid_text: /po_job_number: must have a length between 0 and 200'],
  ['charge_to_account', x(201), 'invalid_text: /charge_to_account: must have a length between 0 and 200'],
  ['notes', x(10_001), 'invalid_text: /notes: must have a length between 0 and 10000'],
];
/** Fields that a payload spells differently from a request. */
const NESTED: [more: object, line: string][] = [
  [{ customer: { external_id: 'C', name: x(9_000) } }, 'invalid_text: /customer/name: must have a length between 1 and 500'],
  [{ customer: { external_id: x(501) } }, 'invalid_text: /customer/external_id: must have a length between 0 and 500'],
  [{ material: x(256) }, 'invalid_text: /material: must have a length between 1 and 255'],
  [{ equipment_type: { name: x(256) } }, 'invalid_text: /equipment_type/name: must have a length between 1 and 255'],
  [{ vendors: [{ name: x(501) }] }, 'invalid_text: /vendors/0/name: must have a length between 1 and 500'],
  [{ sites: [{ waypoint: 'pickup', name: x(256) }] }, 'invalid_text: /sites/0/name: must have a length between 1 and 255'],
  [{ sites: [{ waypoint: 'pickup', full_address: x(501) }] }, 'invalid_text: /sites/0/full_address: must have a length between 0 and 500'],
  [{ phases: [{ name: 'Base', primary: 'yes' }] }, 'invalid_flag: /phases/0/primary: is neither true nor false'],
  [{ phases: [{ name: x(201) }] }, 'invalid_text: /phases/0/name: must have a length between 1 and 200'],
  [{ phases: [{ name: 'Base', code: x(101) }] }, 'invalid_text: /phases/0/code: must have a length between 0 and 100'],
  [{ quantity: 1e30 }, 'invalid_number: /quantity: is out of range'],
  [{ dispatch_number: ['D-1'] }, 'invalid_text: /dispatch_number: is not a text'],
  [{ customer: { external_id: '1.23E+11' } }, 'invalid_text: /customer/external_id: is a number that a spreadsheet shortened'],
  [{ dispatch_number: '1.23E+11' }, 'invalid_text: /dispatch_number: is a number that a spreadsheet shortened'],
  [{ sites: [{ waypoint: 'pickup', external_id: '4E+12' }] }, 'invalid_text: /sites/0/external_id: is a number that a spreadsheet'],
  [{ foremen: [{ external_id: '4.5E+12' }] }, 'invalid_text: /foremen/0/external_id: is a number that a spreadsheet shortened'],
  [{ dispatch_number: x(101) }, 'invalid_text: /dispatch_number: must have a length between 1 and 100'],
  [{ sales_contact: { name: x(201) } }, 'invalid_text: /sales_contact/name: must have a length between 0 and 200'],
  [{ foreman_contact: { email: 'ana at example.com' } }, 'invalid_email: /foreman_contact/email: is not an e-mail address'],
  [{ foremen: [{ email: 'ana@' }] }, 'invalid_email: /foremen/0/email: is not an e-mail address'],
  [{ foremen: [{ external_id: 'F', first_name: 'Ann\nBcc: all' }] }, 'invalid_text: /foremen/0/first_name: must be one line'],
  [{ collaborators: [{ external_id: 'F', last_name: 'a\u202eb' }] }, 'invalid_text: /collaborators/0/last_name: must be one line'],
  [
    { salespeople: [{ external_id: 'S', first_name: x(501) }] },
    'invalid_text: /salespeople/0/first_name: must have a length between 1 and',
  ],
];

test('an order has the limits of a request, and each violation is reported at its place', async () => {
  const elements = [...REFUSED.map(([field, value]) => ({ [field]: value })), ...NESTED.map(([more]) => more)];
  const records = await send('orders', ...elements.map((more, i) => order(`A-${i}`, more)), order(x(256)));
  const lines = [...REFUSED.map(([, , line]) => line), ...NESTED.map(([, line]) => line), 'invalid_text: /external_id: must have'];
  for (const [i, record] of records.entries())
    expect([record.state, record.last_error]).toEqual(['failed', expect.stringContaining(lines[i]!)]);
  // A refused key is not reported as missing.
  const warned = records.flatMap(({ warnings }: Json) => warnings.map(({ code }: Json) => code));
  expect(warned.filter((code) => code === 'person_without_key' || code === 'site_without_location')).toEqual([]);
  expect((await tenant.gql('{ orders(first: 1) { nodes { id } } }')).data.orders.nodes).toEqual([]);

  const [made] = await send('orders', order('A'));
  for (const [field, value] of REFUSED) {
    const answer = await tenant.http('PATCH', `/v1/orders/${made.result_id}`, { [field]: value });
    expect([field, answer.status, answer.body.error?.errors[0].field]).toEqual([field, 422, field]);
  }
});

test('values just within the limits are accepted, and a long address names its site up to the limit of a name', async () => {
  const [record] = await send(
    'orders',
    order(x(255), {
      name: x(200),
      quantity: 0,
      tax_rate: 100,
      notes: x(10_000),
      cycle_time_minutes: 2 ** 31 - 1,
      phases: [{ name: x(200), code: x(100) }],
      sites: [{ waypoint: 'pickup', full_address: `1 ${x(498)}` }],
      sales_contact: { email: 'ana@example.com', phone: 'none' },
    }),
  );
  expect([record.state, record.last_error]).toEqual(['processed', null]);
  const made = await tenant.must('GET', `/v1/orders/${record.result_id}`);
  expect([made.name.length, made.quantity, made.waypoints[0].site.name.length]).toEqual([200, '0', 255]);
  expect(record.warnings.map((one: Json) => one.code)).toEqual(['invalid_phone', 'site_not_routable']);
});

test('an id that a spreadsheet shortened is refused: another order may look the same', async () => {
  const csv = 'external_id,load_at,customer.external_id\n1.23457E+11,2026-12-01,C-1\n1E5,2026-12-01,C-1\n';
  const { body } = await tenant.http('POST', '/ingest/orders/csv', csv);
  await app.settled();
  const [shortened, plain] = await Promise.all(body.data.records.map(({ id }: Json) => tenant.must('GET', `/v1/imported_records/${id}`)));
  expect(shortened).toMatchObject({
    state: 'failed',
    last_error: expect.stringMatching(/^invalid_text: \/external_id: .* keep the column as text$/),
  });
  expect(plain.state).toBe('processed');
  const ticket = {
    ticket_number: '1E+12',
    service_date: '2026-12-01',
    quantity: 1e15,
    unit_of_measure: 'Ton',
    truck_id: 'T',
    dispatch_number: [1],
  };
  const [record] = await send('tickets', ticket);
  expect(record.last_error.split('\n').sort()).toEqual([
    'invalid_number: /quantity: is out of range',
    'invalid_text: /dispatch_number: is not a text',
    expect.stringContaining('invalid_text: /ticket_number: is a number that a spreadsheet shortened'),
  ]);
});

test('blank coordinates are absent, and a single one is ignored', async () => {
  const site = { waypoint: 'pickup', name: 'Pit', full_address: '1 Pit Road' };
  const records = await send(
    'projects',
    project('B-1', { sites: [{ ...site, lat: '', lon: ' ' }] }),
    project('B-2', { sites: [{ ...site, lat: 30.5, lon: '' }] }),
  );
  const codes = records.map(({ warnings }) =>
    warnings.map((one: Json) => one.code).filter((code: string) => code === 'incomplete_coordinates'),
  );
  expect(codes).toEqual([[], ['incomplete_coordinates']]);
});

test('projects and tickets have the same limits', async () => {
  const projects = await send(
    'projects',
    project('P-1', { order_quantity: -1 }),
    project('P-2', { name: x(256) }),
    project('P-3', { materials: [{ external_id: 'M', total_quantity: -1 }] }),
    project('P-4', { materials: [{ external_id: 'M', name: x(256) }] }),
    project('P-5', { supervisor_contact: { email: 'ana' } }),
    project('P-6', { customer_rate_value: -1 }),
  );
  const lines = [
    'invalid_number: /order_quantity: must be at least 0',
    'invalid_text: /name: must have a length between 1 and 255',
    'invalid_number: /materials/0/total_quantity: must be at least 0',
    'invalid_text: /materials/0/name: must have a length between 1 and 255',
    'invalid_email: /supervisor_contact/email: is not an e-mail address',
    'invalid_number: /customer_rate_value: must be at least 0',
  ];
  expect(projects.map(({ last_error }) => last_error)).toEqual(lines);
  const tickets = await send(
    'tickets',
    ticket('T-1', { quantity: -3 }),
    ticket('T-2', { truck_id: x(501) }),
    ticket('T-3', { material: { name: x(256) } }),
    ticket('T-4', { customer: x(501), notes: x(10_001) }),
  );
  expect(tickets.map(({ last_error }) => last_error.split(': ').slice(0, 2).join(' '))).toEqual([
    'invalid_number /quantity',
    'invalid_text /truck_id',
    'invalid_text /material/name',
    'invalid_text /customer',
  ]);
  expect(tickets[3].last_error).toContain('\ninvalid_text: /notes');
});

test.each([
  ['sites', 100, { waypoint: 'pickup', name: 'Pit' }],
  ['foremen', 100, { external_id: 'F' }],
  ['collaborators', 100, { external_id: 'F' }],
  ['salespeople', 100, { external_id: 'F' }],
  ['vendors', 100, { name: 'V' }],
  ['phases', 500, { name: 'Base' }],
  ['materials', 500, { external_id: 'M' }],
])('an element has at most as many %s (%i)', async (list, max, item) => {
  const kind = list === 'vendors' ? 'orders' : 'projects';
  const element = (id: string, count: number) => ({ ...order(id), [list]: Array.from({ length: count }, () => item) });
  const records = await send(kind, element('A', max), element('B', max + 1));
  expect(records.map(({ state, last_error }) => [state, last_error])).toEqual([
    ['processed', null],
    ['failed', `too_many_items: /${list}: has more than ${max} elements`],
  ]);
});

test('warnings are limited: a hundred, short ones, and the number of the others', async () => {
  const phases = Array.from({ length: 300 }, () => ({ name: 'Base' }));
  const payload = { ...project('P-1', { phases, service: x(5_000) }), foremen: [{ notes: x(5_000) }] };
  const [preview] = await dryRuns.preview(tenant, 'projects', [payload]);
  const [record] = await send('projects', payload);
  expect(record.warnings).toEqual(preview.warnings);
  expect(record.warnings).toHaveLength(101);
  expect(record.warnings.slice(0, 2)).toEqual([
    { code: 'unknown_fields', pointer: '/foremen', given: ['notes'], used: null },
    { code: 'person_without_key', pointer: '/foremen/0', given: null, used: null },
  ]);
  expect(record.warnings[100]).toEqual({ code: 'more_warnings', pointer: '', given: 202, used: null });
  const [service] = (await send('projects', project('P-2', { service: x(5_000) })))[0].warnings;
  expect(service).toMatchObject({ code: 'unknown_service', given: `${x(499)}…` });
});

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test('an element that is nested too deep is a separate failed record, and affects no other', async () => {
  const [fine, deep, nameless, none] = await send(
    'orders',
    order('A', { metadata: nested(61) }),
    order('B', { metadata: nested(62), notes: 'kept' }),
    { very: nested(1_000) },
    nested(70),
  );
  expect([fine.state, fine.imported_for]).toEqual(['processed', 'A']);
  const line = 'too_deep: : is nested deeper than 62 levels';
  expect([deep.state, deep.imported_for, deep.last_error]).toEqual(['exhausted', 'B', line]);
  expect(deep.payload).toMatchObject({ external_id: 'B', notes: 'kept' });
  expect([nameless.state, nameless.imported_for, nameless.last_error]).toEqual(['exhausted', null, line]);
  expect([none.state, none.last_error]).toEqual(['exhausted', 'not_an_object: : must be an object']);
  // The parts that it lacks would be missing the next time as well.
  expect((await tenant.http('PUT', `/v1/imported_records/${deep.id}/retry`, {})).status).toBe(409);
  const mended = await tenant.http('POST', `/v1/imported_records/${deep.id}/resubmit`, { payload: order('B') });
  expect(mended.status).toBe(202);
  const [preview] = await dryRuns.preview(tenant, 'orders', [order('C', { metadata: nested(62) })]);
  expect([preview.state, preview.last_error]).toEqual(['exhausted', line]);
});

test('the same in GraphQL, at any depth; a body that is no JSON is still refused', async () => {
  const query = 'mutation($orders: [JSON]!) { ingestOrders(orders: $orders) { ... on ImportReceipt { records { importedFor state } } } }';
  const { data } = await tenant.gql(query, { orders: [order('A', { metadata: nested(500) }), order('B')] });
  expect(data.ingestOrders.records).toEqual([
    { importedFor: 'A', state: 'exhausted' },
    { importedFor: 'B', state: 'created' },
  ]);
  const post = (body: string) =>
    app.http('POST', '/ingest/orders', { token: tenant.token, headers: { 'Content-Type': 'application/json' }, body });
  const depths = 500_000;
  expect(
    (await post(`{"orders":[${'['.repeat(depths)}${']'.repeat(depths)},{}]}`)).body.data.records.map((one: Json) => one.state),
  ).toEqual(['exhausted', 'created']);
  for (const broken of [
    `{"orders":[${'['.repeat(depths)}`,
    `{"orders":${'['.repeat(99)}`,
    `{"orders":[{"a":${'['.repeat(99)}${']'.repeat(98)}}]}`,
  ])
    expect((await post(broken)).status).toBe(400);
  // Elsewhere a body is one thing, and refused as one.
  expect((await tenant.http('PUT', '/v1/imported_records/bulk_skip', { filter: { very: nested(70) } })).status).toBe(400);
  await app.settled();
});
