import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newId } from '../../src/platform/ids.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, orderInput, type Tenant } from '../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const idsOf = (records: { id: string }[]) => records.map(({ id }) => id);

test('a span of a list is of days, or of instants with any offset, both ends included', async () => {
  const own = await makeTenant(app);
  const { id } = await makeOrder(own, { load_at: '2026-07-02T12:00:00.000Z' });
  const found = async (from: string, to: string) => {
    const query = (path: string) => `${path}?filter[start_date]=${from}&filter[end_date]=${to}`;
    const orders = idsOf(await own.must('GET', query('/v1/orders')));
    const jobs = await own.must('GET', query('/v1/jobs'));
    expect(jobs).toHaveLength(orders.length);
    return orders.length === 1 && orders[0] === id;
  };
  expect(await found('2026-07-02', '2026-07-02')).toBe(true);
  expect(await found('2026-07-02T12:00:00Z', '2026-07-02T12:00:00Z')).toBe(true);
  expect(await found('2026-07-02T17:30:00%2B0530', '2026-07-02')).toBe(true);
  expect(await found('2026-07-02T17:30:00+05:30', '2026-07-02T12:00:00.000Z')).toBe(true);
  expect(await found('2026-07-02T12:00:00.001Z', '2026-07-03')).toBe(false);
  expect(await found('2026-07-01', '2026-07-02T11:59:59.999Z')).toBe(false);
  const { status, body } = await own.http(
    'GET',
    '/v1/orders?filter[start_date]=2026-07-02T12:00&filter[end_date]=9999-12-31T23:59:59.999Z',
  );
  expect([status, body.error.errors]).toEqual([
    422,
    [
      {
        model: 'Request',
        field: 'filter[start_date]',
        message: 'is neither a date (YYYY-MM-DD) nor an ISO 8601 timestamp with an offset',
      },
    ],
  ]);
  expect(idsOf(await own.must('GET', '/v1/orders?filter[end_date]=9999-12-31T23:59:59.999Z'))).toEqual([id]);
});

test('tickets are found by the instants at which they were made', async () => {
  const order = await makeOrder(tenant);
  const jobs = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const made = await tenant.must('POST', '/v1/tickets', { job_id: jobs[0].id, ticket_number: 'T-1', unit_of_measure: 'Ton' });
  const at = (from: string) => tenant.must('GET', `/v1/tickets?filter[from_date]=${from}`);
  expect(idsOf(await at(made.created_at))).toContain(made.id);
  expect(await at(new Date(Date.parse(made.created_at) + 1).toISOString())).toEqual([]);
});

test('an offset without a colon is accepted in a body', async () => {
  const made = await tenant.must('POST', '/v1/orders', orderInput(tenant, { load_at: '2026-11-23T17:30:00+0530' }));
  expect(made.load_at).toBe('2026-11-23T12:00:00.000Z');
});

test('a staging area is a weigh point to clients of the contract, and itself to those who know it', async () => {
  const { id } = await makeOrder(tenant, {
    waypoints: ['pickup', 'staging', 'weigh_point', 'drop_off'].map((type, ordinality) => ({
      type,
      ordinality,
      site_id: tenant.pickup.id,
    })),
  });
  const typesOf = async (headers: Record<string, string>) => {
    const { body } = await app.http('GET', `/v1/orders/${id}`, { token: tenant.token, headers });
    return body.data.waypoints.map(({ type }: { type: string }) => type);
  };
  expect(await typesOf({})).toEqual(['pickup', 'weigh_point', 'weigh_point', 'drop_off']);
  expect(await typesOf({ prefer: 'handling=lenient, waypoints=all' })).toEqual(['pickup', 'staging', 'weigh_point', 'drop_off']);
  // A client that sends back what it got changes nothing.
  const { waypoints } = await tenant.must('GET', `/v1/orders/${id}`);
  const same = waypoints.map((one: { id: string; type: string; ordinality: number }) => ({
    id: one.id,
    type: one.type,
    ordinality: one.ordinality,
  }));
  await tenant.must('PATCH', `/v1/orders/${id}`, { waypoints: same });
  expect(await typesOf({ prefer: 'waypoints=all' })).toEqual(['pickup', 'staging', 'weigh_point', 'drop_off']);
});

test('a driver without a first day on duty has no state, and a machine client none at all', async () => {
  const { token } = await tenant.person({ roles: ['driver'] });
  const { status, body } = await tenant.http('GET', '/v1/users/me/driver_state', undefined, token);
  expect([status, body]).toEqual([204, undefined]);
  await tenant.must('PUT', '/v1/users/me/driver_state/on_duty', {}, token);
  expect((await tenant.must('GET', '/v1/users/me/driver_state', undefined, token)).state).toBe('on_duty');
  expect((await tenant.http('GET', '/v1/users/me/driver_state')).status).toBe(404);
});

test('a machine client learns who it is', async () => {
  const { data } = (await tenant.http('GET', '/v1/users/me')).body;
  expect(data).toEqual({
    id: expect.any(String),
    type: 'M2MClient',
    name: 'Office system',
    company: expect.objectContaining({ id: tenant.company.id, legal_name: tenant.company.legalName }),
    scopes: expect.arrayContaining(['create_order']),
  });
  const asked = await tenant.gql('{ caller { ... on M2MClient { id name } ... on User { id firstName } } }');
  expect(asked.data.caller).toEqual({ id: data.id, name: 'Office system' });
  const person = await tenant.gql('{ caller { ... on M2MClient { id name } ... on User { id firstName } } }', {}, tenant.driver.token);
  expect(person.data.caller).toEqual({ id: tenant.driver.id, firstName: 'Dora' });
});

