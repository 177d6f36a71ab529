import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { clockTime } from '../../../src/platform/time.ts';
import { jobOf, makeStaffedTenant, plannedOrder, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';
import { Notified } from './notified.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let notified: Notified;
let tenant: StaffedTenant;
beforeAll(async () => {
  notified = await Notified.start();
  tenant = await makeStaffedTenant(notified.app, { timeZone: zoneAt(12) });
});
afterAll(() => notified.app.close());

const eventsOf = async (job: Json): Promise<string[]> =>
  (await tenant.must('GET', `/v1/jobs/${job.id}/job_events`)).map(({ event_name: name }: Json) => name);

test('a driver is notified of a new job by what they chose, once, on every device and by one text', async () => {
  const both = await notified.person(tenant, ['driver'], {}, 2);
  await tenant.must('PATCH', `/v1/users/${both.user.id}`, { preferences: { notifications: { new_job_request: ['push', 'sms'] } } });
  const job = await notified.sent(tenant, both);
  const got = await notified.got(both);
  expect(got.pushes).toEqual(['new_job_request', 'new_job_request']);
  expect(got.texts).toEqual([
    expect.stringMatching(new RegExp(`^${tenant.company.legalName}: New job ${job.job_id} on .*STOP ends texts\\.$`)),
  ]);
  expect(notified.pushes.find(({ token }) => token === both.tokens[0])).toMatchObject({
    title: tenant.company.legalName,
    data: { job_id: job.id },
    language: 'en',
  });
  expect((await eventsOf(job)).filter((name) => name === 'NotificationSent')).toHaveLength(1);
  // Whoever reads the events anew, as after a crash, finds the notices there.
  await notified.sql('update notification_cursor set position = 0');
  expect(await notified.got(both)).toEqual(got);
  // Sent again, it is another request.
  await tenant.dispatcher.must('PUT', `/v1/jobs/${job.id}/request`, {});
  expect((await notified.got(both)).texts).toHaveLength(2);
});

test('who chose nothing gets pushes and no texts, except of new jobs where they accept by text; an empty list is nothing at all', async () => {
  const usual = await notified.person(tenant, ['driver']);
  const texted = await notified.person(tenant, ['driver'], {}, 0, { textToAcceptEnabled: true });
  const silent = await notified.person(tenant, ['driver'], { new_job_request: [] });
  const without = await notified.person(tenant, ['driver'], {}, 0);
  for (const driver of [usual, texted, silent, without]) await notified.sent(tenant, driver);
  expect(await notified.got(usual)).toEqual({ pushes: ['new_job_request'], texts: [] });
  expect(await notified.got(texted)).toEqual({ pushes: [], texts: [expect.stringContaining('New job')] });
  expect([await notified.got(silent), await notified.got(without)]).toEqual(Array(2).fill({ pushes: [], texts: [] }));
  expect(await notified.sql('select 1 from notification where user_id = any($1::uuid[])', [[silent.user.id, without.user.id]])).toEqual([]);
});

test('texts are in the language of the person, else of their company, and times in their zone', async () => {
  const zone = zoneAt(13);
  const spanish = await notified.person(tenant, ['driver'], {}, 1, {
    preferences: { language: 'es', notifications: { new_job_request: ['sms'] } },
    timeZone: zone,
  });
  const french = await makeStaffedTenant(notified.app, { timeZone: zoneAt(12), language: 'fr' });
  const driver = await notified.person(french, ['driver'], { new_job_request: ['sms'] });
  const job = await notified.sent(tenant, spanish, 60);
  await notified.sent(french, driver);
  const clock = clockTime(new Date(job.job_start_at), zone);
  expect((await notified.got(spanish)).texts).toEqual([expect.stringContaining(`a las ${clock}. Acéptelo`)]);
  expect((await notified.got(driver)).texts).toEqual([expect.stringContaining('Nouveau travail')]);
});

test('a driver hears that a job is gone: canceled, taken back or given to somebody else, if they knew of it', async () => {
  const [driver, other] = [await notified.person(tenant, ['driver']), await notified.person(tenant, ['driver'])];
  const [canceled, taken, given] = [
    await notified.sent(tenant, driver),
    await notified.sent(tenant, driver),
    await notified.sent(tenant, driver),
  ];
  await notified.got(driver);
  await tenant.dispatcher.must('PUT', `/v1/jobs/${canceled.id}/cancel`, {});
  await tenant.dispatcher.must('PUT', `/v1/jobs/${taken.id}/unassign`, {});
  await driver.must('PUT', `/v1/jobs/${given.id}/accept`, {});
  await tenant.dispatcher.must('PATCH', `/v1/jobs/${given.id}`, { driver_id: other.user.id });
  const unsent = await jobOf(tenant, { driver_id: driver.user.id });
  await tenant.dispatcher.must('PUT', `/v1/jobs/${unsent.id}/cancel`, {});
  const { pushes } = await notified.got(driver);
  expect(pushes.slice(3).sort()).toEqual(['job_canceled', 'job_unassigned', 'job_unassigned']);
  expect((await notified.got(other)).pushes).toEqual([]);
});

test('what is true no more is not sent', async () => {
  const driver = await notified.person(tenant, ['driver']);
  notified.works = false;
  const job = await notified.sent(tenant, driver);
  await notified.settle();
  await driver.must('PUT', `/v1/jobs/${job.id}/accept`, {});
  notified.works = true;
  await notified.sql('update outgoing_message set next_at = now()');
  expect((await notified.got(driver)).pushes).toEqual([]);
  expect(await notified.sql('select 1 from outgoing_message')).toEqual([]);
  expect(await eventsOf(job)).not.toContain('NotificationSent');
});

test('the office hears of what it chose, and who asked for an order what came of it; nobody of what they did themselves', async () => {
  const office = await notified.person(tenant, ['dispatcher'], {
    job_completed: ['push'],
    load_completed: ['sms'],
    job_state_changed: ['push'],
  });
  const usual = await notified.person(tenant, ['dispatcher']);
  const stranger = await notified.person(await makeStaffedTenant(notified.app), ['dispatcher'], { job_state_changed: ['push'] });
  const foreman = await notified.person(tenant, ['foreman']);
  const asked = await plannedOrder(tenant, { requester_id: foreman.user.id });
  await tenant.dispatcher.must('PUT', tenant.path(`/orders/${asked.id}/request`), {});
  expect([(await notified.got(usual)).pushes, (await notified.got(foreman)).pushes]).toEqual([['order_pending_request'], []]);
  await usual.must('PUT', tenant.path(`/orders/${asked.id}/accept`), {});
  await usual.must('PUT', tenant.path(`/orders/${asked.id}/cancel`), {});
  expect((await notified.got(foreman)).pushes.sort()).toEqual(['order_accepted', 'order_canceled']);

  const job = await notified.sent(tenant, tenant.driver);
  for (const event of ['accept', 'enroute', 'arrive', 'load_material', 'enroute', 'arrive', 'unload_material', 'complete_load', 'complete'])
    await tenant.driver.must('PUT', `/v1/jobs/${job.id}/${event}`, {});
  const { pushes, texts } = await notified.got(office);
  expect(texts).toEqual([expect.stringContaining(`A load of job ${job.job_id} is completed.`)]);
  expect(pushes.filter((kind) => kind === 'job_completed')).toHaveLength(1);
  const said = notified.pushes.filter(({ data, kind }) => data.job_id === job.id && kind === 'job_state_changed').map(({ text }) => text);
  expect(said).toContain(`Job ${job.job_id}: on the way to the drop-off.`);
  expect((await notified.got(stranger)).pushes).toEqual([]);
  expect((await notified.got(usual)).pushes).toEqual(['order_pending_request']);
});

test('of a vendor, the name of its own company is in the text, and not whose work it is', async () => {
  const hauler = await makeStaffedTenant(notified.app, { timeZone: zoneAt(12) });
  const account = await tenant.must('POST', tenant.path('/accounts/connected'), {
    platform_id: hauler.company.platformId,
    account_types: ['vendor'],
  });
  const driver = await notified.person(hauler, ['driver'], { new_job_request: ['sms'] });
  const job = await jobOf(tenant, { load_at: new Date(Date.now() + 36_000_000).toISOString() });
  await tenant.dispatcher.must('PUT', tenant.path(`/jobs/${job.id}/assign_vendor`), { vendor_id: account.id });
  await hauler.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: driver.user.id });
  await hauler.dispatcher.must('PUT', `/v1/jobs/${job.id}/request`, {});
  const { texts } = await notified.got(driver);
  expect(texts).toEqual([expect.stringContaining(`${hauler.company.legalName}: New job`)]);
  expect(texts[0]).not.toContain(tenant.company.legalName);
});

