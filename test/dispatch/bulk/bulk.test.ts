import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { forgetViewers } from '../../../src/identity/access/viewer.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, deliveries: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

/** Jobs of a fresh, accepted order, by number. */
async function jobsOf(trucks: number, at = tenant, more: object = {}): Promise<{ order: Json; jobs: Json[] }> {
  const order = await makeOrder(at, { truck_count: trucks, ...more });
  await at.must('PUT', at.path(`/orders/${order.id}/accept`), {});
  const jobs = (await at.must('GET', `/v1/orders/${order.id}/jobs`)) as Json[];
  return { order, jobs: jobs.sort((a, b) => a.job_id.localeCompare(b.job_id)) };
}

/** Calls a bulk action, waits for it, and returns the result. */
async function done(method: string, path: string, body: object, as?: string, at = tenant) {
  const answer = await at.http(method, path, body, as);
  expect([answer.status, answer.body?.error]).toEqual([202, undefined]);
  const location = answer.headers.get('location')!;
  await app.settled();
  const action = await at.must('GET', location, undefined, as);
  const items = (await at.must('GET', `${location}/items`, undefined, as)) as Json[];
  return { answer, action, items };
}

const states = async (jobs: Json[], at = tenant) =>
  Promise.all(jobs.map(async ({ id }) => ((await at.http('GET', `/v1/jobs/${id}`)).body.data ?? { state: 'gone' }).state));
const ids = (jobs: Json[]) => jobs.map(({ id }) => id);
const driverOf = (at = tenant) => at.person({ roles: ['driver'], phone: `+1202${String(Math.random()).slice(2, 9)}` });

test('a whole day is planned: drivers are assigned, the day is sent and accepted, each in one request', async () => {
  const { jobs } = await jobsOf(3, tenant, { load_at: '2027-02-01T14:00:00.000Z' });
  const { user } = await driverOf();
  const assigned = await done('PUT', tenant.path('/jobs/bulk_assign_drivers'), {
    driver_assignments: jobs.map(({ id }) => ({ job_id: id, driver_id: user.id })),
  });
  expect(assigned.answer.body).toEqual({});
  expect(assigned.action).toMatchObject({ kind: 'assign_drivers', state: 'finished', total_count: 3, done_count: 3, failed_count: 0 });
  expect(await states(jobs)).toEqual(['assigned', 'assigned', 'assigned']);
  const sent = await done('PUT', tenant.path('/jobs/bulk_send_day'), { date: '2027-02-01' });
  expect(sent.answer.body).toEqual({ data: { count: 3 } });
  expect(await states(jobs)).toEqual(['sent', 'sent', 'sent']);
  await done('PUT', tenant.path('/jobs/bulk_accept'), { job_ids: ids(jobs) });
  expect(await states(jobs)).toEqual(['accepted', 'accepted', 'accepted']);
  expect((await tenant.http('PUT', tenant.path('/jobs/bulk_send_day'), { date: '2031-01-01' })).body).toEqual({ data: { count: 0 } });
});

test('who could accept no job at all may not ask for it, and a driver accepts their own', async () => {
  const { jobs } = await jobsOf(2);
  const driver = await driverOf();
  const foreman = await tenant.person({ roles: ['foreman'] });
  await tenant.must('PATCH', `/v1/jobs/${jobs[0].id}`, { driver_id: driver.id });
  const { status, body } = await foreman.http('PUT', '/v1/jobs/bulk_accept', { job_ids: ids(jobs) });
  expect([status, body.error]).toEqual([403, { code: 'forbidden', errors: [expect.objectContaining({ field: 'edit_job' })] }]);
  expect(await states(jobs)).toEqual(['assigned', 'created']);
  const { action } = await done('PUT', '/v1/jobs/bulk_accept', { job_ids: ids(jobs) }, driver.token);
  expect(action).toMatchObject({ done_count: 1, failed_count: 1 });
  expect(await states(jobs)).toEqual(['accepted', 'created']);
});

