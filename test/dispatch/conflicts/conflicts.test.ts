import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
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

async function jobsOf(more: object = {}): Promise<Json[]> {
  const order = await makeOrder(tenant, more);
  return (await tenant.must('GET', `/v1/orders/${order.id}/jobs`)).sort((a: Json, b: Json) => a.job_id.localeCompare(b.job_id));
}
const validate = async (path: string, body: object, as?: string) => tenant.http('POST', path, body, as);
const conflictsOf = async (id: string) =>
  (await tenant.gql('query ($id: ID!) { job(id: $id) { conflicts { code severity field relatedId message } } }', { id })).data.job
    .conflicts;
const driver = async () => (await tenant.person({ roles: ['driver'] })).user;

test('a driver and a truck cannot be in two places, and the conflict names the other job', async () => {
  const type = await tenant.save(EquipmentType, { company: ref(tenant.company), name: 'Tri-axle' });
  const truck = await tenant.save(Equipment, { company: ref(tenant.company), name: 'T-7', equipmentType: ref(type) });
  const { id: driverId } = await driver();
  const [first] = await jobsOf({ load_at: '2027-04-01T13:00:00Z', job_time: 120 });
  const [second] = await jobsOf({ load_at: '2027-04-01T14:30:00Z', job_time: 30 });
  const [third] = await jobsOf({ load_at: '2027-04-01T15:00:00Z' });
  await tenant.must('PATCH', `/v1/jobs/${first.id}`, { driver_id: driverId, equipment_id: truck.id });
  const reported = await validate(`/v1/jobs/${second.id}/validate`, { driver_id: driverId, equipment_id: truck.id });
  expect([reported.status, reported.body.data.valid]).toEqual([200, true]);
  expect(reported.body.data.conflicts).toMatchObject([
    {
      code: 'driver_double_booked',
      severity: 'warning',
      field: 'driver_id',
      related_id: first.id,
      message: expect.stringContaining(first.job_id),
    },
    { code: 'truck_double_booked', field: 'equipment_id', related_id: first.id },
  ]);
  // Nothing of it stayed.
  expect(await tenant.must('GET', `/v1/jobs/${second.id}`)).toMatchObject({ driver: null, state: 'created' });
  expect((await validate(`/v1/jobs/${third.id}/validate`, { driver_id: driverId })).body.data).toEqual({ valid: true, conflicts: [] });
  // The write succeeds in spite of warnings, and the job's conflicts show them afterwards.
  await tenant.must('PATCH', `/v1/jobs/${second.id}`, { driver_id: driverId });
  expect(await conflictsOf(second.id)).toMatchObject([{ code: 'driver_double_booked', relatedId: first.id }]);
  expect(await conflictsOf(first.id)).toMatchObject([{ code: 'driver_double_booked', relatedId: second.id }]);
  await tenant.must('PUT', `/v1/jobs/${second.id}/cancel`, {});
  expect(await conflictsOf(first.id)).toEqual([]);
});

test('a job at the same hour is found among a hundred that are over', async () => {
  const { id: driverId } = await driver();
  await jobsOf({ load_at: '2027-05-01T02:00:00Z', job_time: 5, truck_count: 100, driver_id: driverId });
  const [asked] = await jobsOf({ load_at: '2027-05-01T20:00:00Z', job_time: 60, driver_id: driverId });
  const [other] = await jobsOf({ load_at: '2027-05-01T19:30:00Z', job_time: 60, driver_id: driverId });
  expect(await conflictsOf(asked.id)).toMatchObject([{ code: 'driver_double_booked', relatedId: other.id }]);
});

test('what the write would refuse is blocking, with the same code and field', async () => {
  const [job] = await jobsOf();
  const body = { driver_id: tenant.account.id, material_id: tenant.account.id };
  const reported = (await validate(`/v1/jobs/${job.id}/validate`, body)).body.data;
  expect(reported).toMatchObject({ valid: false });
  const refused = (await tenant.http('PATCH', `/v1/jobs/${job.id}`, body)).body.error.errors;
  expect(reported.conflicts.map(({ field, message }: Json) => [field, message])).toEqual(
    refused.map(({ field, message }: Json) => [field, message]),
  );
  expect(reported.conflicts.every(({ severity }: Json) => severity === 'blocking')).toBe(true);
  const vendor = await validate(`/v1/jobs/${job.id}/assign_vendor/validate`, { vendor_id: tenant.account.id });
  expect(vendor.body.data).toMatchObject({ valid: false, conflicts: [{ code: 'not_a_vendor', field: 'vendor_id' }] });
});

