import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { untilWaiting } from '../../helpers/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

async function jobsOf(trucks: number, at: Tenant): Promise<Json[]> {
  const order = await makeOrder(at, { truck_count: trucks, load_at: '2027-02-01T14:00:00.000Z' });
  await at.must('PUT', at.path(`/orders/${order.id}/accept`), {});
  const jobs = (await at.must('GET', `/v1/orders/${order.id}/jobs`)) as Json[];
  return jobs.sort((a, b) => a.job_id.localeCompare(b.job_id));
}

interface Wish {
  job: Json;
  driver: string;
}

/** Assigns drivers in one request, and returns the items when all is done. */
async function assign(wishes: readonly Wish[], at: Tenant): Promise<Json[]> {
  const driver_assignments = wishes.map(({ job, driver }) => ({ job_id: job.id, driver_id: driver }));
  const { status, headers } = await at.http('PUT', at.path('/jobs/bulk_assign_drivers'), { driver_assignments });
  expect(status).toBe(202);
  await app.settled();
  return at.must('GET', `${headers.get('location')}/items`);
}

const driver = async (at: Tenant, more: object = {}): Promise<string> => (await at.person({ roles: ['driver'], ...more })).user.id;

/** What a job shows of who has it, and what was noted of it, without what every job has for itself. */
async function shown(job: Json, at: Tenant): Promise<Json> {
  const now = await at.must('GET', `/v1/jobs/${job.id}`);
  const events: Json[] = await at.must('GET', `/v1/jobs/${job.id}/job_events?page[limit]=100`);
  const noted = events.map(({ event_name, state, payload }) => JSON.stringify([event_name, state, payload]));
  return {
    ...{ state: now.state, driver: now.driver?.id, truck: now.equipment?.id, day: now.driver_day?.id, version: now.version },
    vendors: (await at.must('GET', `/v1/jobs/${job.id}/job_assignments`)).length,
    events: noted.sort(),
  };
}

test('drivers of many jobs are assigned as one by one: trucks that come and go with them, vendors that lose jobs, and what is noted', async () => {
  const own = { company: ref(tenant.company) };
  const equipmentType = ref(await tenant.save(EquipmentType, { ...own, name: 'Tandem' }));
  const [first, second, third] = await Promise.all(
    ['T1', 'T2', 'T3'].map((name) => tenant.save(Equipment, { ...own, name, equipmentType, accountingId: name })),
  );
  const drivers = [
    await driver(tenant, { equipment: ref(first!) }),
    await driver(tenant, { defaultEquipment: ref(second!) }),
    await driver(tenant),
  ];
  const [together, alone] = [await jobsOf(6, tenant), await jobsOf(6, tenant)];
  for (const jobs of [together, alone]) {
    // One comes from a driver with a truck, one has a truck of its own, one was passed on.
    await tenant.must('PATCH', `/v1/jobs/${jobs[0].id}`, { driver_id: drivers[0] });
    await tenant.must('PATCH', `/v1/jobs/${jobs[1].id}`, { equipment_id: third!.id });
    await tenant.must('PUT', `/v1/jobs/${jobs[2].id}/assign_vendor`, { vendor_id: tenant.vendor.id });
    await tenant.must('PATCH', `/v1/jobs/${jobs[3].id}`, { driver_id: drivers[1] });
  }
  const wished = (jobs: Json[]): Wish[] =>
    [drivers[2], drivers[2], drivers[0], drivers[1], drivers[1], drivers[0]].map((id, at) => ({ job: jobs[at], driver: id! }));
  const items = await assign(wished(together), tenant);
  expect(items.map(({ state }) => state)).toEqual(Array(6).fill('done'));
  for (const { job, driver: id } of wished(alone)) await tenant.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: id });
  const [one, other] = [
    await Promise.all(together.map((job) => shown(job, tenant))),
    await Promise.all(alone.map((job) => shown(job, tenant))),
  ];
  expect(one).toEqual(other);
  expect(one.map(({ driver: id, truck }) => [id, truck])).toEqual([
    [drivers[2], undefined],
    [drivers[2], third!.id],
    [drivers[0], first!.id],
    [drivers[1], second!.id],
    [drivers[1], second!.id],
    [drivers[0], first!.id],
  ]);
  expect(one.map(({ vendors }) => vendors)).toEqual([0, 0, 0, 0, 0, 0]);
}, 120_000);

