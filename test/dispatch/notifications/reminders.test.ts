import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { remind } from '../../../src/dispatch/notifications/remind.ts';
import { localMinutes } from '../../../src/platform/time.ts';
import { LocationHistory } from '../../../src/telematics/positions/location-history.entity.ts';
import { drive, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';
import { Notified, type Reached } from './notified.ts';

let notified: Notified;
let tenant: StaffedTenant;
beforeAll(async () => {
  notified = await Notified.start();
  tenant = await makeStaffedTenant(notified.app, { timeZone: zoneAt(12) });
});
afterAll(() => notified.app.close());

const kindsOf = async (who: Reached, kind: string) => (await notified.got(who)).pushes.filter((one) => one === kind);
/** Several processes look at once, and again and again. */
const lookOften = () => Promise.all(Array.from({ length: 6 }, () => remind(notified.app.productOrm.em)));

test('half an hour before a job its driver is reminded, once; at another start, again', async () => {
  const driver = await notified.person(tenant, ['driver'], { start_job_reminder: ['push', 'sms'] });
  const job = await notified.sent(tenant, driver, 60);
  expect((await notified.got(driver)).pushes).toEqual(['new_job_request']);
  await driver.must('PUT', `/v1/jobs/${job.id}/accept`, {});
  const startIn = (minutes: number) =>
    notified.sql(`update job set job_start_at = now() + $2 * interval '1 minute' where id = $1`, [job.id, minutes]);
  await startIn(29);
  await lookOften();
  await lookOften();
  const { texts } = await notified.got(driver);
  expect([await kindsOf(driver, 'start_job_reminder'), texts.length]).toEqual([['start_job_reminder'], 1]);
  expect(texts[0]).toContain(`Job ${job.job_id} begins at `);
  await startIn(10);
  expect(await kindsOf(driver, 'start_job_reminder')).toHaveLength(2);
  const timeline = await tenant.must('GET', `/v1/jobs/${job.id}/job_events`);
  expect(timeline.filter((one: { event_name: string }) => one.event_name === 'NotificationSent')).toHaveLength(3);
});

test('whoever cannot be reached is found once, and not by each look of each process', async () => {
  const driver = await notified.person(tenant, ['driver'], {}, 0);
  const job = await notified.sent(tenant, driver, 60);
  await notified.sql(`update job set job_start_at = now() + interval '20 minutes' where id = $1`, [job.id]);
  await lookOften();
  await lookOften();
  const found = await notified.sql('select key, sent_at from notification where user_id = $1', [driver.user.id]);
  expect(found).toEqual([{ key: expect.stringMatching(/^start_job_reminder:/), sent_at: null }]);
  expect(await notified.got(driver)).toEqual({ pushes: [], texts: [] });
});

test('a job that was not answered for two hours is recalled once, and not after the answer', async () => {
  const [slow, quick] = [await notified.person(tenant, ['driver']), await notified.person(tenant, ['driver'])];
  const [job, answered] = [await notified.sent(tenant, slow), await notified.sent(tenant, quick)];
  const back = (minutes: number) =>
    notified.sql(`update job set state_changed_at = now() - $2 * interval '1 minute' where id = any($1::uuid[])`, [
      [job.id, answered.id],
      minutes,
    ]);
  await back(119);
  expect(await kindsOf(slow, 'pending_job_reminder')).toEqual([]);
  await quick.must('PUT', `/v1/jobs/${answered.id}/accept`, {});
  await back(121);
  await lookOften();
  expect([await kindsOf(slow, 'pending_job_reminder'), await kindsOf(quick, 'pending_job_reminder')]).toEqual([
    ['pending_job_reminder'],
    [],
  ]);
});

test('at night nobody is reminded of what can wait, and everybody of what begins', async () => {
  const night = await makeStaffedTenant(notified.app, { timeZone: zoneAt(22) });
  const driver = await notified.person(night, ['driver']);
  const [later, now] = [await notified.sent(night, driver, 36 * 60), await notified.sent(night, driver, 36 * 60)];
  await notified.settle();
  await notified.sql(`update job set state_changed_at = now() - interval '3 hours' where id = $1`, [later.id]);
  await notified.sql(`update job set job_start_at = now() + interval '20 minutes', state = 'accepted' where id = $1`, [now.id]);
  expect((await notified.got(driver)).pushes).toEqual(['start_job_reminder']);
  const waiting = await notified.sql(
    `select next_at, give_up_at, params ->> 'about' as about from outgoing_message where recipient = any($1)`,
    [(await notified.sql('select id from device_token where user_id = $1', [driver.user.id])).map(({ id }) => id)],
  );
  expect(waiting.map(({ about }) => about).sort()).toEqual(['new_job_request', 'new_job_request', 'pending_job_reminder']);
  for (const { next_at: at } of waiting) expect(localMinutes(new Date(at), night.company.timeZone)).toBe(6 * 60);
});

test('a telephone that is silent for a quarter of an hour on a job is noticed once for each gap, by the driver and the office', async () => {
  const driver = await notified.person(tenant, ['driver']);
  const office = await notified.person(tenant, ['dispatcher'], { no_location_alert: ['sms'] });
  const job = await notified.sent(tenant, driver, 60);
  await driver.must('PUT', `/v1/jobs/${job.id}/accept`, {});
  await drive(driver, job.id, 'enroute');
  const heard = (minutes: number) =>
    notified.sql(`update app_user set last_ping_at = now() - $2 * interval '1 minute' where id = $1`, [driver.user.id, minutes]);
  // First the telephone, so that the looker never sees an old job of a telephone that was not heard at all.
  await heard(14);
  await notified.sql(`update job_event set occurred_at = now() - interval '2 hours' where job_id = $1`, [job.id]);
  expect(await kindsOf(driver, 'no_location_alert')).toEqual([]);
  await heard(16);
  await lookOften();
  expect([await kindsOf(driver, 'no_location_alert'), (await notified.got(office)).texts.length]).toEqual([['no_location_alert'], 1]);
  expect((await notified.got(office)).texts[0]).toMatch(/No location of Ada Gravel for 15 minutes during job/);
  // Another gap.
  await heard(15.5);
  expect([await kindsOf(driver, 'no_location_alert'), (await notified.got(office)).texts.length]).toEqual([
    Array(2).fill('no_location_alert'),
    2,
  ]);
  await driver.must('PUT', `/v1/jobs/${job.id}/pause`, {});
  await heard(40);
  expect(await kindsOf(driver, 'no_location_alert')).toHaveLength(2);
});

test('each gap of a truck on a job is noticed, if its driver has no telephone that speaks', async () => {
  const driver = await notified.person(tenant, ['driver']);
  const company = ref(tenant.company);
  const equipmentType = ref(await tenant.save(EquipmentType, { company, name: 'Followed' }));
  const truck = await tenant.save(Equipment, { company, name: 'Followed', equipmentType });
  const job = await notified.sent(tenant, driver, 60);
  await driver.must('PUT', `/v1/jobs/${job.id}/accept`, {});
  const heard = (minutes: number) =>
    tenant.save(LocationHistory, {
      ...{ companyId: tenant.company.id, equipmentId: truck.id, deviceId: 'unit', source: 'telematics', lat: '30.25', lon: '-97.75' },
      occurredAt: new Date(Date.now() - minutes * 60_000),
    });
  await heard(50);
  await notified.sql('update job set equipment_id = $2 where id = $1', [job.id, truck.id]);
  await drive(driver, job.id, 'enroute');
  await notified.sql(`update job_event set occurred_at = now() - interval '2 hours' where job_id = $1`, [job.id]);
  await lookOften();
  expect(await kindsOf(driver, 'no_location_alert')).toHaveLength(1);
  // Heard again, and silent again: another gap.
  await heard(20);
  await lookOften();
  await lookOften();
  expect(await kindsOf(driver, 'no_location_alert')).toHaveLength(2);
  await heard(5);
  await lookOften();
  expect(await kindsOf(driver, 'no_location_alert')).toHaveLength(2);
});

test('a shift that is open after its planned end is recalled hourly, three times', async () => {
  const driver = await notified.person(tenant, ['driver']);
  await driver.must('PUT', '/v1/users/me/driver_day/on_duty', {});
  const began = (minutes: number) =>
    notified.sql(`update driver_day set started_shift_at = now() - $2 * interval '1 minute' where driver_id = $1`, [
      driver.user.id,
      minutes,
    ]);
  for (const [minutes, times] of [
    [480 + 59, 0],
    [480 + 61, 1],
    [480 + 119, 1],
    [480 + 121, 2],
    [480 + 185, 3],
    [480 + 245, 3],
  ] as const) {
    await began(minutes);
    await lookOften();
    expect([minutes, (await kindsOf(driver, 'end_shift_reminder')).length]).toEqual([minutes, times]);
  }
  const other = await notified.person(tenant, ['driver']);
  await other.must('PUT', '/v1/users/me/driver_day/on_duty', {});
  // First the end of the shift, so that the looker never sees a long one that is open.
  await other.must('PUT', '/v1/users/me/driver_day/off_duty', {});
  await notified.sql(`update driver_day set started_shift_at = now() - interval '545 minutes' where driver_id = $1`, [other.user.id]);
  await lookOften();
  expect(await kindsOf(other, 'end_shift_reminder')).toEqual([]);
});

test('A5 home base: a driver who is back with nothing left to do is reminded to end the shift, once for each return', async () => {
  const [back, busy] = [await notified.person(tenant, ['driver']), await notified.person(tenant, ['driver'])];
  const home = (driver: Reached, minutes: number) =>
    notified.sql(`update driver_day set last_homebase_entry_at = now() - $2 * interval '1 minute' where driver_id = $1`, [
      driver.user.id,
      minutes,
    ]);
  for (const driver of [back, busy]) {
    const job = await notified.sent(tenant, driver, 60);
    await driver.must('PUT', `/v1/jobs/${job.id}/accept`, {});
    await drive(driver, job.id, 'enroute');
    await home(driver, 2);
    await lookOften();
    // A job is under way.
    expect(await kindsOf(driver, 'end_shift_reminder')).toEqual([]);
    if (driver === busy) await notified.sent(tenant, driver, 90);
    await drive(driver, job.id, 'complete');
  }
  await lookOften();
  await lookOften();
  // A driver who has another job today stays on duty.
  expect([await kindsOf(back, 'end_shift_reminder'), await kindsOf(busy, 'end_shift_reminder')]).toEqual([['end_shift_reminder'], []]);
  await home(back, 1);
  await lookOften();
  expect(await kindsOf(back, 'end_shift_reminder')).toHaveLength(2);
  await back.must('PUT', '/v1/users/me/driver_day/off_duty', {});
  await home(back, 0);
  await lookOften();
  expect(await kindsOf(back, 'end_shift_reminder')).toHaveLength(2);
});
