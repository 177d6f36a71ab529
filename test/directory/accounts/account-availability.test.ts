import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const one = (id: string) => `/v1/accounts/${id}`;
const off = (id: string, rest = '') => `${one(id)}/scheduled_time_offs${rest}`;
const vendor = (name: string, more: object = {}): Promise<Json> =>
  tenant.must('POST', '/v1/accounts', { name, account_types: ['vendor'], ...more });
const JUNE = { start_date: '2036-06-07T05:00:00.000Z', end_date: '2036-06-09T05:00:00.000Z' };
const offered = async (query: string) =>
  (await tenant.must('GET', tenant.path(`/accounts/typeahead?${query}`))).map((account: Json) => account.name);

test('a vendor that is off is not offered on its days; planned times are listed and deleted', async () => {
  const { id } = await vendor('Summer haul');
  const made = await tenant.must('POST', off(id), JUNE);
  expect(made).toEqual({ id: made.id, ...JUNE });
  expect(await tenant.must('GET', off(id))).toEqual([made]);
  const on = (date: string) => offered(`search[query]=summer&filter[date]=${date}`);
  // Two days in Chicago: from midnight of the 7th to midnight of the 9th.
  expect(await Promise.all(['2036-06-06', '2036-06-07', '2036-06-08', '2036-06-09'].map(on))).toEqual([
    ['Summer haul'],
    [],
    [],
    ['Summer haul'],
  ]);
  const refused = await tenant.http('POST', off(id), { start_date: JUNE.end_date, end_date: JUNE.start_date });
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['end_date']]);
  const other = await vendor('Other');
  expect((await tenant.http('DELETE', off(other.id, `/${made.id}`))).status).toBe(404);
  expect((await tenant.http('DELETE', off(id, `/${made.id}`))).status).toBe(204);
  expect([await tenant.must('GET', off(id)), await on('2036-06-07')]).toEqual([[], ['Summer haul']]);
});

test('time off until further notice begins and ends once, over both interfaces', async () => {
  const { id } = await vendor('Moody');
  for (const _ of [1, 2]) expect(await tenant.must('PUT', off(id, '/unavailable'), {})).toEqual({ id, schedule_on: true });
  expect((await tenant.must('GET', one(id))).schedule_on).toBe(true);
  expect(await offered('search[query]=moody&filter[date]=2037-01-01')).toEqual([]);
  expect(await tenant.must('GET', off(id))).toEqual([expect.objectContaining({ end_date: null })]);
  const { data } = await tenant.gql(`mutation { makeAccountAvailable(accountId: "${id}") { id scheduleOn } }`);
  expect(data.makeAccountAvailable).toEqual({ id, scheduleOn: false });
  expect(await offered('search[query]=moody&filter[date]=2037-01-01')).toEqual(['Moody']);
});

test('without the permission it is refused, and strangers find nothing', async () => {
  const { id } = await vendor('Guarded');
  const made = await tenant.must('POST', off(id), JUNE);
  const [{ token }, stranger] = [await tenant.person({ roles: ['driver'] }), await makeTenant(app)];
  for (const [method, rest, body] of [
    ['POST', '', JUNE],
    ['PUT', '/available', {}],
    ['PUT', '/unavailable', {}],
    ['DELETE', `/${made.id}`],
  ] as const) {
    expect((await tenant.http(method, off(id, rest), body, token)).status).toBe(403);
    expect((await stranger.http(method, off(id, rest), body)).status).toBe(404);
  }
  expect((await stranger.http('GET', off(id))).status).toBe(404);
});

