import { expect, test } from '@jest/globals';
import type { Permission } from '../../../src/identity/access/permissions.ts';
import { machineToken, makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { addOn, makeBooks, rateCard } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const names = (list: Json[]): string[] => list.map(({ name }) => name).sort();
const problems = ({ status, body }: Json) => [status, body.error.errors.map(({ field }: Json) => field)];

test('a rate card brings its add-ons along, and what it is sent replaces them', async () => {
  const tenant = await makeStaffedTenant(books.app);
  const own = { ...books, tenant };
  const [wash, wait] = [await addOn(own, 'Wash', { revenue_rate_value: 25 }), await addOn(own, 'Wait', { revenue_rate_value: 5 })];
  const rate = await rateCard(tenant, 'customer', { type: 'RateFlatRate', flat_amount: 4, add_on_ids: [wash.id] });
  expect(rate.add_ons).toEqual([
    { id: wash.id, name: 'Wash', quantity: '1', rate: '25', percentage: expect.any(String), add_on_rate_type: 'RateForEach' },
  ]);
  const change = (body: object) => tenant.http('PATCH', `/v1/rates/${rate.id}`, body);
  const [kept] = await tenant.must('GET', `/v1/rates/${rate.id}/auto_add_on_assignments`);
  expect(names((await change({ add_on_ids: [wait.id, wash.id] })).body.data.add_ons)).toEqual(['Wait', 'Wash']);
  // An assignment that it had stays the same, with the values that somebody set on it.
  expect(((await tenant.must('GET', `/v1/rates/${rate.id}/auto_add_on_assignments`)) as Json[]).map(({ id }) => id)).toContain(kept.id);
  expect(names((await change({ name: 'Renamed' })).body.data.add_ons)).toEqual(['Wait', 'Wash']);
  // A copy has them, too, on its own terms.
  await tenant.must('PATCH', `/v1/auto_add_on_assignments/${kept.id}`, { quantity: 3 });
  const copy = await tenant.must('POST', `/v1/rates/${rate.id}/copy`, {});
  expect(copy.add_ons.map(({ name, quantity }: Json) => [name, quantity]).sort()).toEqual(rate.add_ons.length ? expect.any(Array) : []);
  const copied: Json[] = await tenant.must('GET', `/v1/rates/${copy.id}/auto_add_on_assignments`);
  expect(copied.map(({ name, quantity }) => [name, quantity]).sort()).toEqual([
    ['Wait', '1'],
    ['Wash', '3'],
  ]);
  const other = await makeStaffedTenant(books.app);
  const theirs = await addOn({ ...books, tenant: other }, 'Theirs', { revenue_rate_value: 1 });
  expect(problems(await change({ add_on_ids: [wash.id, theirs.id] }))).toEqual([422, ['add_on_ids.1']]);
  expect(names(await tenant.must('GET', `/v1/rates/${rate.id}`).then((one: Json) => one.add_ons))).toEqual(['Wait', 'Wash']);
  expect((await change({ add_on_ids: [] })).body.data.add_ons).toEqual([]);
});

test('an account and a driver get add-ons in addition, and are found by having some', async () => {
  const tenant = await makeStaffedTenant(books.app);
  const own = { ...books, tenant };
  const wash = await addOn(own, 'Wash', { revenue_rate_value: 25 });
  const account = await tenant.must('POST', '/v1/accounts', { name: 'Both', account_types: ['customer', 'vendor'] });
  const of = (id: string): Promise<Json[]> => tenant.must('GET', `/v1/accounts/${id}/auto_add_on_assignments`);
  const change = (body: object, id = account.id) => tenant.http('PATCH', `/v1/accounts/${id}`, body);
  expect(problems(await change({ additional_auto_add_on_ids: [wash.id] }))).toEqual([422, ['auto_add_on_account_type']]);
  expect(problems(await change({ auto_add_on_account_type: 'vendor', additional_auto_add_on_ids: [account.id] }))).toEqual([
    422,
    ['additional_auto_add_on_ids.0'],
  ]);
  const found = async (list: string, has: boolean) =>
    (await tenant.must('GET', tenant.path(`/${list}?filter[auto_add_ons]=${has}&page[limit]=100`))).map(({ id }: Json) => id);
  expect(await found('accounts', true)).toEqual([]);
  for (let again = 0; again < 2; again++)
    expect((await change({ auto_add_on_account_type: 'vendor', additional_auto_add_on_ids: [wash.id] })).status).toBe(200);
  expect((await of(account.id)).map(({ account_type, name, add_on_types }) => [account_type, name, add_on_types])).toEqual([
    ['vendor', 'Wash', ['invoicing']],
  ]);
  expect([await found('accounts', true), (await found('accounts', false)).includes(account.id)]).toEqual([[account.id], false]);
  // One that is only a customer need not say so.
  expect((await change({ additional_auto_add_on_ids: [wash.id] }, tenant.account.id)).status).toBe(200);
  expect(await of(tenant.account.id)).toMatchObject([{ account_type: 'customer' }]);

  const admin = await tenant.administrator();
  const { user: office } = await tenant.person({ roles: ['dispatcher'] });
  const add = { additional_auto_add_on_ids: [wash.id], auto_add_on_account_type: 'customer' };
  expect(problems(await tenant.http('PATCH', `/v1/users/${office.id}`, add, admin))).toEqual([422, ['additional_auto_add_on_ids']]);
  expect((await tenant.http('PATCH', `/v1/users/${tenant.driver.user.id}`, add, admin)).status).toBe(200);
  expect(await tenant.must('GET', `/v1/drivers/${tenant.driver.user.id}/auto_add_on_assignments`)).toHaveLength(1);
  expect(await found('drivers', true)).toEqual([tenant.driver.user.id]);
});

test('a schedule of rates counts its add-ons', async () => {
  const tenant = await makeStaffedTenant(books.app);
  const wash = await addOn({ ...books, tenant }, 'Wash', { revenue_rate_value: 25 });
  const project = await tenant.must('POST', '/v1/projects', { name: 'Bridge', account_id: tenant.account.id });
  const schedule = await tenant.must('POST', `/v1/projects/${project.id}/site_rate_schedules`, {
    ...{ site_id: tenant.pickup.id, customer_rate_value: 7, customer_rate_type: 'RatePerTon' },
  });
  const count = async () => {
    const list: Json[] = await tenant.must('GET', `/v1/projects/${project.id}/site_rate_schedules`);
    return list.find(({ id }) => id === schedule.id).auto_add_on_assignments_count;
  };
  expect(await count()).toBe(0);
  await tenant.must('POST', `/v1/site_rate_schedules/${schedule.id}/auto_add_on_assignments`, {
    ...{ add_on_id: wash.id, account_type: 'customer', quantity: '1' },
  });
  expect(await count()).toBe(1);
  // A client that does not see the rates of a side does not learn of its charges.
  const read = async (permission: Permission) => {
    const token = await machineToken(tenant, [permission]);
    const get = async (path: string): Promise<Json[]> => (await tenant.http('GET', path, undefined, token)).body.data;
    const of = await get(`/v1/projects/${project.id}/site_rate_schedules`);
    const found = await get(tenant.path('/accounts?filter[auto_add_ons]=true'));
    return [of[0].auto_add_on_assignments_count, found.map(({ id }) => id)];
  };
  await tenant.must('POST', `/v1/accounts/${tenant.account.id}/auto_add_on_assignments`, { add_on_id: wash.id, account_type: 'customer' });
  expect(await read('view_customer_rates')).toEqual([1, [tenant.account.id]]);
  expect(await read('view_vendor_rates')).toEqual([0, []]);
});
