import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
/** Two customers, the vendor both hire, and the one whom that vendor hires. */
let owner: Tenant;
let other: Tenant;
let vendor: Tenant;
let third: Tenant;
/** Of the vendor's office. */
let admin: string;
/** Accounts by which each knows the next. */
let hired: Json;
let hiredByOther: Json;
let subHired: Json;
beforeAll(async () => {
  app = await startTestApp({ worker: true, deliveries: true });
  [owner, other, vendor, third] = [await makeTenant(app), await makeTenant(app), await makeTenant(app), await makeTenant(app)];
  const connect = (from: Tenant, to: Tenant) =>
    from.must('POST', from.path('/accounts/connected'), { platform_id: to.company.platformId, account_types: ['vendor'] });
  [hired, hiredByOther, subHired] = [await connect(owner, vendor), await connect(other, vendor), await connect(vendor, third)];
  admin = (await vendor.person({ roles: ['company_admin'] })).token;
});
afterAll(() => app.close());

/** Jobs of one order that were passed on to the vendor, and sent to it. */
async function passed(trucks: number, from = owner, account = hired, more: object = {}): Promise<Json[]> {
  const jobs = await jobsOf(trucks, from, more);
  for (const { id } of jobs) {
    await from.must('PUT', `/v1/jobs/${id}/assign_vendor`, { vendor_id: account.id });
    await from.must('PUT', `/v1/jobs/${id}/request`, {});
  }
  return jobs;
}
/** The same, and the vendor has said yes. */
async function taken(...asked: Parameters<typeof passed>): Promise<Json[]> {
  const jobs = await passed(...asked);
  for (const { id } of jobs) await vendor.must('PUT', `/v1/jobs/${id}/accept`, {}, admin);
  return jobs;
}
async function jobsOf(trucks: number, at: Tenant, more: object = {}): Promise<Json[]> {
  const order = await makeOrder(at, { truck_count: trucks, ...more });
  await at.must('PUT', at.path(`/orders/${order.id}/accept`), {});
  return at.must('GET', `/v1/orders/${order.id}/jobs`);
}
const ids = (jobs: Json[]): string[] => jobs.map(({ id }) => id);

/** Asked for inside the company only. */
const SCOPED = new Set(['bulk_unassign', 'bulk_cancel']);

/** Calls an action as the vendor's office, waits for it, and returns the result of each job. */
async function done(method: string, action: string, body: object): Promise<Json[]> {
  const answer = await vendor.http(method, SCOPED.has(action) ? vendor.path(`/jobs/${action}`) : `/v1/jobs/${action}`, body, admin);
  expect([answer.status, answer.body?.error]).toEqual([202, undefined]);
  await app.settled();
  return vendor.must('GET', `${answer.headers.get('location')}/items`, undefined, admin);
}
const outcomes = (items: Json[]) => items.map(({ state, errors }) => [state, ...errors.map(({ code }: Json) => code)]);
const DONE = [['done'], ['done']];
/** How the owner sees its jobs. */
const seen = (jobs: Json[], of = owner): Promise<Json[]> => Promise.all(ids(jobs).map((id) => of.must('GET', `/v1/jobs/${id}`)));
const states = async (jobs: Json[], of = owner) => (await seen(jobs, of)).map(({ state }) => state);

