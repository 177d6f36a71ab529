import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';

/** Ids of rate cards for one customer, vendor or driver, and for all of them. */
type Cards = Record<'own' | 'other' | 'all', Record<'customer' | 'vendor' | 'driver', string>>;

let app: TestApp;
let tenant: Tenant;
let rateCards: Cards;
let other: { account: Account; driver: string };
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  const company = ref(tenant.company);
  const customer = await tenant.save(Account, { company, name: 'Other customer', accountTypes: ['customer', 'vendor'] });
  const { user } = await tenant.person({ firstName: 'Odd', roles: ['driver'] });
  other = { account: customer, driver: user.id };
  const rateCard = async (owner_type: string, more: object) =>
    (await tenant.must('POST', '/v1/rates', { name: 'Card', type: 'RateFlatRate', flat_amount: 1, owner_type, ...more })).id as string;
  const of = async (account: object, vendor: object, driver: object) => ({
    customer: await rateCard('customer', account),
    vendor: await rateCard('vendor', vendor),
    driver: await rateCard('driver', driver),
  });
  rateCards = {
    own: await of({ account_id: tenant.account.id }, { account_id: tenant.vendor.id }, { driver_id: tenant.driver.id }),
    other: await of({ account_id: customer.id }, { account_id: customer.id }, { driver_id: user.id }),
    all: await of({}, {}, {}),
  };
});
afterAll(() => app.close());

const said = (set: Cards['own'], ...sides: (keyof Cards['own'])[]) =>
  Object.fromEntries(sides.map((side) => [`${side}_rate_id`, set[side]]));
const expectRefused = async (method: string, path: string, body: object, fields: string[]) => {
  const answer = await tenant.http(method, path, body);
  expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
};

test('an order refuses rate cards of another customer, vendor or driver, and accepts its own and general ones', async () => {
  const path = tenant.path('/orders');
  const driven = (more: object) => orderInput(tenant, { driver_id: tenant.driver.id, ...more });
  const hired = (more: object) => orderInput(tenant, { vendor_id: tenant.vendor.id, ...more });
  await expectRefused('POST', path, driven(said(rateCards.other, 'customer', 'driver')), ['customer_rate_id', 'driver_rate_id']);
  await expectRefused('POST', path, hired(said(rateCards.other, 'customer', 'vendor')), ['customer_rate_id', 'vendor_rate_id']);
  for (const set of [rateCards.own, rateCards.all]) {
    await tenant.must('POST', path, driven(said(set, 'customer', 'driver')));
    await tenant.must('POST', path, hired(said(set, 'customer', 'vendor')));
  }
  const { id } = await tenant.must('POST', path, hired({}));
  await expectRefused('PATCH', `/v1/orders/${id}`, said(rateCards.other, 'customer', 'vendor'), ['customer_rate_id', 'vendor_rate_id']);
  await tenant.must('PATCH', `/v1/orders/${id}`, said(rateCards.own, 'customer', 'vendor'));
  const { body } = await app.graphql(
    'mutation($id: ID!, $rateCard: ID) { updateOrder(id: $id, input: { customerRateId: $rateCard }) { id } }',
    { id, rateCard: rateCards.other.customer },
    { token: tenant.token },
  );
  expect(body.errors[0].extensions.errors).toEqual([{ model: 'Order', field: 'customerRateId', message: 'belongs to another account' }]);
});

test("an order of a project accepts only rate cards of the project's customer", async () => {
  const project = await tenant.must('POST', '/v1/projects', { name: 'Dam', account_id: other.account.id });
  const order = (set: Cards['own']) => orderInput(tenant, { project_id: project.id, ...said(set, 'customer') });
  await expectRefused('POST', tenant.path('/orders'), order(rateCards.own), ['customer_rate_id']);
  expect((await tenant.must('POST', tenant.path('/orders'), order(rateCards.other))).customer_rate.id).toBe(rateCards.other.customer);
});

test('so does a job, whoever drives or hauls it', async () => {
  const order = await makeOrder(tenant, { truck_count: 2, driver_rate_id: null });
  const [driven, hired] = (await tenant.must('GET', `/v1/orders/${order.id}/jobs`)).map(({ id }: { id: string }) => `/v1/jobs/${id}`);
  await expectRefused('PATCH', driven, said(rateCards.other, 'customer'), ['customer_rate_id']);
  // A driver who is assigned by the same request counts already.
  await expectRefused('PATCH', driven, { driver_id: tenant.driver.id, ...said(rateCards.other, 'driver') }, ['driver_rate_id']);
  await tenant.must('PATCH', driven, { driver_id: tenant.driver.id, ...said(rateCards.own, 'customer', 'driver') });
  await expectRefused('PATCH', driven, said(rateCards.other, 'driver'), ['driver_rate_id']);
  await tenant.must('PUT', `${hired}/assign_vendor`, { vendor_id: tenant.vendor.id });
  await expectRefused('PATCH', hired, said(rateCards.other, 'vendor'), ['vendor_rate_id']);
  await tenant.must('PATCH', hired, said(rateCards.own, 'vendor'));
  await tenant.must('PATCH', hired, said(rateCards.all, 'vendor'));
});

