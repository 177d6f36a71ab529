import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { IamRole } from '../../../src/directory/people/iam-role.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { OPENINGS } from '../../../src/identity/access/access.ts';
import { grantsOf } from '../../../src/identity/access/matrix.ts';
import { PERMISSIONS, ROLES } from '../../../src/identity/access/permissions.ts';
import { AuditEntry } from '../../../src/platform/commands/audit.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { runs } from '../../helpers/properties.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let admin: string;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  admin = (await tenant.person({ roles: ['company_admin'] })).token;
});
afterAll(() => app.close());

let made = 0;
const define = (permissions: string[], token = admin) =>
  tenant.http('POST', '/v1/iam_roles', { name: `Clerk ${++made}`, description: 'Keeps the yard', permissions }, token);
const permissionsOf = async (token: string) =>
  (await tenant.must('GET', '/v1/users/me/iam_permissions', undefined, token)).map(({ name }: { name: string }) => name);

test('the eight built-in roles are listed with every field of the wire shape', async () => {
  const other = await makeTenant(app);
  const list = await other.must('GET', '/v1/iam_roles');
  expect(list).toHaveLength(8);
  expect(list.map((role: { name: string }) => role.name)).toEqual([
    'Platform Admin',
    'Company Admin',
    'Manager',
    'Dispatcher',
    'Biller',
    'Foreman',
    'Driver',
    'IT Admin',
  ]);
  expect(list[3]).toEqual({
    id: 'ad47b4c7-2568-5cd7-ba85-a6f63b8208dc',
    name: 'Dispatcher',
    company_id: other.company.id,
    system: true,
    description: 'Plans projects, orders and jobs; keeps master data',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    ordinality: 3,
    visible: true,
  });
  expect(list[0].visible).toBe(false);
});

test('a built-in role lists its permissions, and the rows contain every role of the matrix', async () => {
  const { iamRoles } = (await tenant.gql('{ iamRoles(first: 8) { nodes { key permissions } } }')).data;
  expect(iamRoles.nodes.map(({ key }: { key: string }) => key).sort()).toEqual([...ROLES].sort());
  for (const { key, permissions } of iamRoles.nodes) expect(permissions).toEqual([...grantsOf([key])]);
});

test('a company creates, changes and deletes a role, with rows in its audit log', async () => {
  const role = (await define(['create_order', 'edit_load:own'])).body.data;
  expect(role).toMatchObject({ system: false, company_id: tenant.company.id, permissions: ['create_order', 'edit_load:own'] });
  const changed = await tenant.must(
    'PATCH',
    tenant.path(`/iam_roles/${role.id}`),
    { permissions: ['view_report'], description: null },
    admin,
  );
  expect(changed).toEqual({ ...role, permissions: ['view_report'], description: null, updated_at: changed.updated_at });
  expect(await tenant.must('GET', `/v1/iam_roles/${role.id}`)).toEqual(changed);
  expect((await tenant.http('DELETE', tenant.path(`/iam_roles/${role.id}`), undefined, admin)).status).toBe(204);
  expect((await tenant.http('GET', `/v1/iam_roles/${role.id}`)).status).toBe(404);
  const audit = await app.orm.em.fork().find(AuditEntry, { subjectId: role.id }, { orderBy: { createdAt: 1 }, filters: { tenant: false } });
  expect(audit.map(({ event, createdByType }) => [event, createdByType])).toEqual([
    ['create', 'User'],
    ['update', 'User'],
    ['destroy', 'User'],
  ]);
  expect(audit[1]?.objectChanges).toMatchObject({ grants: [['create_order', 'edit_load:own'], ['view_report']] });
});

