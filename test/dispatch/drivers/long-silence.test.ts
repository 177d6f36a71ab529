import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { endForgottenShifts } from '../../../src/dispatch/drivers/forgotten-shifts.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { act, connect, jobOf, makeChain, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import type { Person } from '../../helpers/tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
/** Where it is about ten at night, so that the shift is of one date. */
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeStaffedTenant(app, { timeZone: zoneAt(22) });
});
afterAll(() => app.close());

const base = Date.now();
const ago = (hours: number) => new Date(base - hours * 3_600_000).toISOString();
const since = (text: string | null) => text && Math.round((base - Date.parse(text)) / 36_000) / 100;
const fail = (error: unknown): never => {
  throw error;
};
const sweep = () => endForgottenShifts(app.productOrm.em, fail);

/** Has the acts of the office be before a shift. */
const beforeShift = (jobId: string, began: number) =>
  app.orm.em
    .fork()
    .execute('update job_event set occurred_at = ? where job_id = ? and occurred_at > ?', [ago(began + 0.5), jobId, ago(began - 1.5)]);

const ownJob = (driver: Person): Promise<Json> => jobOf(tenant, { driver_id: driver.id, loads_per_truck: 1 });

/** A job that a customer passes on along a chain of companies, each of which is hired by the one before, and whose driver has accepted it. */
const passedOn =
  (owner: StaffedTenant, ...chain: { of: StaffedTenant; hired: Json }[]) =>
  async (driver: Person): Promise<Json> => {
    const job = await jobOf(owner, { loads_per_truck: 1 });
    let from = owner;
    for (const { of, hired } of chain) {
      await act(from, job.id, 'assign_vendor', { vendor_id: hired.id });
      from = of;
    }
    await from.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: driver.id });
    await act(from, job.id, 'request');
    await driver.must('PUT', `/v1/jobs/${job.id}/accept`, {});
    return job;
  };

/** A driver who left for a job half an hour after a shift began, and was not heard of any more, so that the shift has ended by itself. @param began hours ago */
async function silent({ began = 15.5, of = tenant, jobFor = ownJob } = {}) {
  const driver = await of.person({ roles: ['driver'] });
  const job = await jobFor(driver);
  const put = async (path: string, hours: number) => (await driver.http('PUT', path, { id: randomUUID(), occurred_at: ago(hours) })).status;
  const duty = (state: string, hours: number) => put(`/v1/users/me/driver_day/${state}`, hours);
  const go = (event: string, hours: number) => put(`/v1/jobs/${job.id}/${event}`, hours);
  expect([await duty('on_duty', began), await go('enroute', began - 0.5)]).toEqual([200, 200]);
  await beforeShift(job.id, began);
  expect(await sweep()).toBe(1);
  const [{ id }] = await of.must('GET', of.path(`/driver_days?filter[driver_ids][]=${driver.id}`));
  const day = async () => {
    const query =
      'query($id: ID!) { driverDay(id: $id) { startedShiftAt endedShiftAt endReason exceptions totalOnDutyMinutes totalBreakMinutes } }';
    const { data } = await of.gql(query, { id });
    const { startedShiftAt, endedShiftAt, endReason, exceptions, totalOnDutyMinutes: onDuty, totalBreakMinutes: rested } = data.driverDay;
    const forgotten = exceptions.includes('forgotten_shift');
    return { from: since(startedShiftAt), to: since(endedShiftAt), endReason, forgotten, onDuty, rested };
  };
  const work = async () => {
    const [load] = (await of.must('GET', `/v1/jobs/${job.id}/loads`)) as Json[];
    const summary = await of.must('GET', `/v1/jobs/${job.id}/summary`);
    const { state } = await of.must('GET', `/v1/jobs/${job.id}`);
    return {
      state,
      load: load.state,
      unloaded: since(load.load_summary.unloaded_at),
      from: since(summary.logging_started_at),
      to: since(summary.logging_ended_at),
      minutes: summary.work_time_minutes,
    };
  };
  expect(await day()).toMatchObject({ from: began, to: began - 0.5, endReason: 'auto', forgotten: true, onDuty: 30 });
  return { id, job, driver, duty, go, day, work };
}

type Silent = Awaited<ReturnType<typeof silent>>;
const STATES = async ({ duty }: Silent) => [await duty('break', 10), await duty('on_duty', 9.5), await duty('off_duty', 1)];
const EVENTS = async ({ go }: Silent) => [
  await go('arrive', 14.5),
  await go('load_material', 14),
  await go('enroute', 13.5),
  await go('unload_material', 2.5),
  await go('complete_load', 2),
];

test.each([
  ['states first', [STATES, EVENTS]],
  ['events first', [EVENTS, STATES]],
])(
  'a telephone that was silent for so long that its shift ended by itself reports all of it once it is heard of: %s',
  async (_name, queues) => {
    const one = await silent();
    for (const queue of queues) for (const status of await queue(one)) expect(status).toBe(200);
    expect(await one.day()).toEqual({ from: 15.5, to: 1, endReason: 'driver', forgotten: false, onDuty: 14 * 60, rested: 30 });
    // The job lasted as long as the shift, without the break.
    expect(await one.work()).toEqual({ state: 'ended', load: 'completed', unloaded: 2.5, from: 15, to: 1, minutes: 13.5 * 60 });
    expect(await sweep()).toBe(0);
  },
);

