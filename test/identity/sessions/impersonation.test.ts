import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { IamRole } from '../../../src/directory/people/iam-role.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { ResourceScope } from '../../../src/identity/access/resource-scope.entity.ts';
import { forgetViewers } from '../../../src/identity/access/viewer.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { lastWorked } from '../../helpers/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;
type Person = Awaited<ReturnType<Tenant['person']>>;

let app: TestApp;
let office: Tenant;
let platform: Person;
beforeAll(async () => {
  app = await startTestApp();
  office = await makeTenant(app);
  platform = await office.person({ firstName: 'Pat', lastName: 'Form', roles: ['platform_admin'] });
});
afterAll(() => app.close());

/** A company that platform administrators see at once. */
const freshTenant = async (): Promise<Tenant> => {
  const tenant = await makeTenant(app);
  forgetViewers(app.application);
  return tenant;
};
const actAs = (tenant: Tenant, person: Person, token = platform.token) =>
  tenant.http('POST', `/v1/users/${person.user.id}/impersonations`, undefined, token);
const tokenFor = async (tenant: Tenant, person: Person, token?: string): Promise<string> =>
  (await actAs(tenant, person, token)).body.data.session_jwt;
/** The audit of what was done as a person since they were impersonated. */
const auditOf = async (person: Person): Promise<Json[]> =>
  app.orm.em
    .fork()
    .getConnection()
    .execute(
      `select event, subject_type, subject_id, object_changes, created_by_type, created_by_name, real_actor_type, real_actor_id, real_actor_name
       from audit_entry where created_by_id = ? and created_by_type = 'Impersonation' order by created_at, id`,
      [person.user.id],
    );

