import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { DriverDay } from '../../../src/dispatch/model/driver-day.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { acceptedOrder, makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import type { Person } from '../../helpers/tenant.ts';
import { until } from '../../helpers/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
let biller: Person;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeStaffedTenant(app);
  biller = await tenant.person({ roles: ['biller'] });
});
afterAll(() => app.close());

/** So many days of a driver of the tenant, over unless said otherwise. */
async function days(count: number, more: object = {}): Promise<string[]> {
  const { user } = await tenant.person({ roles: ['driver'] });
  const em = app.orm.em.fork();
  const made = Array.from({ length: count }, (_, back) => {
    const startsAt = new Date(Date.UTC(2026, 8, 20) - back * 86_400_000);
    const endsAt = new Date(startsAt.getTime() + 86_400_000);
    const endedShiftAt = new Date(startsAt.getTime() + 60_000 * 600);
    return em.create(DriverDay, {
      ...{ id: randomUUID(), company: ref(tenant.company), driver: ref(user), driverDayDate: startsAt.toISOString().slice(0, 10) },
      ...{ driverDayId: `D-${randomUUID()}`, startsAt, endsAt, startedShiftAt: startsAt, endedShiftAt, ...more },
    } as never) as DriverDay;
  });
  await em.flush();
  return made.map(({ id }) => id);
}
const url = (firm = tenant) => firm.path('/driver_days/bulk_approve');
/** Waits for the outcomes of an action. */
async function outcomes(location: string | null): Promise<{ action: Json; items: Json[] }> {
  const read = async () => (await biller.must('GET', String(location))) as Json;
  await until(async () => {
    await app.settled();
    return (await read()).state === 'finished';
  });
  return { action: await read(), items: await biller.must('GET', `${location}/items?page[limit]=100`) };
}
const stateOf = (id: string) => tenant.must('GET', `/v1/driver_days/${id}/approval_status`);

test('A2: many days are approved in one request, each by itself, and what cannot be is named', async () => {
  const [one, two] = await days(2);
  const [running] = await days(1, { endedShiftAt: null });
  const stranger = randomUUID();
  await biller.must('PUT', `/v1/driver_days/${two}/approve`, {});
  const body = { driver_day_ids: [one, two, running, stranger] };
  const answer = await biller.http('PUT', url(), body);
  expect(answer.status).toBe(202);
  const { action, items } = await outcomes(answer.headers.get('location'));
  expect(action).toMatchObject({ kind: 'approve_days', total_count: 4, done_count: 1, failed_count: 3 });
  expect(
    items.map(({ driver_day_id, job_id, state, errors }) => [driver_day_id, job_id, state, errors.map(({ code }: Json) => code)]),
  ).toEqual([
    [one, null, 'done', []],
    [two, null, 'failed', ['approved_already']],
    [running, null, 'failed', ['shift_lasts']],
    [stranger, null, 'failed', [expect.any(String)]],
  ]);
  expect(items[3].errors[0]).toMatchObject({ model: 'DriverDay' });
  expect(await stateOf(one!)).toMatchObject({ biller_approved: true, foreman_approved: false });
  const [row] = await app.orm.em.getConnection().execute('select approved_totals from driver_day where id = ?', [one]);
  expect(row!.approved_totals).not.toBeNull();
  const twin = await biller.gql(
    'mutation($input: BulkApprovalInput!) { bulkApproveDriverDays(input: $input) { kind totalCount createdBy { id } } }',
    { input: { driverDayIds: await days(1) } },
  );
  expect(twin.data.bulkApproveDriverDays).toEqual({ kind: 'approve_days', totalCount: 1, createdBy: { id: biller.user.id } });
});

test('what is wrong with all of them is refused at once, and a foreman approves the days of their own jobs only', async () => {
  const [one] = await days(1);
  const fields = async (body: object, by: Pick<Person, 'http'> = biller) => {
    const { status, body: answer } = await by.http('PUT', url(), body);
    return [status, ...(answer?.error?.errors ?? []).map(({ model, field }: Json) => `${model} ${field}`)];
  };
  expect(await fields({ driver_day_ids: [] })).toEqual([422, 'DriverDay driver_day_ids']);
  expect(await fields({ driver_day_ids: [one, one, 'x'] })).toEqual([422, 'DriverDay driver_day_ids.2']);
  expect(await fields({ driver_day_ids: [one, one] })).toEqual([422, 'DriverDay driver_day_ids.1']);
  expect(await fields({ driver_day_ids: Array.from({ length: 1_001 }, () => randomUUID()) })).toEqual([422, 'DriverDay driver_day_ids']);
  expect(await fields({ driver_day_ids: [one], external_approver_name: 'J. Foreman' })).toEqual([422, 'DriverDay external_approver_name']);
  const salesperson = await tenant.person({ roles: ['salesperson'] });
  expect((await fields({ driver_day_ids: [one] }, salesperson))[0]).toBe(403);
  const elsewhere = await makeStaffedTenant(app);
  expect((await biller.http('PUT', url(elsewhere), { driver_day_ids: [one] })).status).toBe(404);
  const foreman = await tenant.person({ roles: ['foreman'] });
  const answer = await foreman.http('PUT', url(), { driver_day_ids: [one] });
  expect(answer.status).toBe(202);
  const { action } = await outcomes(answer.headers.get('location'));
  expect(action).toMatchObject({ done_count: 0, failed_count: 1 });
  expect(await stateOf(one!)).toMatchObject({ biller_approved: false, foreman_approved: false });
});

test('days of many drivers are approved in a few transactions, and one that fails stops none of those next to it', async () => {
  const ids = (await Promise.all(Array.from({ length: 5 }, () => days(9)))).flat();
  await biller.must('PUT', `/v1/driver_days/${ids[20]}/approve`, {});
  const answer = await biller.http('PUT', url(), { driver_day_ids: ids });
  const { action } = await outcomes(answer.headers.get('location'));
  expect(action).toMatchObject({ total_count: 45, done_count: 44, failed_count: 1 });
});

/** Has each of the days a job that is completed, with a completed load. */
async function withWork(ids: string[]): Promise<void> {
  for (const id of ids) {
    const [job] = (await acceptedOrder(tenant, { driver_id: tenant.driver.id })).jobs;
    await app.orm.em.getConnection().execute("update job set driver_day_id = ?, state = 'completed' where id = ?", [id, job.id]);
    await app.orm.em.getConnection().execute("update load set state = 'completed' where job_id = ?", [job.id]);
  }
}

test('A2: days of one request are locked and written together, and each of them takes four statements more', async () => {
  const approving = async (count: number) => {
    const ids = await days(count);
    await withWork(ids);
    await app.settled();
    const { statements } = await app.countStatements(async () => {
      const answer = await biller.http('PUT', url(), { driver_day_ids: ids });
      expect((await outcomes(answer.headers.get('location'))).action).toMatchObject({ done_count: count, failed_count: 0 });
    });
    for (const id of ids) expect((await tenant.must('GET', `/v1/driver_days/${id}/jobs`))[0].approved).toBe(true);
    const like = (pattern: RegExp) => statements.filter((text) => pattern.test(text)).length;
    return [
      like(/^select (t\.\* from "driver_day"|"j0"\.\* from "job"|"l0"\.\* from "load"|json_build_object\('id', d\.id)/),
      like(/^select from (app_user|driver_day|orders|job|load) .*for update$/s),
      like(/^update "(driver_day|job|load)"/),
    ];
  };
  expect([await approving(3), await approving(8)]).toEqual([
    [12, 5, 3],
    [32, 5, 3],
  ]);
});
