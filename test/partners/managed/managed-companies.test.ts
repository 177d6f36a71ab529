import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, inviteInput, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** A company that `tenant` invited, and its truck's share. */
async function invited(tenant: Tenant): Promise<{ id: string; truck: string; share: string }> {
  const account = await tenant.must(
    'POST',
    '/v1/accounts/invite',
    inviteInput({ equipment: { name: 'Old Blue', equipment_type_name: 'Tandem' } }),
  );
  const [truck] = await tenant.must('GET', tenant.path(`/equipment?filter[sender_company_ids][]=${account.connected_company.id}`));
  return { id: account.connected_company.id, truck: truck.id, share: truck.company_share.id };
}
const at = (tenant: Tenant, rest = '') => tenant.path(`/managed_companies${rest}`);
const ids = (list: { id: string }[]) => list.map((one) => one.id).sort();

test('a connected company that is no customer of the platform can be managed, and is then fully readable', async () => {
  const tenant = await makeTenant(app);
  const { id } = await invited(tenant);
  expect((await tenant.http('GET', at(tenant, `/${id}`))).status).toBe(404);
  expect((await tenant.must('PUT', at(tenant, `/${id}`), {})).id).toBe(id);
  expect(ids(await tenant.must('GET', at(tenant)))).toEqual([id]);
  expect(await tenant.must('GET', at(tenant, `/${id}`))).toMatchObject({
    platform_customer: false,
    billing_contact: { name: 'Ina Vited' },
  });
  const [account] = await tenant.must('GET', tenant.path('/accounts/connected'));
  expect(account.managed).toBe(true);
  expect((await tenant.http('DELETE', at(tenant, `/${id}`))).status).toBe(204);
  expect(await tenant.must('GET', at(tenant))).toEqual([]);
  expect((await tenant.http('DELETE', at(tenant, `/${id}`))).status).toBe(404);
});

test('a customer of the platform, a stranger and a caller without the permission are refused', async () => {
  const [tenant, other, stranger] = [await makeTenant(app), await makeTenant(app), await makeTenant(app)];
  await tenant.must('POST', tenant.path('/accounts/connected'), { platform_id: other.company.platformId, account_types: ['vendor'] });
  const refused = await tenant.http('PUT', at(tenant, `/${other.company.id}`), {});
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['platform_customer']]);
  expect((await tenant.http('PUT', at(tenant, `/${stranger.company.id}`), {})).status).toBe(404);
  const { id } = await invited(tenant);
  const { token } = await tenant.person({ roles: ['dispatcher'] });
  expect((await tenant.http('PUT', at(tenant, `/${id}`), {}, token)).status).toBe(403);
  expect((await other.http('GET', at(tenant))).status).toBe(404);
  // Once it is a customer of the platform itself, nobody speaks for it any more.
  await tenant.must('PUT', at(tenant, `/${id}`), {});
  await app.orm.em.getConnection().execute('update company set platform_customer = true where id = ?', [id]);
  expect((await tenant.http('GET', at(tenant, `/${id}/company_shares`))).status).toBe(404);
});

