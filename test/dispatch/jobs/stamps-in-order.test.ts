import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeStaffedTenant, ONE_LOAD, readyJob, type StaffedTenant } from '../../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeStaffedTenant(app);
});
afterAll(() => app.close());

const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const press = (job: Json, event: string, occurred_at?: string) =>
  tenant.driver.http('PUT', `/v1/jobs/${job.id}/${event}`, occurred_at ? { occurred_at } : {});
const pressed = async (job: Json, ...events: [string, string?][]) => {
  for (const [event, time] of events) expect([event, (await press(job, event, time)).status]).toEqual([event, 200]);
};
const loadOf = async (job: Json): Promise<Json> => (await tenant.dispatcher.must('GET', `/v1/jobs/${job.id}/loads`))[0];
const correct = (load: Json, times: object) => tenant.dispatcher.http('PATCH', `/v1/loads/${load.id}/summary`, times);
const problem = ({ status, body }: Json) => [status, body.error.errors.map(({ field, message }: Json) => [field, message])];

test('A-I5: after a step that a telephone with a fast clock noted, the next one has no earlier time, whoever reports it', async () => {
  const job = await readyJob(tenant);
  const ahead = at(4);
  await pressed(job, ['enroute', at(-10)], ['arrive', ahead], ['load_material'], ['enroute'], ['arrive'], ['unload_material']);
  const { id } = await loadOf(job);
  await tenant.dispatcher.must('PUT', tenant.path(`/loads/${id}/complete`), {});
  const { load_summary: stamps } = await loadOf(job);
  const names = ['arrived_pickup_at', 'loaded_at', 'arrived_dropoff_at', 'unloaded_at', 'load_completed_at'];
  expect(names.map((name) => stamps[name])).toEqual(names.map(() => ahead));
  const events: Json[] = await tenant.dispatcher.must('GET', `/v1/jobs/${job.id}/job_events?page[limit]=100`);
  expect(events.find(({ event_name }) => event_name === 'LoadCompleted').occurred_at).toBe(ahead);
});

test('A-I5: a report that is earlier than what the office has entered of the step before is refused, and changes nothing', async () => {
  const job = await readyJob(tenant);
  await pressed(job, ['enroute', at(-60)], ['arrive', at(-50)]);
  const load = await loadOf(job);
  const arrived = at(-30);
  expect((await correct(load, { arrived_pickup_at: arrived })).status).toBe(200);
  expect(problem(await press(job, 'load_material', at(-40)))).toEqual([400, [['occurred_at', 'lies before the previous event']]]);
  expect((await loadOf(job)).load_summary).toMatchObject({ arrived_pickup_at: arrived, loaded_at: null });
  await pressed(job, ['load_material', at(-20)]);
});

test('A-I5: no step is corrected to a time after the load was completed', async () => {
  const job = await readyJob(tenant);
  await pressed(job, ...ONE_LOAD.map((event, i): [string, string] => [event, at(i - 30)]));
  const load = await loadOf(job);
  const message = 'must not be after the load was completed';
  expect(problem(await correct(load, { unloaded_at: at(-10) }))).toEqual([422, [['unloaded_at', message]]]);
  expect(problem(await correct(load, { unloaded_at: null, loaded_at: at(-10), arrived_dropoff_at: null }))).toEqual([
    422,
    [['loaded_at', message]],
  ]);
  expect(await loadOf(job)).toEqual(load);
  expect((await correct(load, { unloaded_at: load.load_summary.load_completed_at })).status).toBe(200);
});

test('A-I5: what the office entered ahead of the truck goes when its driver reports that it is only there now', async () => {
  const job = await readyJob(tenant);
  await pressed(job, ['enroute', at(-60)]);
  const load = await loadOf(job);
  const entered = { arrived_pickup_at: at(-50), loaded_at: at(-40), arrived_dropoff_at: at(-10) };
  expect((await correct(load, entered)).status).toBe(200);
  const [arrived, loaded] = [at(-30), at(-5)];
  await pressed(job, ['arrive', arrived]);
  expect((await loadOf(job)).load_summary).toMatchObject({ ...entered, arrived_pickup_at: arrived, loaded_at: null });
  await pressed(job, ['load_material', loaded]);
  expect((await loadOf(job)).load_summary).toMatchObject({ arrived_pickup_at: arrived, loaded_at: loaded, arrived_dropoff_at: null });
});

test('A-I5: a load that is closed because its site changes is completed no earlier than its last step, whatever clock reported that', async () => {
  const job = await readyJob(tenant);
  const ahead = at(4);
  await pressed(job, ['enroute', at(-10)], ['arrive', at(-5)], ['load_material', ahead]);
  const waypoints = [{ id: job.waypoints[0].id, site_id: tenant.dropoff.id }];
  expect((await tenant.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { waypoints })).state).toBe('load_completed');
  const { load_summary: stamps } = await loadOf(job);
  expect([stamps.loaded_at, stamps.load_completed_at]).toEqual([ahead, ahead]);
  const events: Json[] = await tenant.dispatcher.must('GET', `/v1/jobs/${job.id}/job_events?page[limit]=100`);
  expect(events.find(({ event_name }) => event_name === 'LoadCompleted').occurred_at).toBe(ahead);
});
