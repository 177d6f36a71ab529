import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { timesIn } from '../../../src/console/times/times.ts';
import { DriverDay } from '../../../src/dispatch/model/driver-day.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';
import { at, pastShift } from './shifts.ts';

let app: TestApp;
let toronto: Tenant;
let vancouver: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  toronto = await makeTenant(app, { company: { timeZone: 'America/Toronto' } });
  vancouver = await makeTenant(app, { company: { timeZone: 'America/Vancouver' } });
});
afterAll(() => app.close());

const person = (tenant: Tenant) => tenant.person({ roles: ['driver'] });
const dayOf = (tenant: Tenant, id: string) => tenant.must('GET', `/v1/driver_days/${id}`);
const exceptionsOf = async (tenant: Tenant, id: string) =>
  (await tenant.gql('query($id: ID!) { driverDay(id: $id) { payableMinutes exceptions } }', { id })).data.driverDay;

/** The shift of M1, in Toronto. */
async function m1() {
  const { user, token } = await person(toronto);
  const on = (time: string) => at(`2026-11-18T${time}`, 'America/Toronto');
  const day = await pastShift(toronto, user, [
    ['on_duty', on('05:40'), on('10:00')],
    ['break', on('10:00'), on('10:30')],
    ['on_duty', on('10:30'), on('15:55')],
  ]);
  return { day, token, on };
}

test('M1: a shift with a break; with lunch taken off it is shorter, and the break was counted twice', async () => {
  const { day } = await m1();
  expect(await dayOf(toronto, day.id)).toMatchObject({
    total_on_duty_minutes: 585,
    total_break_minutes: 30,
    total_shift_minutes: 615,
    driver_day_date: '2026-11-18',
  });
  const lunch = { shift_adjustment_minutes: -30, shift_adjustment_type: 'lunch' };
  const corrected = await toronto.must('PATCH', `/v1/driver_days/${day.id}`, lunch);
  expect([corrected.total_shift_minutes, corrected.total_on_duty_minutes, corrected.total_break_minutes]).toEqual([585, 585, 30]);
  expect(await exceptionsOf(toronto, day.id)).toEqual({
    payableMinutes: 555,
    exceptions: ['overtime', 'break_counted_twice', 'no_jobs', 'no_gps'],
  });
});

test('a start that does not fit to what was seen of the truck is an exception, also after somebody corrected it', async () => {
  const { user } = await person(toronto);
  const on = (time: string) => at(`2026-11-18T${time}`, 'America/Toronto');
  const day = await pastShift(toronto, user, [['on_duty', on('05:40'), on('12:00')]], { firstHomebaseExitAt: on('06:10') });
  const mismatch = async () => (await exceptionsOf(toronto, day.id)).exceptions.includes('fence_mismatch');
  expect(await mismatch()).toBe(true);
  await toronto.must('PATCH', `/v1/driver_days/${day.id}`, { adjusted_started_shift_at: on('06:05').toISOString() });
  expect(await mismatch()).toBe(true);
  const { user: other } = await person(toronto);
  const fine = await pastShift(toronto, other, [['on_duty', on('06:00'), on('12:00')]], { firstHomebaseExitAt: on('06:10') });
  await toronto.must('PATCH', `/v1/driver_days/${fine.id}`, { adjusted_started_shift_at: on('05:00').toISOString() });
  expect((await exceptionsOf(toronto, fine.id)).exceptions).not.toContain('fence_mismatch');
});

test('a company pays for breaks and judges days by its own limits', async () => {
  const tenant = await makeTenant(app, { company: { timeZone: 'America/Toronto' } });
  const { user } = await person(tenant);
  const on = (time: string) => at(`2026-11-18T${time}`, 'America/Toronto');
  const day = await pastShift(tenant, user, [
    ['on_duty', on('05:40'), on('10:00')],
    ['break', on('10:00'), on('10:30')],
    ['on_duty', on('10:30'), on('15:55')],
  ]);
  expect(await exceptionsOf(tenant, day.id)).toEqual({ payableMinutes: 585, exceptions: ['overtime', 'no_jobs', 'no_gps'] });
  const limits = { breaksPaid: true, overtimeAfterMinutes: 615, shortestBreakMinutes: 31, longShiftMinutes: 614 };
  const change = 'mutation($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { id } }';
  expect((await tenant.gql(change, { input: limits })).errors).toBeUndefined();
  expect(await exceptionsOf(tenant, day.id)).toEqual({
    payableMinutes: 615,
    exceptions: ['missing_break', 'long_shift', 'no_jobs', 'no_gps'],
  });
});