test('a driver without documents, one of another company and a job of another company fail by themselves, with the errors of a single assignment', async () => {
  const at = await makeTenant(app);
  const other = await makeTenant(app);
  await at.must('POST', at.path('/compliance_document_types'), {
    ...{ name: 'Licence', dispatch_gating: true, required_internal_drivers: true },
  });
  const [type] = await at.must('GET', at.path('/compliance_document_types'));
  const licensed = await driver(at);
  await at.must('POST', at.path(`/users/${licensed}/compliance_documents`), { compliance_document_type_id: type.id });
  const [jobs, theirs] = [await jobsOf(3, at), await jobsOf(1, other)];
  const wishes = [
    { job: jobs[0], driver: licensed },
    { job: jobs[1], driver: at.driver.id },
    { job: jobs[2], driver: other.driver.id },
    { job: theirs[0], driver: licensed },
  ];
  const items = await assign(wishes, at);
  expect(items.map(({ state }) => state)).toEqual(['done', 'failed', 'failed', 'failed']);
  for (const [place, { job, driver: id }] of wishes.entries()) {
    const single = await at.http('PATCH', at.path(`/jobs/${job.id}`), { driver_id: id });
    const said = items[place].errors.map(({ code: _, ...problem }: Json) => problem);
    if (place === 3) expect([single.status, said]).toEqual([404, [{ model: 'Job', field: '', message: 'There is no such record.' }]]);
    else if (place > 0) expect(said).toEqual(single.body.error.errors);
  }
  expect((await at.must('GET', `/v1/jobs/${jobs[0].id}`)).driver.id).toBe(licensed);
}, 120_000);

test('a job that somebody else assigns while its order is waited for is taken as it is then', async () => {
  const at = await makeTenant(app);
  const own = { company: ref(at.company) };
  const equipmentType = ref(await at.save(EquipmentType, { ...own, name: 'Tandem' }));
  const truck = await at.save(Equipment, { ...own, name: 'T1', equipmentType, accountingId: 'T1' });
  const [before, after] = [await driver(at, { equipment: ref(truck) }), await driver(at)];
  const jobs = await jobsOf(2, at);
  const em = app.orm.em.fork();
  await em.begin();
  await em.execute('select from orders where id = (select order_id from job where id = ?) for update', [jobs[0].id]);
  const driver_assignments = jobs.map(({ id }) => ({ job_id: id, driver_id: after }));
  const { headers } = await at.http('PUT', at.path('/jobs/bulk_assign_drivers'), { driver_assignments });
  await untilWaiting(app);
  await em.execute(`update job set driver_id = ?, equipment_id = ?, state = 'assigned', version = version + 1 where id = ?`, [
    ...[before, truck.id, jobs[0].id],
  ]);
  await em.commit();
  await app.settled();
  const items: Json[] = await at.must('GET', `${headers.get('location')}/items`);
  expect(items.map(({ state }) => state)).toEqual(['done', 'done']);
  const shownNow = await Promise.all(jobs.map((job) => shown(job, at)));
  // The truck left with the driver who brought it.
  expect(shownNow.map((one) => [one.driver, one.truck])).toEqual([
    [after, undefined],
    [after, undefined],
  ]);
  expect(shownNow.map(({ events }) => events.some((one: string) => one.includes('JobDriverChanged')))).toEqual([true, false]);
}, 120_000);

/** What `updateJob` would ask of one job. */
const OF_ONE =
  /from orders where id = \$1 for update|from "?(?:job|app_user|equipment|job_assignment)"? .*\bid"? = \$1|from invoice where job_id = \$1/s;

test('of twenty jobs of one order, nothing is asked job by job', async () => {
  const at = await makeTenant(app);
  const jobs = await jobsOf(20, at);
  const drivers = [await driver(at), await driver(at)];
  // Twice, so that every job has a driver whom it loses.
  await assign(
    jobs.map((job, place) => ({ job, driver: drivers[place % 2]! })),
    at,
  );
  const { value: items, statements } = await app.countStatements(() =>
    assign(
      jobs.map((job, place) => ({ job, driver: drivers[(place + 1) % 2]! })),
      at,
    ),
  );
  expect(items.filter(({ state }) => state === 'done').length).toBe(20);
  const single = statements.filter((sql) => OF_ONE.test(sql) && !sql.includes('bulk_action'));
  // A page and a look-up ask for single records, too.
  expect(single.length).toBeLessThan(5);
  expect(statements.filter((sql) => /from "job" t where t\.id = any.* for update/s.test(sql)).length).toBe(1);
}, 120_000);