test('so do a project and its schedules', async () => {
  await expectRefused('POST', '/v1/projects', { name: 'Weir', account_id: tenant.account.id, ...said(rateCards.other, 'customer') }, [
    'customer_rate_id',
  ]);
  await expectRefused(
    'POST',
    '/v1/projects',
    { name: 'Weir', account: { name: 'New', account_types: ['customer'] }, ...said(rateCards.other, 'customer') },
    ['customer_rate_id'],
  );
  // The vendor and the driver of a project are not known yet.
  const { id } = await tenant.must('POST', '/v1/projects', {
    ...{ name: 'Weir', account_id: tenant.account.id },
    ...said(rateCards.own, 'customer', 'vendor', 'driver'),
  });
  await expectRefused('PATCH', `/v1/projects/${id}`, said(rateCards.other, 'customer'), ['customer_rate_id']);
  const path = `/v1/projects/${id}/site_rate_schedules`;
  await expectRefused('POST', path, said(rateCards.other, 'customer'), ['customer_rate_id']);
  const schedule = await tenant.must('POST', path, said(rateCards.own, 'customer'));
  await expectRefused('PATCH', `/v1/site_rate_schedules/${schedule.id}`, said(rateCards.other, 'customer'), ['customer_rate_id']);
  await tenant.must('PATCH', `/v1/site_rate_schedules/${schedule.id}`, said(rateCards.all, 'customer'));
});

test('a rate card that was chosen before the assignment stays even if it does not fit, and the job reports it', async () => {
  const path = tenant.path('/orders');
  const { id } = await tenant.must(
    'POST',
    path,
    orderInput(tenant, { load_at: '2027-06-01T12:00:00Z', truck_count: 2, ...said(rateCards.other, 'vendor', 'driver') }),
  );
  const [driven, hired] = (await tenant.must('GET', `/v1/orders/${id}/jobs`)).map((job: { id: string }) => job.id);
  const query =
    '($id: ID!) { job(id: $id) { conflicts { code severity field relatedId } jobAssignments { rate { id } vendorAccount { id } } } }';
  const jobOf = async (job: string, token?: string) => (await tenant.gql(`query${query}`, { id: job }, token)).data.job;
  expect((await jobOf(driven)).conflicts).toEqual([]);
  const of = (side: 'driver' | 'vendor') => [
    { code: 'card_of_another', severity: 'warning', field: `${side}_rate_id`, relatedId: rateCards.other[side] },
  ];
  const beforehand = await tenant.must('POST', `/v1/jobs/${driven}/validate`, { driver_id: tenant.driver.id });
  expect(beforehand).toMatchObject({ valid: true, conflicts: [{ code: 'card_of_another', field: 'driver_rate_id' }] });
  await tenant.must('PATCH', `/v1/jobs/${driven}`, { driver_id: tenant.driver.id });
  expect((await jobOf(driven)).conflicts).toEqual(of('driver'));
  expect((await tenant.must('GET', `/v1/jobs/${driven}`)).driver_rate.id).toBe(rateCards.other.driver);
  await tenant.must('PUT', `/v1/jobs/${hired}/assign_vendor`, { vendor_id: tenant.vendor.id });
  // The vendor sees no rate card of another one.
  expect(await jobOf(hired)).toEqual({
    conflicts: of('vendor'),
    jobAssignments: [{ rate: null, vendorAccount: { id: tenant.vendor.id } }],
  });
  // A caller who may not see rates learns of no rate card.
  const { token } = await tenant.person({ roles: ['foreman', 'it_admin'] });
  expect((await jobOf(hired, token)).conflicts).toEqual([]);
  // A value goes before the rate card, and so does a rate card of their own.
  await tenant.must('PATCH', `/v1/jobs/${driven}`, { driver_rate_value: 7, driver_rate_type: 'RatePerLoad' });
  await tenant.must('PATCH', `/v1/jobs/${hired}`, said(rateCards.own, 'vendor'));
  for (const job of [driven, hired]) expect((await jobOf(job)).conflicts).toEqual([]);
  await tenant.must('PUT', `/v1/jobs/${hired}/assign_vendor`, { vendor_id: tenant.vendor.id });
  expect((await jobOf(hired)).jobAssignments).toMatchObject([{ rate: { id: rateCards.own.vendor } }]);
  // Nor is it of trucks that an order brings to its vendor at once.
  await tenant.must('PATCH', `/v1/orders/${id}`, { vendor_id: tenant.vendor.id });
  const copy = await tenant.must('POST', tenant.path(`/orders/${id}/copy`), { date: '2027-06-02', truck_count: 1, include_assignee: true });
  const [brought] = await tenant.must('GET', `/v1/orders/${copy.id}/jobs`);
  expect(await jobOf(brought.id)).toEqual({
    conflicts: of('vendor'),
    jobAssignments: [{ rate: null, vendorAccount: { id: tenant.vendor.id } }],
  });
});