test('a vendor accepts, crews, sends, texts and unassigns jobs that were passed on to it, each in one request', async () => {
  const jobs = await passed(2);
  expect(outcomes(await done('PUT', 'bulk_accept', { job_ids: ids(jobs) }))).toEqual(DONE);
  expect(await states(jobs)).toEqual(['accepted', 'accepted']);

  const { user } = await vendor.person({ roles: ['driver'], phone: '+12025550147' });
  const crew = { driver_assignments: ids(jobs).map((job_id) => ({ job_id, driver_id: user.id })) };
  expect(outcomes(await done('PUT', 'bulk_assign_drivers', crew))).toEqual(DONE);
  expect((await seen(jobs)).map(({ state, driver }) => [state, driver.id])).toEqual([
    ['assigned', user.id],
    ['assigned', user.id],
  ]);

  expect(outcomes(await done('PUT', 'bulk_send', { job_ids: ids(jobs) }))).toEqual(DONE);
  expect(await states(jobs)).toEqual(['sent', 'sent']);
  expect(outcomes(await done('PUT', 'bulk_driver_sms', { job_ids: ids(jobs), message: 'Rain at noon' }))).toEqual(DONE);

  const load = { job_ids: ids(jobs), data: { load: { quantity: 21.5 } } };
  expect(outcomes(await done('PATCH', 'bulk_update', load))).toEqual(DONE);
  expect((await owner.must('GET', `/v1/jobs/${jobs[1].id}/loads`)).map(({ quantity }: Json) => quantity)).toContain('21.5');

  expect(outcomes(await done('PUT', 'bulk_unassign', { job_ids: ids(jobs) }))).toEqual(DONE);
  expect((await seen(jobs)).map(({ state, driver }) => [state, driver])).toEqual([
    ['accepted', null],
    ['accepted', null],
  ]);
  // The owner's history shows it, with its author.
  const events = await owner.must('GET', `/v1/jobs/${jobs[0].id}/job_events`);
  const reported = events.filter(({ created_by }: Json) => created_by?.name === 'Ada Gravel').map(({ event_name }: Json) => event_name);
  expect(reported).toEqual(expect.arrayContaining(['JobAccepted', 'JobAssigned', 'JobSent', 'JobUnassigned']));
});

test('a vendor passes jobs on to the next, by the list and by the older path for one vendor', async () => {
  const jobs = await taken(2);
  const assignments = { vendor_assignments: [{ vendor_account_id: subHired.id, job_ids: ids(jobs) }] };
  expect(outcomes(await done('PUT', 'bulk_assign_vendors', assignments))).toEqual(DONE);
  expect((await third.http('GET', `/v1/jobs/${jobs[1].id}`)).status).toBe(200);
  expect(outcomes(await done('PUT', 'bulk_unassign', { job_ids: ids(jobs) }))).toEqual(DONE);
  expect((await third.http('GET', `/v1/jobs/${jobs[1].id}`)).status).toBe(404);
  const byOlder = await vendor.http('PUT', '/v1/jobs/bulk_assign', { vendor_account_id: subHired.id, job_ids: ids(jobs) }, admin);
  await app.settled();
  expect(byOlder.status).toBe(202);
  expect(await states(jobs)).toEqual(['assigned', 'assigned']);
});

test('jobs of several owners are changed in one request, together with own ones, and each company reads its own history only', async () => {
  const [mine, theirs, own] = [await taken(2), await taken(2, other, hiredByOther), await jobsOf(1, vendor)];
  const crew = ids([...mine, ...theirs, ...own]).map((job_id) => ({ job_id, driver_id: vendor.driver.id }));
  expect(outcomes(await done('PUT', 'bulk_assign_drivers', { driver_assignments: crew }))).toEqual([...DONE, ...DONE, ['done']]);
  expect([...(await states(mine)), ...(await states(theirs, other))]).toEqual(Array(4).fill('assigned'));
  for (const [at, jobs] of [
    [owner, mine],
    [other, theirs],
    [vendor, own],
  ] as const)
    for (const id of ids(jobs)) {
      const events = await at.must('GET', `/v1/jobs/${id}/job_events`);
      expect(events.filter(({ created_by }: Json) => created_by.name === 'Ada Gravel').map(({ event_name }: Json) => event_name)).toContain(
        'JobAssigned',
      );
    }
  expect((await owner.http('GET', `/v1/jobs/${theirs[0].id}`)).status).toBe(404);
});

