import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../../helpers/tenant.ts';
import { makeIds } from '../../../helpers/walk.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const call = (method: string, path: string, headers: Record<string, string> = {}, body?: object) =>
  app.http(method, path, { token: tenant.token, headers, body });

/** A path with the entity tag of what it answers. */
async function read(path: string): Promise<string> {
  const answer = await call('GET', path);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
  expect(answer.headers.get('etag')).toMatch(/^"[\w-]{22}"$/);
  return answer.headers.get('etag')!;
}

test('a record that has not changed since the client read it is answered with 304 and no body', async () => {
  const path = `/v1/orders/${(await makeOrder(tenant)).id}`;
  const tag = await read(path);
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const answer = await call('GET', path, { 'If-None-Match': known });
    expect([known, answer.status, answer.body, answer.headers.get('etag')]).toEqual([known, 304, undefined, tag]);
  }
  expect((await call('GET', path, { 'If-None-Match': '"other"' })).status).toBe(200);
  expect((await call('HEAD', path, { 'If-None-Match': tag })).status).toBe(304);
  await call('PATCH', path, {}, { notes: 'Ring at the gate' });
  const changed = await call('GET', path, { 'If-None-Match': tag });
  expect([changed.status, changed.body.data.notes]).toEqual([200, 'Ring at the gate']);
});

test('a change inside the record changes its tag, too', async () => {
  const order = await makeOrder(tenant, { truck_count: 1 });
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const tag = await read(`/v1/jobs/${job.id}`);
  await tenant.must('PATCH', `/v1/sites/${tenant.pickup.id}`, { name: 'Quarry, north gate' });
  expect(await read(`/v1/jobs/${job.id}`)).not.toBe(tag);
});

test('lists, and answers to commands, have no tag and are not cached', async () => {
  const list = await call('GET', '/v1/orders');
  const made = await call('POST', '/v1/materials', {}, { name: 'Sand' });
  for (const answer of [list, made]) expect([answer.headers.get('etag'), answer.headers.get('cache-control')]).toEqual([null, 'no-store']);
});

test('If-Match permits one change after the record was read', async () => {
  const path = `/v1/orders/${(await makeOrder(tenant)).id}`;
  const tag = await read(path);
  const first = await call('PATCH', path, { 'If-Match': tag }, { notes: 'first' });
  const second = await call('PATCH', path, { 'If-Match': tag }, { notes: 'second' });
  expect([first.status, second.status, second.body]).toEqual([200, 412, { error: { code: 'precondition_failed' } }]);
  expect((await call('GET', path)).body.data.notes).toBe('first');
  expect((await call('PATCH', path, { 'If-Match': '*' }, { notes: 'third' })).status).toBe(200);
});

test('of two concurrent changes after reading, one is refused', async () => {
  const path = `/v1/orders/${(await makeOrder(tenant)).id}`;
  const tag = await read(path);
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((notes) => call('PATCH', path, { 'If-Match': tag }, { notes })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
});

test('a repeated request whose first answer was lost is answered, although its own change has changed the record', async () => {
  const path = `/v1/orders/${(await makeOrder(tenant)).id}`;
  const headers = { 'If-Match': await read(path), 'Idempotency-Key': 'lost' };
  const first = await call('PATCH', path, headers, { notes: 'once' });
  // As a crash between the commit and the answer leaves it.
  await app.orm.em.execute(
    `update idempotency_key set state = 'running', status = null, headers = null, body = null, lease_until = now() - interval '1 second'
     where company_id = ? and key = 'lost'`,
    [tenant.company.id],
  );
  const again = await call('PATCH', path, headers, { notes: 'once' });
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.body).toEqual(first.body);
  const replayed = await call('PATCH', path, headers, { notes: 'once' });
  expect([replayed.status, replayed.headers.get('idempotency-replayed'), replayed.body]).toEqual([200, 'true', first.body]);
  expect((await call('PATCH', path, { 'If-Match': headers['If-Match'] }, { notes: 'late' })).status).toBe(412);
});