test('the manager creates, changes and ends shares for the managed company, and does nothing else in its name', async () => {
  const tenant = await makeTenant(app);
  const { id, truck, share } = await invited(tenant);
  const path = at(tenant, `/${id}/company_shares`);
  expect((await tenant.http('GET', path)).status).toBe(404);
  await tenant.must('PUT', at(tenant, `/${id}`), {});
  expect(ids(await tenant.must('GET', path))).toEqual([share]);
  expect((await tenant.must('GET', `${path}/${share}`)).dispatchable).toBe(false);
  // The manager as the receiver may not, as the sender's voice it may.
  expect((await tenant.http('PATCH', tenant.path(`/company_shares/${share}`), { dispatchable: true })).status).toBe(422);
  expect((await tenant.must('PATCH', `${path}/${share}`, { dispatchable: true })).dispatchable).toBe(true);
  expect((await tenant.http('DELETE', `${path}/${share}`)).status).toBe(204);
  expect((await tenant.http('GET', tenant.path(`/equipment/${truck}`))).status).toBe(404);
  const body = { receiver_company_id: tenant.company.id, company_shareable_id: truck, company_shareable_type: 'Equipment' };
  expect((await tenant.must('POST', path, body)).sender_company.id).toBe(id);
  expect((await tenant.http('GET', tenant.path(`/equipment/${truck}`))).status).toBe(200);
  const rows = await app.orm.em
    .getConnection()
    .execute<{ created_by_name: string }[]>(
      "select created_by_name from audit_entry where company_id = ? and subject_type = 'CompanyShare' and event = 'destroy'",
      [id],
    );
  expect(rows).toEqual([{ created_by_name: 'Office system' }]);
  expect(ids(await tenant.must('GET', at(tenant, `/${id}/connected_companies`)))).toEqual([tenant.company.id]);
  expect(await tenant.must('GET', at(tenant, `/${id}/connected_companies/typeahead?search[query]=nobody`))).toEqual([]);
  expect((await tenant.http('GET', `/v1/companies/${id}/orders`)).status).toBe(404);
  // Within one document neither field sees with the other one's eyes.
  const { data } = await tenant.gql(
    'query($c: ID!, $m: ID!) { a: managedCompanyShares(companyId: $c, managedCompanyId: $m) { nodes { id } } b: companies(first: 50) { nodes { id } } }',
    { c: tenant.company.id, m: id },
  );
  expect([data.a.nodes.length, ids(data.b.nodes)]).toEqual([1, [tenant.company.id]]);
  const { token } = await tenant.person({ roles: ['biller'] });
  expect((await tenant.http('POST', path, body, token)).status).toBe(403);
  const stranger = await makeTenant(app);
  expect((await stranger.http('GET', path)).status).toBe(404);
  expect((await stranger.http('GET', at(stranger, `/${id}/company_shares`))).status).toBe(404);
});

test('connecting needs no consent, and so is not enough for managing: nobody takes over people by finding six digits', async () => {
  const [tenant, other] = [await makeTenant(app), await makeTenant(app, { company: { platformCustomer: false } })];
  await tenant.must('POST', tenant.path('/accounts/connected'), { platform_id: other.company.platformId, account_types: ['vendor'] });
  const refused = await tenant.http('PUT', at(tenant, `/${other.company.id}`), {});
  expect([refused.status, refused.body.error.errors]).toEqual([
    422,
    [{ model: 'Company', field: 'id', message: 'can be managed only by the company that invited it' }],
  ]);
  expect((await tenant.http('GET', at(tenant, `/${other.company.id}/users`))).status).toBe(404);
  const taken = await tenant.http('PATCH', at(tenant, `/${other.company.id}/users/${other.driver.id}`), { email: 'mine@example.com' });
  expect(taken.status).toBe(404);
});

test('managing begins before anybody of the company has signed in, and can be started and ended until then', async () => {
  const tenant = await makeTenant(app);
  const [early, late] = [await invited(tenant), await invited(tenant)];
  for (let round = 0; round < 2; round++) {
    await tenant.must('PUT', at(tenant, `/${early.id}`), {});
    expect((await tenant.http('PUT', at(tenant, `/${early.id}`), {})).status).toBe(200);
    expect((await tenant.http('DELETE', at(tenant, `/${early.id}`))).status).toBe(204);
  }
  // How somebody signs in, and what it ends, is in test/identity/first-sign-in.
  await app.orm.em.execute('update company set first_sign_in_at = now() where id = any(?::uuid[])', [`{${early.id},${late.id}}`]);
  for (const { id } of [early, late]) {
    const refused = await tenant.http('PUT', at(tenant, `/${id}`), {});
    expect([refused.status, fieldsOf(refused)]).toEqual([422, ['id']]);
  }
});

test('a company of the own family is managed like others of it', async () => {
  const tenant = await makeTenant(app);
  const child = await makeTenant(app, { company: { parentCompany: ref(tenant.company), platformCustomer: false } });
  await tenant.must('POST', tenant.path('/accounts/connected'), { platform_id: child.company.platformId, account_types: ['vendor'] });
  expect((await tenant.http('PUT', at(tenant, `/${child.company.id}`), {})).status).toBe(200);
});
