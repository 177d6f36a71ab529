import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { IamRole } from '../../../src/directory/people/iam-role.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { ResourceScope } from '../../../src/identity/access/resource-scope.entity.ts';
import { forgetViewers } from '../../../src/identity/access/viewer.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeYard, type Yard } from '../../helpers/yard.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;
type Person = Awaited<ReturnType<Yard['person']>>;

let app: TestApp;
let office: Yard;
let platform: Person;
beforeAll(async () => {
  app = await startTestApp();
  office = await makeYard(app);
  platform = await office.person({ firstName: 'Pat', lastName: 'Form', roles: ['platform_admin'] });
});
afterAll(() => app.close());

/** A company that platform administrators see at once. */
const freshYard = async (): Promise<Yard> => {
  const yard = await makeYard(app);
  forgetViewers(app.application);
  return yard;
};
const actAs = (yard: Yard, person: Person, token = platform.token) =>
  yard.http('POST', `/v1/users/${person.user.id}/impersonations`, undefined, token);
const tokenFor = async (yard: Yard, person: Person, token?: string): Promise<string> =>
  (await actAs(yard, person, token)).body.data.session_jwt;
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
  const yard = await freshYard();
  const dora = await yard.person({ firstName: 'Dora', lastName: 'Wheel', roles: ['driver'] });
  const answer = await actAs(yard, dora);
  expect([answer.status, answer.body]).toEqual([201, { data: { session_jwt: expect.any(String), expires_at: expect.any(String) } }]);
  const hours = (Date.parse(answer.body.data.expires_at) - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(0.95);
  expect(hours).toBeLessThan(1.01);
  const token = answer.body.data.session_jwt;
  const me = await yard.must('GET', '/v1/users/me', undefined, token);
  expect([me.id, me.impersonated_by]).toEqual([dora.user.id, { type: 'User', id: platform.user.id, name: 'Pat Form' }]);
  expect((await yard.must('GET', '/v1/users/me', undefined, dora.token)).impersonated_by).toBeNull();
  expect((await yard.http('POST', '/v1/orders', {}, token)).status).not.toBe(201);
  expect((await yard.http('GET', '/v1/imported_records', undefined, token)).status).toBe(403);
});

test('writes are logged under both names, over REST and GraphQL', async () => {
  const yard = await freshYard();
  const desk = await yard.person({ firstName: 'Dee', lastName: 'Desk', roles: ['dispatcher'] });
  const token = await tokenFor(yard, desk);
  await yard.must('PATCH', `/v1/users/${yard.driver.id}`, { external_id: 'D-1' }, token);
  await yard.gql(`mutation { updateUser(id: "${yard.driver.id}", input: { externalId: "D-2" }) { id } }`, {}, token);
  const updates = (await auditOf(desk)).filter(({ event }) => event === 'update');
  expect(updates).toEqual(
    [
      [null, 'D-1'],
      ['D-1', 'D-2'],
    ].map((change) => ({
      event: 'update',
      subject_type: 'User',
      subject_id: yard.driver.id,
      object_changes: { external_id: change },
      created_by_type: 'Impersonation',
      created_by_name: 'Dee Desk',
      real_actor_type: 'User',
      real_actor_id: platform.user.id,
      real_actor_name: 'Pat Form',
    })),
  );
});

test('every read is in the audit log: records, lists, and other queries', async () => {
  const yard = await freshYard();
  const desk = await yard.person({ roles: ['dispatcher'] });
  const order = await makeOrder(yard);
  const token = await tokenFor(yard, desk);
  await yard.must('GET', `/v1/orders/${order.id}`, undefined, token);
  await yard.must('GET', '/v1/orders?page[limit]=5', undefined, token);
  await yard.gql('{ me { id } users { nodes { id } } }', {}, token);
  await yard.must('GET', '/v1/users/me/iam_permissions', undefined, token);
  const [job] = await yard.must('GET', `/v1/orders/${order.id}/jobs`);
  await yard.gql(
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
    ['Order', yard.company.id],
  ]);
  // Fields of one document are read side by side.
  expect(read.slice(2).sort()).toEqual(
    [
      ['User', desk.user.id],
      ['User', yard.company.id],
      ['IamPermission', yard.company.id],
      ['JobTimelineEntry', job.id],
    ].sort(),
  );
  expect(new Set(audit.map((row) => row.real_actor_id))).toEqual(new Set([platform.user.id]));
});

test('without an audit row there is no answer', async () => {
  const yard = await freshYard();
  const desk = await yard.person({ roles: ['dispatcher'] });
  const order = await makeOrder(yard);
  const token = await tokenFor(yard, desk);
  const run = (sql: string) => app.orm.em.fork().getConnection().execute(sql);
  const refuse = `refuse_${desk.user.id.replaceAll('-', '')}`;
  await run(`create function ${refuse}() returns trigger language plpgsql as $$ begin raise exception 'the log is full'; end $$`);
  await run(`create trigger ${refuse} before insert on audit_entry for each row
    when (new.event = 'read' and new.created_by_id = '${desk.user.id}') execute function ${refuse}()`);
  const answer = await yard.http('GET', `/v1/orders/${order.id}`, undefined, token);
  await run(`drop trigger ${refuse} on audit_entry`);
  await run(`drop function ${refuse}()`);
  expect([answer.status, answer.body.data]).toEqual([500, undefined]);
  expect((await yard.http('GET', `/v1/orders/${order.id}`, undefined, token)).status).toBe(200);
});

