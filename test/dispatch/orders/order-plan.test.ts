import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Project } from '../../../src/dispatch/model/project.entity.ts';
import { newId } from '../../../src/platform/ids.ts';
import { type Answer, startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const jobsOf = async (id: string): Promise<Json[]> =>
  (await tenant.must('GET', `/v1/orders/${id}/jobs`)).sort((a: Json, b: Json) => a.job_id.localeCompare(b.job_id, 'en', { numeric: true }));
const loadsOf = (id: string): Promise<Json[]> => tenant.must('GET', tenant.path(`/orders/${id}/loads?page[limit]=100`));
const startsOf = async (id: string) => (await jobsOf(id)).map((job) => job.job_start_at.slice(11, 16));
let projects = 0;
const makeProject = (more: object = {}) =>
  tenant.save(Project, {
    company: ref(tenant.company),
    number: ++projects,
    projectId: `P-${projects}`,
    name: `Project ${projects}`,
    account: ref(tenant.account),
    ...more,
  });

test('an order gets one job for each truck, with starts truck_delay apart', async () => {
  const order = await makeOrder(tenant, { truck_count: 3, truck_delay: 15 });
  expect(await startsOf(order.id)).toEqual(['12:00', '12:15', '12:30']);
  expect((await jobsOf(order.id)).map((job) => [job.job_id, job.state])).toEqual(
    [1, 2, 3].map((number) => [`${order.order_id}-${number}`, 'created']),
  );
});

test('groups of trucks_per_delay leave together, from job_start_at if it is sent', async () => {
  const order = await makeOrder(tenant, {
    truck_count: 5,
    truck_delay: 10,
    trucks_per_delay: 2,
    job_start_at: '2026-11-23T14:00:00.000Z',
  });
  expect(await startsOf(order.id)).toEqual(['14:00', '14:00', '14:10', '14:10', '14:20']);
});

test.each([
  ['as asked', { loads_per_truck: 4 }, 4],
  ['one when jobs are measured in loads', { job_unit_of_measure: 'Load', job_quantity: 7 }, 1],
  ['the job quantity otherwise', { job_unit_of_measure: 'Ton', job_quantity: 3 }, 3],
  ['a started load counts', { job_unit_of_measure: 'Ton', job_quantity: 2.5 }, 3],
  ['25 at most', { job_unit_of_measure: 'Ton', job_quantity: 300 }, 25],
  ['one when nothing says', {}, 1],
])('loads per truck: %s', async (_name, more, count) => {
  const order = await makeOrder(tenant, { truck_count: 2, ...more });
  expect(order.loads_per_truck).toBe(Object.keys(more).length > 0 ? count : null);
  const loads = await loadsOf(order.id);
  expect(loads).toHaveLength(2 * count);
  expect(new Set(loads.map((load) => load.state))).toEqual(new Set(['created']));
  const [job] = await jobsOf(order.id);
  expect(loads.filter((load) => load.job_id === job.job_id || load.job_id === job.id)).toHaveLength(count);
});

test("the account is the project's if a project is named", async () => {
  const own = await tenant.save(Account, { company: ref(tenant.company), name: 'Of the project', accountTypes: ['customer'] });
  const project = await makeProject({ account: ref(own) });
  const order = await makeOrder(tenant, { project_id: project.id });
  expect([order.account.id, order.project.id]).toEqual([own.id, project.id]);
});

test('a project can be changed only to one of the same account', async () => {
  const order = await makeOrder(tenant);
  const same = await makeProject();
  const other = await makeProject({ account: ref(await tenant.save(Account, { company: ref(tenant.company), name: 'Other' })) });
  const refused = await tenant.http('PATCH', `/v1/orders/${order.id}`, { project_id: other.id });
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['project_id']]);
  expect((await tenant.must('PATCH', `/v1/orders/${order.id}`, { project_id: same.id })).project.id).toBe(same.id);
});

test('jobs are assigned to the driver of the order, and its vendor is then ignored', async () => {
  const order = await makeOrder(tenant, { truck_count: 2, driver_id: tenant.driver.id, vendor_id: tenant.vendor.id });
  for (const job of await jobsOf(order.id))
    expect([job.state, job.driver.id, job.job_assignments ?? []]).toEqual(['assigned', tenant.driver.id, []]);
  const { assigned_jobs_count } = (await tenant.must('GET', `/v1/orders/${order.id}`)).order_summary;
  expect(assigned_jobs_count).toBe(2);
});

test('a vendor next to a driver is ignored, whatever it is', async () => {
  for (const vendor_id of [tenant.account.id, newId()]) {
    const order = await makeOrder(tenant, { driver_id: tenant.driver.id, vendor_id });
    expect((await jobsOf(order.id)).map((job) => [job.state, job.driver.id])).toEqual([['assigned', tenant.driver.id]]);
    const unknown = await tenant.http('POST', '/v1/orders', orderInput(tenant, { driver_id: newId(), vendor_id }));
    expect([unknown.status, fieldsOf(unknown)]).toEqual([422, ['driver_id']]);
    const alone = await tenant.http('POST', '/v1/orders', orderInput(tenant, { driver_id: null, vendor_id }));
    expect([alone.status, fieldsOf(alone)]).toEqual([422, ['vendor_id']]);
  }
});

