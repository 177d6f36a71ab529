import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { fieldOf, TOGGLES, type ToggleName } from '../../../src/identity/access/toggles.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const NAMES = Object.keys(TOGGLES) as ToggleName[];
const ALL_OFF = Object.fromEntries(NAMES.map((name) => [name, false]));
const path = (tenant: Tenant) => tenant.path('/permission_toggles');
const may = async (tenant: Tenant, token: string) =>
  (await tenant.must('GET', '/v1/users/me/iam_permissions', undefined, token)).map(({ name }: { name: string }) => name);

test('every toggle is off at first, grants its role the permissions at once, and removes them again', async () => {
  const tenant = await makeTenant(app);
  expect(await tenant.must('GET', path(tenant))).toEqual(ALL_OFF);
  for (const name of NAMES) {
    const { role, grants } = TOGGLES[name];
    const { token } = await tenant.person({ roles: [role] });
    const names = grants.map((grant) => grant.replace(/:own$/, ''));
    const before = await may(tenant, token);
    expect([name, before.filter((one: string) => names.includes(one as never))]).not.toEqual([name, names]);
    expect(await tenant.must('PATCH', path(tenant), { [name]: true })).toEqual({ ...ALL_OFF, [name]: true });
    expect(await may(tenant, token)).toEqual(expect.arrayContaining(names));
    expect(await tenant.must('PATCH', path(tenant), { [name]: null })).toEqual(ALL_OFF);
    expect(await may(tenant, token)).toEqual(before);
  }
});

test('GraphQL reads and sets the same', async () => {
  const tenant = await makeTenant(app);
  const fields = NAMES.map(fieldOf).join(' ');
  const set = `mutation($companyId: ID!, $input: UpdatePermissionTogglesInput!) {
    updatePermissionToggles(companyId: $companyId, input: $input) { ${fields} } }`;
  const { data } = await tenant.gql(set, { companyId: tenant.company.id, input: { driverCreatesLoads: true } });
  expect(data.updatePermissionToggles).toMatchObject({ driverCreatesLoads: true, dispatcherApproves: false });
  const read = await tenant.gql(`{ permissionToggles { ${fields} } }`);
  expect(read.data.permissionToggles).toEqual(data.updatePermissionToggles);
});

test('nobody grants what they lack: an IT admin gets the names of the permissions', async () => {
  const tenant = await makeTenant(app);
  const admin = await tenant.person({ roles: ['it_admin'] });
  const answer = await tenant.http('PATCH', path(tenant), { dispatcher_approves: true, driver_creates_loads: true }, admin.token);
  expect([answer.status, answer.body.error.errors]).toEqual([
    422,
    [
      {
        model: 'PermissionToggles',
        field: 'dispatcher_approves',
        message: 'includes what you may not do yourself: approve_load, approve_job, approve_driver_day',
      },
      { model: 'PermissionToggles', field: 'driver_creates_loads', message: 'includes what you may not do yourself: create_loads:own' },
    ],
  ]);
  expect(await tenant.must('GET', path(tenant))).toEqual(ALL_OFF);
});

test("the toggles of a person's own company count, in its children, too", async () => {
  const parent = await makeTenant(app);
  const child = await makeTenant(app, { company: { parentCompany: ref(Company, parent.company.id) } });
  const dispatcher = await parent.person({ roles: ['dispatcher'] });
  const order = await makeOrder(child, { customer_rate_value: 12 });
  const rate = async () => (await parent.must('GET', `/v1/orders/${order.id}`, undefined, dispatcher.token)).customer_rate_value;
  await child.must('PATCH', path(child), { dispatcher_sees_customer_rates: true });
  expect(await rate()).toBeNull();
  await parent.must('PATCH', path(parent), { dispatcher_sees_customer_rates: true });
  expect(await rate()).toBe('12');
});

test('drivers see whether they may correct times', async () => {
  const tenant = await makeTenant(app);
  const order = await makeOrder(tenant);
  const editable = async () => (await tenant.must('GET', `/v1/orders/${order.id}/jobs`))[0].times_editable;
  expect(await editable()).toBe(false);
  await tenant.must('PATCH', path(tenant), { driver_edits_times: true });
  expect(await editable()).toBe(true);
});
