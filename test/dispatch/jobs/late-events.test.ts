import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { jobOf, jobOfChain, makeChain, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeStaffedTenant(app, { timeZone: zoneAt(22) });
});
afterAll(() => app.close());

const base = Date.now();
const ago = (minutes: number) => new Date(base - minutes * 60_000).toISOString();

/** A driver whose telephone reported that they were loaded, and then that they went off duty. @param ended minutes ago */
async function endedOnTheWay(ended: number, more: object, firm = tenant) {
  const driver = await firm.person({ roles: ['driver'] });
  const job = await jobOf(firm, { driver_id: driver.id, ...more });
  const duty = (state: string, minutes: number) => driver.http('PUT', `/v1/users/me/driver_day/${state}`, { occurred_at: ago(minutes) });
  const go = async (event: string, body: object = {}) => (await driver.http('PUT', `/v1/jobs/${job.id}/${event}`, body)).status;
  const late = (event: string, minutes: number, id: string = randomUUID()) => go(event, { id, occurred_at: ago(minutes) });
  expect((await duty('on_duty', 300)).status).toBe(200);
  expect([await late('enroute', 290), await late('load_material', 250)]).toEqual([200, 200]);
  expect((await duty('off_duty', ended)).status).toBe(200);
  const read = async () => ({
    state: (await firm.must('GET', `/v1/jobs/${job.id}`)).state,
    loads: ((await firm.must('GET', `/v1/jobs/${job.id}/loads`)) as Json[]).sort((a, b) => a.ordinality - b.ordinality),
  });
  return { job, driver, go, late, read };
}
const stampsOf = ({ load_summary: stamps }: Json) =>
  ['arrived_pickup_at', 'loaded_at', 'arrived_dropoff_at', 'unloaded_at', 'load_completed_at'].map(
    (name) => stamps[name] && Date.parse(stamps[name]),
  );
const times = (...minutes: number[]) => minutes.map((one) => Date.parse(ago(one)));

test('a telephone that was offline sends the end of the shift before the rest of the job: it is taken, and the job stays ended', async () => {
  const { job, late, read } = await endedOnTheWay(100, { loads_per_truck: 2 });
  expect((await read()).state).toBe('ended');
  const last = randomUUID();
  const events = [
    ['enroute', 240],
    ['unload_material', 200],
    ['complete_load', 195],
    ['enroute', 190],
    ['arrive', 170],
    ['load_material', 160],
    ['enroute', 155],
    ['arrive', 130],
    ['unload_material', 120],
  ] as const;
  for (const [event, minutes] of events) expect([event, await late(event, minutes)]).toEqual([event, 200]);
  expect(await late('complete_load', 115, last)).toBe(200);
  const done = await read();
  expect([done.state, done.loads.map((load) => load.state)]).toEqual(['ended', ['completed', 'completed']]);
  expect(done.loads.map(stampsOf)).toEqual([times(250, 250, 200, 200, 195), times(170, 160, 130, 120, 115)]);
  // Said again, it changes nothing.
  expect(await late('complete_load', 115, last)).toBe(200);
  expect(await read()).toEqual(done);
  const { logging_ended_at } = await tenant.must('GET', `/v1/jobs/${job.id}/summary`);
  expect(Date.parse(logging_ended_at)).toBe(Date.parse(ago(100)));
});

test('a job that has ended takes nothing of after its end, nothing without a time, nothing out of turn, and nothing once it is approved', async () => {
  const { job, go, late, read } = await endedOnTheWay(100, { loads_per_truck: 1 });
  const before = await read();
  const refused = [
    await late('unload_material', 99),
    await go('unload_material'),
    await late('load_material', 240),
    await late('complete', 240),
  ];
  expect(refused).toEqual([409, 409, 409, 409]);
  // Before it was loaded.
  expect(await late('enroute', 260)).toBe(422);
  // It has not left the pickup.
  expect([await late('unload_material', 240), await late('complete_load', 240)]).toEqual([409, 409]);
  expect(await read()).toEqual(before);
  await app.orm.em.fork().execute('update job set billing_approved_at = now() where id = ?', [job.id]);
  expect(await late('enroute', 200)).toBe(409);
  await app.orm.em.fork().execute('update job set billing_approved_at = null where id = ?', [job.id]);
  const on = [await late('enroute', 210), await late('unload_material', 200), await late('complete_load', 200), await late('enroute', 190)];
  expect(on).toEqual([200, 200, 200, 409]);
});

test('a job that the company of its driver has approved takes nothing late, although others own it; what another company approved holds nobody', async () => {
  const chain = await makeChain(app, { timeZone: zoneAt(22) });
  const { last, middle } = chain;
  const { id, token, go } = await jobOfChain(chain);
  const duty = (state: string, minutes: number) =>
    last.must('PUT', `/v1/users/me/driver_day/${state}`, { occurred_at: ago(minutes) }, token);
  await duty('on_duty', 300);
  await go('enroute', { occurred_at: ago(290) });
  await go('load_material', { occurred_at: ago(250) });
  await duty('off_duty', 100);
  const late = async (event: string, minutes: number) =>
    (await last.http('PUT', `/v1/jobs/${id}/${event}`, { occurred_at: ago(minutes) }, token)).status;
  const billerOf = async (firm: StaffedTenant) => (await firm.person({ roles: ['biller'] })).token;
  const biller = await billerOf(last);
  await last.must('PUT', `/v1/jobs/${id}/approve`, {}, biller);
  expect(await late('enroute', 240)).toBe(409);
  await last.must('PUT', `/v1/jobs/${id}/unapprove`, {}, biller);
  await middle.must('PUT', `/v1/jobs/${id}/approve`, {}, await billerOf(middle));
  expect([await late('enroute', 240), await late('unload_material', 200), await late('complete_load', 195)]).toEqual([200, 200, 200]);
});

test('the rest of the loads of a job is taken although its end has completed the order', async () => {
  const firm = await makeStaffedTenant(app, { timeZone: zoneAt(22), autoCompleteOrder: true });
  const { job, late, read } = await endedOnTheWay(100, { loads_per_truck: 2 }, firm);
  const orderId = (await firm.must('GET', `/v1/jobs/${job.id}`)).order.id;
  const order = async () => (await firm.must('GET', `/v1/orders/${orderId}`)).state;
  expect(await order()).toBe('completed');
  expect([await late('enroute', 240), await late('unload_material', 200), await late('complete_load', 195)]).toEqual([200, 200, 200]);
  for (const [event, minutes] of [
    ['enroute', 190],
    ['load_material', 160],
    ['enroute', 155],
    ['unload_material', 120],
    ['complete_load', 115],
  ] as const)
    expect([event, await late(event, minutes)]).toEqual([event, 200]);
  const done = await read();
  expect([done.state, done.loads.map((load) => load.state), await order()]).toEqual(['ended', ['completed', 'completed'], 'completed']);
  expect(done.loads.map(stampsOf)[1]).toEqual(times(160, 160, 120, 120, 115));
});