test('jobs are assigned to the vendor of the order', async () => {
  const order = await makeOrder(tenant, { vendor_id: tenant.vendor.id });
  const [job] = await jobsOf(order.id);
  expect([job.state, job.driver]).toEqual(['assigned', null]);
  expect(JSON.stringify(job)).toContain(tenant.vendor.id);
});

test('the driver must be a driver, and the vendor a vendor', async () => {
  const { user } = await tenant.person({ roles: ['dispatcher'] });
  expect(fieldsOf(await tenant.http('POST', '/v1/orders', orderInput(tenant, { driver_id: user.id })))).toEqual(['driver_id']);
  expect(fieldsOf(await tenant.http('POST', '/v1/orders', orderInput(tenant, { vendor_id: tenant.account.id })))).toEqual(['vendor_id']);
});

test('200 trucks are planned and listed in pages', async () => {
  const order = await makeOrder(tenant, { truck_count: 200, truck_delay: 1, loads_per_truck: 2 });
  expect(order.order_summary).toMatchObject({ jobs_count: 200, loads_count: 400 });
  let next: string | undefined = `/v1/orders/${order.id}/jobs?page[limit]=100`;
  const seen = new Set<string>();
  while (next) {
    const answer = await tenant.http('GET', next);
    for (const job of answer.body.data) seen.add(job.id);
    const url = /<([^>]+)>;\s*rel="?next/.exec(answer.headers.get('link') ?? '')?.[1];
    next = url && new URL(url, app.url).pathname + new URL(url, app.url).search;
  }
  expect(seen.size).toBe(200);
});

test('nothing starts after the last day of the calendar, and no copy moves there', async () => {
  const more = { load_at: '9999-12-31T18:00:00.000Z', truck_count: 2, truck_delay: 1440 };
  const order = await makeOrder(tenant, more);
  expect((await jobsOf(order.id)).map((job) => job.job_start_at)).toEqual([more.load_at, '9999-12-31T23:59:59.999Z']);
  const night = await makeOrder(tenant, { load_at: '2026-11-23T12:00:00.000Z', job_start_at: '2026-11-24T12:00:00.000Z' });
  const copy = await tenant.http('POST', `/v1/orders/${night.id}/copy`, { date: '9999-12-31' });
  expect([copy.status, fieldsOf(copy)]).toEqual([422, ['date']]);
});

test('trucks are added one by one up to 200, even concurrently; a canceled one frees its place', async () => {
  const order = await makeOrder(tenant, { truck_count: 198 });
  const [first, second] = await jobsOf(order.id);
  const add = () => tenant.http('POST', `/v1/orders/${order.id}/jobs`, {});
  const copy = () => tenant.http('POST', `/v1/jobs/${first.id}/copy`, {});
  const plan = (truck_count: number) => tenant.http('PATCH', `/v1/orders/${order.id}`, { truck_count });
  const summary = async () => {
    const { truck_count, order_summary } = await tenant.must('GET', `/v1/orders/${order.id}`);
    return [truck_count, order_summary.jobs_count];
  };
  const reported = (answer: Answer) => [answer.status, answer.body.error?.errors.map(({ model, field }: Json) => [model, field])];
  const full = [422, [['Order', 'truck_count']]];

  const answers = await Promise.all([add(), copy(), add(), copy(), add()]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422]);
  for (const answer of answers.filter(({ status }) => status === 422)) expect(reported(answer)).toEqual(full);
  expect([await summary(), reported(await plan(201))]).toEqual([[200, 200], full]);
  const { body } = await app.graphql(`mutation($id: ID!) { addJob(orderId: $id) { id } }`, { id: order.id }, { token: tenant.token });
  expect(body.errors[0].extensions.errors).toEqual([expect.objectContaining({ model: 'Order', field: 'truckCount' })]);

  await tenant.must('PUT', `/v1/jobs/${second.id}/cancel`, {});
  const [planned, ...more] = await Promise.all([plan(200), add(), copy()]);
  expect([planned.status, more.filter(({ status }) => status === 422).length]).toEqual([
    200,
    1 + Number(more.every(({ status }) => status === 422)),
  ]);
  const live = `select count(*)::int as live from job where order_id = ? and state <> 'canceled'`;
  expect([(await summary())[0], await app.orm.em.getConnection().execute(live, [order.id])]).toEqual([200, [{ live: 200 }]]);
});

test('an order from before the limit is copied with the number of trucks that is sent', async () => {
  const order = await makeOrder(tenant);
  await app.orm.em.getConnection().execute('update orders set truck_count = 201 where id = ?', [order.id]);
  const copy = (body: object) => tenant.http('POST', `/v1/orders/${order.id}/copy`, body);
  expect(fieldsOf(await copy({}))).toEqual(['truck_count']);
  expect((await copy({ truck_count: 2 })).body.data.truck_count).toBe(2);
});
