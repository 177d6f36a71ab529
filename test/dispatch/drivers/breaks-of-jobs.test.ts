import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { jobOfChain, makeChain, ONE_LOAD, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';

let app: TestApp;
let chain: Awaited<ReturnType<typeof makeChain>>;
let owner: StaffedTenant;
let middle: StaffedTenant;
let last: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  chain = await makeChain(app, { timeZone: zoneAt(12) });
  ({ owner, middle, last } = chain);
});
afterAll(() => app.close());

const base = Date.now();
const at = (minutes: number) => new Date(base - minutes * 60_000).toISOString();
const ago = (minutes: number) => ({ occurred_at: at(minutes) });
/** The end of a job is corrected, so that its minutes do not depend on how long a test takes. */
const correct = (id: string, times: { adjusted_logging_started_at?: string; adjusted_logging_ended_at: string }) =>
  last.must('PATCH', `/v1/jobs/${id}/summary`, times);

/** A job of the owner that a driver of the last company accepted, and what they do. */
async function hiredJob() {
  const { id, go, token } = await jobOfChain(chain);
  return { id, go, state: (to: string, body: object) => last.must('PUT', `/v1/users/me/driver_day/${to}`, body, token) };
}

/** The minutes that each company of the chain reads. */
const minutesOf = (id: string) =>
  Promise.all(
    [owner, middle, last].map(async (one) => {
      const { break_time_minutes, work_time_minutes } = await one.must('GET', `/v1/jobs/${id}/summary`);
      return [break_time_minutes, work_time_minutes];
    }),
  );
const thrice = (minutes: number[]) => [minutes, minutes, minutes];

test('a pause of a job and a break of its driver count once where both were, alike for every company of the chain', async () => {
  const { id, go, state } = await hiredJob();
  await state('on_duty', ago(180));
  await go('enroute', ago(170));
  await state('break', ago(120));
  await state('on_duty', ago(90));
  await go('pause');
  await app.orm.em.fork().getConnection().execute(`update load set paused_at = now() - interval '100 minutes' where job_id = ?`, [id]);
  await go('resume');
  for (const event of [...ONE_LOAD.slice(1), 'complete']) await go(event);
  await correct(id, { adjusted_logging_ended_at: at(20) });
  expect(await minutesOf(id)).toEqual(thrice([100, 50]));

  // Corrected times leave out the break before them.
  await correct(id, { adjusted_logging_started_at: at(110), adjusted_logging_ended_at: at(20) });
  expect(await minutesOf(id)).toEqual(thrice([90, 0]));
});

test('a telephone that was offline sends the departure after the break that followed it, and the break counts', async () => {
  const { id, go, state } = await hiredJob();
  await state('on_duty', ago(180));
  await state('break', ago(100));
  await state('on_duty', ago(60));
  await go('enroute', ago(120));
  for (const event of [...ONE_LOAD.slice(1), 'complete']) await go(event);
  await correct(id, { adjusted_logging_ended_at: at(0) });
  expect(await minutesOf(id)).toEqual(thrice([40, 80]));
});

test.each([
  ['the owner', () => owner],
  ['the company of the driver', () => last],
])('a break before the departure counts once %s corrects the start of the job to a time before it', async (_, who) => {
  const { id, go, state } = await hiredJob();
  await state('on_duty', ago(180));
  await state('break', ago(150));
  await state('on_duty', ago(120));
  for (const event of [...ONE_LOAD, 'complete']) await go(event);
  const times = { adjusted_logging_started_at: at(160), adjusted_logging_ended_at: at(0) };
  await who().must('PATCH', `/v1/jobs/${id}/summary`, times);
  expect(await minutesOf(id)).toEqual(thrice([30, 130]));
});
