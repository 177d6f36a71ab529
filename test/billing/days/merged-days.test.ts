import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { DriverDay } from '../../../src/dispatch/model/driver-day.entity.ts';
import { DriverStateEvent } from '../../../src/dispatch/model/driver-state.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { at, pastShift } from '../../dispatch/drivers/shifts.ts';
import { makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { errorsOf, merge, merged, rowsOf, undo } from '../../merging/merging.ts';
import { type Biller, billerOf, makeBooks, messages } from '../books.ts';
import { choose, on, touch, worked, ZONE } from './worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const HOURLY = { driver_rate_value: 32, driver_rate_type: 'RatePerHour' };

async function byDay(): Promise<{ own: StaffedTenant; by: Biller }> {
  const own = await makeStaffedTenant(books.app, { timeZone: ZONE });
  await choose(own, { driverPayBy: 'driver_day' });
  return { own, by: await billerOf(own) };
}
const shift = (own: StaffedTenant, driver: Json, ...[from, until]: string[]) =>
  pastShift(own, driver, [['on_duty', on(from!), until ? on(until) : null]]);
async function payableOf(by: Biller, day: DriverDay): Promise<Json> {
  await books.app.settled();
  const { total_amount, driver, job_job_ids } = await by.must('GET', `/v1/driver_days/${day.id}/payable`);
  return { total_amount, driver: driver.id, job_job_ids };
}
/** A job of a driver on their day, which is paid by the day. */
async function jobOf(own: StaffedTenant, day: DriverDay): Promise<Json> {
  const job = await worked(own, day.id, HOURLY, 60);
  await own.app.orm.em.fork().nativeUpdate(Job, { id: job.id }, { driver: day.driver.id }, { filters: { tenant: false } });
  await touch(own, job);
  return job;
}
const timesheetsOf = (own: StaffedTenant, ...drivers: string[]): Promise<Json[]> =>
  own.admin.must('GET', own.path(`/driver_days?${drivers.map((id) => `filter[driver_ids][]=${id}`).join('&')}&page[limit]=100`));
/** Makes the work that a merge has to give back. */
async function workOf(own: StaffedTenant): Promise<Json> {
  const { driver_day, driver_state_event, job } = await rowsOf(own);
  return { driver_day, driver_state_event, job };
}

test('two shifts of one date are two timesheets when their drivers are one, each paid by itself, and go back', async () => {
  const { own, by } = await byDay();
  const [former, kept, third] = [
    own.driver.user,
    (await own.person({ roles: ['driver'] })).user,
    (await own.person({ roles: ['driver'] })).user,
  ];
  const days = [
    await shift(own, former, '05:00', '09:00'),
    await shift(own, kept, '10:00', '12:00'),
    await shift(own, third, '12:00', '13:00'),
  ];
  const jobs: Json[] = [];
  for (const day of days) jobs.push(await jobOf(own, day));
  const [morning, noon, last] = days as [DriverDay, DriverDay, DriverDay];
  // By driving them the driver of the test is on duty now, too.
  const before = await workOf(own);
  const paid = ['128', '64', '32'];
  for (const [at, day] of days.entries()) expect((await payableOf(by, day)).total_amount).toBe(paid[at]);

  const first = await merged(own, 'users', kept.id, [former.id]);
  const between = await workOf(own);
  for (const [at, day] of [morning, noon].entries())
    expect(await payableOf(by, day)).toEqual({ total_amount: paid[at], driver: kept.id, job_job_ids: [jobs[at].job_id] });
  const listed = (await timesheetsOf(own, kept.id)).filter(({ driver_day_date }) => driver_day_date === morning.driverDayDate);
  expect(listed.map(({ id }) => id).sort()).toEqual([morning.id, noon.id].sort());
  // Each is corrected by itself.
  const corrected = await own.must('PATCH', `/v1/driver_days/${morning.id}`, { external_id: 'M' }, await own.administrator());
  expect(corrected.id).toBe(morning.id);
  await own.must('PATCH', `/v1/driver_days/${morning.id}`, { external_id: null }, await own.administrator());

  // Whoever has two is merged, too.
  const second = await merged(own, 'users', third.id, [kept.id]);
  for (const [at, day] of days.entries())
    expect(await payableOf(by, day)).toEqual({ total_amount: paid[at], driver: third.id, job_job_ids: [jobs[at].job_id] });
  // Nobody is in two states at a time, off duty neither.
  const overlapping = await books.app.orm.em.getConnection().execute(
    `select from driver_state_event o join driver_state_event r on r.user_id = o.user_id and r.id > o.id
     where o.user_id = ? and tstzrange(o.started_at, o.ended_at) && tstzrange(r.started_at, r.ended_at)`,
    [third.id],
  );
  expect(overlapping).toEqual([]);
  expect((await undo(own, second.id)).status).toBe(200);
  expect(await workOf(own)).toEqual(between);
  expect((await undo(own, first.id)).status).toBe(200);
  expect(await workOf(own)).toEqual(before);
  expect((await payableOf(by, last)).driver).toBe(third.id);
});

test('a shift that lasted when its driver was merged is parted by the undo, into the timesheet that the other driver has', async () => {
  const { own, by } = await byDay();
  const [former, kept] = [own.driver.user, (await own.person({ roles: ['driver'] })).user];
  const early = await shift(own, kept, '05:00', '08:00');
  const late = await shift(own, former, '09:00');
  for (const day of [early, late]) await jobOf(own, day);
  const em = own.app.orm.em.fork();
  const filters = { filters: { tenant: false } };
  const done = await merged(own, 'users', kept.id, [former.id]);
  // They end it, and work for an hour more.
  await em.nativeUpdate(DriverStateEvent, { driverDayId: late.id } as never, { endedAt: on('12:00') }, filters);
  const span = { company: ref(own.company), userId: kept.id, driverDayId: late.id };
  await own.save(DriverStateEvent, { ...span, state: 'on_duty', startedAt: on('12:00'), endedAt: on('13:00') });
  await em.nativeUpdate(DriverDay, { id: late.id }, { endedShiftAt: on('13:00') }, filters);
  // Nothing is added to what was approved.
  await own.must('PUT', `/v1/driver_days/${early.id}/approve`, {}, await own.administrator());
  const refused = await undo(own, done.id);
  expect([refused.status, messages(refused)]).toEqual([
    409,
    ['cannot be undone any more: a day on which both drivers have worked was corrected or approved since'],
  ]);
  await own.must('PUT', `/v1/driver_days/${early.id}/unapprove`, {}, await own.administrator());
  expect((await undo(own, done.id)).status).toBe(200);
  expect([await payableOf(by, early), await payableOf(by, late)]).toMatchObject([
    { total_amount: '128', driver: kept.id },
    { total_amount: '96', driver: former.id },
  ]);
  const sheets = (await timesheetsOf(own, kept.id, former.id)).filter(({ id }) => [early.id, late.id].includes(id));
  const timesOf = (day: DriverDay) => {
    const { started_shift_at, ended_shift_at } = sheets.find(({ id }) => id === day.id);
    return [started_shift_at, ended_shift_at].map((time) => Date.parse(time));
  };
  expect(timesOf(early)).toEqual([on('05:00').getTime(), on('13:00').getTime()]);
  expect(timesOf(late)).toEqual([on('09:00').getTime(), on('12:00').getTime()]);
});

test('a timesheet in the hours of that of the driver who stays is refused, also in a gap of it, and nothing is changed', async () => {
  const { own } = await byDay();
  const [former, kept] = [own.driver.user, (await own.person({ roles: ['driver'] })).user];
  await pastShift(own, kept, [
    ['on_duty', on('06:00'), on('10:00')],
    ['off_duty', on('10:00'), on('13:00')],
    ['on_duty', on('13:00'), on('17:00')],
  ]);
  await shift(own, former, '11:00', '12:00');
  const before = await rowsOf(own);
  expect(errorsOf(await merge(own, 'users', kept.id, [former.id]))).toContain(
    'other_ids.0: has a timesheet of 2026-11-18 in the hours of that of the driver who stays: nobody is on two shifts at a time',
  );
  expect(await rowsOf(own)).toEqual(before);
});

test('whoever goes on duty again goes on with their own shift of the date, not with one that they got', async () => {
  // Where it is about noon now, whatever time it is.
  const ahead = 12 - new Date().getUTCHours();
  const own = await makeStaffedTenant(books.app, { timeZone: `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}` });
  const kept = await own.person({ roles: ['driver'] });
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const theirs = await pastShift(own, own.driver.user, [['on_duty', ago(240), ago(180)]]);
  const mine = await pastShift(own, kept.user, [['on_duty', ago(120), ago(60)]]);
  await merged(own, 'users', kept.id, [own.driver.id]);
  await kept.must('PUT', '/v1/users/me/driver_state/on_duty', {});
  const sheets = await timesheetsOf(own, kept.id);
  expect(Object.fromEntries(sheets.map(({ id, ended_shift_at }) => [id, ended_shift_at !== null]))).toEqual({
    [theirs.id]: true,
    [mine.id]: false,
  });
});

test('whoever said "off duty" while the other one was on a shift is on that shift when both are one, and it ends', async () => {
  const { own } = await byDay();
  const [former, kept, third] = [
    await own.person({ roles: ['driver'] }),
    await own.person({ roles: ['driver'] }),
    await own.person({ roles: ['driver'] }),
  ];
  // A telephone may begin with it.
  await own.save(DriverStateEvent, { company: ref(own.company), userId: kept.id, state: 'off_duty', startedAt: on('06:00') });
  await shift(own, former.user, '05:00', '09:00');
  await shift(own, third.user, '12:00', '13:00');
  const before = await workOf(own);
  const stateOf = (driver: typeof kept) => driver.must('GET', '/v1/users/me/driver_state');
  const first = await merged(own, 'users', kept.id, [former.id]);
  expect(first.moved.find(({ records }: Json) => records === 'driver_state_event')).toMatchObject({ moved: 2, put_aside: 0 });
  expect(await stateOf(kept)).toMatchObject({ state: 'off_duty', started_at: on('09:00').toISOString() });
  // A state that the first merge has ended stays so when another one is undone.
  const between = await workOf(own);
  expect((await undo(own, (await merged(own, 'users', kept.id, [third.id])).id)).status).toBe(200);
  expect(await workOf(own)).toEqual(between);
  expect((await undo(own, first.id)).status).toBe(200);
  expect(await workOf(own)).toEqual(before);

  // A shift that lasts goes on, and ends.
  const [busy, idle] = [await own.person({ roles: ['driver'] }), await own.person({ roles: ['driver'] })];
  await busy.must('PUT', '/v1/users/me/driver_state/on_duty', {});
  await idle.must('PUT', '/v1/users/me/driver_state/off_duty', {});
  await merged(own, 'users', idle.id, [busy.id]);
  expect((await stateOf(idle)).state).toBe('on_duty');
  await idle.must('PUT', '/v1/users/me/driver_state/off_duty', {});
  expect((await timesheetsOf(own, idle.id)).map(({ ended_shift_at }) => ended_shift_at)).toEqual([expect.any(String)]);
});

test('hours that would be paid twice because a timesheet was corrected keep drivers from being merged, also beyond midnight', async () => {
  const { own } = await byDay();
  for (const [end, date] of [
    ['2026-11-18T11:00', '2026-11-18'],
    ['2026-11-19T01:00', '2026-11-19'],
  ] as const) {
    const [former, kept] = [(await own.person({ roles: ['driver'] })).user, (await own.person({ roles: ['driver'] })).user];
    const corrected = at(end, ZONE);
    const minutes = (count: number) => new Date(corrected.getTime() + count * 60_000);
    const day = await pastShift(own, kept, [['on_duty', minutes(-240), minutes(-120)]]);
    await pastShift(own, former, [['on_duty', minutes(-30), minutes(60)]]);
    await own.must('PATCH', `/v1/driver_days/${day.id}`, { adjusted_ended_shift_at: corrected.toISOString() }, await own.administrator());
    await books.app.settled();
    const before = await rowsOf(own);
    expect(errorsOf(await merge(own, 'users', kept.id, [former.id]))).toEqual([
      '422',
      `other_ids.0: has a timesheet of ${date} in the hours of that of the driver who stays: nobody is on two shifts at a time`,
    ]);
    expect(await rowsOf(own)).toEqual(before);
    await own.must(
      'PATCH',
      `/v1/driver_days/${day.id}`,
      { adjusted_ended_shift_at: minutes(-30).toISOString() },
      await own.administrator(),
    );
    await merged(own, 'users', kept.id, [former.id]);
  }
});

test('a driver whose shift a version before has given back goes on with it', async () => {
  const ahead = 12 - new Date().getUTCHours();
  const own = await makeStaffedTenant(books.app, { timeZone: `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}` });
  const [former, kept] = [await own.person({ roles: ['driver'] }), await own.person({ roles: ['driver'] })];
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const theirs = await pastShift(own, former.user, [['on_duty', ago(240), ago(180)]]);
  await pastShift(own, kept.user, [['on_duty', ago(120), ago(60)]]);
  const { id } = await merged(own, 'users', kept.id, [former.id]);
  expect((await undo(own, id)).status).toBe(200);
  // It does not know whose the shift was, and leaves what the merge has noted.
  await own.app.orm.em.fork().nativeUpdate(DriverDay, { id: theirs.id }, { mergedDriverId: former.id }, { filters: { tenant: false } });
  await former.must('PUT', '/v1/users/me/driver_state/on_duty', {});
  expect((await timesheetsOf(own, former.id)).map((sheet) => [sheet.id, sheet.ended_shift_at])).toEqual([[theirs.id, null]]);
});
