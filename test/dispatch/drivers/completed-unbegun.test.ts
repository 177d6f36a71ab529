import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DriverDay } from '../../../src/dispatch/model/driver-day.entity.ts';
import { localDate } from '../../../src/platform/time.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';
import { pastShift } from './shifts.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
/** Where it is about noon. */
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app, { company: { timeZone: zoneAt(12) } });
});
afterAll(() => app.close());

const base = Date.now();
const ago = (hours: number) => new Date(base - hours * 3_600_000);

async function driver() {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  return {
    user,
    token,
    go: (state: string, hours: number) => tenant.must('PUT', `/v1/users/me/driver_day/${state}`, { occurred_at: ago(hours) }, token),
    state: async () => (await tenant.http('GET', '/v1/users/me/driver_state', undefined, token)).body?.data?.state ?? null,
    days: (): Promise<Json[]> => tenant.must('GET', tenant.path(`/driver_days?filter[driver_ids][]=${user.id}`)),
    /** A job that was planned for so many hours ago, and that the driver has accepted. */
    accepts: async (planned: number): Promise<string> => {
      const order = await makeOrder(tenant, { driver_id: user.id, load_at: ago(planned), loads_per_truck: 1 });
      await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
      const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
      await tenant.must('PUT', `/v1/jobs/${job.id}/request`, {});
      await tenant.must('PUT', `/v1/jobs/${job.id}/accept`, {}, token);
      return job.id;
    },
    completes: (job: string) => tenant.must('PUT', `/v1/jobs/${job}/complete`, {}, token),
  };
}
const office = (job: string) => tenant.must('PUT', `/v1/jobs/${job}/complete`, {});
const dayOf = async (jobId: string): Promise<string> => {
  const [job] = await app.orm.em.fork().execute<Json[]>('select driver_day_id as id from job where id = ?', [jobId]);
  return job.id;
};
const served = async (job: string, hours: number) => {
  const [load] = await tenant.must('GET', `/v1/jobs/${job}/loads`);
  await tenant.must('POST', '/v1/tickets', {
    ...{ load_id: load.id, ticket_number: `S-${job}`, quantity: 10, unit_of_measure: 'Ton', service_date: ago(hours) },
  });
};

test('a job that its driver completes without having begun it is of the shift in which they say so, and puts nobody on duty', async () => {
  const { go, accepts, completes, state } = await driver();
  const during = await accepts(3);
  const today = await go('on_duty', 2);
  await completes(during);
  expect(await dayOf(during)).toBe(today.id);
  // Forgotten until the driver was at home.
  const after = await accepts(3);
  const left = await go('off_duty', 1);
  await completes(after);
  expect([await dayOf(after), await state()]).toEqual([today.id, 'off_duty']);
  const day = await tenant.must('GET', `/v1/driver_days/${today.id}`);
  expect([day.jobs_count, day.total_on_duty_minutes]).toEqual([2, left.total_on_duty_minutes]);
});

test('a job that the office completes later is of the day of its tickets, or else of its plan', async () => {
  const { user, accepts, completes } = await driver();
  const past = await pastShift(tenant, user, [['on_duty', ago(76), ago(70)]]);
  const [ticketed, planned] = [await accepts(1), await accepts(75)];
  await served(ticketed, 71);
  for (const job of [ticketed, planned]) {
    await office(job);
    expect(await dayOf(job)).toBe(past.id);
  }
  // The driver knows better than the plan.
  const today = await accepts(75);
  await completes(today);
  expect(await dayOf(today)).not.toBe(past.id);
});

test('without any shift the day is made, of the date of the work, for the office to say how long it lasted', async () => {
  const { days, accepts, state } = await driver();
  const job = await accepts(1);
  await served(job, 71);
  await office(job);
  const [day, ...others] = await days();
  expect([others, day.id, day.driver_day_date]).toEqual([[], await dayOf(job), localDate(ago(71), tenant.company.timeZone)]);
  expect(day).toMatchObject({ jobs_count: 1, total_shift_minutes: 0, editable: true });
  expect(await state()).toBeNull();
  const { data } = await tenant.gql('query ($id: ID!) { driverDay(id: $id) { endReason exceptions } }', { id: day.id });
  expect(data.driverDay).toEqual({ endReason: 'auto', exceptions: expect.arrayContaining(['forgotten_shift']) });
  // A scale whose clock is wrong makes no day of another year.
  const wrong = await accepts(1);
  await served(wrong, 24 * 800);
  await office(wrong);
  expect((await days()).map((one) => one.driver_day_date)).not.toContain(localDate(ago(24 * 800), tenant.company.timeZone));
});

test('a day that is approved by then is marked', async () => {
  const { user, accepts } = await driver();
  const past = await pastShift(tenant, user, [['on_duty', ago(76), ago(70)]], { billingApprovedAt: ago(60) });
  const job = await accepts(75);
  await office(job);
  const day = await app.orm.em.fork().findOneOrFail(DriverDay, { id: past.id }, { filters: { tenant: false } });
  expect([await dayOf(job), day.workedAfterApproval]).toEqual([past.id, true]);
});

test('a job that was begun keeps the day on which its driver left', async () => {
  const { go, accepts, completes } = await driver();
  const yesterday = await go('on_duty', 23);
  const job = await accepts(22);
  await tenant.must('PUT', `/v1/jobs/${job}/enroute`, { occurred_at: ago(22) });
  await go('off_duty', 18);
  await go('on_duty', 2);
  expect((await tenant.must('GET', `/v1/jobs/${job}`)).state).toBe('ended');
  const other = await accepts(1);
  await tenant.must('PUT', `/v1/jobs/${other}/enroute`, {});
  const before = await dayOf(other);
  await completes(other);
  expect([await dayOf(job), await dayOf(other)]).toEqual([yesterday.id, before]);
});