test('an item that fails leaves its neighbours alone, whichever company they belong to', async () => {
  const [mine, theirs] = [await passed(2), await passed(2, other, hiredByOther)];
  const strange = await jobsOf(1, owner);
  await owner.must('PUT', `/v1/jobs/${mine[1].id}/cancel`, {});
  const asked = [strange[0], mine[0], theirs[0], mine[1], theirs[1]];
  const items = await done('PUT', 'bulk_accept', { job_ids: ids(asked) });
  expect(outcomes(items)).toEqual([['failed', 'object_not_found'], ['done'], ['done'], ['failed', 'illegal_event'], ['done']]);
  expect(await states(mine)).toEqual(['accepted', 'canceled']);
  expect(await states(theirs, other)).toEqual(['accepted', 'accepted']);
  expect(await states(strange)).toEqual(['created']);
});

test('bulk actions refuse a vendor what only the owner may do, job by job', async () => {
  const jobs = await taken(2);
  const before = await seen(jobs);
  const REFUSED = [
    ['failed', 'permission_of_owning_company'],
    ['failed', 'permission_of_owning_company'],
  ];
  expect(outcomes(await done('PUT', 'bulk_cancel', { job_ids: ids(jobs) }))).toEqual(REFUSED);
  expect(outcomes(await done('PUT', 'bulk_delete', { job_ids: ids(jobs) }))).toEqual(REFUSED);
  for (const data of [{ notes: 'Ours now' }, { job_start_at: '2031-01-05T13:00:00Z' }])
    expect([data, outcomes(await done('PATCH', 'bulk_update', { job_ids: ids(jobs), data }))]).toEqual([data, REFUSED]);
  // Neither the owner's drivers nor its accounts are the vendor's to send.
  const crew = ids(jobs).map((job_id) => ({ job_id, driver_id: owner.driver.id }));
  expect(outcomes(await done('PUT', 'bulk_assign_drivers', { driver_assignments: crew }))).toEqual(Array(2).fill(['failed', 'must_exist']));
  const accounts = [{ vendor_account_id: hired.id, job_ids: ids(jobs) }];
  expect(outcomes(await done('PUT', 'bulk_assign_vendors', { vendor_assignments: accounts }))).toEqual(
    Array(2).fill(['failed', 'must_exist']),
  );
  // Next to a job of the same owner, and so of the same transaction, one that was not passed on stays out of reach.
  const [hidden] = await jobsOf(1, owner);
  const own = [jobs[0].id, hidden.id, jobs[1].id].map((job_id) => ({ job_id, driver_id: vendor.driver.id }));
  const items = await done('PUT', 'bulk_assign_drivers', { driver_assignments: own });
  expect(outcomes(items)).toEqual([['done'], ['failed', 'object_not_found'], ['done']]);
  expect((await seen(jobs)).map(({ notes, job_start_at }) => [notes, job_start_at])).toEqual(
    before.map(({ notes, job_start_at }) => [notes, job_start_at]),
  );
});

