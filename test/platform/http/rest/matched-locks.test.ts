import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Answer, startTestApp, type TestApp } from '../../../helpers/app.ts';
import { act, jobOf, makeChain, makeStaffedTenant, readyJob, type StaffedTenant, shortHaul } from '../../../helpers/staffed-tenant.ts';
import { untilWaiting } from '../../../helpers/until.ts';
import { zoneAt } from '../../../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: rows are asserted, not typed
type Json = any;

// Statements of other tests that wait would be taken for those of these requests.
let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeStaffedTenant(app);
});
afterAll(() => app.close());

type Sql = (text: string, values?: unknown[]) => Promise<Json[]>;

/** Runs `meet` while a transaction has a row that commands lock before a record, as the order of a job. */
async function holding<T>(table: 'orders' | 'app_user', id: string, meet: (sql: Sql) => Promise<T>): Promise<T> {
  const em = app.orm.em.fork();
  await em.begin();
  const sql: Sql = (text, values = []) => em.getConnection().execute(text, values, 'all', em.getTransactionContext());
  try {
    await sql(`select from ${table} where id = ? for update`, [id]);
    const met = await meet(sql);
    await em.commit();
    return met;
  } catch (error) {
    await em.rollback();
    throw error;
  }
}

async function tagOf(path: string, token = tenant.token): Promise<string> {
  return (await app.http('GET', path, { token })).headers.get('etag')!;
}
const call = (method: string, path: string, tag: string, body: object = {}, token = tenant.token): Promise<Answer> =>
  app.http(method, path, { token, body, headers: { 'If-Match': tag } });

const TABLES = { job: 'jobs', load: 'loads' } as const;

async function made(kind: keyof typeof TABLES): Promise<{ id: string; path: string; orderId: string }> {
  const job = await readyJob(tenant, {});
  const [{ order_id: orderId, load_id: loadId }] = await app.orm.em
    .fork()
    .getConnection()
    .execute<Json[]>('select j.order_id, l.id as load_id from job j join load l on l.job_id = j.id where j.id = ? limit 1', [job.id]);
  const id = kind === 'job' ? job.id : loadId;
  return { id, path: `/v1/${TABLES[kind]}/${id}`, orderId };
}

test.each(['job', 'load'] as const)('a request with If-Match about a %s waits for its order without a lock on the record', async (kind) => {
  const { id, path, orderId } = await made(kind);
  const tag = await tagOf(path);
  const { answer, free } = await holding('orders', orderId, async (sql) => {
    const answer = call('PATCH', path, tag, { notes: 'Ring at the gate' });
    await untilWaiting(app);
    // Whoever has the order locks the record next. They would wait for the request, and the request waits for them.
    return { answer, free: await sql(`select id from "${kind}" where id = ? for update skip locked`, [id]) };
  });
  expect([free, (await answer).status]).toEqual([[{ id }], 200]);
});

test.each(['job', 'load'] as const)('a change of a %s that is committed while a request with If-Match waits is not lost', async (kind) => {
  const { id, path, orderId } = await made(kind);
  const tag = await tagOf(path);
  const { answer } = await holding('orders', orderId, async (sql) => {
    const answer = call('PATCH', path, tag, { notes: 'of the request' });
    await untilWaiting(app);
    await sql(`update "${kind}" set notes = 'of another', version = version + 1, updated_at = clock_timestamp() where id = ?`, [id]);
    return { answer };
  });
  const { status, body } = await answer;
  expect([status, body]).toEqual([412, { error: { code: 'precondition_failed' } }]);
  expect((await tenant.must('GET', path)).notes).toBe('of another');
});

test.each(['customer', 'hauler'] as const)('a %s approves with If-Match no other hours of a day than those that were read', async (who) => {
  const { middle, last, subHired } = await makeChain(app, { timeZone: zoneAt(12) });
  const { user, token } = await last.person({ roles: ['driver'] });
  const job = await jobOf(middle);
  await act(middle, job.id, 'assign_vendor', { vendor_id: subHired.id });
  await last.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: user.id });
  await last.dispatcher.must('PUT', `/v1/jobs/${job.id}/request`, {});
  await last.must('PUT', `/v1/jobs/${job.id}/accept`, {}, token);
  for (const event of shortHaul()) await last.must('PUT', `/v1/jobs/${job.id}/${event}`, {}, token);
  const { id }: Json = await last.must('PUT', '/v1/users/me/driver_day/off_duty', {}, token);
  const biller = (await (who === 'customer' ? middle : last).person({ roles: ['biller'] })).token;
  const path = `/v1/driver_days/${id}`;
  const tag = await tagOf(path, biller);
  // Its driver is locked before the day.
  const { answer } = await holding('app_user', user.id, async (sql) => {
    const answer = call('PUT', `${path}/approve`, tag, {}, biller);
    await untilWaiting(app);
    await sql(
      "update driver_day set shift_adjustment_minutes = 45, shift_adjustment_type = 'wait_time', version = version + 1, updated_at = clock_timestamp() where id = ?",
      [id],
    );
    return { answer };
  });
  expect((await answer).status).toBe(412);
  const read = async () => (await app.http('GET', path, { token: biller })).body.data;
  expect(await read()).toMatchObject({ approved: false });
  expect((await call('PUT', `${path}/approve`, await tagOf(path, biller), {}, biller)).status).toBe(200);
  expect(await read()).toMatchObject({ approved: true });
});

test.each(['summary', 'toggles'] as const)('of requests with the tag of a %s, which has no id, one succeeds', async (what) => {
  const job = await readyJob(tenant, {});
  for (const event of shortHaul()) await tenant.must('PUT', `/v1/jobs/${job.id}/${event}`, {});
  const path = what === 'summary' ? `/v1/jobs/${job.id}/summary` : tenant.path('/permission_toggles');
  const change = (round: number, at: number) =>
    what === 'summary'
      ? { approved_work_time_minutes: 10 * round + at }
      : { [['driver_creates_loads', 'driver_edits_times', 'foreman_edits_jobs', 'foreman_edits_orders'][at]!]: true };
  const { token } = tenant.admin;
  // A toggle that is on already is no change.
  for (const round of what === 'summary' ? [1, 2] : [1]) {
    const tag = await tagOf(path, token);
    const statuses = await Promise.all([0, 1, 2, 3].map(async (at) => (await call('PATCH', path, tag, change(round, at), token)).status));
    expect(statuses.sort()).toEqual([200, 412, 412, 412]);
  }
});

test('requests with If-Match about a job and commands of its order and loads never end in a deadlock', async () => {
  const job = await readyJob(tenant, { loads_per_truck: 3 });
  const path = `/v1/jobs/${job.id}`;
  const loads: Json[] = await tenant.must('GET', `${path}/loads`);
  for (let round = 0; round < 6; round++) {
    const tag = await tagOf(path);
    const changes = ['a', 'b', 'c', 'd'].map((notes) => call('PATCH', path, tag, { notes: `${round} ${notes}` }));
    const others = [
      call('PATCH', `/v1/loads/${loads[0].id}`, '*', { notes: `${round}` }),
      call('PATCH', `/v1/orders/${job.order.id}`, '*', { notes: `${round}` }),
      call('POST', `${path}/loads`, '*'),
    ];
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    // One of the others may have changed the job before all of them.
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(2);
    expect(statuses.filter((status) => status !== 200 && status !== 412)).toEqual([]);
    expect((await Promise.all(others)).map(({ status }) => status).filter((status) => status > 201)).toEqual([]);
  }
});
