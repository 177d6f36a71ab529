import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, inviteInput, makeYard, type Yard } from '../../helpers/yard.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** A company that `yard` invited, and its truck's share. */
async function invited(yard: Yard): Promise<{ id: string; truck: string; share: string }> {
  const account = await yard.must(
    'POST',
    '/v1/accounts/invite',
    inviteInput({ equipment: { name: 'Old Blue', equipment_type_name: 'Tandem' } }),
  );
  const [truck] = await yard.must('GET', yard.path(`/equipment?filter[sender_company_ids][]=${account.connected_company.id}`));
  return { id: account.connected_company.id, truck: truck.id, share: truck.company_share.id };
}
const at = (yard: Yard, rest = '') => yard.path(`/managed_companies${rest}`);
const ids = (list: { id: string }[]) => list.map((one) => one.id).sort();

test('a connected company that is no customer of the platform can be managed, and is then fully readable', async () => {
  const yard = await makeYard(app);
  const { id } = await invited(yard);
  expect((await yard.http('GET', at(yard, `/${id}`))).status).toBe(404);
  expect((await yard.must('PUT', at(yard, `/${id}`), {})).id).toBe(id);
  expect(ids(await yard.must('GET', at(yard)))).toEqual([id]);
  expect(await yard.must('GET', at(yard, `/${id}`))).toMatchObject({ platform_customer: false, billing_contact: { name: 'Ina Vited' } });
  const [account] = await yard.must('GET', yard.path('/accounts/connected'));
  expect(account.managed).toBe(true);
  expect((await yard.http('DELETE', at(yard, `/${id}`))).status).toBe(204);
  expect(await yard.must('GET', at(yard))).toEqual([]);
  expect((await yard.http('DELETE', at(yard, `/${id}`))).status).toBe(404);
});

test('a customer of the platform, a stranger and a caller without the permission are refused', async () => {
  const [yard, other, stranger] = [await makeYard(app), await makeYard(app), await makeYard(app)];
  await yard.must('POST', yard.path('/accounts/connected'), { platform_id: other.company.platformId, account_types: ['vendor'] });
  const refused = await yard.http('PUT', at(yard, `/${other.company.id}`), {});
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['platform_customer']]);
  expect((await yard.http('PUT', at(yard, `/${stranger.company.id}`), {})).status).toBe(404);
  const { id } = await invited(yard);
  const { token } = await yard.person({ roles: ['dispatcher'] });
  expect((await yard.http('PUT', at(yard, `/${id}`), {}, token)).status).toBe(403);
  expect((await other.http('GET', at(yard))).status).toBe(404);
  // Once it is a customer of the platform itself, nobody speaks for it any more.
  await yard.must('PUT', at(yard, `/${id}`), {});
  await app.orm.em.getConnection().execute('update company set platform_customer = true where id = ?', [id]);
  expect((await yard.http('GET', at(yard, `/${id}/company_shares`))).status).toBe(404);
});