test("a platform administrator impersonates a person, who is informed, with that person's permissions", async () => {
  const tenant = await freshTenant();
  const dora = await tenant.person({ firstName: 'Dora', lastName: 'Wheel', roles: ['driver'] });
  const answer = await actAs(tenant, dora);
  expect([answer.status, answer.body]).toEqual([201, { data: { session_jwt: expect.any(String), expires_at: expect.any(String) } }]);
  const hours = (Date.parse(answer.body.data.expires_at) - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(0.95);
  expect(hours).toBeLessThan(1.01);
  const token = answer.body.data.session_jwt;
  const me = await tenant.must('GET', '/v1/users/me', undefined, token);
  expect([me.id, me.impersonated_by]).toEqual([dora.user.id, { type: 'User', id: platform.user.id, name: 'Pat Form' }]);
  expect((await tenant.must('GET', '/v1/users/me', undefined, dora.token)).impersonated_by).toBeNull();
  expect((await tenant.http('POST', '/v1/orders', {}, token)).status).not.toBe(201);
  expect((await tenant.http('GET', '/v1/imported_records', undefined, token)).status).toBe(403);
});

test('writes are logged under both names, over REST and GraphQL', async () => {
  const tenant = await freshTenant();
  const desk = await tenant.person({ firstName: 'Dee', lastName: 'Desk', roles: ['dispatcher'] });
  const token = await tokenFor(tenant, desk);
  await tenant.must('PATCH', `/v1/users/${tenant.driver.id}`, { external_id: 'D-1' }, token);
  await tenant.gql(`mutation { updateUser(id: "${tenant.driver.id}", input: { externalId: "D-2" }) { id } }`, {}, token);
  const updates = (await auditOf(desk)).filter(({ event }) => event === 'update');
  expect(updates).toEqual(
    [
      [null, 'D-1'],
      ['D-1', 'D-2'],
    ].map((change) => ({
      event: 'update',
      subject_type: 'User',
      subject_id: tenant.driver.id,
      object_changes: { external_id: change },
      created_by_type: 'Impersonation',
      created_by_name: 'Dee Desk',
      real_actor_type: 'User',
      real_actor_id: platform.user.id,
      real_actor_name: 'Pat Form',
    })),
  );
});

test('the log of a person has what they did, and what was done as them', async () => {
  const tenant = await freshTenant();
  const [admin, desk] = [await tenant.person({ roles: ['company_admin'] }), await tenant.person({ roles: ['dispatcher'] })];
  const change = (external_id: string, token: string) => tenant.must('PATCH', `/v1/users/${tenant.driver.id}`, { external_id }, token);
  const found = async (who: Person) => {
    const asked = `/v1/audit_entries?filter[actor_id]=${who.user.id}&filter[events]=update&filter[subject_type]=User`;
    const entries: Json[] = await tenant.must('GET', asked, undefined, admin.token);
    return entries.map(({ object_changes: { external_id }, created_by }) => [external_id[1], created_by.type]);
  };
  await change('D-1', desk.token);
  expect(await found(desk)).toEqual([['D-1', 'User']]);
  await change('D-2', await tokenFor(tenant, desk));
  await change('D-3', admin.token);
  expect(await found(desk)).toEqual([
    ['D-2', 'Impersonation'],
    ['D-1', 'User'],
  ]);
  expect(await found(admin)).toEqual([['D-3', 'User']]);
});

test('every read is in the audit log: records, lists, and other queries', async () => {
  const tenant = await freshTenant();
  const desk = await tenant.person({ roles: ['dispatcher'] });
  const order = await makeOrder(tenant);
  const token = await tokenFor(tenant, desk);
  await tenant.must('GET', `/v1/orders/${order.id}`, undefined, token);
  await tenant.must('GET', '/v1/orders?page[limit]=5', undefined, token);
  await tenant.gql('{ me { id } users { nodes { id } } }', {}, token);
  await tenant.must('GET', '/v1/users/me/iam_permissions', undefined, token);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await tenant.gql(
    'query ($id: ID!) { ...Told } fragment Told on Query { reported: jobTimeline(jobId: $id) { __typename } }',
    { id: job.id },
    token,
  );
  const audit = await auditOf(desk);
  expect(audit.filter(({ event }) => event === 'request').map(({ object_changes: c }) => `${c.method[1]} ${c.path[1]}`)).toEqual([
    `GET /v1/orders/${order.id}`,
    'GET /v1/orders?page[limit]=5',
    'POST /graphql',
    'GET /v1/users/me/iam_permissions',
    'POST /graphql',
  ]);
  expect(audit.filter(({ event }) => event === 'query').map(({ object_changes: c }) => c.fields[1])).toEqual([
    { me: { field: 'me' }, users: { field: 'users' } },
    { reported: { field: 'jobTimeline', jobId: job.id } },
  ]);
  const read = audit.filter(({ event }) => event === 'read').map((row) => [row.subject_type, row.subject_id]);
  expect(read.slice(0, 2)).toEqual([
    ['Order', order.id],
    ['Order', tenant.company.id],
  ]);
  // Fields of one document are read side by side.
  expect(read.slice(2).sort()).toEqual(
    [
      ['User', desk.user.id],
      ['User', tenant.company.id],
      ['IamPermission', tenant.company.id],
      ['JobTimelineEntry', job.id],
    ].sort(),
  );
  expect(new Set(audit.map((row) => row.real_actor_id))).toEqual(new Set([platform.user.id]));
});

test('a query under a name that all objects have is in the audit log', async () => {
  const tenant = await freshTenant();
  const desk = await tenant.person({ roles: ['dispatcher'] });
  const { data } = await tenant.gql('{ __proto__: users { nodes { id } } }', {}, await tokenFor(tenant, desk));
  expect(Object.keys(data)).toEqual(['__proto__']);
  const queries = (await auditOf(desk)).filter(({ event }) => event === 'query');
  expect(queries.map(({ object_changes: c }) => Object.entries(c.fields[1]))).toEqual([[['__proto__', { field: 'users' }]]]);
});

test('without an audit row there is no answer', async () => {
  const tenant = await freshTenant();
  const desk = await tenant.person({ roles: ['dispatcher'] });
  const order = await makeOrder(tenant);
  const token = await tokenFor(tenant, desk);
  const run = (sql: string) => app.orm.em.fork().getConnection().execute(sql);
  const refuse = `refuse_${desk.user.id.replaceAll('-', '')}`;
  await run(`create function ${refuse}() returns trigger language plpgsql as $$ begin raise exception 'the log is full'; end $$`);
  await run(`create trigger ${refuse} before insert on audit_entry for each row
    when (new.event = 'read' and new.created_by_id = '${desk.user.id}') execute function ${refuse}()`);
  const answer = await tenant.http('GET', `/v1/orders/${order.id}`, undefined, token);
  await run(`drop trigger ${refuse} on audit_entry`);
  await run(`drop function ${refuse}()`);
  expect([answer.status, answer.body.data]).toEqual([500, undefined]);
  expect((await tenant.http('GET', `/v1/orders/${order.id}`, undefined, token)).status).toBe(200);
});

test('start and end are in the audit log of the company, and the end revokes the token', async () => {
  const tenant = await freshTenant();
  const desk = await tenant.person({ roles: ['dispatcher'] });
  const token = await tokenFor(tenant, desk);
  expect((await tenant.http('DELETE', '/v1/users/me/impersonation', undefined, token)).status).toBe(204);
  expect((await tenant.http('GET', '/v1/users/me', undefined, token)).status).toBe(401);
  const rows = await app.orm.em
    .fork()
    .getConnection()
    .execute<Json[]>(
      "select event, company_id, created_by_type from audit_entry where subject_id = ? and event like 'impersonation%' order by created_at",
      [desk.user.id],
    );
  expect(rows).toEqual([
    { event: 'impersonation_started', company_id: tenant.company.id, created_by_type: 'User' },
    { event: 'impersonation_ended', company_id: tenant.company.id, created_by_type: 'Impersonation' },
  ]);
  expect((await tenant.http('DELETE', '/v1/users/me/impersonation', undefined, desk.token)).status).toBe(404);
});

test('it ends after its time', async () => {
  const tenant = await freshTenant();
  const dispatcher = await tenant.person({ roles: ['dispatcher'] });
  const works = (token: string) => async () => (await tenant.http('GET', '/v1/users/me', undefined, token)).status === 200;
  app.configure({ impersonationSeconds: 2 });
  const token = await tokenFor(tenant, dispatcher);
  app.configure({ impersonationSeconds: 3600 });
  const longer = await tokenFor(tenant, dispatcher);
  expect(await lastWorked(works(token))).toBeLessThan(2_000);
  expect([await works(token)(), await works(longer)()]).toEqual([false, true]);
});

test('it ends when either person leaves, or the actor loses the permission', async () => {
  const tenant = await freshTenant();
  const helper = await tenant.save(IamRole, { company: ref(tenant.company), name: 'Helper', grants: ['impersonate', 'edit_order'] });
  const support = await tenant.person({ roles: ['dispatcher'], customRoleIds: [helper.id] });
  const boss = await tenant.person({ roles: ['company_admin'] });
  const desk = await tenant.person({ roles: ['foreman'] });
  const works = async (token: string) => (await tenant.http('GET', '/v1/users/me', undefined, token)).status;
  const roles = await tenant.must('GET', '/v1/iam_roles');
  const first = await tokenFor(tenant, desk, support.token);
  expect(await works(first)).toBe(200);
  // A platform administrator takes the helper's role away, for the boss lacks `impersonate`.
  await tenant.must('PATCH', `/v1/users/${support.user.id}`, { iam_role_ids: [roles[3].id] }, platform.token);
  expect(await works(first)).toBe(401);
  const second = await tokenFor(tenant, desk);
  await tenant.must('DELETE', `/v1/users/${desk.user.id}`, undefined, boss.token);
  expect(await works(second)).toBe(401);
});

test('it ends when the person gains more permissions than the actor, by a role, a permission of a role, or a lifted limit', async () => {
  const tenant = await freshTenant();
  const role = async (grants: string[]) =>
    tenant.save(IamRole, { company: ref(tenant.company), name: `Role ${Math.random()}`, grants } as never);
  const desk = await role(['impersonate', 'edit_job']);
  const helper = await role(['edit_job']);
  const [actor, limited] = [
    await tenant.person({ roles: [], customRoleIds: [desk.id] }),
    await tenant.person({ roles: [], customRoleIds: [desk.id] }),
  ];
  const site = (person: Person) =>
    tenant.save(ResourceScope, { company: ref(tenant.company), user: ref(person.user), site: ref(tenant.pickup) });
  await site(limited);
  const person = async () => {
    const made = await tenant.person({ roles: ['driver'], customRoleIds: [helper.id] });
    return { ...made, scope: await site(made) };
  };
  const em = () => app.orm.em.fork();
  const off = { filters: { tenant: false } } as const;
  type Acted = Awaited<ReturnType<typeof person>>;
  const more: [Person, (of: Acted) => Promise<unknown>][] = [
    [actor, ({ user }) => em().nativeUpdate(User, { id: user.id }, { roles: ['driver', 'dispatcher'] }, off)],
    [actor, () => em().nativeUpdate(IamRole, { id: helper.id }, { grants: ['edit_job', 'edit_order'] } as never, off)],
    [limited, ({ scope }) => em().nativeDelete(ResourceScope, { id: scope.id }, off)],
  ];
  for (const [by, change] of more) {
    const acted = await person();
    const token = await tokenFor(tenant, acted, by.token);
    const status = async () => {
      forgetViewers(app.application);
      return (await tenant.http('GET', '/v1/users/me', undefined, token)).status;
    };
    expect(await status()).toBe(200);
    await change(acted);
    expect(await status()).toBe(401);
    await em().nativeUpdate(IamRole, { id: helper.id }, { grants: ['edit_job'] } as never, off);
  }
});

test('it requires `impersonate`, and a person with no more permissions who is neither oneself nor reached through a third', async () => {
  const tenant = await freshTenant();
  const boss = await tenant.person({ roles: ['company_admin'] });
  const desk = await tenant.person({ roles: ['dispatcher'] });
  const helper = await tenant.save(IamRole, { company: ref(tenant.company), name: 'Helper', grants: ['impersonate'] });
  const support = await tenant.person({ roles: ['dispatcher'], customRoleIds: [helper.id] });
  expect((await actAs(tenant, desk, boss.token)).status).toBe(403);
  expect((await actAs(tenant, boss, support.token)).status).toBe(403);
  expect((await actAs(tenant, desk, support.token)).status).toBe(201);
  expect((await actAs(tenant, support, support.token)).status).toBe(422);
  const asSupport = await tokenFor(tenant, support);
  expect((await actAs(tenant, desk, asSupport)).status).toBe(403);
  const other = await freshTenant();
  const stranger = await other.person({ roles: ['driver'] });
  expect((await actAs(other, stranger, support.token)).status).toBe(404);
  await app.orm.em.fork().nativeUpdate(User, { id: desk.user.id }, { discardedAt: new Date() }, { filters: { tenant: false } });
  expect((await actAs(tenant, desk, support.token)).status).toBe(422);
});

test('the same over GraphQL and inside a company', async () => {
  const tenant = await freshTenant();
  const desk = await tenant.person({ roles: ['dispatcher'] });
  const { data } = await tenant.gql(`mutation { impersonate(userId: "${desk.user.id}") { sessionJwt } }`, {}, platform.token);
  const me = await tenant.gql('{ me { id impersonatedBy { id } } }', {}, data.impersonate.sessionJwt);
  expect(me.data.me).toEqual({ id: desk.user.id, impersonatedBy: { id: platform.user.id } });
  expect((await tenant.http('POST', tenant.path(`/users/${desk.user.id}/impersonations`), undefined, platform.token)).status).toBe(201);
  const ended = await tenant.gql('mutation { endImpersonation }', {}, data.impersonate.sessionJwt);
  expect(ended.data).toEqual({ endImpersonation: true });
});
