import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { DriverDay } from '../../../src/dispatch/model/driver-day.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { localDate } from '../../../src/platform/time.ts';
import { sendForm } from '../../files/form.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';
import { png } from '../../ingest/files/sample-files.ts';

const ZONE = zoneAt(12);

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app, { company: { timeZone: ZONE } });
});
afterAll(() => app.close());

const go = (token: string, state: string) => tenant.must('PUT', `/v1/users/me/driver_state/${state}`, {}, token);
const daysOf = (driver: string) =>
  app.orm.em.fork().find(DriverDay, { driver }, { filters: { tenant: false }, orderBy: { startsAt: 'asc' } });
const attach = (id: string, token = tenant.token) =>
  sendForm(app, 'POST', `/v1/driver_days/${id}/file_attachments`, [['file', png(), 'sheet.png']], token);

/** A driver who was on duty, the day that began then, and a job for which they left. */
async function shift(more: object = {}) {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  await go(token, 'on_duty');
  const [day] = await daysOf(user.id);
  const order = await makeOrder(tenant, { driver_id: user.id, phases: [{ name: 'Base', code: 'B1' }], ...more });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await tenant.must('PUT', `/v1/jobs/${job.id}/enroute`, {}, token);
  return { user, token, day: day!, order, job };
}
const hang = (id: string, change: object) => app.orm.em.fork().nativeUpdate(Job, { id }, change, { filters: { tenant: false } });

test("the first duty of a date opens a driver day in the company's zone; a break and the next duty open none", async () => {
  const { user, token } = await tenant.person({ roles: ['driver'], timeZone: 'Pacific/Kiritimati' });
  expect(await daysOf(user.id)).toEqual([]);
  for (const state of ['on_duty', 'break', 'on_duty', 'off_duty', 'on_duty', 'off_duty']) await go(token, state);
  const days = await daysOf(user.id);
  expect(days.map((day) => day.driverDayDate)).toEqual([localDate(days[0]!.createdAt, ZONE)]);
  expect(localDate(days[0]!.startsAt, ZONE)).toBe(days[0]!.driverDayDate);
  const { data } = await tenant.gql('query($id: ID!) { driverDay(id: $id) { driverDayId driverDayDate driver { id } company { id } } }', {
    id: days[0]!.id,
  });
  expect(data.driverDay).toEqual({
    driverDayId: expect.stringMatching(/^D-\d+$/),
    driverDayDate: days[0]!.driverDayDate,
    driver: { id: user.id },
    company: { id: tenant.company.id },
  });
  // An instant means its day.
  const [began, date] = [days[0]!.startsAt, days[0]!.driverDayDate];
  const after = (hours: number) => new Date(began.getTime() + hours * 3_600_000).toISOString();
  const between = (start: string, end: string, of = '/v1/driver_days', as = tenant.token) =>
    tenant.http('GET', `${of}?filter[start_date]=${start}&filter[end_date]=${end}`, undefined, as);
  const found = async (start: string, end: string): Promise<string[]> =>
    (await between(start, end)).body.data.map(({ id }: { id: string }) => id).filter((id: string) => id === days[0]!.id);
  expect(
    await Promise.all([found(after(0), date), found(date, after(0)), found(after(24), after(48)), found(after(-48), after(-24))]),
  ).toEqual([[days[0]!.id], [days[0]!.id], [], []]);
  for (const [of, as] of [['/v1/driver_days'], ['/v1/users/me/driver_days/previous', token]]) {
    const { status, body } = await between(after(24), date, of, as);
    expect([status, body.error.errors]).toEqual([422, [expect.objectContaining({ field: 'filter[end_date]' })]]);
  }
  const audit = await app.orm.em
    .fork()
    .execute<{ event: string }[]>('select event from audit_entry where subject_id = ? order by created_at, id', [days[0]!.id]);
  // The shift ended, went on, and ended again.
  expect(audit.map(({ event }) => event)).toEqual(['create', 'update', 'update', 'update']);
});

test('days are found by their number and the name of their driver', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'], firstName: 'Zoë', lastName: 'Quick' });
  await go(token, 'on_duty');
  const [day] = await daysOf(user.id);
  const offered = async (query: string, as?: string) =>
    tenant.must('GET', tenant.path(`/driver_days/typeahead?search[query]=${query}`), undefined, as);
  expect(await offered('quick zoe')).toEqual([{ id: day!.id, driver_day_id: day!.driverDayId }]);
  expect((await offered(day!.driverDayId)).map((one: { id: string }) => one.id)).toContain(day!.id);
  expect(await offered('nobody')).toEqual([]);
  const { id: truck } = await tenant.must('POST', tenant.path('/equipment'), {
    ...{ name: 'Mack', external_id: 'MACK-77' },
    equipment_type_id: (await tenant.must('POST', '/v1/equipment_types', { name: 'Dump truck' })).id,
  });
  const order = await makeOrder(tenant, { driver_id: user.id });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await tenant.must('PATCH', `/v1/jobs/${job.id}`, { equipment_id: truck });
  await tenant.must('PUT', `/v1/jobs/${job.id}/enroute`, {}, token);
  expect((await offered('mack-77')).map((one: { id: string }) => one.id)).toEqual([day!.id]);
  const { token: mate } = await tenant.person({ roles: ['driver'] });
  expect([await offered('quick', token), await offered('quick', mate)]).toEqual([[expect.objectContaining({ id: day!.id })], []]);
});

