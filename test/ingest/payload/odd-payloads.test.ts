import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import * as dryRuns from '../dry-runs.ts';
import { order, project, ticket } from '../payloads.ts';

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

const send = (kind: dryRuns.Kind, elements: unknown[], token?: string): Promise<Json[]> => dryRuns.send(app, tenant, kind, elements, token);

test.each(['toString', '__proto__', 'constructor', 'valueOf'])('%s is no value of any enum', async (name) => {
  const [rated, united, sited] = await send('orders', [
    order('A', { customer_rate_type: name }),
    order('B', { unit_of_measure: name }),
    order('C', { sites: [{ waypoint: 'pickup', name: 'Pit', site_type: name }] }),
  ]);
  expect(rated).toMatchObject({ state: 'failed', last_error: expect.stringContaining('invalid_enum: /customer_rate_type') });
  expect([united.state, united.warnings]).toEqual([
    'processed',
    [{ code: 'unknown_unit', pointer: '/unit_of_measure', given: name, used: 'Ton' }],
  ]);
  expect([sited.state, sited.warnings[0]]).toMatchObject(['processed', { code: 'unknown_site_type', used: 'Other' }]);
  expect((await send('tickets', [ticket('T-1', { unit_of_measure: name })]))[0]).toMatchObject({ state: 'processed' });
  for (const path of ['/v1/orders', '/v1/jobs', '/v1/tickets']) expect((await tenant.http('GET', path)).status).toBe(200);
});

/** Sends orders as text, because JSON.stringify would lose digits. @returns their records */
async function sendText(orders: string[]): Promise<Json[]> {
  const answer = await app.http('POST', '/ingest/orders', {
    token: tenant.token,
    headers: { 'Content-Type': 'application/json' },
    body: `{"orders":[${orders.join(',')}]}`,
  });
  await app.settled();
  return Promise.all(answer.body.data.records.map(({ id }: Json) => tenant.must('GET', `/v1/imported_records/${id}`)));
}

test('an id keeps all its digits, however many, and a shortened one is refused', async () => {
  const ids = ['12345678901234567890', '12345678901234567891', '9007199254740994', '1001', '1.2345678901234567e+19'];
  const records = await sendText(ids.map((id) => JSON.stringify(order('ID')).replace('"ID"', id)));
  expect(records.map((record: Json) => record.imported_for)).toEqual([...ids.slice(0, -1), null]);
  expect(records.map((record: Json) => record.state)).toEqual([...Array(4).fill('processed'), 'failed']);
  expect(records[4].last_error).toContain('invalid_text: /external_id');
});

test('a number keeps digits that a double cannot hold, and reports those it loses', async () => {
  const long = ['12345678901234.1235', '5.00000000000000001', '110.09999999999999', '110.12345678901234567', '7.0000000000000000000'];
  const records = await sendText(
    long.map((quantity, i) => JSON.stringify(order(`Q-${i}`, { quantity: 0 })).replace('"quantity":0', `"quantity":${quantity}`)),
  );
  const rounded = (given: string, used: string) => [{ code: 'number_rounded', pointer: '/quantity', given, used }];
  // The third is a double's 110.1 in seventeen digits, as many programs write it.
  expect(records.map(({ warnings }) => warnings)).toEqual([[], rounded(long[1]!, '5'), [], rounded(long[3]!, '110.1235'), []]);
  const orders = await Promise.all(records.map(({ result_id }) => tenant.must('GET', `/v1/orders/${result_id}`)));
  expect(orders.map(({ quantity }) => quantity)).toEqual([long[0], '5', '110.1', '110.1235', '7']);
});

