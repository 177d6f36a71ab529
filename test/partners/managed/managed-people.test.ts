import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, inviteInput, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let id: string;
let driverRole: string;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  const account = await tenant.must('POST', '/v1/accounts/invite', inviteInput());
  id = account.connected_company.id;
  await tenant.must('PUT', tenant.path(`/managed_companies/${id}`), {});
  const roles: { id: string; name: string }[] = await tenant.must('GET', '/v1/iam_roles');
  driverRole = roles.find(({ name }) => name === 'Driver')!.id;
});
afterAll(() => app.close());

const at = (rest: string) => tenant.path(`/managed_companies/${id}${rest}`);
const ids = (list: { id: string }[]) => list.map((one) => one.id).sort();
let people = 0;
const driver = (more: object = {}) => {
  const number = ++people;
  const names = { first_name: 'Otto', last_name: `Outside ${number}`, email: `otto${number}.${process.pid}@example.com` };
  return { company_id: id, ...names, iam_role_ids: [driverRole], ...more };
};

test('people of a managed company are added, found, changed, invited and deactivated in its name', async () => {
  const otto = await tenant.must('POST', at('/users'), driver());
  expect(otto.company.id).toBe(id);
  expect((await tenant.must('GET', at(`/users/${otto.id}`))).email).toBe(otto.email);
  expect(ids(await tenant.must('GET', at(`/users?search[datagrid]=${otto.last_name}`)))).toEqual([otto.id]);
  const [typed] = await tenant.must('GET', at(`/users/typeahead?search[query]=${otto.last_name}`));
  expect(typed).toEqual({ id: otto.id, first_name: 'Otto', last_name: otto.last_name });
  expect((await tenant.must('PATCH', at(`/users/${otto.id}`), { first_name: 'Otis' })).first_name).toBe('Otis');
  expect((await tenant.http('PUT', at(`/users/${otto.id}/invite/email`), {})).status).toBe(202);
  const [sent] = await app.orm.em.getConnection().execute('select channel from invitation where user_id = ?', [otto.id]);
  expect(sent).toEqual({ channel: 'email' });
  expect(fieldsOf(await tenant.http('PUT', at(`/users/${otto.id}/invite/sms`), {}))).toEqual(['phone']);
  expect((await tenant.http('DELETE', at(`/users/${otto.id}`))).status).toBe(204);
  expect(ids(await tenant.must('GET', at('/users')))).not.toContain(otto.id);
  const rows: { event: string; company_id: string }[] = await app.orm.em
    .getConnection()
    .execute("select event, company_id from audit_entry where subject_id = ? and created_by_name = 'Office system' order by created_at", [
      otto.id,
    ]);
  expect(rows.map(({ event }) => event)).toEqual(['create', 'update', 'update']);
  expect(new Set(rows.map((row) => row.company_id))).toEqual(new Set([id]));
});

test('its drivers are its people who drive', async () => {
  const otto = await tenant.must('POST', at('/users'), driver());
  const clerk = await tenant.must('POST', at('/users'), driver({ iam_role_ids: [await clerkRole()] }));
  const listed = ids(await tenant.must('GET', at('/drivers')));
  expect([listed.includes(otto.id), listed.includes(clerk.id), listed.includes(tenant.driver.id)]).toEqual([true, false, false]);
  expect((await tenant.must('GET', at(`/drivers/${otto.id}`))).default_additional_equipment).toEqual([]);
  expect((await tenant.http('GET', at(`/drivers/${clerk.id}`))).status).toBe(404);
  expect(ids(await tenant.must('GET', at(`/drivers/typeahead?search[query]=${otto.last_name}`)))).toEqual([otto.id]);
});