test('what is wrong with a request is a 400 where the contract says so, with the fields', async () => {
  const order = await makeOrder(tenant);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const { status, body } = await tenant.http('PUT', `/v1/jobs/${job.id}/reject`, { reject_reason: 7 });
  expect([status, body]).toEqual([
    400,
    { error: { code: 'bad_request', errors: [{ model: 'Job', field: 'reject_reason', message: 'is not a text' }] } },
  ]);
  const strict = await app.http('PUT', '/v1/jobs/bulk_accept', {
    token: tenant.token,
    headers: { prefer: 'handling=strict' },
    body: { job_ids: [job.id], notify: true },
  });
  expect([strict.status, strict.body.error.errors[0].field]).toEqual([400, 'notify']);
  for (const path of ['/v1/users/me/driver_state', `/v1/users/${tenant.driver.id}/scheduled_time_offs`]) {
    const read = await app.http('GET', `${path}?tomorrow=1`, { token: tenant.driver.token, headers: { prefer: 'handling=strict' } });
    expect([path, read.status, read.body.error.errors[0].field]).toEqual([path, 400, 'tomorrow']);
  }
});

test('what the contract hides from those who may not change it is a 404', async () => {
  const { token } = await tenant.person({ roles: ['collaborator'] });
  const order = await makeOrder(tenant);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  for (const [method, path] of [
    ['PUT', tenant.path(`/jobs/${job.id}/signatures/driver`)],
    ['DELETE', tenant.path(`/jobs/${job.id}/signatures/dropoff`)],
    ['POST', `/v1/projects/${order.id}/site_rate_schedules`],
  ] as const) {
    const { status, body } = await tenant.http(method, path, {}, token);
    expect([path, status, body]).toEqual([path, 404, { error: { code: 'object_not_found' } }]);
  }
});

test('a company that the caller does not see is missing, whatever else is wrong with the request', async () => {
  const other = await makeTenant(app);
  for (const company of [other.company.id, newId()]) {
    for (const [method, rest, body] of [
      ['POST', '/orders', {}],
      ['GET', '/orders?page[limit]=0', undefined],
      ['GET', '/orders?page[after]=x', undefined],
      ['PUT', '/jobs/bulk_accept', { job_ids: 'all' }],
      ['POST', '/departments', { name: '' }],
    ] as const) {
      const { status, body: answer } = await tenant.http(method, `/v1/companies/${company}${rest}`, body);
      expect([rest, status, answer]).toEqual([rest, 404, { error: { code: 'object_not_found' } }]);
    }
    const asked = await tenant.gql('mutation ($id: ID!) { createDepartment(input: { name: "" }, companyId: $id) { id } }', { id: company });
    expect(asked.errors[0].extensions.code).toBe('object_not_found');
  }
  expect((await tenant.http('POST', tenant.path('/orders'), {})).status).toBe(422);
});

test('mistakes of the same body are about the same record, whether its form or its content is wrong', async () => {
  const assign = `/v1/sites/${tenant.pickup.id}/contacts/bulk_assign`;
  for (const [method, path, wrong, model] of [
    [
      'PATCH',
      assign,
      [{ contacts: 'Pat' }, { contacts: [{ name: 'Pat', phone: '12' }] }, { contacts: [{ id: newId(), name: 'Pat' }] }],
      'Site',
    ],
    ['POST', '/v1/sso_connections', [{}, { email: 7 }, { email: 'nobody' }], 'Request'],
  ] as const)
    for (const body of wrong) {
      const answer = await tenant.http(method, path, body);
      expect([body, answer.status, answer.body.error.errors.map((one: { model: string }) => one.model)]).toEqual([body, 422, [model]]);
    }
});

test('a method that an address does not have is a 405 that says which it has, also where the answer is no document', async () => {
  const file = `/v1/file_attachments/${newId()}/file`;
  for (const [method, path, allow] of [
    ['GET', '/v1/auth/token', 'POST, OPTIONS'],
    ['PUT', '/ingest/files', 'POST, OPTIONS'],
    ['DELETE', file, 'GET, HEAD, OPTIONS'],
    ['POST', tenant.path('/changes'), 'GET, HEAD, OPTIONS'],
    ['POST', '/health', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/v1/orders', 'GET, POST, HEAD, OPTIONS'],
  ] as const) {
    const { status, headers, body } = await tenant.http(method, path, {});
    expect([path, status, headers.get('allow'), body]).toEqual([path, 405, allow, { error: { code: 'method_not_allowed' } }]);
    const options = await tenant.http('OPTIONS', path);
    expect([path, options.status, options.headers.get('allow'), options.body]).toEqual([path, 204, allow, undefined]);
  }
  expect((await tenant.http('GET', file)).status).toBe(404);
  expect((await tenant.http('GET', '/health')).status).toBe(200);
  expect((await app.http('POST', '/v1/auth/token', { body: 'grant_type=none' })).status).toBe(400);
});

test('what is said behind application/json asks for JSON and nothing else', async () => {
  const typeOf = async (accept: string) =>
    (await app.http('GET', '/v1/orders', { token: tenant.token, headers: { Accept: accept } })).headers.get('content-type');
  for (const accept of [
    'application/json; version=1',
    'text/csv;q=0.9, application/json;charset=utf8',
    'application/json;odata=none;q=0.8, text/csv;q=0.5',
  ])
    expect([accept, await typeOf(accept)]).toEqual([accept, 'application/json; charset=utf-8']);
  expect(await typeOf('application/json;version=1;q=0.1, text/csv')).toBe('text/csv; charset=utf-8');
});
