import { expect, test } from '@jest/globals';
import { approveLoads, billerOf, event, invoiceOf, makeBooks, messages, ticketed } from '../../billing/books.ts';
import { acceptedOrder, jobOfChain, makeChain, makeStaffedTenant, plannedOrder, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const RATES = { customer_rate_value: 4, customer_rate_type: 'RatePerTon', driver_rate_value: 1, driver_rate_type: 'RatePerTon' };
const loadsOf = async (at: StaffedTenant, { id }: Json): Promise<Json[]> =>
  (await at.must('GET', `/v1/jobs/${id}/loads`)).sort((a: Json, b: Json) => a.ordinality - b.ordinality);
const statesOf = async (at: StaffedTenant, job: Json) => [
  (await at.must('GET', `/v1/jobs/${job.id}`)).state,
  ...(await loadsOf(at, job)).map(({ state }) => state),
];

test('an order that is completed completes the unstarted jobs that have a ticket, as if by hand, and cancels the others: what was weighed is billed', async () => {
  const own = await makeStaffedTenant(books.app, { timeZone: zoneAt(12) });
  const at = { app: books.app, tenant: own, biller: await billerOf(own) };
  const load_at = new Date(Date.now() - 60_000);
  const { id, jobs } = await acceptedOrder(own, { truck_count: 6, loads_per_truck: 2, load_at, ...RATES });
  const [unassigned, sent, accepted, loose, voided, untouched] = jobs;
  for (const job of [sent, accepted]) {
    await own.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: own.driver.id });
    await own.dispatcher.must('PUT', `/v1/jobs/${job.id}/request`, {});
  }
  await own.driver.must('PUT', `/v1/jobs/${accepted.id}/accept`, {});
  await own.driver.must('PUT', '/v1/users/me/driver_state/on_duty', {});
  await ticketed(own, (await loadsOf(own, unassigned))[0], '10');
  await ticketed(own, (await loadsOf(own, sent))[1], '11');
  await ticketed(own, (await loadsOf(own, accepted))[0], '12');
  // Nobody knows yet of which load it is.
  await own.must('POST', '/v1/tickets', { job_id: loose.id, ticket_number: 'L-1', quantity: 9, unit_of_measure: 'Ton' });
  const wrong = await ticketed(own, (await loadsOf(own, voided))[0], '8');
  await own.must('PUT', `/v1/tickets/${wrong.id}/void`, {});

  expect((await own.dispatcher.must('PUT', own.path(`/orders/${id}/complete`), {})).state).toBe('completed');
  expect(await Promise.all(jobs.map((job) => statesOf(own, job)))).toEqual([
    ['completed', 'completed', 'canceled'],
    ['completed', 'canceled', 'completed'],
    ['completed', 'completed', 'canceled'],
    ['completed', 'canceled', 'canceled'],
    ['canceled', 'canceled', 'canceled'],
    ['canceled', 'canceled', 'canceled'],
  ]);
  expect(untouched.state).toBe('created');
  const { order_summary } = await own.must('GET', `/v1/orders/${id}`);
  expect(order_summary.delivered_quantities.map(({ delivered }: Json) => delivered)).toEqual(['33']);
  for (const [job, amount] of [
    [unassigned, '40'],
    [sent, '44'],
    [accepted, '48'],
  ] as const)
    expect((await invoiceOf(at, job.id)).total_amount).toBe(amount);
  expect((await invoiceOf(at, sent.id, 'payable')).total_amount).toBe('11');
  const noted: Json[] = await own.must('GET', `/v1/jobs/${sent.id}/job_events?page[limit]=100`);
  expect(noted.map(({ event_name }) => event_name)).toEqual(
    expect.arrayContaining(['LoadCompleted', 'LoadCanceled', 'JobCompleted', 'OrderCompleted']),
  );
  expect(noted.find(({ event_name }) => event_name === 'OrderCompleted').state).toBe('completed');
  // They are of the day of their driver, and somebody looks before they are billed.
  expect((await own.must('GET', '/v1/users/me/driver_day', undefined, own.driver.token)).jobs_count).toBe(2);
  const query = 'query($id: ID!) { job(id: $id) { loads(first: 9) { nodes { state needsReview } } } }';
  const { data } = await own.gql(query, { id: sent.id });
  for (const load of data.job.loads.nodes) expect(load.needsReview).toBe(load.state === 'completed');
  const draft = await invoiceOf(at, sent.id);
  expect(messages(await event(at.biller, draft.id, 'approve'))).toEqual(['cannot be approved: a load has not been approved for billing']);
  await approveLoads(at.biller, { loads: (await loadsOf(own, sent)).slice(1) });
  expect((await event(at.biller, draft.id, 'approve')).status).toBe(200);
});