test('without a report of the end, the job lasts as long as its driver was at work, and the office still has to look at the day', async () => {
  const one = await silent();
  for (const status of await EVENTS(one)) expect(status).toBe(200);
  expect(await one.work()).toMatchObject({ state: 'ended', load: 'completed', to: 2, minutes: 13 * 60 });
  expect(await one.day()).toMatchObject({ to: 15, endReason: 'auto', forgotten: true });
});

test('who has gone on duty anew since was off duty in between, and neither the first stretch nor its job lasted longer', async () => {
  const one = await silent();
  expect([await one.duty('on_duty', 4), await one.duty('off_duty', 1)]).toEqual([200, 200]);
  expect(await one.day()).toMatchObject({ from: 15.5, to: 1, endReason: 'driver', onDuty: 30 + 180 });
  expect(await one.go('arrive', 3)).toBe(409);
  expect(await one.work()).toMatchObject({ state: 'ended', to: 15, minutes: 0 });
});

test('a shift that ended by itself and is approved stays as it is, and so does its job', async () => {
  const one = await silent();
  const [before, work] = [await one.day(), await one.work()];
  await tenant.admin.must('PUT', `/v1/driver_days/${one.id}/approve`, {});
  expect(await one.duty('off_duty', 1)).toBe(200);
  expect(await one.go('arrive', 14.5)).toBe(409);
  expect([await one.day(), await one.work()]).toEqual([before, work]);
});

test('an end of more than 20 hours after the shift began is one that was forgotten, and so is work', async () => {
  const one = await silent({ began: 23.5 });
  expect([await one.duty('off_duty', 1), await one.duty('break', 1), await one.go('arrive', 3)]).toEqual([200, 422, 409]);
  expect(await one.day()).toMatchObject({ from: 23.5, to: 23, endReason: 'auto', forgotten: true, onDuty: 30 });
  expect(await one.work()).toMatchObject({ state: 'ended', to: 23 });
  expect([await one.go('arrive', 22), await one.go('load_material', 4)]).toEqual([200, 200]);
  expect(await one.work()).toMatchObject({ state: 'ended', to: 4 });
  expect(await one.duty('off_duty', 3.6)).toBe(200);
  expect(await one.day()).toMatchObject({ from: 23.5, to: 3.6, endReason: 'driver', forgotten: false });
});

test('a corrected end goes when the telephone says that the shift went on', async () => {
  const one = await silent();
  const corrected = async () =>
    since(
      (await tenant.gql('query($id: ID!) { driverDay(id: $id) { adjustedEndedShiftAt } }', { id: one.id })).data.driverDay
        .adjustedEndedShiftAt,
    );
  await tenant.admin.must('PATCH', `/v1/driver_days/${one.id}`, { adjusted_ended_shift_at: ago(12) });
  expect(await corrected()).toBe(12);
  expect([await one.duty('break', 10), await one.duty('on_duty', 9.5), await one.duty('off_duty', 1)]).toEqual([200, 200, 200]);
  expect([await corrected(), await one.day()]).toMatchObject([null, { to: 1, onDuty: 14 * 60 }]);
});

test('a job that its hauler has approved in its own books ends when it did, as one that its owner has approved', async () => {
  const owner = await makeStaffedTenant(app, { timeZone: zoneAt(22) });
  const hired = await connect(owner, tenant);
  for (const isApproved of [false, true]) {
    const one = await silent({ jobFor: passedOn(owner, { of: tenant, hired }) });
    if (isApproved) await act(tenant, one.job.id, 'approve', {}, tenant.admin);
    expect(await one.duty('off_duty', 1)).toBe(200);
    expect(await one.day()).toMatchObject({ to: 1, endReason: 'driver' });
    // Nothing was hauled, so that what counts is the last thing that happened: the end is what was said before that.
    const { pre_clamp_logging_ended_at: said, logging_ended_at: counted } = await tenant.must('GET', `/v1/jobs/${one.job.id}/summary`);
    expect([isApproved, since(said ?? counted)]).toEqual([isApproved, isApproved ? 15 : 1]);
  }
});

test('a customer that does not see the states of a driver moves no end into the time in which the driver was off duty', async () => {
  const { owner, middle, last, hired, subHired } = await makeChain(app, { timeZone: zoneAt(22) });
  const one = await silent({ of: last, jobFor: passedOn(owner, { of: middle, hired }, { of: last, hired: subHired }) });
  expect([await one.duty('on_duty', 4), await one.duty('off_duty', 1)]).toEqual([200, 200]);
  const report = { id: randomUUID(), occurred_at: ago(3) };
  expect((await owner.dispatcher.http('PUT', `/v1/jobs/${one.job.id}/arrive`, report)).status).toBe(409);
  expect(await one.work()).toMatchObject({ state: 'ended', to: 15 });
});