test('failed items are named job by job, and the others are done', async () => {
  const { jobs } = await jobsOf(2);
  const other = await makeTenant(app);
  const foreign = (await jobsOf(1, other)).jobs[0];
  await tenant.must('PATCH', `/v1/jobs/${jobs[1].id}`, { driver_id: tenant.driver.id });
  const { action, items } = await done('PUT', '/v1/jobs/bulk_send', { job_ids: [jobs[0].id, foreign.id, jobs[1].id] });
  expect(action).toMatchObject({ total_count: 3, done_count: 1, failed_count: 2, state: 'finished' });
  expect(items.map(({ item_index, job_id, state }) => [item_index, job_id, state])).toEqual([
    [0, jobs[0].id, 'failed'],
    [1, foreign.id, 'failed'],
    [2, jobs[1].id, 'done'],
  ]);
  expect(items[0].errors).toMatchObject([{ model: 'Job', code: expect.any(String), message: expect.any(String) }]);
  expect(items[1].errors).toEqual([{ model: 'Job', field: '', code: 'object_not_found', message: 'There is no such record.' }]);
  expect(await states(jobs)).toEqual(['created', 'sent']);
  const failed = await tenant.must('GET', `/v1/bulk_actions/${action.id}/items?filter[states][]=failed`);
  expect(failed.length).toBe(2);
});

test('jobs are unassigned, canceled and deleted in bulk; loads get their quantity', async () => {
  const { order, jobs } = await jobsOf(3);
  await tenant.must('PATCH', `/v1/jobs/${jobs[0].id}`, { driver_id: tenant.driver.id });
  await done('PUT', tenant.path('/jobs/bulk_unassign'), { job_ids: [jobs[0].id] });
  await done('PUT', tenant.path('/jobs/bulk_cancel'), { job_ids: [jobs[1].id] });
  await done('PUT', '/v1/jobs/bulk_delete', { job_ids: [jobs[2].id] });
  expect(await states(jobs)).toEqual(['created', 'canceled', 'gone']);
  await done('PATCH', '/v1/jobs/bulk_update', {
    job_ids: [jobs[0].id],
    data: { notes: 'Use the east gate', job_start_at: '2027-01-05T13:00:00Z', recurring_loads: true, load: { quantity: 21.5 } },
  });
  expect(await tenant.must('GET', `/v1/jobs/${jobs[0].id}`)).toMatchObject({
    notes: 'Use the east gate',
    job_start_at: '2027-01-05T13:00:00.000Z',
    recurring_loads: true,
  });
  expect(await tenant.must('GET', tenant.path(`/orders/${order.id}/loads`))).toContainEqual(expect.objectContaining({ quantity: '21.5' }));
  const refused = await done('PATCH', '/v1/jobs/bulk_update', { job_ids: [jobs[0].id], data: { material_id: tenant.service.id } });
  expect(refused.items[0].errors).toMatchObject([{ model: 'Job', field: 'material_id', code: 'must_exist' }]);
});

test('vendors get jobs by the list and by the older path for one vendor', async () => {
  const { jobs } = await jobsOf(2);
  const list = await done('PUT', '/v1/jobs/bulk_assign_vendors', {
    vendor_assignments: [{ vendor_account_id: tenant.vendor.id, job_ids: [jobs[0].id] }],
  });
  expect(list.action.done_count).toBe(1);
  const one = await done('PUT', '/v1/jobs/bulk_assign', { vendor_account_id: tenant.vendor.id, job_ids: [jobs[1].id] });
  expect(one.answer.headers.get('deprecation')).toBe('true');
  expect(await states(jobs)).toEqual(['assigned', 'assigned']);
});