test.each([
  ['material', '/v1/materials', 'name'],
  ['department', '/v1/departments', 'name'],
  ['site', '/v1/sites', 'name'],
  ['account', '/v1/accounts', 'notes'],
  ['equipment', '/v1/equipment', 'name'],
  ['project', '/v1/projects', 'name'],
  ['driver', '/v1/users', 'first_name'],
] as const)('of concurrent changes after reading a record without a version (%s), one is carried out', async (what, list, field) => {
  const path = `${list}/${(await makeIds(tenant, undefined, new Set([what])))[what]}`;
  for (let round = 0; round < 3; round++) {
    const tag = await read(path);
    const change = (at: number) => call('PATCH', path, { 'If-Match': tag }, { [field]: `${what} ${round} ${at}` });
    const answers = await Promise.all([0, 1, 2, 3, 4, 5].map(change));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
  }
});

test('If-Match of an event refers to the record above it', async () => {
  const path = `/v1/orders/${(await makeOrder(tenant)).id}`;
  const tag = await read(path);
  await call('PATCH', path, {}, { notes: 'changed' });
  expect((await call('PUT', `${path}/accept`, { 'If-Match': tag }, {})).status).toBe(412);
  expect((await call('PUT', `${path}/accept`, { 'If-Match': await read(path) }, {})).body.data.state).toBe('accepted');
});

test('If-Match of what is several steps below a record, and in the path of a company, refers to that record', async () => {
  const { id } = await tenant.must('POST', '/v1/sites', { name: 'Yard', lat: '30.2', lon: '-97.7' });
  const paths = [`/v1/sites/${id}/contacts/bulk_assign`, tenant.path(`/sites/${id}/contacts/bulk_assign`)];
  for (const path of paths) {
    const tag = await read(`/v1/sites/${id}`);
    const assign = (name: string) => call('PATCH', path, { 'If-Match': tag }, { contacts: [{ name }] });
    expect((await assign('Gate')).status).toBe(202);
    // Its contacts are in the answer of a site.
    const { status, body } = await assign('Scale');
    expect([status, body]).toEqual([412, { error: { code: 'precondition_failed' } }]);
  }
  expect((await call('GET', `/v1/sites/${id}`)).body.data.contacts.map(({ name }: { name: string }) => name)).toEqual(['Gate', 'Gate']);
  const order = await makeOrder(tenant);
  const [load] = await tenant.must('GET', `/v1/orders/${order.id}/loads`);
  const complete = (match: string) => call('PUT', tenant.path(`/loads/${load.id}/complete`), { 'If-Match': match }, {});
  expect((await complete('"x"')).status).toBe(412);
  expect((await complete(await read(`/v1/loads/${load.id}`))).status).not.toBe(412);
});

test('If-Match of what nobody can read with an ETag is refused for that reason, and is no parameter in the description', async () => {
  const project = await tenant.must('POST', '/v1/projects', { name: 'Loop 1', account_id: tenant.account.id });
  const rate = { customer_rate_value: 3, customer_rate_type: 'RatePerTon' };
  const schedule = await tenant.must('POST', `/v1/projects/${project.id}/site_rate_schedules`, rate);
  const path = `/v1/site_rate_schedules/${schedule.id}`;
  // Neither the company nor a list is the record.
  const tags = ['"x"', await read(`/v1/companies/${tenant.company.id}`), await read(`/v1/projects/${project.id}`)];
  for (const tag of tags) {
    const { status, body } = await call('PATCH', path, { 'If-Match': tag }, { customer_rate_value: 4 });
    const message = 'has nothing to be compared with, because what is changed here has no answer with an ETag: leave it out';
    expect([status, body.error.errors]).toEqual([412, [{ model: 'Request', field: 'If-Match', message }]]);
  }
  const bulk = await call('PUT', tenant.path('/jobs/bulk_cancel'), { 'If-Match': tags[1]! }, { job_ids: [schedule.id] });
  expect([bulk.status, bulk.body.error.errors[0].field]).toEqual([412, 'If-Match']);
  const [kept] = await tenant.must('GET', `/v1/projects/${project.id}/site_rate_schedules`);
  expect(kept.customer_rate_value).toBe('3');
  expect((await call('PATCH', path, { 'If-Match': '*' }, { customer_rate_value: 4 })).status).toBe(200);
  const { paths } = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));
  const matches = ({ parameters }: { parameters: { $ref?: string }[] }) =>
    parameters.some(({ $ref }) => $ref === '#/components/parameters/IfMatch');
  expect([
    matches(paths['/v1/site_rate_schedules/{id}'].patch),
    matches(paths['/v1/companies/{company-id}/jobs/bulk_cancel'].put),
    matches(paths['/v1/companies/{company-id}/loads/{load-id}/complete'].put),
    matches(paths['/v1/orders/{order-id}/accept'].put),
  ]).toEqual([false, false, true, true]);
});