test('over GraphQL, too, in variables and in the document, a number keeps digits that a double cannot hold', async () => {
  const long = ['12345678901234.1235', '5.00000000000000001', '110.09999999999999'];
  const taking = (orders: string, variables = '') =>
    `mutation${variables} { ingestOrders(orders: ${orders}) { ... on ImportReceipt { records { id } } } }`;
  const sent = (name: string) =>
    long.map((quantity, i) => JSON.stringify(order(`${name}-${i}`, { quantity: 0 })).replace(':0}', `:${quantity}}`));
  const literal = taking(`[${sent('L')}]`.replace(/"(\w+)":/g, '$1:'));
  const receipts = [
    await gqlText(`{ "query": ${JSON.stringify(taking('$orders', '($orders: [JSON!]!)'))}, "variables": { "orders": [${sent('V')}] } }`),
    await gqlText(JSON.stringify({ query: literal })),
  ];
  await app.settled();
  for (const { data } of receipts) {
    const records = await Promise.all(data.ingestOrders.records.map(({ id }: Json) => tenant.must('GET', `/v1/imported_records/${id}`)));
    expect(records.map(({ warnings }) => warnings)).toMatchObject([[], [{ code: 'number_rounded', given: long[1] }], []]);
    const orders = await Promise.all(records.map(({ result_id }) => tenant.must('GET', `/v1/orders/${result_id}`)));
    expect(orders.map(({ quantity }) => quantity)).toEqual([long[0], '5', '110.1']);
  }
});

/** Sends the text of a GraphQL request unchanged. */
async function gqlText(body: string): Promise<Json> {
  return (await app.http('POST', '/graphql', { token: tenant.token, headers: { 'Content-Type': 'application/json' }, body })).body;
}

test('a number too large for a double is too large, not absent', async () => {
  await send('orders', [order('A', { quantity: 7 })]);
  const quoted = (value: object) => JSON.stringify(value).replace(/"(-?1e400)"/g, '$1');
  const records = await sendText(
    [
      order('A', { quantity: '1e400' }),
      order('B', { quantity: '-1e400', truck_count: '1e400' }),
      order('C', { quantity: '1e400', metadata: { kept: ['1e400'] } }),
      order('D', { quantity: '1.5e2' }),
    ].map((one) => quoted(one).replace('"1.5e2"', '1.5e2')),
  );
  const large = 'invalid_number: /quantity: is out of range';
  expect(records.map((record: Json) => record.last_error)).toEqual([
    large,
    `invalid_number: /truck_count: must be between 1 and 200\n${large}`,
    large,
    null,
  ]);
  expect(records[2].metadata).toEqual({ kept: ['1e400'] });
  const query = 'mutation($orders: [JSON]!) { ingestOrders(orders: $orders) { ... on ImportReceipt { records { id } } } }';
  const literal = JSON.stringify(order('H', { quantity: '1e400' })).replace(/"(\w+)":/g, '$1:');
  const answers = [
    await gqlText(quoted({ query, variables: { orders: [order('G', { quantity: '1e400' })] } })),
    await gqlText(
      JSON.stringify({ query: query.replace('($orders: [JSON]!)', '').replace('$orders', `[${literal.replace('"1e400"', '1e400')}]`) }),
    ),
  ];
  await app.settled();
  for (const { data } of answers)
    expect((await tenant.must('GET', `/v1/imported_records/${data.ingestOrders.records[0].id}`)).last_error).toBe(large);
  expect((await tenant.must('GET', `/v1/orders/${records[3].result_id}`)).quantity).toBe('150');
});

test('a key that is too long or invalid is reported', async () => {
  const [long, flag] = await send('orders', [order('x'.repeat(501)), order(true)]);
  const [pictures] = await send('orders', [order('🚚'.repeat(255))]);
  expect([pictures.state, pictures.last_error]).toEqual(['failed', expect.stringContaining(': /external_id: ')]);
  expect([long.state, long.last_error]).toEqual(['exhausted', 'key_too_long: /external_id: is longer than 500 characters']);
  const [ticket] = await send('tickets', [{ ticket_number: 'x'.repeat(501) }]);
  expect([ticket.state, ticket.last_error]).toEqual(['exhausted', 'key_too_long: /ticket_number: is longer than 500 characters']);
  expect([flag.state, flag.last_error]).toEqual(['failed', expect.stringContaining('invalid_text: /external_id')]);
});

test('the reason of an unreadable element is in the language of the company, whoever sent it', async () => {
  const spanish = await makeTenant(app, { company: { language: 'es-us' } });
  const sent = { token: spanish.token, headers: { 'accept-language': 'fr-ca' }, body: { orders: [5] } };
  const { body } = await app.http('POST', '/ingest/orders', sent);
  const rehearsed = await app.http('POST', '/ingest/orders?dry_run=true', sent);
  const record = await spanish.must('GET', `/v1/imported_records/${body.data.records[0].id}`);
  expect([record.last_error, rehearsed.body.data.records[0].last_error]).toEqual(Array(2).fill('not_an_object: : debe ser un objeto'));
});