test("yesterday's crew is copied to today's order, as far as it has jobs", async () => {
  const yesterday = await jobsOf(3);
  const { user } = await driverOf();
  await tenant.must('PATCH', `/v1/jobs/${yesterday.jobs[0].id}`, { driver_id: user.id, notes: 'Knows the way', driver_rate_value: 31.5 });
  await tenant.must('PUT', `/v1/jobs/${yesterday.jobs[1].id}/assign_vendor`, { vendor_id: tenant.vendor.id });
  const today = await jobsOf(2);
  const { items } = await done('PUT', '/v1/jobs/bulk_copy_assignments', {
    order_id: today.order.id,
    job_ids: ids(yesterday.jobs),
    deep_copy: true,
  });
  expect(items.map(({ state }) => state)).toEqual(['done', 'done', 'failed']);
  expect(items[2].errors).toMatchObject([{ code: 'nobody_assigned' }]);
  const [first, second] = await Promise.all(today.jobs.map(({ id }) => tenant.must('GET', `/v1/jobs/${id}`)));
  expect(first).toMatchObject({ driver: { id: user.id }, notes: 'Knows the way', driver_rate_value: '31.5', state: 'assigned' });
  expect(second).toMatchObject({ driver: null, state: 'assigned' });
  const again = await done('PUT', '/v1/jobs/bulk_copy_assignments', { order_id: today.order.id, job_ids: [yesterday.jobs[0].id] });
  expect(again.items[0].errors).toMatchObject([{ code: 'no_job_left_to_assign' }]);
});

test('drivers get texts: one driver, those of an order, those of many jobs; unreachable ones are named', async () => {
  const { order, jobs } = await jobsOf(2);
  const { user } = await driverOf();
  await tenant.must('PATCH', `/v1/jobs/${jobs[0].id}`, { driver_id: user.id });
  const one = await tenant.http('PUT', `/v1/jobs/${jobs[0].id}/driver_sms`, { message: 'Scale 2 is closed' });
  expect([one.status, one.body]).toEqual([202, { data: jobs[0].id }]);
  expect((await tenant.http('PUT', tenant.path(`/orders/${order.id}/driver_sms`), { message: 'Rain at noon' })).status).toBe(202);
  const { items } = await done('PUT', '/v1/jobs/bulk_driver_sms', { job_ids: ids(jobs) });
  expect(items.map(({ state }) => state)).toEqual(['done', 'failed']);
  expect(items[1].errors).toMatchObject([{ code: 'no_driver_to_text' }]);
  const { texts } = await app.emails();
  const mine = texts.filter((text) => text.includes(user.phone!));
  expect(mine.map((text) => text.split('\n\n')[1]!.trim())).toEqual([
    'Scale 2 is closed',
    'Rain at noon',
    `You have job ${jobs[0].job_id} on 2026-11-23. Open the app for its stops.`,
  ]);
  const refused = await tenant.http('PUT', `/v1/jobs/${jobs[1].id}/driver_sms`, { message: 'Hello' });
  expect([refused.status, refused.body.error.errors[0].field]).toEqual([422, 'driver_id']);
  // The order has nobody left to write to once its only driver is done, however far the office is with the job.
  for (const event of ['request', 'accept', 'complete', 'review', 'flag']) await tenant.must('PUT', `/v1/jobs/${jobs[0].id}/${event}`, {});
  const late = await tenant.http('PUT', tenant.path(`/orders/${order.id}/driver_sms`), { message: 'Rain at noon' });
  expect([late.status, late.body.error?.errors[0].message]).toEqual([422, expect.stringContaining('driver')]);
});