test('the day of a vendor, and the orders it names, are sent with the jobs that it received and crewed', async () => {
  const day = { load_at: '2027-03-01T14:00:00Z' };
  const [crewed, subbed, theirs] = [
    await taken(3, owner, hired, day),
    await taken(1, other, hiredByOther, day),
    await jobsOf(1, owner, day),
  ];
  const own = await jobsOf(1, vendor, day);
  const crew = ids([crewed[0], crewed[1], ...own]).map((job_id) => ({ job_id, driver_id: vendor.driver.id }));
  await done('PUT', 'bulk_assign_drivers', { driver_assignments: crew });
  await done('PUT', 'bulk_assign_vendors', { vendor_assignments: [{ vendor_account_id: subHired.id, job_ids: ids(subbed) }] });
  // Jobs that the vendor has not taken up are the customer's to send, and so are those that were never passed on.
  const [given] = await jobsOf(1, owner, day);
  await owner.must('PUT', `/v1/jobs/${given.id}/assign_vendor`, { vendor_id: hired.id });
  await owner.must('PATCH', `/v1/jobs/${theirs[0].id}`, { driver_id: owner.driver.id });
  const { body } = await vendor.http('PUT', vendor.path('/jobs/bulk_send_day'), { date: '2027-03-01' }, admin);
  await app.settled();
  expect(body).toEqual({ data: { count: 4 } });
  expect(await states(crewed)).toEqual(['sent', 'sent', 'accepted']);
  expect(await states([given, ...theirs])).toEqual(['assigned', 'assigned']);
  expect([await states(subbed, other), await states(own, vendor)]).toEqual([['sent'], ['sent']]);

  const [late, alike] = [await taken(2), await taken(2)];
  const both = ids([late[0], alike[0]]).map((job_id) => ({ job_id, driver_id: vendor.driver.id }));
  await done('PUT', 'bulk_assign_drivers', { driver_assignments: both });
  const orders = { order_ids: [late[0].order.id, theirs[0].order.id] };
  expect(outcomes(await done('PUT', 'bulk_send', orders))).toEqual([['done']]);
  expect([...(await states(late)), ...(await states(alike))]).toEqual(['sent', 'accepted', 'assigned', 'accepted']);
  const nothing = await vendor.http('PUT', '/v1/jobs/bulk_send', { order_ids: [theirs[0].order.id] }, admin);
  expect([nothing.status, nothing.body.error.errors[0].field]).toEqual([400, 'order_ids']);
});

test('the owner takes a job back or assigns it to another vendor, however far it was passed on', async () => {
  const other = { vendor_id: owner.vendor.id };
  const ways: [after: 'sent' | 'rejected', take: (id: string) => Promise<Json>][] = [
    ['sent', (id) => owner.http('PUT', owner.path(`/jobs/${id}/unassign`), {})],
    ['rejected', (id) => owner.http('PUT', owner.path(`/jobs/${id}/assign_vendor`), other)],
    ['rejected', (id) => owner.http('POST', owner.path(`/jobs/${id}/job_assignments`), { vendor_account_id: owner.vendor.id })],
    ['rejected', (id) => owner.http('PATCH', owner.path(`/jobs/${id}`), { driver_id: owner.driver.id })],
    ['sent', (id) => owner.http('PUT', owner.path('/jobs/bulk_unassign'), { job_ids: [id] })],
  ];
  const jobs = await taken(ways.length);
  for (const [at, [state, take]] of ways.entries()) {
    const id = jobs[at].id;
    await vendor.must('PUT', vendor.path(`/jobs/${id}/assign_vendor`), { vendor_id: subHired.id }, admin);
    await vendor.must('PUT', vendor.path(`/jobs/${id}/request`), {}, admin);
    if (state === 'rejected') await third.must('PUT', third.path(`/jobs/${id}/reject`), {});
    expect([at, (await take(id)).status]).toEqual([at, [200, 200, 201, 200, 202][at]]);
  }
  await app.settled();
  expect(await states(jobs)).toEqual(['created', 'assigned', 'assigned', 'assigned', 'created']);
  for (const { id } of jobs) for (const who of [vendor, third]) expect((await who.http('GET', `/v1/jobs/${id}`)).status).toBe(404);
  // The end of a link is in the history of the company that made it, and in no other.
  const ended = async (who: Tenant) =>
    (await who.must('GET', '/v1/audit_entries?filter[subject_types][]=JobAssignment&page[limit]=100'))
      .filter(({ event }: Json) => event === 'destroy')
      .flatMap(({ object_changes }: Json) => object_changes.vendor_account_id?.[0] ?? []);
  expect(await ended(owner)).toEqual(Array(3).fill(hired.id));
  expect((await ended(vendor)).slice(0, ways.length)).toEqual(Array(ways.length).fill(subHired.id));
});