test("the job of a vendor's vendor that nobody began is completed with its order, too, and is of the day of who was to drive it", async () => {
  const chain = await makeChain(books.app, { timeZone: zoneAt(12) });
  const { owner, last } = chain;
  const { id, token } = await jobOfChain(chain);
  await ticketed(owner, (await loadsOf(owner, { id }))[0], '10');
  const { order } = await owner.must('GET', `/v1/jobs/${id}`);
  await owner.dispatcher.must('PUT', owner.path(`/orders/${order.id}/complete`), {});
  expect(await statesOf(owner, { id })).toEqual(['completed', 'completed']);
  const [day]: Json[] = await last.must('GET', last.path('/driver_days'));
  expect([day.jobs_count, day.loads_count]).toEqual([1, 1]);
  // Nobody went on duty by it.
  expect((await last.http('GET', '/v1/users/me/driver_state', undefined, token)).body?.data?.state).not.toBe('on_duty');
});

test('a job that its driver declined and that has a ticket is completed with its order as that of this driver, who may have hauled all the same; one without is canceled', async () => {
  const own = await makeStaffedTenant(books.app, { timeZone: zoneAt(12) });
  const at = { app: books.app, tenant: own, biller: await billerOf(own) };
  const load_at = new Date(Date.now() - 60_000);
  const { id, jobs } = await acceptedOrder(own, { truck_count: 2, load_at, ...RATES });
  const [weighed, left] = jobs;
  for (const job of jobs) {
    await own.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: own.driver.id });
    await own.dispatcher.must('PUT', `/v1/jobs/${job.id}/request`, {});
    await own.driver.must('PUT', `/v1/jobs/${job.id}/reject`, { reject_reason: 'No time' });
  }
  await own.driver.must('PUT', '/v1/users/me/driver_state/on_duty', {});
  await ticketed(own, (await loadsOf(own, weighed))[0], '10');
  await own.dispatcher.must('PUT', own.path(`/orders/${id}/complete`), {});
  expect([await statesOf(own, weighed), await statesOf(own, left)]).toEqual([
    ['completed', 'completed'],
    ['canceled', 'canceled'],
  ]);
  // Its timeline says that it was declined, and somebody looks before anything is billed or paid.
  const noted: Json[] = await own.must('GET', `/v1/jobs/${weighed.id}/job_events?page[limit]=100`);
  expect(noted.map(({ event_name }) => event_name)).toEqual(expect.arrayContaining(['JobDeclined', 'JobCompleted', 'OrderCompleted']));
  const { data } = await own.gql('query($id: ID!) { job(id: $id) { loads(first: 9) { nodes { needsReview } } } }', { id: weighed.id });
  expect(data.job.loads.nodes).toEqual([{ needsReview: true }]);
  const drafts = [await invoiceOf(at, weighed.id), await invoiceOf(at, weighed.id, 'payable')];
  expect(drafts.map(({ total_amount, state }) => [total_amount, state])).toEqual([
    ['40', 'pending'],
    ['10', 'pending'],
  ]);
  for (const { id: draft } of drafts)
    expect(messages(await event(at.biller, draft, 'approve'))).toEqual(['cannot be approved: a load has not been approved for billing']);
  expect((await own.must('GET', '/v1/users/me/driver_day', undefined, own.driver.token)).jobs_count).toBe(1);
});

