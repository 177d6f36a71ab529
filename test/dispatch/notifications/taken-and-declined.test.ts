import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { acceptedOrder, connect, jobOf, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';
import { Notified, type Reached } from './notified.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let notified: Notified;
let tenant: StaffedTenant;
beforeAll(async () => {
  notified = await Notified.start();
  tenant = await makeStaffedTenant(notified.app, { timeZone: zoneAt(12) });
});
afterAll(() => notified.app.close());

const soon = () => ({ load_at: new Date(Date.now() + 36_000_000).toISOString() });
const put = (by: StaffedTenant | Reached, path: string, body: object = {}): Promise<Json> => by.must('PUT', path, body);

test('offices along the chain hear that a job was declined; who follows every change of a state hears of it once', async () => {
  const [office, follower] = [
    await notified.person(tenant, ['dispatcher']),
    await notified.person(tenant, ['dispatcher'], { job_state_changed: ['push'] }),
  ];
  const driver = await notified.person(tenant, ['driver']);
  const job = await notified.sent(tenant, driver);
  await put(driver, `/v1/jobs/${job.id}/reject`, { reject_reason: 'Flat tyre' });
  expect((await notified.got(office)).pushes).toEqual(['job_declined']);
  const heard = notified.pushes.filter(({ token, data }) => follower.tokens.includes(token) && data.job_id === job.id);
  // Several that are due at once are sent in no order.
  expect(heard.map(({ kind, text }) => [kind, text])).toContainEqual(['job_state_changed', `Job ${job.job_id}: rejected.`]);
  expect(heard.map(({ kind }) => kind)).not.toContain('job_declined');
  expect(notified.pushes.find(({ kind }) => kind === 'job_declined')!.text).toMatch(
    new RegExp(`^Job ${job.job_id} on .* was declined\\.$`),
  );
});

test('each vendor from whom a sent job is taken hears of it, down the chain, and none who keeps it or never had it', async () => {
  const [hauler, last] = [
    await makeStaffedTenant(notified.app, { timeZone: zoneAt(12) }),
    await makeStaffedTenant(notified.app, { timeZone: zoneAt(12) }),
  ];
  const [hired, subHired] = [await connect(tenant, hauler), await connect(hauler, last)];
  const [office, lastOffice] = [await notified.person(hauler, ['dispatcher']), await notified.person(last, ['manager'])];
  const gone = async (who: Reached) => (await notified.got(who)).pushes.filter((kind) => kind === 'job_unassigned').length;
  const passed = async () => {
    const job = await jobOf(tenant, soon());
    await put(tenant, tenant.path(`/jobs/${job.id}/assign_vendor`), { vendor_id: hired.id });
    return job;
  };
  const [unsent, job] = [await passed(), await passed()];
  await put(tenant, `/v1/jobs/${unsent.id}/unassign`);
  for (const [who, event, body] of [
    [tenant, 'request', {}],
    [hauler, 'accept', {}],
    [hauler, 'assign_vendor', { vendor_id: subHired.id }],
    [hauler, 'request', {}],
  ] as const)
    await put(who, who.path(`/jobs/${job.id}/${event}`), body);
  expect([await gone(office), await gone(lastOffice)]).toEqual([0, 0]);
  // The hauler takes it back from the owner-operator, and keeps it.
  await put(hauler, hauler.path(`/jobs/${job.id}/unassign`));
  expect([await gone(office), await gone(lastOffice)]).toEqual([0, 1]);
  await put(hauler, hauler.path(`/jobs/${job.id}/assign_vendor`), { vendor_id: subHired.id });
  await put(tenant, tenant.path(`/jobs/${job.id}/unassign`));
  expect([await gone(office), await gone(lastOffice)]).toEqual([1, 2]);
});

test('drivers of an order that waits for the weather hear of it, those of vendors among them; not who does not know of the job or has ended it', async () => {
  const { id, jobs } = await acceptedOrder(tenant, { ...soon(), truck_count: 3 });
  const [sent, planned, over] = [
    await notified.person(tenant, ['driver']),
    await notified.person(tenant, ['driver']),
    await notified.person(tenant, ['driver']),
  ];
  for (const [at, driver] of [sent, planned, over].entries())
    await tenant.must('PATCH', `/v1/jobs/${jobs[at].id}`, { driver_id: driver.user.id });
  for (const at of [0, 2]) await put(tenant, `/v1/jobs/${jobs[at].id}/request`);
  await put(over, `/v1/jobs/${jobs[2].id}/accept`);
  for (const event of ['enroute', 'complete']) await put(over, `/v1/jobs/${jobs[2].id}/${event}`);
  const held = async (who: Reached) => (await notified.got(who)).pushes.filter((kind) => kind === 'order_weather_hold').length;
  await put(tenant, tenant.path(`/orders/${id}/hold`));
  expect(await held(sent)).toBe(0);
  await put(tenant, tenant.path(`/orders/${id}/weather_hold`));
  expect([await held(sent), await held(planned), await held(over)]).toEqual([1, 0, 0]);
  const { text, data } = notified.pushes.find(({ kind }) => kind === 'order_weather_hold')!;
  expect([text, data]).toEqual([expect.stringContaining('waits because of the weather'), { order_id: id }]);
});