test('invalid lists are refused as a whole, with the place of the error', async () => {
  const { order, jobs } = await jobsOf(1);
  const refused = async (body: object, path = '/v1/jobs/bulk_send') => {
    const { status, body: answer } = await tenant.http('PUT', path, body);
    return [status, answer.error?.errors?.[0].field];
  };
  expect(await refused({ job_ids: [] })).toEqual([400, 'job_ids']);
  expect(await refused({ job_ids: [jobs[0].id, 'nothing'] })).toEqual([400, 'job_ids.1']);
  // Nobody is assigned to its job.
  expect(await refused({ order_ids: [order.id] })).toEqual([400, 'order_ids']);
  expect(await refused({})).toEqual([400, 'job_ids']);
  expect(await refused({ order_ids: [order.id], job_ids: ['nothing'] })).toEqual([400, 'job_ids.0']);
  expect(await refused({ job_ids: [jobs[0].id, jobs[0].id.toUpperCase()] }, '/v1/jobs/bulk_accept')).toEqual([400, 'job_ids.1']);
  expect(await refused({ job_ids: Array.from({ length: 1_001 }, () => jobs[0].id) }, '/v1/jobs/bulk_accept')).toEqual([400, 'job_ids']);
  expect(await refused({ driver_assignments: [{ job_id: jobs[0].id, driver_id: 'nobody' }] }, '/v1/jobs/bulk_assign_drivers')).toEqual([
    422,
    'driver_assignments.0.driver_id',
  ]);
  expect(
    (await tenant.http('PUT', '/v1/jobs/bulk_copy_assignments', { order_id: jobs[0].id, job_ids: [jobs[0].id] })).body.error.errors,
  ).toMatchObject([{ field: 'order_id' }]);
});

test('a driver accepts only their own jobs', async () => {
  const { jobs } = await jobsOf(2);
  const { user, token } = await driverOf();
  await done('PUT', '/v1/jobs/bulk_assign_drivers', {
    driver_assignments: [
      { job_id: jobs[0].id, driver_id: user.id },
      { job_id: jobs[1].id, driver_id: tenant.driver.id },
    ],
  });
  const { items } = await done('PUT', '/v1/jobs/bulk_accept', { job_ids: ids(jobs) }, token);
  expect(items.map(({ state }) => state)).toEqual(['done', 'failed']);
  expect((await tenant.http('PUT', tenant.path('/jobs/bulk_cancel'), { job_ids: ids(jobs) }, token)).status).toBe(403);
});

test('an action runs as the person who asked, with the permissions they have when it runs', async () => {
  const { jobs } = await jobsOf(1);
  const { user, token } = await tenant.person({ roles: ['dispatcher'] });
  await done('PUT', '/v1/jobs/bulk_assign_drivers', { driver_assignments: [{ job_id: jobs[0].id, driver_id: tenant.driver.id }] }, token);
  const [event] = await tenant.must('GET', `/v1/jobs/${jobs[0].id}/job_events`);
  expect(event.created_by).toMatchObject({ type: 'User', id: user.id });
  const sql = <R>(text: string) => app.orm.em.getConnection().execute<R[]>(text);
  await sql(`update app_user set discarded_at = now() where id = '${user.id}'`);
  forgetViewers(app.application);
  // As if the worker had died between the request and the work.
  const [action] = await sql<{ id: string }>(`select id from bulk_action where created_by_id = '${user.id}'`);
  await sql(`update bulk_action_item set state = 'pending' where bulk_action_id = '${action!.id}'`);
  await sql(`update bulk_action set finished_at = null, next_at = now() where id = '${action!.id}'`);
  await app.settled();
  const items = await tenant.must('GET', `/v1/bulk_actions/${action!.id}/items`);
  expect(items).toMatchObject([{ state: 'failed', errors: [{ code: 'actor_gone' }] }]);
});

