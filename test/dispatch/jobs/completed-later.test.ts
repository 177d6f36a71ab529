import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { acceptedOrder, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

const HOUR = 3_600_000;
const ago = (hours: number): string => new Date(Date.now() - hours * HOUR).toISOString();

/** A job whose driver left the load where it was, half an hour after leaving for it, and went off duty hours later. */
async function leftOpen(own: StaffedTenant, more: object = {}): Promise<{ job: string; load: string }> {
  const { user, token } = await own.person({ roles: ['driver'] });
  const { jobs } = await acceptedOrder(own, { driver_id: user.id, load_at: ago(6), loads_per_truck: 1, ...more });
  const job: string = jobs[0].id;
  await own.must('PUT', '/v1/users/me/driver_state/on_duty', {}, token);
  for (const [event, hours] of [
    ['enroute', 5],
    ['load_material', 4.5],
  ] as const)
    await own.must('PUT', `/v1/jobs/${job}/${event}`, { occurred_at: ago(hours) }, token);
  await own.must('PUT', '/v1/users/me/driver_state/off_duty', {}, token);
  const [load] = await own.must('GET', `/v1/jobs/${job}/loads`);
  expect([(await own.must('GET', `/v1/jobs/${job}`)).state, load.state]).toEqual(['ended', 'loaded']);
  return { job, load: load.id };
}

const complete = (own: StaffedTenant, load: string) => own.dispatcher.http('PUT', own.path(`/loads/${load}/complete`), {});
const summaryOf = (own: StaffedTenant, job: string): Promise<Json> => own.must('GET', `/v1/jobs/${job}/summary`);
const messages = ({ status, body }: Json): Json[] => [status, ...(body.error?.errors ?? []).map(({ message }: Json) => message)];

test('a load that is completed by hand when the shift is over makes nobody work longer', async () => {
  const own = await makeStaffedTenant(app);
  const { job, load } = await leftOpen(own);
  const before = await summaryOf(own, job);
  // The end is the last thing that happened, which was long before.
  expect(before).toMatchObject({ completed_loads_count: 0, work_time_minutes: 30, pre_clamp_logging_ended_at: expect.any(String) });
  expect((await complete(own, load)).status).toBe(200);
  expect(await summaryOf(own, job)).toEqual({ ...before, completed_loads_count: 1 });
});

test('a load of a job that is over is completed by hand as long as nobody has approved the job, in the office or in the field', async () => {
  const own = await makeStaffedTenant(app);
  const admin = await own.administrator();
  for (const approval_type of ['biller', 'foreman']) {
    const { job, load } = await leftOpen(own);
    await own.must('PUT', own.path(`/jobs/${job}/approve`), { approval_type }, admin);
    expect(messages(await complete(own, load))).toEqual([409, 'belongs to a job that is approved; take that approval back first']);
    expect((await own.must('GET', `/v1/loads/${load}`)).state).toBe('loaded');
    await own.must('PUT', own.path(`/jobs/${job}/unapprove`), { approval_type }, admin);
    expect((await complete(own, load)).status).toBe(200);
    expect((await own.must('GET', `/v1/loads/${load}`)).state).toBe('completed');
  }
});

test('B10: dispatchers complete no load of a week that is reviewed', async () => {
  const own = await makeStaffedTenant(app);
  const { job, load } = await leftOpen(own, { load_at: ago(24 * 20) });
  const change = 'mutation($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { periodsReviewed } }';
  const choose = async (input: object) => expect((await own.gql(change, { input }, await own.administrator())).errors).toBeUndefined();
  await choose({ periodsReviewed: true, workReviewMinutes: 2_520, billingReviewMinutes: 2_520 });
  expect(messages(await complete(own, load))).toEqual([
    409,
    expect.stringMatching(/^belongs to a week that is not changed any more since 20/),
  ]);
  await choose({ periodsReviewed: false });
  expect((await complete(own, load)).status).toBe(200);
  expect((await own.must('GET', `/v1/jobs/${job}`)).state).toBe('ended');
});
