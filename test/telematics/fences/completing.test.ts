import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { onDuty } from '../../helpers/on-duty.ts';
import { act, connect, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { makeRoad, type Road } from './road.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const completable = async ({ jobId }: Road) =>
  (await tenant.gql('query ($id: ID!) { job(id: $id) { state completable } }', { id: jobId })).data.job;
const settings = async (of: Tenant, input: string) =>
  expect((await of.gql(`mutation { updateCompanySettings(input: { ${input} }) { id } }`)).errors).toBeUndefined();
/** Drives a whole load. */
async function haul(road: Road, whenThere: () => Promise<unknown> = async () => undefined): Promise<void> {
  await road.go([0, 0], [5, 0]);
  await road.go([7, 1_000], [9, 4_000]);
  await road.go([12, 5_000], [16, 5_000]);
  expect((await completable(road)).completable).toBe(false);
  await whenThere();
  await road.go([18, 4_000], [20, 3_000]);
}
const ONE = { recurring_loads: false, loads_per_truck: 1 };

test('a job whose truck left the last site with no load left waits to be completed', async () => {
  const road = await makeRoad(tenant, { order: ONE });
  await haul(road);
  expect(await completable(road)).toEqual({ state: 'load_completed', completable: true });
  await road.driver.must('PUT', `/v1/jobs/${road.jobId}/complete`, {});
  expect(await completable(road)).toEqual({ state: 'completed', completable: false });
  const more = await makeRoad(tenant, { order: { ...ONE, loads_per_truck: 2 } });
  await haul(more);
  expect(await completable(more)).toEqual({ state: 'load_completed', completable: false });
});

test('a company may have such a job completed at once, which is undone as a whole; never one that is counted in hours', async () => {
  const other = await makeTenant(app, { company: { autoCompleteOrder: true } });
  tenant = other;
  await settings(other, 'autoCompleteJob: true');
  const road = await makeRoad(other, { order: ONE });
  const rates = () => app.orm.em.fork().execute('select rate_source from job where id = ?', [road.jobId]);
  let before: unknown;
  await haul(road, async () => {
    before = await rates();
  });
  expect((await completable(road)).state).toBe('completed');
  const order = async () => (await other.must('GET', `/v1/orders/${(await road.job()).order.id}`)).state;
  expect(await order()).toBe('completed');
  const events = await other.must('GET', `/v1/jobs/${road.jobId}/job_events?page[limit]=100`);
  const [done] = events.filter(({ event_name }: { event_name: string }) => event_name === 'JobCompleted');
  expect(done).toMatchObject({ event_source: 'geofence', occurred_at: road.at(18) });
  const undo = () => other.gql('mutation ($id: ID!) { undoAutomaticEvent(jobEventId: $id) { state } }', { id: done.id });
  const undoable = async () =>
    (
      await other.gql('query ($job: ID!) { geofenceTriggers(jobId: $job) { nodes { undoable } } }', { job: road.jobId })
    ).data.geofenceTriggers.nodes.filter((one: { undoable: boolean }) => one.undoable).length;
  // An approved time stays, until the approval is taken back.
  await other.must('PUT', `/v1/jobs/${road.jobId}/approve`, {});
  expect([await undoable(), (await undo()).errors[0].extensions.code]).toEqual([0, 'conflict']);
  await other.must('PUT', `/v1/jobs/${road.jobId}/unapprove`, {});
  expect(await undoable()).toBe(1);
  const undone = await undo();
  expect(undone.data.undoAutomaticEvent).toEqual({ state: 'arrived_dropoff' });
  expect([(await road.load()).state, await rates(), await order()]).toEqual(['arrived_dropoff', before, 'in_progress']);
  const hourly = await makeRoad(other, { order: { ...ONE, job_unit_of_measure: 'Hour', unit_of_measure: 'Hour' } });
  await haul(hourly);
  expect(await completable(hourly)).toEqual({ state: 'load_completed', completable: false });
  const two = await makeRoad(other, { order: { ...ONE, loads_per_truck: 2 } });
  await haul(two);
  expect((await completable(two)).state).toBe('load_completed');
});

test('who undoes an automatic step is stopped by approvals in their own books, and what another company approved stays its own affair', async () => {
  const [owner, vendor] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  tenant = owner;
  await settings(owner, 'autoCompleteJob: true');
  const driver = await vendor.person({ roles: ['driver'] });
  const road = await makeRoad(owner, { order: ONE, driver });
  await onDuty(vendor, driver.id, { startedAt: new Date(road.at(-60)) });
  await act(owner, road.jobId, 'assign_vendor', { vendor_id: (await connect(owner, vendor)).id });
  await vendor.dispatcher.must('PATCH', `/v1/jobs/${road.jobId}`, { driver_id: driver.id });
  await vendor.dispatcher.must('PUT', `/v1/jobs/${road.jobId}/request`, {});
  await driver.must('PUT', `/v1/jobs/${road.jobId}/accept`, {});
  await haul(road);
  expect((await road.job()).state).toBe('completed');
  const events = await owner.must('GET', `/v1/jobs/${road.jobId}/job_events?page[limit]=100`);
  const { id } = events.find(({ event_name }: { event_name: string }) => event_name === 'JobCompleted');
  const undo = (as: StaffedTenant, token?: string) =>
    as.gql('mutation ($id: ID!) { undoAutomaticEvent(jobEventId: $id) { state } }', { id }, token);
  const approvedBy = async (who: StaffedTenant) => {
    const { approved, approvable, unapprovable } = await who.must('GET', `/v1/jobs/${road.jobId}`);
    return { approved, approvable, unapprovable };
  };
  await vendor.must('PUT', `/v1/jobs/${road.jobId}/approve`, {});
  expect((await undo(vendor, driver.token)).errors[0].extensions.code).toBe('conflict');
  expect((await undo(owner)).data.undoAutomaticEvent).toEqual({ state: 'arrived_dropoff' });
  // The vendor has approved what did not happen yet: its approval is in effect until the vendor takes it back, and cannot be given again before the end.
  expect(await approvedBy(owner)).toEqual({ approved: false, approvable: false, unapprovable: false });
  expect(await approvedBy(vendor)).toEqual({ approved: true, approvable: false, unapprovable: true });
  await vendor.must('PUT', `/v1/jobs/${road.jobId}/unapprove`, {});
  expect(await approvedBy(vendor)).toEqual({ approved: false, approvable: false, unapprovable: false });
  expect((await vendor.http('PUT', `/v1/jobs/${road.jobId}/approve`, {})).status).toBe(422);
});

test('jobs of a company that requires it ask the telephones of their drivers to allow everything', async () => {
  const of = await makeTenant(app);
  const before = await makeRoad(of, { accept: false });
  await settings(of, 'driverRequireAllPermissions: true');
  const after = await makeRoad(of, { accept: false });
  expect([(await before.job()).driver_require_all_permissions, (await after.job()).driver_require_all_permissions]).toEqual([false, true]);
});