test.each([
  ['Toronto, when clocks fall back', '2026-10-31', () => toronto, 570],
  ['Toronto, when clocks spring forward', '2027-03-13', () => toronto, 450],
  ['Vancouver, which keeps its clocks since 2026', '2026-10-31', () => vancouver, 510],
])('M2: a night shift is as long as it was: %s', async (_name, date, of, minutes) => {
  const tenant = of();
  const { user } = await person(tenant);
  const next = new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
  const zone = tenant.company.timeZone;
  const day = await pastShift(tenant, user, [['on_duty', at(`${date}T22:00`, zone), at(`${next}T06:30`, zone)]]);
  expect(await dayOf(tenant, day.id)).toMatchObject({ total_shift_minutes: minutes, driver_day_date: date });
});

test('A12: the hour that is there twice when clocks fall back is two hours, of instants with their offset', async () => {
  const { user } = await person(toronto);
  // 01:30 of summer time, and 01:30 an hour later.
  const [first, second] = ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z'];
  const day = await pastShift(toronto, user, [['on_duty', new Date(first), new Date(second)]]);
  const [listed] = await toronto.must('GET', `/v1/driver_days?filter[driver_ids][]=${user.id}`);
  expect(listed).toMatchObject({ id: day.id, driver_day_date: '2026-11-01', total_shift_minutes: 60 });
  for (const [time, instant] of [
    [listed.started_shift_at, first],
    [listed.ended_shift_at, second],
  ])
    expect([/(Z|[+-]\d\d:\d\d)$/.test(time), Date.parse(time)]).toEqual([true, Date.parse(instant)]);
  // People read the two apart as well.
  const shown = [first, second].map((instant) => timesIn('America/Toronto')(instant));
  expect(shown).toEqual([expect.stringMatching(/1:30:00 AM (EDT|GMT-4)$/), expect.stringMatching(/1:30:00 AM (EST|GMT-5)$/)]);
  expect(timesIn('America/Toronto')('2026-11-01T08:30:00Z')).toMatch(/3:30:00 AM$/);
});

test('a telephone that is connected and reports what was long ago has a wrong clock; one that was offline has not', async () => {
  const zone = zoneAt(22);
  const tenant = await makeTenant(app, { company: { timeZone: zone } });
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const report = async (connected: boolean) => {
    const { must } = await tenant.person({ roles: ['driver'] });
    const day = await must('PUT', '/v1/users/me/driver_day/on_duty', { occurred_at: ago(120) });
    const positions = [100, 60, ...(connected ? [2] : [])].map((minutes) => ({ occurred_at: ago(minutes), lat: 30.25, lon: -97.75 }));
    await must('POST', '/v1/users/me/locations', { device_id: 'phone', locations: positions });
    await must('PUT', '/v1/users/me/driver_day/break', { occurred_at: ago(30) });
    const { data } = await tenant.gql('query($id: ID!) { driverDay(id: $id) { exceptions } }', { id: day.id });
    return data.driverDay.exceptions.includes('clock_skew');
  };
  expect([await report(false), await report(true)]).toEqual([false, true]);
});

test('M3: the gap between two shifts of a date is in neither', async () => {
  const { user } = await person(toronto);
  const on = (time: string) => at(`2026-11-17T${time}`, 'America/Toronto');
  const day = await pastShift(toronto, user, [
    ['on_duty', on('06:00'), on('10:00')],
    ['on_duty', on('13:00'), on('17:00')],
  ]);
  expect(await dayOf(toronto, day.id)).toMatchObject({ total_shift_minutes: 480, total_on_duty_minutes: 480, total_break_minutes: 0 });
});

test('corrected times are kept with the logged ones, cut and lengthen the shift, and are taken back by null', async () => {
  const { day, on } = await m1();
  const path = `/v1/driver_days/${day.id}`;
  const logged = { started_shift_at: on('05:40').toISOString(), ended_shift_at: on('15:55').toISOString() };
  const adjusted = (start: string | null, end: string | null) => ({
    adjusted_started_shift_at: start && on(start).toISOString(),
    adjusted_ended_shift_at: end && on(end).toISOString(),
  });
  const totals = async (body: object) => {
    const after = await toronto.must('PATCH', path, body);
    expect(after).toMatchObject({ ...logged, ...body });
    return [after.total_on_duty_minutes, after.total_break_minutes, after.total_shift_minutes];
  };
  expect(await totals(adjusted('06:00', '16:00'))).toEqual([570, 30, 600]);
  expect(await totals(adjusted('05:00', '10:15'))).toEqual([300, 15, 315]);
  expect(await totals(adjusted('16:30', '18:00'))).toEqual([90, 0, 90]);
  expect(await totals(adjusted(null, null))).toEqual([585, 30, 615]);
  const entries = await app.orm.em.fork().execute('select to_jsonb(a) as entry from audit_entry a where a.subject_id = ?', [day.id]);
  expect(JSON.stringify(entries)).toContain(on('05:00').toISOString().slice(0, 19));
  expect((await toronto.http('PATCH', path, {})).status).toBe(200);
});