test('files are attached to a day, and the day shows those of its jobs', async () => {
  const { token, day, job } = await shift();
  const made = await attach(day.id, token);
  expect([made.status, made.body.error]).toEqual([201, undefined]);
  expect(made.body.data).toMatchObject({ file_attachable_type: 'DriverDay', file_attachable_id: day.id, editable: true, deletable: true });
  const ids = (files: { id: string }[]) => files.map(({ id }) => id);
  expect(ids(await tenant.must('GET', `/v1/driver_days/${day.id}/file_attachments`))).toEqual([made.body.data.id]);
  const ofJobs = tenant.path(`/driver_days/${day.id}/jobs/file_attachments`);
  expect(await tenant.must('GET', ofJobs)).toEqual([]);
  const slip = await sendForm(app, 'POST', `/v1/jobs/${job.id}/file_attachments`, [['file', png(), 'slip.png']], tenant.token);
  expect(ids(await tenant.must('GET', ofJobs))).toEqual([slip.body.data.id]);
  // When it was to begin does not matter: a job belongs to the day on which its driver left for it.
  await tenant.must('PATCH', `/v1/jobs/${job.id}`, { job_start_at: new Date(day.startsAt.getTime() - 86_400_000).toISOString() });
  expect(ids(await tenant.must('GET', ofJobs))).toEqual([slip.body.data.id]);
  expect((await tenant.http('DELETE', `/v1/file_attachments/${made.body.data.id}`, undefined, token)).status).toBe(204);
});

test('a day offers the phases of the orders that were hauled on it', async () => {
  const { token, day, order } = await shift();
  const path = `/v1/driver_days/${day.id}/phases/typeahead`;
  const [phase] = order.phases;
  expect(await tenant.must('GET', path)).toEqual([{ id: phase.id, name: 'Base', code: 'B1' }]);
  expect(await tenant.must('GET', `${path}?search[query]=b1`, undefined, token)).toHaveLength(1);
  expect(await tenant.must('GET', `${path}?search[query]=curb`)).toEqual([]);
});

test('a foreman reads the days of their drivers with their part of the work; others and strangers find none', async () => {
  const foreman = await tenant.person({ roles: ['foreman'] });
  const { user, day, order } = await shift({ foreman_ids: [foreman.user.id] });
  const other = await makeOrder(tenant, { driver_id: user.id, phases: [{ name: 'Curb' }] });
  const [job] = await tenant.must('GET', `/v1/orders/${other.id}/jobs`);
  await hang(job.id, { driverDayId: day.id });
  const phases = `/v1/driver_days/${day.id}/phases/typeahead`;
  expect((await tenant.must('GET', phases)).map((one: { id: string }) => one.id)).toEqual([order.phases[0].id, other.phases[0].id]);
  expect((await tenant.must('GET', phases, undefined, foreman.token)).map((one: { id: string }) => one.id)).toEqual([order.phases[0].id]);
  const stranger = await makeTenant(app);
  const { token: mate } = await tenant.person({ roles: ['driver'] });
  for (const token of [mate, stranger.token])
    for (const path of [phases, `/v1/driver_days/${day.id}/file_attachments`])
      expect((await tenant.http('GET', path, undefined, token)).status).toBe(404);
  expect([(await attach(day.id, mate)).status, (await attach(day.id, stranger.token)).status]).toEqual([404, 404]);
});

test("a vendor's day has the files of jobs that were passed on to it, but none of other jobs of a shared driver", async () => {
  const vendor = await makeTenant(app, { company: { timeZone: ZONE } });
  const { user, token } = await vendor.person({ roles: ['driver'] });
  await go(token, 'on_duty');
  const [day] = await daysOf(user.id);
  const sides = { name: 'Hired', accountTypes: ['vendor'], company: ref(tenant.company), connectedCompany: ref(vendor.company) };
  const account = await tenant.save(Account, sides);
  const order = await makeOrder(tenant, { truck_count: 2, load_at: day!.startsAt.toISOString(), phases: [{ name: 'Base' }] });
  const jobs = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`);
  await tenant.must('PUT', `/v1/jobs/${jobs[0].id}/assign_vendor`, { vendor_id: account.id });
  const files = [];
  for (const { id } of jobs) {
    const made = await sendForm(app, 'POST', `/v1/jobs/${id}/file_attachments`, [['file', png(), 'slip.png']], tenant.token);
    files.push(made.body.data.id);
    await hang(id, { driver: user.id, driverDayId: day!.id });
  }
  const seen = await vendor.must('GET', vendor.path(`/driver_days/${day!.id}/jobs/file_attachments`));
  expect(seen.map((file: { id: string }) => file.id)).toEqual([files[0]]);
  for (const path of [`/v1/driver_days/${day!.id}/phases/typeahead`, `/v1/orders/${order.id}/phases/typeahead`])
    expect(await vendor.must('GET', path)).toHaveLength(1);
  expect((await tenant.http('GET', tenant.path(`/driver_days/${day!.id}/jobs/file_attachments`))).status).toBe(404);
});