test('the office of a vendor hears of the jobs that it hauls: of new ones, of each state, and that they are gone', async () => {
  const hauler = await makeStaffedTenant(notified.app, { timeZone: zoneAt(12) });
  const account = await tenant.must('POST', tenant.path('/accounts/connected'), {
    platform_id: hauler.company.platformId,
    account_types: ['vendor'],
  });
  const wishes = { job_completed: ['push'], job_state_changed: ['push'] };
  const office = await notified.person(hauler, ['dispatcher'], wishes);
  const usual = await notified.person(hauler, ['manager']);
  const subcontracted = async () => {
    const job = await jobOf(tenant, { load_at: new Date(Date.now() + 36_000_000).toISOString() });
    await tenant.dispatcher.must('PUT', tenant.path(`/jobs/${job.id}/assign_vendor`), { vendor_id: account.id });
    return job;
  };
  const [job, canceled] = [await subcontracted(), await subcontracted()];
  await tenant.dispatcher.must('PUT', `/v1/jobs/${job.id}/request`, {});
  expect((await notified.got(usual)).pushes).toEqual(['new_job_request']);
  await tenant.dispatcher.must('PUT', `/v1/jobs/${canceled.id}/cancel`, {});
  expect((await notified.got(usual)).pushes).toEqual(['new_job_request', 'job_canceled']);
  await hauler.dispatcher.must('PUT', `/v1/jobs/${job.id}/accept`, {});
  await hauler.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: hauler.driver.user.id });
  for (const event of ['enroute', 'complete']) await hauler.driver.must('PUT', `/v1/jobs/${job.id}/${event}`, {});
  const { pushes } = await notified.got(office);
  expect(pushes.filter((kind) => kind === 'job_completed')).toHaveLength(1);
  const said = notified.pushes.filter(
    ({ data, kind, token }) => data.job_id === job.id && kind === 'job_state_changed' && office.tokens.includes(token),
  );
  expect(said.map(({ text }) => text)).toContain(`Job ${job.job_id}: on the way to the pickup.`);
  expect(said.every(({ title }) => title === hauler.company.legalName)).toBe(true);
  expect((await notified.got(usual)).pushes).toHaveLength(2);
});

test('a device on which the app is no longer is forgotten', async () => {
  const driver = await notified.person(tenant, ['driver'], {}, 2);
  notified.gone.add(driver.tokens[0]!);
  await notified.sent(tenant, driver);
  await notified.got(driver);
  expect(await notified.sql('select token from device_token where user_id = $1', [driver.user.id])).toEqual([{ token: driver.tokens[1] }]);
  const audits = await notified.sql(
    `select event from audit_entry where subject_type = 'DeviceToken' and company_id = $1 and event = 'destroy'`,
    [tenant.company.id],
  );
  expect(audits).toEqual([{ event: 'destroy' }]);
});