test('its people are marked as managed while it is, for all readers', async () => {
  const child = await makeTenant(app, { company: { parentCompany: ref(tenant.company), platformCustomer: false } });
  const other = child.company.id;
  const path = (rest: string) => tenant.path(`/managed_companies/${other}${rest}`);
  const account = await tenant.must('POST', tenant.path('/accounts/connected'), {
    platform_id: child.company.platformId,
    account_types: ['vendor'],
  });
  const { user: foreman } = await child.person({ roles: ['foreman'] });
  for (const id of [child.driver.id, foreman.id])
    await child.must('POST', child.path('/company_shares'), {
      receiver_company_id: tenant.company.id,
      company_shareable_type: 'User',
      company_shareable_id: id,
    });
  const reported = async () => ({
    drivers: (await tenant.must('GET', tenant.path('/drivers?filter[shared]=true'))).map((one: { managed: boolean }) => one.managed),
    foreman: (await tenant.must('GET', tenant.path(`/foremen/${foreman.id}`))).managed,
    there: (await child.must('GET', child.path(`/drivers/${child.driver.id}`))).managed,
    account: (await tenant.must('GET', `/v1/accounts/${account.id}`)).managed,
  });
  const [not, managed] = [false, true].map((is) => ({ drivers: [is], foreman: is, there: is, account: is }));
  expect(await reported()).toEqual(not);
  await tenant.must('PUT', tenant.path(`/managed_companies/${other}`), {});
  expect(await reported()).toEqual(managed);
  const added = await tenant.must('POST', path('/users'), driver({ company_id: other }));
  expect((await tenant.must('GET', path(`/drivers/${added.id}`))).managed).toBe(true);
  expect((await tenant.must('GET', tenant.path(`/drivers/${tenant.driver.id}`))).managed).toBe(false);
  // A company that has become a customer speaks for itself.
  await child.must('PATCH', `/v1/companies/${other}`, { platform_customer: true });
  expect(await reported()).toEqual({ ...not, account: true });
  await child.must('PATCH', `/v1/companies/${other}`, { platform_customer: false });
  expect(await reported()).toEqual(managed);
  expect((await tenant.http('DELETE', tenant.path(`/managed_companies/${other}`))).status).toBe(204);
  expect(await reported()).toEqual(not);
  await tenant.must('PUT', tenant.path(`/managed_companies/${other}`), {});
  expect((await tenant.http('DELETE', `/v1/accounts/${account.id}`)).status).toBe(204);
  expect((await child.must('GET', child.path(`/drivers/${child.driver.id}`))).managed).toBe(false);
});

test('a person who is added and managing that begins concurrently see each other', async () => {
  const child = await makeTenant(app, { company: { parentCompany: ref(tenant.company), platformCustomer: false } });
  await tenant.must('POST', tenant.path('/accounts/connected'), { platform_id: child.company.platformId, account_types: ['vendor'] });
  for (const managed of [true, false, true, false]) {
    const body = driver({ company_id: child.company.id });
    const [user] = await Promise.all([
      child.must('POST', child.path('/users'), body),
      tenant.http(managed ? 'PUT' : 'DELETE', tenant.path(`/managed_companies/${child.company.id}`), managed ? {} : undefined),
    ]);
    expect((await child.must('GET', child.path(`/drivers/${user.id}`))).managed).toBe(managed);
  }
});

test('its people are limited to sites of its own', async () => {
  const otto = await tenant.must('POST', at('/users'), driver());
  const [site] = await app.orm.em
    .getConnection()
    .execute(
      "insert into site (id, company_id, name, created_at, updated_at) values (gen_random_uuid(), ?, 'Pit', now(), now()) returning id",
      [id],
    );
  const scope = await tenant.must('POST', at(`/users/${otto.id}/resource_scopes`), { resource_id: site!.id, resource_type: 'Site' });
  expect(scope.resource).toEqual({ id: site!.id, name: 'Pit', type: 'Site' });
  expect(ids(await tenant.must('GET', at(`/users/${otto.id}/resource_scopes`)))).toEqual([scope.id]);
  const ours = { resource_id: tenant.pickup.id, resource_type: 'Site' };
  expect(fieldsOf(await tenant.http('POST', at(`/users/${otto.id}/resource_scopes`), ours))).toEqual(['resource_id']);
  expect((await tenant.http('GET', at(`/users/${tenant.driver.id}/resource_scopes`))).status).toBe(404);
  expect((await tenant.http('DELETE', at(`/resource_scopes/${scope.id}`))).status).toBe(204);
  expect(await tenant.must('GET', at(`/users/${otto.id}/resource_scopes`))).toEqual([]);
});

test('own people are not reached through a managed company, nor its people by others or without the permission', async () => {
  const otto = await tenant.must('POST', at('/users'), driver());
  expect((await tenant.http('GET', at(`/users/${tenant.driver.id}`))).status).toBe(404);
  expect((await tenant.http('PATCH', at(`/users/${tenant.driver.id}`), { first_name: 'Dana' })).status).toBe(404);
  expect((await tenant.http('GET', `/v1/users/${otto.id}`)).status).toBe(404);
  const elsewhere = await tenant.http('POST', at('/users'), driver({ company_id: tenant.company.id }));
  expect([elsewhere.status, fieldsOf(elsewhere)]).toEqual([422, ['company_id']]);
  const { token } = await tenant.person({ roles: ['biller'] });
  expect((await tenant.http('POST', at('/users'), driver(), token)).status).toBe(403);
  expect((await tenant.http('DELETE', at(`/users/${otto.id}`), undefined, token)).status).toBe(403);
  const stranger = await makeTenant(app);
  expect((await stranger.http('GET', at(`/users/${otto.id}`))).status).toBe(404);
  expect((await stranger.http('GET', stranger.path(`/managed_companies/${id}/users`))).status).toBe(404);
});

async function clerkRole(): Promise<string> {
  const roles: { id: string; name: string }[] = await tenant.must('GET', '/v1/iam_roles');
  return roles.find(({ name }) => name === 'Biller')!.id;
}