test('who may not complete an order completes none of its jobs', async () => {
  const own = await makeStaffedTenant(books.app);
  const { id, jobs } = await acceptedOrder(own, RATES);
  await ticketed(own, (await loadsOf(own, jobs[0]))[0], '10');
  expect((await own.driver.http('PUT', own.path(`/orders/${id}/complete`), {})).status).toBe(403);
  const stranger = await makeStaffedTenant(books.app);
  expect((await stranger.dispatcher.http('PUT', `/v1/orders/${id}/complete`, {})).status).toBe(404);
  expect(await statesOf(own, jobs[0])).toEqual(['created', 'created']);
});

test('of an order that wants fewer trucks those without a ticket are canceled, and never one with a ticket', async () => {
  const own = await makeStaffedTenant(books.app);
  const { id, jobs } = await plannedOrder(own, { truck_count: 3, ...RATES });
  // The last one would be the first to go.
  await ticketed(own, (await loadsOf(own, jobs[2]))[0], '10');
  await own.must('PATCH', `/v1/orders/${id}`, { truck_count: 2 });
  expect((await Promise.all(jobs.map((job) => statesOf(own, job)))).map(([state]) => state)).toEqual(['created', 'canceled', 'created']);
  await ticketed(own, (await loadsOf(own, jobs[0]))[0], '10');
  const refused = await own.http('PATCH', `/v1/orders/${id}`, { truck_count: 1 });
  const [{ field, message }] = refused.body.error.errors;
  expect([refused.status, field, message]).toEqual([
    422,
    'truck_count',
    'is below the 2 trucks that are already sent or under way, or have a ticket',
  ]);
});

test('an order of many such jobs is completed in as many statements as one of a few, each of them on the day of its driver', async () => {
  const own = await makeStaffedTenant(books.app, { timeZone: zoneAt(12) });
  const load_at = new Date(Date.now() - 60_000);
  /** Completes an order whose jobs are, in turn, of a driver on duty and of one who reports nothing; each driver has two of them. */
  const completeWith = async (trucks: number): Promise<number> => {
    const { id, jobs } = await acceptedOrder(own, { truck_count: trucks, loads_per_truck: 2, load_at, ...RATES });
    const drivers = [];
    for (let i = 0; i < trucks / 2; i++) drivers.push(await own.person({ firstName: `Max ${i}`, roles: ['driver'] }));
    for (const [i, driver] of drivers.entries()) if (i % 2 === 0) await driver.must('PUT', '/v1/users/me/driver_state/on_duty', {});
    for (const [i, job] of jobs.entries()) {
      await own.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: drivers[i % drivers.length]!.user.id });
      await ticketed(own, (await loadsOf(own, job))[0], '10');
    }
    await books.app.settled();
    const { statements } = await books.app.countStatements(() => own.dispatcher.must('PUT', own.path(`/orders/${id}/complete`), {}));
    const states = await Promise.all(jobs.map((job) => statesOf(own, job)));
    expect(states).toEqual(Array(trucks).fill(['completed', 'completed', 'canceled']));
    const days: Json[] = await own.must('GET', `${own.path('/driver_days')}?page[limit]=100`);
    for (const [i, { user }] of drivers.entries()) {
      const ofDriver = days.filter(({ driver }) => driver.id === user.id);
      expect(ofDriver.map(({ jobs_count, ended_shift_at }) => [jobs_count, !ended_shift_at])).toEqual([[2, i % 2 === 0]]);
    }
    // The columns of a table are asked for once in the life of a process.
    return statements.filter((sql) => !sql.includes('pg_attribute')).length;
  };
  const few = await completeWith(8);
  expect(await completeWith(16)).toBe(few);
});
