import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Project } from '../../../src/dispatch/model/project.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

let number = 0;
const agreed = (fields: object = {}): Promise<Project> =>
  tenant.save(Project, {
    company: ref(tenant.company),
    number: ++number,
    projectId: `P-${number}`,
    name: `Road ${number}`,
    account: ref(tenant.account),
    ...fields,
  });
const ids = async (path: string, token?: string): Promise<string[]> =>
  (await tenant.must('GET', path, undefined, token)).map((one: Json) => one.id);

test('a project is deactivated and activated again, and each is refused if it is in that state already', async () => {
  const { id } = await agreed();
  expect(await tenant.must('PUT', `/v1/projects/${id}/deactivate`, {})).toMatchObject({ id, state: 'inactive' });
  expect(await ids('/v1/projects/typeahead')).not.toContain(id);
  expect(await ids('/v1/projects')).toContain(id);
  const again = await tenant.http('PUT', `/v1/projects/${id}/deactivate`, {});
  expect([again.status, again.body.error.errors]).toEqual([
    409,
    [{ model: 'Project', field: 'state', message: 'is inactive already', state: 'inactive', event: 'deactivate' }],
  ]);
  expect(await tenant.must('PUT', `/v1/projects/${id}/activate`, {})).toMatchObject({ id, state: 'active' });
  expect((await tenant.http('PUT', `/v1/projects/${id}/activate`, {})).status).toBe(409);
  const rows = await app.orm.em
    .fork()
    .getConnection()
    .execute('select event, object_changes from audit_entry where subject_id = ? order by created_at, id', [id]);
  expect(rows.map((row: Json) => row.object_changes)).toEqual([{ state: ['active', 'inactive'] }, { state: ['inactive', 'active'] }]);
});

test('a discarded project leaves lists and forms, but stays in its orders', async () => {
  const project = await agreed({ name: 'Old Mill', externalId: 'OM-1' });
  const order = await makeOrder(tenant, { project_id: project.id });
  expect((await tenant.http('DELETE', `/v1/projects/${project.id}`)).status).toBe(204);
  for (const path of ['/v1/projects', tenant.path('/projects'), '/v1/projects/typeahead'])
    expect(await ids(path)).not.toContain(project.id);
  for (const [method, rest, body] of [
    ['GET', ''],
    ['GET', '/phases'],
    ['PUT', '/activate', {}],
    ['DELETE', ''],
  ] as const)
    expect([rest, (await tenant.http(method, `/v1/projects/${project.id}${rest}`, body)).status]).toEqual([rest, 404]);
  expect((await tenant.must('GET', `/v1/orders/${order.id}`)).project).toMatchObject({ id: project.id, name: 'Old Mill' });
  // A job that runs is changed as ever; nothing new is called off.
  expect((await tenant.must('PATCH', `/v1/orders/${order.id}`, { zone: 'B', project_id: project.id })).zone).toBe('B');
  const refused = await tenant.http('PATCH', `/v1/orders/${(await makeOrder(tenant)).id}`, { project_id: project.id });
  expect([refused.status, refused.body.error.errors[0].field]).toEqual([422, 'project_id']);
});

test('a salesperson has a list of the projects they sold', async () => {
  const { user, token } = await tenant.person({ roles: ['dispatcher'] });
  const sold = await agreed({ salespersonIds: [user.id] });
  await agreed({ salespersonIds: [user.id], discardedAt: new Date() });
  expect(await ids(tenant.path('/projects/salesperson'), token)).toEqual([sold.id]);
  expect(await ids(tenant.path('/projects/salesperson'))).toEqual([]);
  const { statements } = await app.countStatements(() => ids(tenant.path('/projects/salesperson'), token));
  expect(statements.length).toBe(1);
});

test('external ids are offered for active projects that have one', async () => {
  const offered = async (query: string) =>
    (await tenant.must('GET', `/v1/projects/external_ids/typeahead?${query}`)).map((one: Json) => one.external_id);
  await agreed({ name: 'Harbour', externalId: 'HB-1' });
  await agreed({ name: 'Harbour wall', externalId: 'HB-2', state: 'inactive' });
  await agreed({ name: 'Harbour gate' });
  expect(await offered('search[query]=hb-')).toEqual(['HB-1']);
  expect(await offered('search[query]=harbour')).toEqual(['HB-1']);
  expect(await offered('search[query]=harbour&filter[states][]=inactive')).toEqual(['HB-2']);
  expect(await offered(`search[query]=harbour&filter[account_id]=${tenant.vendor.id}`)).toEqual([]);
});

test('projects of others are not found, and without the permission nothing changes', async () => {
  const { id } = await agreed();
  const stranger = await makeTenant(app);
  const reader = (await tenant.person({ roles: ['foreman'] })).token;
  for (const [method, rest, body] of [
    ['PUT', '/deactivate', {}],
    ['DELETE', ''],
  ] as const) {
    expect((await stranger.http(method, `/v1/projects/${id}${rest}`, body)).status).toBe(404);
    expect((await tenant.http(method, `/v1/projects/${id}${rest}`, body, reader)).status).toBe(403);
  }
  expect((await tenant.must('GET', `/v1/projects/${id}`)).state).toBe('active');
});
