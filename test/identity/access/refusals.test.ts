import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { newId } from '../../../src/platform/ids.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const refused = (permission: string, message: string) => ({
  error: { code: 'forbidden', errors: [{ model: 'Permission', field: permission, message }] },
});
const MISSING = 'is a permission you do not have';
const ONLY_OWN = 'is a permission you have for your own records only';

test('REST names the missing permission, in the language of the caller', async () => {
  const order = await makeOrder(tenant);
  const path = `/v1/orders/${order.id}/accept`;
  const { token } = await tenant.person({ roles: ['it_admin'] });
  const answer = await tenant.http('PUT', path, {}, token);
  expect([answer.status, answer.body]).toEqual([403, refused('edit_order', MISSING)]);
  const spanish = await app.http('PUT', path, { token, body: {}, headers: { 'Accept-Language': 'es-us' } });
  expect(spanish.body).toEqual(refused('edit_order', 'es un permiso que usted no tiene'));
});

test('GraphQL names it in the extensions', async () => {
  const order = await makeOrder(tenant);
  const { token } = await tenant.person({ roles: ['it_admin'] });
  const { errors } = await tenant.gql('mutation($id: ID!) { acceptOrder(id: $id) { id } }', { id: order.id }, token);
  expect(errors).toEqual([
    expect.objectContaining({
      message: `edit_order ${MISSING}`,
      path: ['acceptOrder'],
      extensions: expect.objectContaining({
        code: 'forbidden',
        errors: [{ model: 'Permission', field: 'edit_order', message: MISSING }],
      }),
    }),
  ]);
});

test('a missing permission precedes errors of the request, and the answer is the same for ids of others and unknown ids', async () => {
  const stranger = await makeTenant(app);
  const { token } = await tenant.person({ roles: ['biller'] });
  const ids = [(await makeOrder(tenant)).id, (await makeOrder(stranger)).id, newId(), 'no-id'];
  const answers = await Promise.all(ids.map((id) => tenant.http('PATCH', `/v1/sites/${id}`, { name: 5 }, token)));
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    ...ids.slice(1).map(() => [403, refused('edit_site', MISSING)]),
    [404, { error: { code: 'object_not_found' } }],
  ]);
  const malformed = await app.http('POST', '/v1/departments', { token, headers: { 'Content-Type': 'text/plain' } });
  const wrongQuery = await tenant.http('GET', `/v1/companies/${tenant.company.id}/labels?page[limit]=0`, undefined, token);
  expect([malformed.body, wrongQuery.body]).toEqual([refused('create_department', MISSING), refused('manage_labels', MISSING)]);
  const at = (company: string) => tenant.http('POST', `/v1/companies/${company}/departments`, {}, token);
  expect([(await at(tenant.company.id)).status, (await at(stranger.company.id)).status, (await at(newId())).status]).toEqual([
    403, 404, 404,
  ]);
});

test('GraphQL, too, reveals nothing about the input to a caller without the permission', async () => {
  const text = 'mutation($name: String!) { createDepartment(input: { name: $name }) { id } }';
  const { token } = await tenant.person({ roles: ['biller'] });
  const codes = async (as: string) => (await tenant.gql(text, { name: 'x'.repeat(1_000) }, as)).errors?.[0]?.extensions?.code;
  expect([await codes(tenant.token), await codes(token), await codes('')]).toEqual(['unprocessable_content', 'forbidden', 'unauthorized']);
});

test('people change their own records, and get the errors of their input', async () => {
  const { user, token } = await tenant.person({ roles: ['biller'] });
  const other = await tenant.person({ roles: ['biller'] });
  const patch = async (of: string) => (await tenant.http('PATCH', `/v1/users/${of}`, { time_zone: 'Nowhere' }, token)).status;
  expect([await patch(user.id), await patch(other.user.id)]).toEqual([422, 403]);
});

test('a caller with the permission for own records only learns that', async () => {
  const foreman = await tenant.person({ roles: ['foreman'] });
  const theirs = await makeOrder(tenant);
  const patch = (id: string) => tenant.http('PATCH', `/v1/orders/${id}`, { zone: 'Z' }, foreman.token);
  expect((await patch(theirs.id)).body).toEqual(refused('edit_order_pre_accept', ONLY_OWN));
  const own = await tenant.must('POST', '/v1/orders', orderInput(tenant, { state: 'pending_request' }), foreman.token);
  await tenant.must('PUT', `/v1/orders/${own.id}/accept`, {});
  expect((await patch(own.id)).body).toEqual(
    refused('edit_order', 'is a permission you do not have, and the order is past the states you may change it in'),
  );
});

test('a vendor learns that the order is not theirs, whatever their permissions at home', async () => {
  const hired = await makeTenant(app);
  const account = await tenant.save(Account, {
    company: ref(tenant.company),
    name: 'Hired',
    accountTypes: ['vendor'],
    connectedCompany: ref(hired.company),
  });
  const order = await makeOrder(tenant, { vendor_id: account.id });
  const answer = await hired.http('PATCH', `/v1/orders/${order.id}`, { zone: 'Z' });
  expect(answer.body).toEqual(refused('edit_order', 'is a permission of the company that this record belongs to'));
});

test("a foreign id and an unknown one get the same bytes, whatever the caller's permissions", async () => {
  const stranger = await makeTenant(app);
  const powerless = await stranger.person({ roles: [] });
  const order = await makeOrder(tenant);
  const ask = async (id: string, token: string) => {
    const answer = await app.http('PUT', `/v1/orders/${id}/accept`, { token, body: {} });
    const { 'x-request-id': _id, date: _date, ...headers } = Object.fromEntries(answer.headers);
    return { status: answer.status, body: answer.body, headers };
  };
  for (const token of [stranger.token, powerless.token]) {
    const foreign = await ask(order.id, token);
    expect([foreign.status, foreign.body]).toEqual([404, { error: { code: 'object_not_found' } }]);
    expect(foreign).toEqual(await ask(newId(), token));
  }
});