test('the manager creates, changes and ends shares for the managed company, and does nothing else in its name', async () => {
  const yard = await makeYard(app);
  const { id, truck, share } = await invited(yard);
  const path = at(yard, `/${id}/company_shares`);
  expect((await yard.http('GET', path)).status).toBe(404);
  await yard.must('PUT', at(yard, `/${id}`), {});
  expect(ids(await yard.must('GET', path))).toEqual([share]);
  expect((await yard.must('GET', `${path}/${share}`)).dispatchable).toBe(false);
  // The manager as the receiver may not, as the sender's voice it may.
  expect((await yard.http('PATCH', yard.path(`/company_shares/${share}`), { dispatchable: true })).status).toBe(422);
  expect((await yard.must('PATCH', `${path}/${share}`, { dispatchable: true })).dispatchable).toBe(true);
  expect((await yard.http('DELETE', `${path}/${share}`)).status).toBe(204);
  expect((await yard.http('GET', yard.path(`/equipment/${truck}`))).status).toBe(404);
  const body = { receiver_company_id: yard.company.id, company_shareable_id: truck, company_shareable_type: 'Equipment' };
  expect((await yard.must('POST', path, body)).sender_company.id).toBe(id);
  expect((await yard.http('GET', yard.path(`/equipment/${truck}`))).status).toBe(200);
  const rows = await app.orm.em
    .getConnection()
    .execute<{ created_by_name: string }[]>(
      "select created_by_name from audit_entry where company_id = ? and subject_type = 'CompanyShare' and event = 'destroy'",
      [id],
    );
  expect(rows).toEqual([{ created_by_name: 'Office system' }]);
  expect(ids(await yard.must('GET', at(yard, `/${id}/connected_companies`)))).toEqual([yard.company.id]);
  expect(await yard.must('GET', at(yard, `/${id}/connected_companies/typeahead?search[query]=nobody`))).toEqual([]);
  expect((await yard.http('GET', `/v1/companies/${id}/orders`)).status).toBe(404);
  // Within one document neither field sees with the other one's eyes.
  const { data } = await yard.gql(
    'query($c: ID!, $m: ID!) { a: managedCompanyShares(companyId: $c, managedCompanyId: $m) { nodes { id } } b: companies(first: 50) { nodes { id } } }',
    { c: yard.company.id, m: id },
  );
  expect([data.a.nodes.length, ids(data.b.nodes)]).toEqual([1, [yard.company.id]]);
  const { token } = await yard.person({ roles: ['biller'] });
  expect((await yard.http('POST', path, body, token)).status).toBe(403);
  const stranger = await makeYard(app);
  expect((await stranger.http('GET', path)).status).toBe(404);
  expect((await stranger.http('GET', at(stranger, `/${id}/company_shares`))).status).toBe(404);
});

test('connecting needs no consent, and so is not enough for managing: nobody takes over people by finding six digits', async () => {
  const [yard, other] = [await makeYard(app), await makeYard(app, { company: { platformCustomer: false } })];
  await yard.must('POST', yard.path('/accounts/connected'), { platform_id: other.company.platformId, account_types: ['vendor'] });
  const refused = await yard.http('PUT', at(yard, `/${other.company.id}`), {});
  expect([refused.status, refused.body.error.errors]).toEqual([
    422,
    [{ model: 'Company', field: 'id', message: 'can be managed only by the company that invited it' }],
  ]);
  expect((await yard.http('GET', at(yard, `/${other.company.id}/users`))).status).toBe(404);
  const taken = await yard.http('PATCH', at(yard, `/${other.company.id}/users/${other.driver.id}`), { email: 'mine@example.com' });
  expect(taken.status).toBe(404);
});

test('managing begins before anybody of the company has signed in, and can be started and ended until then', async () => {
  const yard = await makeYard(app);
  const [early, late] = [await invited(yard), await invited(yard)];
  for (let round = 0; round < 2; round++) {
    await yard.must('PUT', at(yard, `/${early.id}`), {});
    expect((await yard.http('PUT', at(yard, `/${early.id}`), {})).status).toBe(200);
    expect((await yard.http('DELETE', at(yard, `/${early.id}`))).status).toBe(204);
  }
  // How somebody signs in, and what it ends, is in test/identity/first-sign-in.
  await app.orm.em.execute('update company set first_sign_in_at = now() where id = any(?::uuid[])', [`{${early.id},${late.id}}`]);
  for (const { id } of [early, late]) {
    const refused = await yard.http('PUT', at(yard, `/${id}`), {});
    expect([refused.status, fieldsOf(refused)]).toEqual([422, ['id']]);
  }
});

test('a company of the own family is managed like others of it', async () => {
  const yard = await makeYard(app);
  const child = await makeYard(app, { company: { parentCompany: ref(yard.company), platformCustomer: false } });
  await yard.must('POST', yard.path('/accounts/connected'), { platform_id: child.company.platformId, account_types: ['vendor'] });
  expect((await yard.http('PUT', at(yard, `/${child.company.id}`), {})).status).toBe(200);
});