test('drivers who are off, inactive sites and units that do not convert are reported', async () => {
  const off = await driver();
  await tenant.must('POST', `/v1/users/${off.id}/scheduled_time_offs`, {
    start_date: '2027-05-01T00:00:00Z',
    end_date: '2027-05-03T00:00:00Z',
  });
  const [job] = await jobsOf({ load_at: '2027-05-02T13:00:00Z', load_unit_of_measure: 'Ton' });
  const yards = await tenant.save(EquipmentType, {
    company: ref(tenant.company),
    name: 'By the yard',
    grossCapacityUnitOfMeasure: 'Yard',
  });
  const truck = await tenant.save(Equipment, { company: ref(tenant.company), name: 'T-8', equipmentType: ref(yards) });
  await app.orm.em.fork().nativeUpdate(User, { id: off.id }, { equipment: truck.id }, { filters: { tenant: false } });
  // A truck that comes with its driver stops nobody: the guards of an assignment name no units (DOMAIN 1.2).
  const reported = await validate(`/v1/jobs/${job.id}/validate`, {
    driver_id: off.id,
    driver_rate_value: 9,
    driver_rate_type: 'RatePerTonne',
  });
  expect(reported.body.data.conflicts.map(({ code, field }: Json) => [code, field])).toEqual([
    ['driver_off', 'driver_id'],
    ['unit_mismatch', 'equipment_type_gross_capacity_unit_of_measure'],
  ]);
  const pit = await tenant.save(Site, { company: ref(tenant.company), name: 'Old pit' });
  const waypoints = [
    { type: 'pickup', site_id: pit.id, ordinality: 0 },
    { type: 'drop_off', site_id: tenant.dropoff.id, ordinality: 1 },
  ];
  const [planned] = await jobsOf({ waypoints });
  expect(await conflictsOf(planned.id)).toEqual([]);
  await tenant.must('PUT', `/v1/sites/${pit.id}/deactivate`, {});
  expect(await conflictsOf(planned.id)).toMatchObject([
    { code: 'site_not_active', relatedId: pit.id, message: 'the site Old pit is inactive' },
  ]);
  await tenant.must('PATCH', `/v1/jobs/${planned.id}`, { equipment_id: truck.id });
  for (const path of [`/v1/sites/${pit.id}`, `/v1/equipment/${truck.id}`]) expect((await tenant.http('DELETE', path)).status).toBe(204);
  expect((await conflictsOf(planned.id)).map(({ code, message }: Json) => [code, message])).toEqual([
    ['truck_gone', 'the truck T-8 has been deleted: assign another one'],
    ['site_gone', 'the site Old pit has been deleted: name another one'],
  ]);
});

test('no job and no order moves to a day on which its vendor has no truck left', async () => {
  const { id: vendorId } = await tenant.save(Account, {
    company: ref(tenant.company),
    name: 'One Truck',
    accountTypes: ['vendor'],
    truckCount: 1,
  });
  const [first] = await jobsOf({ load_at: '2027-06-01T15:00:00Z' });
  const [second] = await jobsOf({ load_at: '2027-06-02T15:00:00Z' });
  for (const job of [first, second]) await tenant.must('PUT', `/v1/jobs/${job.id}/assign_vendor`, { vendor_id: vendorId });
  const body = { job_start_at: '2027-06-01T18:00:00Z' };
  const full = { code: 'vendor_day_full', severity: 'blocking', field: 'job_start_at' };
  expect((await validate(`/v1/jobs/${second.id}/validate`, body)).body.data).toMatchObject({ valid: false, conflicts: [full] });
  const refused = await tenant.http('PATCH', `/v1/jobs/${second.id}`, body);
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['job_start_at']]);
  // Another hour of its day is no other day.
  await tenant.must('PATCH', `/v1/jobs/${first.id}`, body);
  expect(await conflictsOf(first.id)).toEqual([]);
  const path = `/v1/orders/${(await tenant.must('GET', `/v1/jobs/${second.id}`)).order.id}`;
  const move = { load_at: '2027-06-01T20:00:00Z' };
  const blocking = { ...full, field: 'load_at' };
  expect((await validate(`${path}/validate`, move)).body.data).toMatchObject({ valid: false, conflicts: [blocking] });
  const stayed = await tenant.http('PATCH', path, move);
  expect([stayed.status, fieldsOf(stayed)]).toEqual([422, ['load_at']]);
  expect((await tenant.must('GET', path)).load_at).toBe('2027-06-02T15:00:00.000Z');
  await tenant.must('PATCH', path, { load_at: '2027-06-02T09:00:00Z' });
  // A day that was full before is reported by the conflicts of its jobs.
  const em = app.orm.em.fork();
  await em.nativeUpdate(Job, { id: second.id }, { jobStartAt: new Date(move.load_at) }, { filters: { tenant: false } });
  const reported = { code: 'vendor_day_full', severity: 'warning', field: 'vendor_id', relatedId: vendorId };
  expect([await conflictsOf(first.id), await conflictsOf(second.id)]).toMatchObject([[reported], [reported]]);
});