test('a weight that rounds to nothing is no weight, and all spellings of cubic yards are yards', async () => {
  const [nothing] = await send('tickets', [ticket('T-1', { quantity: 0.00001 })]);
  expect(nothing).toMatchObject({ state: 'failed', last_error: expect.stringContaining('/quantity') });
  const units = ['cu yd', 'Cu. Yds', 'cubic yards', 'm³', 'short tons', 'Metric Ton'];
  const records = await send(
    'orders',
    units.map((unit_of_measure, i) => order(`U-${i}`, { unit_of_measure })),
  );
  const orders = await Promise.all(records.map(({ result_id }) => tenant.must('GET', `/v1/orders/${result_id}`)));
  expect(orders.map((one) => one.unit_of_measure)).toEqual(['Yard', 'Yard', 'Yard', 'CubicMeter', 'Ton', 'Tonne']);
});

test.each([
  ['metric tonnes', 'Tonne'],
  ['METRIC_TON', 'Tonne'],
  ['short-tons', 'Ton'],
  ['yd³', 'Yard'],
  ['yds3', 'Yard'],
  ['feet', 'Foot'],
  ['ft.', 'Foot'],
  ['litres', 'Liter'],
  ['metres', 'Meter'],
  ['km', 'Kilometer'],
  ['each', 'Load'],
])('a sender of %s means a ton only if it is one', async (unit_of_measure, used) => {
  const [record] = await send('tickets', [ticket(`U-${unit_of_measure}`, { unit_of_measure })]);
  expect(record.warnings.map(({ code }: { code: string }) => code)).not.toContain('unknown_unit');
  expect(await tenant.must('GET', `/v1/tickets/${record.result_id}`)).toMatchObject({ unit_of_measure: used });
});

test.each(['orders', 'projects', 'tickets'])('single elements of %s without a root key get its name in the error', async (kind) => {
  const { status, body } = await tenant.http('POST', `/ingest/${kind}`, [{ external_id: 'ALONE' }]);
  expect([status, body.error.errors]).toEqual([422, [{ model: 'Request', field: kind, message: 'is required' }]]);
});

test('times without separators are ISO 8601, too, and a day before its year is not', async () => {
  const given = ['20261201T0700', '20261201T070000', '20261201T130000Z', '20261201T0700-0600', '20261201', 20261201, '20261201t070000.5'];
  const records = await send(
    'orders',
    given.map((load_at, i) => order(`B-${i}`, { load_at })),
  );
  const orders = await Promise.all(records.map(({ result_id }) => tenant.must('GET', `/v1/orders/${result_id}`)));
  const local = '2026-12-01T13:00:00.000Z';
  const midnight = '2026-12-01T06:00:00.000Z';
  expect(orders.map((one) => one.load_at)).toEqual([local, local, local, local, midnight, midnight, '2026-12-01T13:00:00.500Z']);
  const none = ['01122026', '12012026T0700', '20261301', '20261201T2460', '1764572400', '202612010700'];
  for (const { state, last_error } of await send(
    'orders',
    none.map((load_at, i) => order(`N-${i}`, { load_at })),
  ))
    expect([state, last_error]).toEqual(['failed', expect.stringMatching(/^invalid_timestamp: \/load_at: /)]);
});

test('units of a payload that do not convert get a warning, and the record is created', async () => {
  const paid = { customer_rate_type: 'RatePerTon', customer_rate_value: 9 };
  const reported = [{ code: 'unit_mismatch', pointer: '/customer_rate_type', given: 'RatePerTon', used: 'Yard' }];
  const [made] = await send('orders', [order('M', { unit_of_measure: 'cy', ...paid })]);
  expect(made).toMatchObject({ state: 'processed', warnings: reported });
  const [kept] = await send('projects', [project({ external_id: 'M', load_unit_of_measure: 'cy', ...paid })]);
  expect(kept).toMatchObject({ state: 'processed', warnings: reported });
  const [fits] = await send('orders', [order('M', { unit_of_measure: 'tonne', ...paid, vendor_rate_type: 'RatePerHour' })]);
  expect(fits).toMatchObject({ state: 'processed', warnings: [] });
});