test('If-Match of what is added to a list of a company is compared with that list and not with the company, and a list has no ETag', async () => {
  const company = `/v1/companies/${tenant.company.id}`;
  const lists = [
    ['/labels', { name: 'Urgent' }],
    ['/fuel_price_indices', { name: 'Diesel, Gulf Coast' }],
    ['/materials', { name: 'Ballast' }],
  ] as const;
  const { paths } = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));
  for (const [list, body] of lists) {
    const add = (match: string) => call('POST', `${company}${list}`, { 'If-Match': match }, body);
    for (const tag of [await read(company), '"x"']) {
      const { status, body } = await add(tag);
      expect([list, status, body.error.errors?.[0].field]).toEqual([list, 412, 'If-Match']);
    }
    // The list is there, whatever is in it.
    expect([list, (await add('*')).status]).toEqual([list, 201]);
    expect(JSON.stringify(paths[`/v1/companies/{company-id}${list}`].post.parameters)).not.toContain('IfMatch');
  }
  // What is a company's own is changed with its own tag.
  expect(JSON.stringify(paths['/v1/companies/{company-id}/permission_toggles'].patch.parameters)).toContain('IfMatch');
});

test('If-Match works under the path of a company', async () => {
  const path = tenant.path(`/orders/${(await makeOrder(tenant)).id}`);
  const tag = await read(path);
  expect((await call('PATCH', path, { 'If-Match': tag }, { notes: 'first' })).status).toBe(200);
  expect((await call('PUT', `${path}/accept`, { 'If-Match': tag }, {})).status).toBe(412);
});

test('If-Match works for records without a version', async () => {
  const path = `/v1/materials/${(await tenant.must('POST', '/v1/materials', { name: 'Loam' })).id}`;
  const tag = await read(path);
  expect((await call('PATCH', path, { 'If-Match': tag }, { name: 'Coarse gravel' })).status).toBe(200);
  expect((await call('PATCH', path, { 'If-Match': tag }, { name: 'Fine gravel' })).status).toBe(412);
  expect((await call('DELETE', path, { 'If-Match': tag })).status).toBe(412);
  expect((await call('DELETE', path, { 'If-Match': await read(path) })).status).toBe(204);
});

test('If-Match without a readable record is refused, and an unknown record is 404', async () => {
  expect((await call('POST', '/v1/materials', { 'If-Match': '"x"' }, { name: 'Slag' })).status).toBe(412);
  // A driver who has never been on duty has no state that somebody could have read.
  const { token } = await tenant.person({ roles: ['driver'] });
  const duty = { token, headers: { 'If-Match': '"x"' }, body: {} };
  expect((await app.http('PUT', '/v1/users/me/driver_state/on_duty', duty)).status).toBe(412);
  const path = `/v1/orders/${(await makeOrder(tenant)).id.replace(/....$/, '0000')}`;
  expect((await call('PATCH', path, { 'If-Match': '"x"' }, { notes: 'x' })).status).toBe(404);
  const stranger = await makeTenant(app);
  const theirs = `/v1/orders/${(await makeOrder(stranger)).id}`;
  expect((await call('PATCH', theirs, { 'If-Match': '"x"' }, { notes: 'x' })).status).toBe(404);
});

test('repeating a request with an Idempotency-Key gets the first answer, although its If-Match is outdated by then', async () => {
  const path = `/v1/orders/${(await makeOrder(tenant)).id}`;
  const headers = { 'If-Match': await read(path), 'Idempotency-Key': 'once' };
  const first = await call('PATCH', path, headers, { notes: 'once' });
  const again = await call('PATCH', path, headers, { notes: 'once' });
  expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 200, 'true']);
  expect(again.body).toEqual(first.body);
});