test("an order's trucks move from day to day as long as their vendor has enough on each, whatever moves them", async () => {
  const own = { company: ref(tenant.company), name: 'Two Trucks', accountTypes: ['vendor'] };
  const { id } = await tenant.save(Account, { ...own, truckCount: 2 });
  const order = await makeOrder(tenant, { load_at: '2027-07-06T15:00:00Z', truck_count: 3, truck_delay: 1440, vendor_id: id });
  const move = (body: object) => tenant.http('PATCH', `/v1/orders/${order.id}`, body);
  // Of three days in a row each goes to the next: what leaves a day makes room.
  expect((await move({ load_at: '2027-07-07T15:00:00Z' })).status).toBe(200);
  expect((await move({ trucks_per_delay: 2 })).status).toBe(200);
  expect(fieldsOf(await move({ truck_delay: 0 }))).toEqual(['truck_delay']);
  // Fields in the request that move no truck are not named.
  expect(fieldsOf(await move({ load_at: '2027-07-07T16:00:00Z', trucks_per_delay: 2, truck_delay: 0 }))).toEqual(['truck_delay']);
  const starts = async () =>
    (await tenant.must('GET', `/v1/orders/${order.id}/jobs`)).map((job: Json) => job.job_start_at.slice(0, 10)).sort();
  expect(await starts()).toEqual(['2027-07-07', '2027-07-07', '2027-07-08']);
  // A truck that has left, and one that somebody put elsewhere, does not move along.
  const [first] = (await tenant.must('GET', `/v1/orders/${order.id}/jobs`)).filter((job: Json) =>
    job.job_start_at.startsWith('2027-07-08'),
  );
  await tenant.must('PATCH', `/v1/jobs/${first.id}`, { job_start_at: '2027-07-20T15:00:00Z' });
  expect((await move({ truck_delay: 0 })).status).toBe(200);
  expect(await starts()).toEqual(['2027-07-07', '2027-07-07', '2027-07-20']);
});

test('an order is validated before it is created, and uses up no number', async () => {
  const before = await makeOrder(tenant);
  const reported = await validate(tenant.path('/orders/validate'), orderInput(tenant, { driver_id: tenant.driver.id, truck_count: 2 }));
  expect([reported.status, reported.body.data.valid]).toEqual([200, true]);
  expect(reported.body.data.conflicts.map(({ code }: Json) => code)).toEqual(expect.arrayContaining(['driver_double_booked']));
  const after = await makeOrder(tenant);
  expect(Number(after.order_id)).toBe(Number(before.order_id) + 1);
  const wrong = await validate('/v1/orders/validate', orderInput(tenant, { account_id: tenant.service.id }));
  expect(wrong.body.data).toMatchObject({ valid: false, conflicts: [{ field: 'account_id' }] });
  const changed = await validate(`/v1/orders/${before.id}/validate`, { po_job_number: 'PO 1' });
  expect(changed.body.data.valid).toBe(true);
  expect((await tenant.must('GET', `/v1/orders/${before.id}`)).po_job_number).toBe(before.po_job_number);
});

test('a caller without the permission to write cannot validate, and strangers find nothing', async () => {
  const [job] = await jobsOf();
  const { token } = await tenant.person({ roles: [] });
  expect((await validate(`/v1/jobs/${job.id}/validate`, { notes: 'x' }, token)).status).toBe(403);
  const stranger = await makeTenant(app);
  expect((await validate(`/v1/jobs/${job.id}/validate`, { notes: 'x' }, stranger.token)).status).toBe(404);
});

test('conflicts of a whole list take one statement', async () => {
  await jobsOf({ truck_count: 5 });
  const { statements } = await app.countStatements(() => tenant.gql('{ jobs(first: 20) { nodes { id conflicts { code } } } }'));
  expect(statements.length).toBe(2);
});