test('a person with several roles has the permissions of all of them, at once', async () => {
  const role = (await define(['manage_webhooks'])).body.data;
  const { user, token } = await tenant.person({ roles: ['driver'], customRoleIds: [role.id] });
  expect(await permissionsOf(token)).toEqual(expect.arrayContaining(['manage_webhooks', 'create_ticket', 'view_driver_rates']));
  const me = await tenant.must('GET', '/v1/users/me', undefined, token);
  expect(me.iam_roles).toEqual([
    { id: '8f868405-03ba-5d72-b418-caae734b38d4', name: 'Driver' },
    { id: role.id, name: role.name },
  ]);
  expect(user.id).toBe(me.id);
  await tenant.must('PATCH', `/v1/iam_roles/${role.id}`, { permissions: ['view_imports'] }, admin);
  const after = await permissionsOf(token);
  expect([after.includes('manage_webhooks'), after.includes('view_imports')]).toEqual([false, true]);
});

test('a role of another company grants nothing, even if a record names it', async () => {
  const other = await makeTenant(app);
  const role = await other.save(IamRole, { company: ref(other.company), name: 'Foreign', grants: ['edit_company'] });
  const { token } = await tenant.person({ roles: [], customRoleIds: [role.id] });
  expect(await permissionsOf(token)).toEqual([]);
  expect((await tenant.must('GET', '/v1/users/me', undefined, token)).iam_roles).toEqual([]);
  expect((await tenant.http('PATCH', `/v1/iam_roles/${role.id}`, { name: 'Mine' }, admin)).status).toBe(404);
});

test('a role cannot be deleted while somebody has it; a person who left loses it', async () => {
  const role = (await define(['view_report'])).body.data;
  const { user } = await tenant.person({ roles: [], customRoleIds: [role.id] });
  const refused = await tenant.http('DELETE', `/v1/iam_roles/${role.id}`, undefined, admin);
  expect([refused.status, refused.body.error.errors]).toEqual([
    422,
    [{ model: 'IamRole', field: 'id', message: 'is still given to people: 1' }],
  ]);
  await app.orm.em.fork().nativeUpdate(User, { id: user.id }, { discardedAt: new Date() }, { filters: { tenant: false } });
  expect((await tenant.http('DELETE', `/v1/iam_roles/${role.id}`, undefined, admin)).status).toBe(204);
  const [left] = await app.orm.em.fork().find(User, { id: user.id }, { filters: { tenant: false } });
  expect(left?.customRoleIds).toEqual([]);
});

test('a role that is deleted while it is assigned is either kept or not assigned', async () => {
  for (let round = 0; round < 6; round++) {
    const role = (await define(['view_report'])).body.data;
    const person = { first_name: 'Ro', last_name: 'Le', email: `role-${round}-${role.id}@example.com`, iam_role_ids: [role.id] };
    const [given, deleted] = await Promise.all([
      tenant.http('POST', '/v1/users', person, admin),
      tenant.http('DELETE', `/v1/iam_roles/${role.id}`, undefined, admin),
    ]);
    expect([[201, 422].join(), [422, 204].join()]).toContain([given.status, deleted.status].join());
  }
});

test('built-in roles cannot be changed', async () => {
  const id = 'ad47b4c7-2568-5cd7-ba85-a6f63b8208dc';
  for (const answer of [
    await tenant.http('PATCH', `/v1/iam_roles/${id}`, { permissions: [] }, admin),
    await tenant.http('DELETE', `/v1/iam_roles/${id}`, undefined, admin),
  ])
    expect([answer.status, answer.body.error.errors[0].message]).toEqual([422, 'is built in and cannot be changed']);
});

test('wrong names and permissions are reported all at once, and change nothing', async () => {
  const wrong = await tenant.http('POST', '/v1/iam_roles', { name: ' dispatcher', permissions: ['view_report', 'fly', 'fly:own'] }, admin);
  expect([wrong.status, fieldsOf(wrong)]).toEqual([422, ['name', 'permissions.1', 'permissions.2']]);
  const { name } = (await define([])).body.data;
  const twin = await tenant.http('POST', '/v1/iam_roles', { name: name.toUpperCase(), permissions: [] }, admin);
  expect([twin.status, twin.body.error.errors]).toEqual([422, [{ model: 'IamRole', field: 'name', message: 'has already been taken' }]]);
});