test('start and end are in the audit log of the company, and the end revokes the token', async () => {
  const yard = await freshYard();
  const desk = await yard.person({ roles: ['dispatcher'] });
  const token = await tokenFor(yard, desk);
  expect((await yard.http('DELETE', '/v1/users/me/impersonation', undefined, token)).status).toBe(204);
  expect((await yard.http('GET', '/v1/users/me', undefined, token)).status).toBe(401);
  const rows = await app.orm.em
    .fork()
    .getConnection()
    .execute<Json[]>(
      "select event, company_id, created_by_type from audit_entry where subject_id = ? and event like 'impersonation%' order by created_at",
      [desk.user.id],
    );
  expect(rows).toEqual([
    { event: 'impersonation_started', company_id: yard.company.id, created_by_type: 'User' },
    { event: 'impersonation_ended', company_id: yard.company.id, created_by_type: 'Impersonation' },
  ]);
  expect((await yard.http('DELETE', '/v1/users/me/impersonation', undefined, desk.token)).status).toBe(404);
});

test('it ends after its time', async () => {
  const yard = await freshYard();
  app.configure({ impersonationSeconds: 1 });
  const token = await tokenFor(yard, await yard.person({ roles: ['dispatcher'] }));
  app.configure({ impersonationSeconds: 3600 });
  expect((await yard.http('GET', '/v1/users/me', undefined, token)).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 2100));
  expect((await yard.http('GET', '/v1/users/me', undefined, token)).status).toBe(401);
});

test('it ends when either person leaves, or the actor loses the permission', async () => {
  const yard = await freshYard();
  const helper = await yard.save(IamRole, { company: ref(yard.company), name: 'Helper', grants: ['impersonate', 'edit_order'] });
  const support = await yard.person({ roles: ['dispatcher'], customRoleIds: [helper.id] });
  const boss = await yard.person({ roles: ['company_admin'] });
  const desk = await yard.person({ roles: ['foreman'] });
  const works = async (token: string) => (await yard.http('GET', '/v1/users/me', undefined, token)).status;
  const roles = await yard.must('GET', '/v1/iam_roles');
  const first = await tokenFor(yard, desk, support.token);
  expect(await works(first)).toBe(200);
  // A platform administrator takes the helper's role away, for the boss lacks `impersonate`.
  await yard.must('PATCH', `/v1/users/${support.user.id}`, { iam_role_ids: [roles[3].id] }, platform.token);
  expect(await works(first)).toBe(401);
  const second = await tokenFor(yard, desk);
  await yard.http('DELETE', `/v1/users/${desk.user.id}`, undefined, boss.token);
  expect(await works(second)).toBe(401);
});

test('it ends when the person gains more permissions than the actor, by a role, a permission of a role, or a lifted limit', async () => {
  const yard = await freshYard();
  const role = async (grants: string[]) =>
    yard.save(IamRole, { company: ref(yard.company), name: `Role ${Math.random()}`, grants } as never);
  const desk = await role(['impersonate', 'edit_job']);
  const helper = await role(['edit_job']);
  const [actor, limited] = [
    await yard.person({ roles: [], customRoleIds: [desk.id] }),
    await yard.person({ roles: [], customRoleIds: [desk.id] }),
  ];
  const site = (person: Person) => yard.save(ResourceScope, { company: ref(yard.company), user: ref(person.user), site: ref(yard.pickup) });
  await site(limited);
  const person = async () => {
    const made = await yard.person({ roles: ['driver'], customRoleIds: [helper.id] });
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
    const token = await tokenFor(yard, acted, by.token);
    const status = async () => {
      forgetViewers(app.application);
      return (await yard.http('GET', '/v1/users/me', undefined, token)).status;
    };
    expect(await status()).toBe(200);
    await change(acted);
    expect(await status()).toBe(401);
    await em().nativeUpdate(IamRole, { id: helper.id }, { grants: ['edit_job'] } as never, off);
  }
});

test('it requires `impersonate`, and a person with no more permissions who is neither oneself nor reached through a third', async () => {
  const yard = await freshYard();
  const boss = await yard.person({ roles: ['company_admin'] });
  const desk = await yard.person({ roles: ['dispatcher'] });
  const helper = await yard.save(IamRole, { company: ref(yard.company), name: 'Helper', grants: ['impersonate'] });
  const support = await yard.person({ roles: ['dispatcher'], customRoleIds: [helper.id] });
  expect((await actAs(yard, desk, boss.token)).status).toBe(403);
  expect((await actAs(yard, boss, support.token)).status).toBe(403);
  expect((await actAs(yard, desk, support.token)).status).toBe(201);
  expect((await actAs(yard, support, support.token)).status).toBe(422);
  const asSupport = await tokenFor(yard, support);
  expect((await actAs(yard, desk, asSupport)).status).toBe(403);
  const other = await freshYard();
  const stranger = await other.person({ roles: ['driver'] });
  expect((await actAs(other, stranger, support.token)).status).toBe(404);
  await app.orm.em.fork().nativeUpdate(User, { id: desk.user.id }, { discardedAt: new Date() }, { filters: { tenant: false } });
  expect((await actAs(yard, desk, support.token)).status).toBe(422);
});

test('the same over GraphQL and inside a company', async () => {
  const yard = await freshYard();
  const desk = await yard.person({ roles: ['dispatcher'] });
  const { data } = await yard.gql(`mutation { impersonate(userId: "${desk.user.id}") { sessionJwt } }`, {}, platform.token);
  const me = await yard.gql('{ me { id impersonatedBy { id } } }', {}, data.impersonate.sessionJwt);
  expect(me.data.me).toEqual({ id: desk.user.id, impersonatedBy: { id: platform.user.id } });
  expect((await yard.http('POST', yard.path(`/users/${desk.user.id}/impersonations`), undefined, platform.token)).status).toBe(201);
  const ended = await yard.gql('mutation { endImpersonation }', {}, data.impersonate.sessionJwt);
  expect(ended.data).toEqual({ endImpersonation: true });
});