test('a job is not sent to a driver or vendor that has left, and its conflicts report it beforehand', async () => {
  const { user } = await tenant.person({ roles: ['driver'], firstName: 'Gus', lastName: 'Gone' });
  const hired = await tenant.save(Account, { company: ref(tenant.company), name: 'Gone Hauling', accountTypes: ['vendor'] });
  const order = await makeOrder(tenant, { truck_count: 2 });
  await tenant.must('PUT', tenant.path(`/orders/${order.id}/accept`), {});
  const [first, second] = (await tenant.must('GET', `/v1/orders/${order.id}/jobs`)) as [Json, Json];
  await tenant.must('PATCH', `/v1/jobs/${first.id}`, { driver_id: user.id });
  await tenant.must('PUT', `/v1/jobs/${second.id}/assign_vendor`, { vendor_id: hired.id });
  for (const { id } of [first, second]) {
    expect((await tenant.must('PUT', `/v1/jobs/${id}/request`, {})).state).toBe('sent');
    expect((await tenant.must('POST', `/v1/jobs/${id}/validate`, {})).conflicts).toEqual([]);
  }
  await tenant.must('DELETE', tenant.path(`/users/${user.id}`));
  await tenant.must('DELETE', `/v1/accounts/${hired.id}`);
  for (const [{ id }, code, field, name] of [
    [first, 'driver_gone', 'driver_id', 'Gus Gone'],
    [second, 'vendor_gone', 'vendor_id', 'Gone Hauling'],
  ] as const) {
    const refused = await tenant.http('PUT', `/v1/jobs/${id}/request`, {});
    expect([refused.status, refused.body.error?.errors]).toMatchObject([422, [{ field, message: expect.stringContaining(name) }]]);
    const [{ message }] = refused.body.error.errors;
    // Other things of the job may be changed all the same: a warning to that, with the words of the refusal.
    const reported = await tenant.must('POST', `/v1/jobs/${id}/validate`, {});
    expect(reported).toMatchObject({ valid: true, conflicts: [{ code, field, message, severity: 'warning' }] });
    expect(await conflictsOf(id)).toMatchObject([{ code, field, message }]);
    await tenant.must('PUT', tenant.path(`/jobs/${id}/unassign`), {});
    await tenant.must('PATCH', `/v1/jobs/${id}`, { driver_id: tenant.driver.id, job_start_at: '2027-09-01T12:00:00Z' });
    expect((await tenant.must('PUT', `/v1/jobs/${id}/request`, {})).state).toBe('sent');
    await tenant.must('PUT', `/v1/jobs/${id}/cancel`, {});
  }
});

test('conflicts name no job of a site that the reader may not see, although driver and truck are there at the same time', async () => {
  const { user, token } = await tenant.person({ roles: ['dispatcher'] });
  const plant = await tenant.save(Site, { company: ref(tenant.company), name: 'Plant' });
  const type = await tenant.save(EquipmentType, { company: ref(tenant.company), name: 'Tandem' });
  const truck = await tenant.save(Equipment, { company: ref(tenant.company), name: 'Truck 1', equipmentType: ref(type) });
  const { id: driver_id } = await driver();
  const [here] = await jobsOf({ load_at: '2027-10-01T12:00:00Z' });
  const waypoints = [plant, tenant.dropoff].map(({ id }, ordinality) => ({
    type: ordinality ? 'drop_off' : 'pickup',
    site_id: id,
    ordinality,
  }));
  const [elsewhere] = await jobsOf({ load_at: '2027-10-01T12:00:00Z', waypoints });
  for (const { id } of [here, elsewhere]) await tenant.must('PATCH', `/v1/jobs/${id}`, { driver_id, equipment_id: truck.id });
  const query = 'query($id: ID!) { job(id: $id) { conflicts { code relatedId message } } }';
  const reported = async (as?: string) => (await tenant.gql(query, { id: here.id }, as)).data.job.conflicts;
  const check = 'mutation($id: ID!) { validateJob(id: $id, input: { notes: "x" }) { conflicts { code relatedId } } }';
  const checked = async (as?: string) => (await tenant.gql(check, { id: here.id }, as)).data.validateJob.conflicts;
  const named = (conflicts: Json[]) => conflicts.filter(({ relatedId }) => relatedId === elsewhere.id);
  expect([named(await reported()).length, named(await checked()).length]).toEqual([2, 2]);
  await tenant.must('POST', `/v1/users/${user.id}/resource_scopes`, { resource_id: tenant.pickup.id, resource_type: 'Site' });
  expect([named(await reported(token)), JSON.stringify(await reported(token)).includes(elsewhere.job_id)]).toEqual([[], false]);
  expect(named(await checked(token))).toEqual([]);
});