test('nobody creates a role with permissions that they lack', async () => {
  const it = await tenant.person({ roles: ['it_admin'] });
  const held = grantsOf(['it_admin']);
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.constantFrom(...PERMISSIONS), { maxLength: 4 }), async (permissions) => {
      const answer = await define(permissions, it.token);
      const lacks = permissions.flatMap((name, at) => (held.has(name) ? [] : [`permissions.${at}`]));
      expect([answer.status, fieldsOf(answer)]).toEqual(lacks.length > 0 ? [422, lacks] : [201, []]);
    }),
    { numRuns: runs(25) },
  );
  // Nor changes one that may.
  const role = (await define(['edit_order'])).body.data;
  const change = await tenant.http('PATCH', `/v1/iam_roles/${role.id}`, { permissions: [] }, it.token);
  expect([change.status, change.body.error.errors[0].message]).toEqual([422, 'includes what you may not do yourself: edit_order']);
  const dispatcher = await tenant.person({ roles: ['dispatcher'] });
  expect((await define([], dispatcher.token)).status).toBe(403);
});

test('a parent creates roles inside a child, which sees its own only', async () => {
  const child = await makeTenant(app, { company: { parentCompany: ref(tenant.company) } });
  const parent = (await tenant.person({ roles: ['company_admin'] })).token;
  const path = `/v1/companies/${child.company.id}/iam_roles`;
  const role = await tenant.must('POST', path, { name: 'Child clerk', permissions: [] }, parent);
  expect(role.company_id).toBe(child.company.id);
  const names = (await child.must('GET', '/v1/iam_roles')).map((one: { name: string }) => one.name);
  expect([names.length, names.at(-1)]).toEqual([9, 'Child clerk']);
  // Built-in roles, too, are returned as roles of the company in the path.
  const inChild = await tenant.must('GET', path, undefined, parent);
  expect(inChild.map((one: { company_id: string }) => one.company_id)).toEqual(Array(9).fill(child.company.id));
  const one = await tenant.must('GET', `${path}/${inChild[0].id}`, undefined, parent);
  expect(one.company_id).toBe(child.company.id);
  expect((await child.http('GET', tenant.path('/iam_roles'))).status).toBe(404);
});

test('access follows from roles and permissions', async () => {
  const names = async (token: string) =>
    (await tenant.must('GET', '/v1/users/me/access', undefined, token)).map(({ name }: { name: string }) => name);
  expect(await names(tenant.driver.token)).toEqual(
    Object.keys(OPENINGS).filter((name) =>
      [
        'execute_jobs',
        'mobile_tab_schedule',
        'mobile_tab_driver',
        'mobile_tab_submit',
        'mobile_tab_assigned',
        'mobile_tab_assigned_driver',
        'mobile_tab_review',
        'mobile_tab_review_driver',
        'mobile_tab_history',
        'mobile_tab_shift',
        'manage_project_attachments',
        'manage_order_attachments',
        'manage_job_attachments',
        'manage_load_attachments',
        'manage_driver_day_attachments',
        'manage_settlement_attachments',
        'assigned_tab',
        'assigned_tab_driver',
      ].includes(name),
    ),
  );
  const office = await names((await tenant.person({ roles: ['dispatcher'] })).token);
  expect(office).toEqual(expect.arrayContaining(['manage_users', 'manage_sites', 'dispatch_tab', 'reports_tab']));
  expect(office).not.toEqual(expect.arrayContaining(['manage_rates']));
});

test('a page of roles takes one statement', async () => {
  const { statements } = await app.countStatements(() => tenant.must('GET', '/v1/iam_roles'));
  expect(statements).toHaveLength(1);
});
