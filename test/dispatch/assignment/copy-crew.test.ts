import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
/** A vendor's tenant, and the account by which it is known. */
let hired: Tenant;
let account: Json;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  [tenant, hired] = [await makeTenant(app), await makeTenant(app)];
  account = await tenant.must('POST', tenant.path('/accounts/connected'), {
    platform_id: hired.company.platformId,
    account_types: ['vendor'],
  });
});
afterAll(() => app.close());

const driver = async (more: object = {}) => (await tenant.person({ roles: ['driver'], ...more })).user;
const vendor = (more: object = {}) =>
  tenant.save(Account, { company: ref(tenant.company), name: `Vendor ${Math.random()}`, accountTypes: ['vendor'], ...more });
const jobsOf = async (id: string): Promise<Json[]> =>
  (await tenant.must('GET', `/v1/orders/${id}/jobs`)).sort((a: Json, b: Json) => a.job_id.localeCompare(b.job_id));
/** An accepted order, and its jobs by their places. */
async function accepted(more: object): Promise<{ id: string; jobs: Json[] }> {
  const { id } = await makeOrder(tenant, more);
  await tenant.must('PUT', tenant.path(`/orders/${id}/accept`), {});
  return { id, jobs: await jobsOf(id) };
}
const give = (job: Json, driverId: string) => tenant.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: driverId });
const pass = (job: Json, vendorId: string) => tenant.must('PUT', `/v1/jobs/${job.id}/assign_vendor`, { vendor_id: vendorId });
const copy = (id: string, more: object = {}, token?: string) =>
  tenant.http('POST', tenant.path(`/orders/${id}/copy`), { include_assignee: true, date: '2028-05-02', ...more }, token);
/** Returns the driver of each truck. */
const crewOf = async (id: string) =>
  (await jobsOf(id)).map(({ driver, vendor_job_assignment: link }: Json) => driver?.id ?? link?.vendor_account.id ?? null);

test('a copy assigns each truck to the driver or vendor of the same place, and leaves additional trucks unassigned', async () => {
  const [ada, bob, outside] = [await driver(), await driver(), await vendor()];
  const { id, jobs } = await accepted({ truck_count: 5 });
  await give(jobs[0], ada.id);
  await pass(jobs[1], outside.id);
  await give(jobs[3], bob.id);
  // The vendor chose its driver itself, and will again.
  await pass(jobs[4], account.id);
  await tenant.must('PUT', `/v1/jobs/${jobs[4].id}/request`, {});
  await hired.must('PUT', `/v1/jobs/${jobs[4].id}/accept`, {});
  await hired.must('PATCH', `/v1/jobs/${jobs[4].id}`, { driver_id: hired.driver.id });
  const crew = [ada.id, outside.id, null, bob.id, account.id];

  const same = await copy(id);
  expect(same.status).toBe(201);
  expect(await crewOf(same.body.data.id)).toEqual(crew);
  expect((await jobsOf(same.body.data.id)).map(({ state }) => state)).toEqual(['assigned', 'assigned', 'created', 'assigned', 'assigned']);
  expect(await crewOf((await copy(id, { truck_count: 2 })).body.data.id)).toEqual(crew.slice(0, 2));
  expect(await crewOf((await copy(id, { truck_count: 7 })).body.data.id)).toEqual([...crew, null, null]);
  expect(await crewOf((await copy(id, { include_assignee: false })).body.data.id)).toEqual(Array(5).fill(null));
  // A canceled truck frees its place for the next; the crew of a canceled order is copied completely.
  await tenant.must('PUT', tenant.path(`/jobs/${jobs[0].id}/cancel`), {});
  expect(await crewOf((await copy(id)).body.data.id)).toEqual([...crew.slice(1), null]);
  await tenant.must('PUT', `/v1/orders/${id}/cancel`, {});
  expect(await crewOf((await copy(id)).body.data.id)).toEqual(crew);
  // Nothing of it happened to the original.
  expect((await jobsOf(id)).map(({ state }) => state)).toEqual(Array(5).fill('canceled'));
});

test("trucks of other drivers and vendors are not checked against the order's own driver or vendor", async () => {
  const [small, bob] = [await vendor({ truckCount: 2 }), await driver()];
  const { id, jobs } = await accepted({ vendor_id: small.id, truck_count: 2 });
  expect((await tenant.http('POST', `/v1/orders/${id}/jobs`, {})).status).toBe(422);
  await give(jobs[1], bob.id);
  await tenant.must('POST', `/v1/orders/${id}/jobs`, {});
  const made = await copy(id);
  expect(made.status).toBe(201);
  expect(await crewOf(made.body.data.id)).toEqual([small.id, bob.id, small.id]);
});

test('a driver or vendor who takes no new work is named by the truck, and nothing is copied', async () => {
  const [gone, bob, one] = [await driver(), await driver(), await vendor({ truckCount: 1 })];
  const { id, jobs } = await accepted({ truck_count: 4, truck_delay: 1440 });
  await give(jobs[0], bob.id);
  await give(jobs[1], gone.id);
  await pass(jobs[2], one.id);
  await pass(jobs[3], one.id);
  await tenant.must('DELETE', tenant.path(`/users/${gone.id}`));
  const before = await tenant.must('GET', tenant.path('/orders'));
  const refused = await copy(id);
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['jobs.1.driver_id']]);
  // On one day the vendor has one truck, which the copy's first takes.
  await tenant.must('PATCH', `/v1/jobs/${jobs[1].id}`, { driver_id: bob.id });
  await tenant.must('PATCH', `/v1/accounts/${one.id}`, { truck_count: 2 });
  await tenant.must('PATCH', `/v1/orders/${id}`, { truck_delay: 0 });
  await tenant.must('PATCH', `/v1/accounts/${one.id}`, { truck_count: 1 });
  const full = await copy(id);
  expect([full.status, fieldsOf(full)]).toEqual([422, ['jobs.3.vendor_id']]);
  expect((await tenant.must('GET', tenant.path('/orders'))).map(({ id: known }: Json) => known)).toEqual(
    before.map(({ id: known }: Json) => known),
  );
  expect((await copy(id, { truck_count: 3 })).status).toBe(201);
});

test('a caller who may create orders but not assign copies without the crew', async () => {
  const { token } = await tenant.person({ roles: ['biller'] });
  const { id, jobs } = await accepted({});
  await give(jobs[0], tenant.driver.id);
  expect((await copy(id, {}, token)).status).toBe(403);
  expect((await copy(id, { include_assignee: false }, token)).status).toBe(201);
});