test('several accounts are updated together, all of them or none', async () => {
  const customers = await Promise.all(
    [1, 2].map(async () => {
      const customer = await makeTenant(app);
      const body = { platform_id: tenant.company.platformId, account_types: ['vendor'] };
      const theirs = await customer.must('POST', customer.path('/accounts/connected'), body);
      return { customer, theirs, id: theirs.connected_account.id as string };
    }),
  );
  const [first, second] = customers as [(typeof customers)[0], (typeof customers)[0]];
  const strange = await vendor('Not connected');
  const data = [
    { id: first.id, connected_account: { truck_count: 4 } },
    { id: second.id, available: false, connected_account: { truck_count: 9 } },
  ];
  const send = (rows: object[], token?: string) => tenant.http('PATCH', '/v1/accounts/bulk_update', { data: rows }, token);
  const states = async () =>
    Promise.all(
      customers.map(async ({ customer, theirs, id }) => [
        (await customer.must('GET', one(theirs.id))).truck_count,
        (await tenant.must('GET', one(id))).schedule_on,
      ]),
    );
  for (const [rows, fields] of [
    [[...data, { id: strange.id, connected_account: { truck_count: 1 } }], ['data.2.connected_account']],
    [[...data, { id: first.theirs.id, available: true }], ['data.2.id']],
    [[...data, { id: 'seven' }, { available: true }], expect.arrayContaining(['data.3.id'])],
    [[{ ...data[0], connected_account: { truck_count: -1 } }], ['data.0.connected_account.truck_count']],
  ] as [object[], unknown][]) {
    const refused = await send(rows);
    expect([refused.status, fieldsOf(refused)]).toEqual([422, fields]);
  }
  const { token } = await tenant.person({ roles: ['driver'] });
  expect((await send(data, token)).status).toBe(403);
  expect(await states()).toEqual([
    [0, false],
    [0, false],
  ]);
  const answer = await send(data);
  expect([answer.status, answer.body.data.map((account: Json) => account.id).sort()]).toEqual([200, [first.id, second.id].sort()]);
  expect(await states()).toEqual([
    [4, false],
    [9, true],
  ]);
});

test('vendors are offered with their trucks and jobs of a day, in two statements for any number of vendors', async () => {
  const [full, half, free] = [
    await vendor('Cap full', { truck_count: 1 }),
    await vendor('Cap half', { truck_count: 2 }),
    await vendor('Cap none set'),
  ];
  const order = await makeOrder(tenant, { truck_count: 2, load_at: '2036-03-01T14:00:00.000Z' });
  const jobs = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  for (const [i, account] of [full, half].entries())
    await tenant.must('PUT', `/v1/jobs/${jobs[i].id}/assign_vendor`, { vendor_id: account.id });
  const list = async (more: string, day = '2036-03-01') =>
    tenant.must('GET', tenant.path(`/accounts/capacity/typeahead?date=${day}&search[query]=cap${more}`));
  const counts = (rows: Json[]) => rows.map((row) => [row.name, row.current_assigned_count, row.current_capacity_count]);
  expect((await list(''))[0]).toEqual({
    id: full.id,
    name: 'Cap full',
    connected_company: null,
    schedule_on: false,
    current_assigned_count: 1,
    current_capacity_count: 1,
    labels: [],
  });
  expect(counts(await list(''))).toEqual([
    ['Cap full', 1, 1],
    ['Cap half', 1, 2],
    ['Cap none set', 0, 0],
  ]);
  expect(counts(await list('', '2036-03-02')).map(([, assigned]) => assigned)).toEqual([0, 0, 0]);
  const names = async (filter: string) => counts(await list(`&filter[availability]=${filter}`)).map(([name]) => name);
  expect([await names('true'), await names('false')]).toEqual([['Cap half', 'Cap none set'], ['Cap full']]);
  await tenant.must('PUT', off(free.id, '/unavailable'), {});
  expect([await names('true'), await names('false')]).toEqual([['Cap half'], ['Cap full', 'Cap none set']]);
  await tenant.must('DELETE', one(half.id));
  expect(counts(await list('')).map(([name]) => name)).toEqual(['Cap full', 'Cap none set']);
  expect(counts(await list('&filter[show_all]=true')).map(([name]) => name)).toContain('Cap half');
  expect((await app.countStatements(() => list(''))).statements).toHaveLength(2);
  const missing = await tenant.http('GET', tenant.path('/accounts/capacity/typeahead'));
  expect([missing.status, fieldsOf(missing)]).toEqual([422, ['date']]);
});