test('an item that is retried delays no other, and its action is not finished before', async () => {
  const { jobs } = await jobsOf(3);
  const sql = <R = Json>(text: string) => app.orm.em.getConnection().execute<R[]>(text);
  const { action, items } = await done('PUT', '/v1/jobs/bulk_driver_sms', { job_ids: ids(jobs) });
  const [first, ...others] = items.map(({ id }: Json) => id);
  // As if the first one had failed for a reason of ours, and the others were still to come.
  await sql(`update bulk_action_item set state = 'pending', errors = '[]', finished_at = null where bulk_action_id = '${action.id}'`);
  await sql(`update bulk_action_item set attempts = 1, next_at = now() + interval '1 hour' where id = '${first}'`);
  await sql(`update bulk_action set finished_at = null, next_at = now() where id = '${action.id}'`);
  await app.settled();
  const rows = async () =>
    (await sql(`select id, state from bulk_action_item where bulk_action_id = '${action.id}' order by item_index`)) as Json[];
  expect((await rows()).map(({ id, state }) => [id, state])).toEqual([[first, 'pending'], ...others.map((id) => [id, 'failed'])]);
  const [waits] = await sql(
    `select a.finished_at, a.lease_until, a.next_at = i.next_at as with_item from bulk_action a join bulk_action_item i on i.id = '${first}' where a.id = '${action.id}'`,
  );
  expect(waits).toEqual({ finished_at: null, lease_until: null, with_item: true });
  await sql(`update bulk_action_item set next_at = now() where id = '${first}'`);
  await sql(`update bulk_action set next_at = now() where id = '${action.id}'`);
  await app.settled();
  expect((await tenant.must('GET', `/v1/bulk_actions/${action.id}`)).state).toBe('finished');
});

test('an action whose turns take down one process after another is given up, and says so of what was not done', async () => {
  const { jobs } = await jobsOf(2);
  const sql = <R = Json>(text: string) => app.orm.em.getConnection().execute<R[]>(text);
  const { action, items } = await done('PUT', '/v1/jobs/bulk_driver_sms', { job_ids: ids(jobs) });
  await sql(`update bulk_action_item set state = 'pending', errors = '[]', finished_at = null where id = '${items[1].id}'`);
  // As if six turns had begun, and none had come to its end.
  await sql(`update bulk_action set finished_at = null, attempts = 6, lease_until = now() - interval '1 second' where id = '${action.id}'`);
  await app.settled();
  const after = await tenant.must('GET', `/v1/bulk_actions/${action.id}/items`);
  expect(after).toMatchObject([items[0], { state: 'failed', errors: [{ code: 'bulk_gave_up' }] }]);
  expect((await tenant.must('GET', `/v1/bulk_actions/${action.id}`)).state).toBe('finished');
});

test('an item that fails for an internal reason is retried after a while', async () => {
  const { jobs } = await jobsOf(1);
  const sql = <R = Json>(text: string) => app.orm.em.getConnection().execute<R[]>(text);
  await sql(`alter table job add constraint no_such_notes check (notes is distinct from 'never') not valid`);
  const answer = await tenant.http('PATCH', '/v1/jobs/bulk_update', { job_ids: ids(jobs), data: { notes: 'never' } });
  await app.settled();
  await sql('alter table job drop constraint no_such_notes');
  const id = answer.headers.get('location')!.split('/').at(-1);
  const [item] = await sql(
    `select attempts > 0 as tried, next_at >= created_at + interval '1 second' as later from bulk_action_item where bulk_action_id = '${id}'`,
  );
  expect(item).toEqual({ tried: true, later: true });
});

test('GraphQL returns the same', async () => {
  const { jobs } = await jobsOf(1);
  const query = `mutation ($ids: [ID!]!) { bulkCancelJobs(jobIds: $ids) { id kind state totalCount doneCount } }`;
  const { data } = await tenant.gql(query, { ids: ids(jobs) });
  expect(data.bulkCancelJobs).toMatchObject({ kind: 'cancel', totalCount: 1 });
  await app.settled();
  const read = await tenant.gql(
    `query ($id: ID!) { bulkAction(id: $id) { state doneCount createdBy { type } } bulkActionItems(bulkActionId: $id) { nodes { jobId state } } }`,
    { id: data.bulkCancelJobs.id },
  );
  expect(read.data).toEqual({
    bulkAction: { state: 'finished', doneCount: 1, createdBy: { type: 'M2MClient' } },
    bulkActionItems: { nodes: [{ jobId: jobs[0].id, state: 'done' }] },
  });
});
