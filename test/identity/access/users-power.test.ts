import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { IamRole } from '../../../src/directory/people/iam-role.entity.ts';
import { grantsOf } from '../../../src/identity/access/matrix.ts';
import { ROLES, type RoleName } from '../../../src/identity/access/permissions.ts';
import { type Answer, startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let roles: Record<string, string>;
beforeAll(async () => {
  app = await startTestApp();
  const { data } = await (await makeTenant(app)).gql('{ iamRoles(first: 8) { nodes { id key } } }');
  roles = Object.fromEntries(data.iamRoles.nodes.map(({ id, key }: { id: string; key: string }) => [key, id]));
});
afterAll(() => app.close());

let made = 0;
const input = (...names: string[]) => ({
  first_name: 'Nia',
  last_name: 'New',
  email: `power${++made}@example.com`,
  iam_role_ids: names.map((name) => roles[name] ?? name),
});
const patch = (tenant: Tenant, id: string, body: object, token: string) => tenant.http('PATCH', `/v1/users/${id}`, body, token);

/** Anybody may assign field roles, and managers assign dispatchers; for all others, the permissions of DOMAIN section 2 decide. */
const mayGive = (giver: RoleName, given: RoleName): boolean => {
  if (given === 'platform_admin') return giver === 'platform_admin';
  if (['driver', 'foreman'].includes(given) || (giver === 'manager' && given === 'dispatcher')) return true;
  return [...grantsOf([given])].every((grant) => grant.endsWith(':own') || grantsOf([giver]).has(grant));
};

test('nobody assigns a role with permissions that they lack: every assigner and every role', async () => {
  const tenant = await makeTenant(app);
  const givers: RoleName[] = ['platform_admin', 'company_admin', 'manager', 'dispatcher', 'it_admin'];
  for (const giver of givers) {
    const { token } = await tenant.person({ roles: [giver] });
    for (const given of ROLES) {
      const answer = await tenant.http('POST', '/v1/users', input(given), token);
      expect([giver, given, answer.status, fieldsOf(answer)]).toEqual([
        giver,
        given,
        ...(mayGive(giver, given) ? [201, []] : [422, ['iam_role_ids.0']]),
      ]);
    }
  }
  expect(ROLES.filter((given) => mayGive('it_admin', given)).sort()).toEqual(['driver', 'foreman', 'it_admin']);
  expect(ROLES.filter((given) => mayGive('dispatcher', given)).sort()).toEqual(['dispatcher', 'driver', 'foreman']);
  expect(ROLES.filter((given) => mayGive('manager', given)).sort()).toEqual(['dispatcher', 'driver', 'foreman', 'manager']);
});

test("permissions that a company's toggles add to a role count, too", async () => {
  const tenant = await makeTenant(app, { company: { permissionToggles: ['dispatcher_approves'] } });
  const clerk = await tenant.save(IamRole, {
    company: ref(tenant.company),
    name: 'Planner',
    grants: [...grantsOf(['dispatcher'])],
  });
  const { token } = await tenant.person({ roles: [], customRoleIds: [clerk.id] });
  const answer = await tenant.http('POST', '/v1/users', input('dispatcher'), token);
  expect([answer.status, answer.body.error.errors[0].message]).toEqual([
    422,
    'is a role that permits what you may not do yourself: approve_load, approve_job, approve_driver_day',
  ]);
});

test('a client with every permission does not see every company', async () => {
  const tenant = await makeTenant(app);
  const answer = await tenant.http('POST', '/v1/users', input('platform_admin'));
  expect([answer.status, answer.body.error.errors[0].message]).toEqual([
    422,
    'is a role that permits what you may not do yourself: platform_admin',
  ]);
});

test('a role of a company is assigned by people who have all of its permissions', async () => {
  const tenant = await makeTenant(app);
  const clerk = await tenant.save(IamRole, { company: ref(tenant.company), name: 'Clerk', grants: ['edit_order', 'approve_load:own'] });
  const pay = await tenant.save(IamRole, { company: ref(tenant.company), name: 'Payer', grants: ['pay_settlement'] });
  const { token } = await tenant.person({ roles: ['manager'] });
  expect((await tenant.http('POST', '/v1/users', input(clerk.id), token)).status).toBe(201);
  expect(fieldsOf(await tenant.http('POST', '/v1/users', input(clerk.id, pay.id), token))).toEqual(['iam_role_ids.1']);
});

test('nobody promotes themselves, but may keep the roles that they have', async () => {
  const tenant = await makeTenant(app);
  const { user, token } = await tenant.person({ roles: ['dispatcher', 'biller'] });
  const dispatcher = await tenant.person({ roles: ['dispatcher'] });
  expect(fieldsOf(await patch(tenant, dispatcher.user.id, { iam_role_ids: [roles.company_admin] }, dispatcher.token))).toEqual([
    'iam_role_ids.0',
  ]);
  expect((await patch(tenant, user.id, { iam_role_ids: [roles.biller, roles.driver] }, token)).status).toBe(200);
});

test('nobody changes the sign-in of somebody with more permissions, or deactivates them', async () => {
  const tenant = await makeTenant(app);
  const boss = await tenant.person({ roles: ['company_admin'] });
  await tenant.person({ roles: ['company_admin'] });
  const it = await tenant.person({ roles: ['it_admin'] });
  const dispatcher = await tenant.person({ roles: ['dispatcher'] });
  const bodies = [{ email: 'mine@example.com' }, { phone: '+15125550199' }, { iam_role_ids: [roles.driver] }];
  for (const body of [...bodies, { first_name: 'Not' }, { last_name: 'Themselves' }])
    for (const { token } of [it, dispatcher]) {
      const answer = await patch(tenant, boss.user.id, body, token);
      expect([answer.status, answer.body.error.errors[0].message]).toEqual([
        403,
        expect.stringContaining('is a permission that this person has and you do not'),
      ]);
    }
  expect((await tenant.http('DELETE', `/v1/users/${boss.user.id}`, undefined, it.token)).status).toBe(403);
  expect((await tenant.http('DELETE', `/v1/users/${it.user.id}`, undefined, boss.token)).status).toBe(204);
  expect((await patch(tenant, boss.user.id, { external_id: 'B-1' }, dispatcher.token)).status).toBe(200);
});

test('adding or removing a role takes effect at once', async () => {
  const tenant = await makeTenant(app);
  const { token: admin } = await tenant.person({ roles: ['company_admin'] });
  const { user, token } = await tenant.person({ roles: ['driver'] });
  const sees = async () => (await tenant.http('GET', '/v1/imported_records', undefined, token)).status;
  expect(await sees()).toBe(403);
  await patch(tenant, user.id, { iam_role_ids: [roles.driver, roles.it_admin] }, admin);
  expect(await sees()).toBe(200);
  await patch(tenant, user.id, { iam_role_ids: [roles.driver] }, admin);
  expect(await sees()).toBe(403);
});

test('a deactivated person is signed out at once, and keeps their past work', async () => {
  const tenant = await makeTenant(app);
  const { token: admin } = await tenant.person({ roles: ['company_admin'] });
  const { user, token } = await tenant.person({ roles: ['dispatcher'], phone: '+15125550188' });
  await tenant.must('POST', '/v1/users', input('driver'), token);
  expect((await tenant.http('DELETE', tenant.path(`/users/${user.id}`), undefined, admin)).status).toBe(204);
  const out = await tenant.http('GET', '/v1/users/me', undefined, token);
  expect([out.status, out.body.error.error_type]).toEqual([401, 'invalid_token']);
  expect(await tenant.must('GET', `/v1/users/${user.id}`)).toMatchObject({
    phone: '+15125550188',
    idp_member_status: 'deleted',
    discarded_at: expect.any(String),
  });
  const again = await tenant.http('DELETE', `/v1/users/${user.id}`, undefined, admin);
  expect([again.status, fieldsOf(again)]).toEqual([422, ['id']]);
  // Back again, they sign in anew.
  await tenant.must('PUT', `/v1/users/${user.id}/reactivate`, undefined, admin);
  expect((await tenant.http('GET', '/v1/users/me', undefined, token)).status).toBe(401);
});

test('the last administrator cannot be removed', async () => {
  const tenant = await makeTenant(app);
  const { user, token } = await tenant.person({ roles: ['company_admin'] });
  for (const answer of [
    await tenant.http('DELETE', `/v1/users/${user.id}`, undefined, token),
    await patch(tenant, user.id, { iam_role_ids: [roles.driver] }, token),
  ])
    expect([answer.status, answer.body.error.errors[0].message]).toEqual([422, 'would leave the company without an administrator']);
  const second = await tenant.person({ roles: ['company_admin'] });
  expect((await patch(tenant, user.id, { iam_role_ids: [roles.driver] }, token)).status).toBe(200);
  expect((await tenant.http('DELETE', `/v1/users/${second.user.id}`, undefined, second.token)).status).toBe(422);
});

test("a child's last administrator can be removed while one above remains", async () => {
  const tenant = await makeTenant(app);
  const child = await makeTenant(app, { company: { parentCompany: ref(tenant.company) } });
  const above = await tenant.person({ roles: ['company_admin'] });
  const below = await child.person({ roles: ['company_admin'] });
  // Also for a caller who sees nobody above; the error does not name the person.
  const alone = await child.person({ roles: ['company_admin'] });
  expect((await child.http('DELETE', `/v1/users/${below.user.id}`, undefined, alone.token)).status).toBe(204);
  expect((await child.http('DELETE', `/v1/users/${alone.user.id}`, undefined, alone.token)).status).toBe(204);
  const last = await child.person({ roles: ['company_admin'] });
  expect((await tenant.http('DELETE', child.path(`/users/${last.user.id}`), undefined, above.token)).status).toBe(204);
  expect((await tenant.http('DELETE', `/v1/users/${above.user.id}`, undefined, above.token)).status).toBe(422);
});

test('of administrators who deactivate each other at the same moment, one remains', async () => {
  for (let round = 0; round < 6; round++) {
    const tenant = await makeTenant(app);
    const admins = await Promise.all([1, 2, 3].map(() => tenant.person({ roles: ['company_admin'] })));
    await Promise.all(
      admins.map(({ token }, n) => {
        const { id } = admins[(n + 1) % admins.length]!.user;
        return n === 0
          ? patch(tenant, id, { iam_role_ids: [roles.driver] }, token)
          : tenant.http('DELETE', `/v1/users/${id}`, undefined, token);
      }),
    );
    const left = await tenant.must('GET', '/v1/users?filter[iam_roles][]=company_admin');
    expect(left.length).toBeGreaterThanOrEqual(1);
  }
});

test('the last platform administrator cannot be removed, and of two who deactivate each other one remains', async () => {
  const [here, there] = [await makeTenant(app), await makeTenant(app)];
  const run = (sql: string, ...values: unknown[]) => app.orm.em.getConnection().execute(sql, values);
  await run("update app_user set discarded_at = now() where 'platform_admin' = any(roles) and discarded_at is null");
  const one = await here.person({ roles: ['platform_admin'] });
  const last = [422, 'would leave the installation without a platform administrator'];
  const reported = (answer: Answer) => [answer.status, answer.body.error.errors[0].message];
  expect(reported(await here.http('DELETE', `/v1/users/${one.user.id}`, undefined, one.token))).toEqual(last);
  expect(reported(await patch(here, one.user.id, { iam_role_ids: [roles.company_admin] }, one.token))).toEqual(last);
  const other = await there.person({ roles: ['platform_admin'] });
  const answers = await Promise.all([
    here.http('DELETE', `/v1/users/${other.user.id}`, undefined, one.token),
    there.http('DELETE', `/v1/users/${one.user.id}`, undefined, other.token),
  ]);
  // The slower one hears that nobody else would be left, or is out already and nobody's token is good.
  expect([
    [204, 401],
    [204, 422],
  ]).toContainEqual(answers.map(({ status }) => status).sort());
  const left = await run("select id from app_user where 'platform_admin' = any(roles) and discarded_at is null");
  expect(left).toHaveLength(1);
});