test('a day that is sent back as it was read changes nothing, also one that is approved; what changes is refused then', async () => {
  const { day, on } = await m1();
  const path = `/v1/driver_days/${day.id}`;
  const lunch = { shift_adjustment_minutes: -30, shift_adjustment_type: 'lunch', external_id: `SHIFT-${day.id}` };
  await toronto.must('PATCH', path, { ...lunch, adjusted_ended_shift_at: on('15:30').toISOString() });
  await app.orm.em.fork().nativeUpdate(DriverDay, { id: day.id }, { billingApprovedAt: new Date() }, { filters: { tenant: false } });
  const read = await dayOf(toronto, day.id);
  expect(read).toMatchObject({ ...lunch, editable: false });
  expect(await toronto.must('PATCH', path, read)).toEqual(read);
  for (const change of [{ shift_adjustment_minutes: -31 }, { external_id: null }, { adjusted_ended_shift_at: null }])
    expect((await toronto.http('PATCH', path, { ...read, ...change })).status).toBe(422);
  expect(await dayOf(toronto, day.id)).toEqual(read);
});

const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
test.each([
  ['adjusted start >= end', { adjusted_started_shift_at: '2026-11-18T21:00:00Z' }, 'adjusted_started_shift_at'],
  [
    'span > 24 h',
    { adjusted_started_shift_at: '2026-11-17T20:00:00Z', adjusted_ended_shift_at: '2026-11-19T10:00:00Z' },
    'adjusted_ended_shift_at',
  ],
  ['future > 5 min', { adjusted_ended_shift_at: hours(1) }, 'adjusted_ended_shift_at'],
  ['> 24 h from the original', { adjusted_started_shift_at: '2026-11-17T10:00:00Z' }, 'adjusted_started_shift_at'],
  ['adjustment below -on_duty', { shift_adjustment_minutes: -586, shift_adjustment_type: 'lunch' }, 'shift_adjustment_minutes'],
  ['adjustment beyond 720', { shift_adjustment_minutes: 721, shift_adjustment_type: 'wait_time' }, 'shift_adjustment_minutes'],
  ['type without minutes', { shift_adjustment_type: 'lunch' }, 'shift_adjustment_minutes'],
  ['minutes without type', { shift_adjustment_minutes: -30 }, 'shift_adjustment_type'],
  ['negative wait_time', { shift_adjustment_minutes: -30, shift_adjustment_type: 'wait_time' }, 'shift_adjustment_minutes'],
  ['positive break', { shift_adjustment_minutes: 30, shift_adjustment_type: 'break' }, 'shift_adjustment_minutes'],
  ['positive lunch', { shift_adjustment_minutes: 30, shift_adjustment_type: 'lunch' }, 'shift_adjustment_minutes'],
  ['positive breakdown', { shift_adjustment_minutes: 30, shift_adjustment_type: 'breakdown' }, 'shift_adjustment_minutes'],
  ['unknown type', { shift_adjustment_minutes: 30, shift_adjustment_type: 'nap' }, 'shift_adjustment_type'],
])('bad input of a correction: %s', async (_row, body, field) => {
  const { day } = await m1();
  const before = await dayOf(toronto, day.id);
  const { status, body: answer } = await toronto.http('PATCH', `/v1/driver_days/${day.id}`, body);
  expect([status, answer.error.errors.map((item: { field: string }) => item.field)]).toEqual([422, [field]]);
  expect(await dayOf(toronto, day.id)).toEqual(before);
});

test("bad input of a correction: an external id that is taken, a shift that lasts, times of a driver who may not edit them, another company's day", async () => {
  const [first, second] = [await m1(), await m1()];
  await toronto.must('PATCH', `/v1/driver_days/${first.day.id}`, { external_id: 'SHIFT-7' });
  const taken = await toronto.http('PATCH', `/v1/driver_days/${second.day.id}`, { external_id: 'SHIFT-7' });
  expect([taken.status, taken.body.error.errors[0].field]).toEqual([422, 'external_id']);
  const { user } = await person(toronto);
  const open = await pastShift(toronto, user, [['on_duty', at('2026-11-19T06:00', 'America/Toronto'), null]]);
  expect((await toronto.http('PATCH', `/v1/driver_days/${open.id}`, { external_id: 'SHIFT-8' })).status).toBe(422);
  const adjusted = { adjusted_started_shift_at: first.on('06:00').toISOString() };
  expect((await toronto.http('PATCH', `/v1/driver_days/${first.day.id}`, adjusted, first.token)).status).toBe(403);
  expect((await toronto.http('PATCH', `/v1/driver_days/${first.day.id}`, adjusted, second.token)).status).toBe(403);
  expect((await vancouver.http('PATCH', `/v1/driver_days/${first.day.id}`, adjusted)).status).toBe(404);
  const { user: free, token } = await person(toronto);
  const spans = [['on_duty', first.on('06:00'), first.on('09:00')]] as const;
  const day = await pastShift(toronto, free, spans, { timesEditable: true });
  expect((await toronto.must('PATCH', `/v1/driver_days/${day.id}`, adjusted, token)).times_editable).toBe(true);
});
