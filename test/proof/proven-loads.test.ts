import { expect, test } from '@jest/globals';
import { approveLoads, billerOf, event, invoiceOf, makeBooks, messages, ticketed } from '../billing/books.ts';
import { settle } from '../billing/settled.ts';
import { drive, jobOfChain, makeChain, makeStaffedTenant, readyJob, shortHaul } from '../helpers/staffed-tenant.ts';
import { untilWaiting } from '../helpers/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const RATES = { customer_rate_value: 4, customer_rate_type: 'RatePerTon', driver_rate_value: 1, driver_rate_type: 'RatePerTon' };
const loadsOf = async (job: string, at = books.tenant): Promise<Json[]> =>
  (await at.must('GET', `/v1/jobs/${job}/loads`)).sort((a: Json, b: Json) => a.ordinality - b.ordinality);
const statesOf = async (job: string, at = books.tenant) => (await loadsOf(job, at)).map(({ state }) => state);
/** What is delivered and billed of a job. */
async function billedOf(job: Json): Promise<Json> {
  const { job_summary } = await books.tenant.must('GET', `/v1/jobs/${job.id}`);
  const { order_summary } = await books.tenant.must('GET', `/v1/orders/${job.order.id}`);
  const sums = [job_summary, order_summary].map(({ delivered_quantities: rows }: Json) => rows.map(({ delivered }: Json) => delivered));
  return [...sums, (await invoiceOf(books, job.id)).total_amount, (await invoiceOf(books, job.id, 'payable')).total_amount];
}

test('a job that is completed completes the loads that tickets prove, whatever its driver has pressed: they are delivered, looked at, and billed', async () => {
  const { tenant, biller } = books;
  const job = await readyJob(tenant, { loads_per_truck: 4, ...RATES });
  const loads = await loadsOf(job.id);
  // The scale has sent the tickets of three loads; the driver pressed the steps of one, and then that the work is done.
  for (const [at, tons] of ['10', '11', '12'].entries()) await ticketed(tenant, loads[at], tons);
  await drive(tenant.driver, job.id, ...shortHaul(1));
  expect(await statesOf(job.id)).toEqual(['completed', 'completed', 'completed', 'canceled']);
  expect(await billedOf(job)).toEqual([['33'], ['33'], '132', '33']);
  const { data } = await tenant.gql('query($id: ID!) { job(id: $id) { loads(first: 9) { nodes { ordinality doubted needsReview } } } }', {
    id: job.id,
  });
  const seen: Json[] = data.job.loads.nodes.sort((a: Json, b: Json) => a.ordinality - b.ordinality);
  expect(seen.map(({ doubted, needsReview }) => [doubted, needsReview])).toEqual([
    [false, false],
    [true, true],
    [true, true],
    [false, false],
  ]);
  // Nobody has to believe it: a load is billed when somebody has approved it, and one that was not hauled is one of nothing.
  const draft = await invoiceOf(books, job.id);
  expect(messages(await event(biller, draft.id, 'approve'))).toEqual(['cannot be approved: a load has not been approved for billing']);
  await approveLoads(biller, { loads: loads.slice(0, 3) });
  expect((await event(biller, draft.id, 'approve')).body.data.total_amount).toBe('132');
});

test('a voided ticket proves nothing, and a load of which nobody knows anything is canceled as before', async () => {
  const { tenant } = books;
  const job = await readyJob(tenant, { loads_per_truck: 3, ...RATES });
  const loads = await loadsOf(job.id);
  const { id } = await ticketed(tenant, loads[1], '10');
  await tenant.must('PUT', `/v1/tickets/${id}/void`, {});
  await drive(tenant.driver, job.id, 'enroute', 'load_material', 'complete');
  expect(await statesOf(job.id)).toEqual(['canceled', 'canceled', 'canceled']);
});

test('a job whose shift is over is not invoiced without a load that a ticket proves: the office completes it, or takes the ticket off', async () => {
  const { tenant, biller, app } = books;
  const job = await readyJob(tenant, { loads_per_truck: 3, ...RATES });
  const loads = await loadsOf(job.id);
  await tenant.driver.must('PUT', '/v1/users/me/driver_state/on_duty', {});
  await drive(tenant.driver, job.id, ...shortHaul(2).slice(0, -1), 'complete_load');
  await tenant.driver.must('PUT', '/v1/users/me/driver_state/off_duty', {});
  expect(await statesOf(job.id)).toEqual(['completed', 'completed', 'created']);
  for (const [at, tons] of ['10', '11'].entries()) await ticketed(tenant, loads[at], tons);
  const blockers = async (): Promise<string[]> => {
    const { id } = await invoiceOf(books, job.id);
    return (await biller.gql('query($id: ID!) { invoice(id: $id) { blockers } }', { id })).data.invoice.blockers;
  };
  expect(await blockers()).toEqual(['load_not_approved']);
  // The picture of a ticket proves the load before anybody has read how much it was.
  const third = await tenant.must('POST', '/v1/tickets', { load_id: loads[2].id, ticket_number: 'P-1', unit_of_measure: 'Ton' });
  expect(await blockers()).toContain('open_load');
  await tenant.must('PATCH', `/v1/tickets/${third.id}`, { quantity: 12 });
  expect(await blockers()).toContain('open_load');
  await tenant.must('PATCH', `/v1/tickets/${third.id}`, { load_id: null });
  expect(await blockers()).toEqual(['load_not_approved']);
  const refused = await tenant.dispatcher.http('PUT', tenant.path(`/loads/${loads[2].id}/complete`), {});
  expect([refused.status, refused.body.error.errors[0].state]).toEqual([409, 'created']);
  await tenant.must('PATCH', `/v1/tickets/${third.id}`, { load_id: loads[2].id });
  await tenant.dispatcher.must('PUT', tenant.path(`/loads/${loads[2].id}/complete`), {});
  await app.settled();
  expect(await statesOf(job.id)).toEqual(['completed', 'completed', 'completed']);
  expect(await billedOf(job)).toEqual([['33'], ['33'], '132', '33']);
});

test("a ticket of the owner proves the load of a vendor's vendor, whose driver completes the job; and a job that is handed over gives no load away that a ticket proves", async () => {
  const chain = await makeChain(books.app);
  const { owner } = chain;
  const { id, go } = await jobOfChain(chain);
  await owner.must('POST', `/v1/jobs/${id}/loads`, {});
  const ofChain = async (): Promise<Json[]> =>
    (await owner.must('GET', `/v1/jobs/${id}/loads`)).sort((a: Json, b: Json) => a.ordinality - b.ordinality);
  await ticketed(owner, (await ofChain())[1], '10');
  for (const event of shortHaul(1)) await go(event);
  expect((await ofChain()).map(({ state }) => state)).toEqual(['completed', 'completed']);

  const { tenant } = books;
  const job = await readyJob(tenant, { loads_per_truck: 4, ...RATES });
  const loads = await loadsOf(job.id);
  await ticketed(tenant, loads[1], '10');
  await drive(tenant.driver, job.id, 'enroute', 'arrive');
  const ben = await tenant.person({ firstName: 'Ben', roles: ['driver'] });
  const HAND_OVER = 'mutation($id: ID!, $driverId: ID!) { handOverJob(id: $id, driverId: $driverId) { loads { nodes { state } } } }';
  const { data } = await tenant.dispatcher.gql(HAND_OVER, { id: job.id, driverId: ben.user.id });
  // The load under way and two that nobody hauled go on; the one that was weighed is the first driver's.
  expect(data.handOverJob.loads.nodes).toHaveLength(3);
  expect(await statesOf(job.id)).toEqual(['canceled', 'completed', 'canceled', 'canceled']);
});

test('a driver who reports nothing but the end has left all the same: the order is under way, and the load waits for its approval', async () => {
  const own = await makeStaffedTenant(books.app);
  // The other truck keeps the order open.
  const job = await readyJob(own, { truck_count: 2, ...RATES });
  const [load] = await loadsOf(job.id, own);
  await ticketed(own, load, '10');
  await drive(own.driver, job.id, 'complete');
  expect(await statesOf(job.id, own)).toEqual(['completed']);
  expect((await own.must('GET', `/v1/orders/${job.order.id}`)).state).toBe('in_progress');
  const waiting: Json[] = await own.admin.must('GET', own.path('/loads/approval'));
  expect(waiting.map(({ id }) => id)).toEqual([load.id]);
});

/** Has requests that need an order wait for it, the first one first, and lets them go. */
async function inTurn(orderId: string, requests: readonly (() => Promise<Json>)[]): Promise<Json[]> {
  await books.app.settled();
  const em = books.app.orm.em.fork();
  await em.begin();
  const sent: Promise<Json>[] = [];
  try {
    await em.getConnection().execute('select 1 from orders where id = ? for update', [orderId], 'all', em.getTransactionContext());
    for (const request of requests) {
      sent.push(request());
      await untilWaiting(books.app, sent.length);
    }
  } finally {
    await em.rollback();
  }
  return Promise.all(sent);
}

test.each(['made', 'linked'])(
  'a ticket that is %s at the moment at which its job is completed proves its load, or is refused: no load is canceled with its ticket',
  async (how) => {
    const { tenant } = books;
    for (const isFirst of [true, false]) {
      const job = await readyJob(tenant, { loads_per_truck: 2, ...RATES });
      const [, load] = await loadsOf(job.id);
      await drive(tenant.driver, job.id, 'enroute', 'load_material');
      const said = { ticket_number: `M-${load.load_id}`, quantity: 10, unit_of_measure: 'Ton' };
      const known = how === 'linked' ? await tenant.must('POST', '/v1/tickets', said) : undefined;
      const proving = () =>
        known
          ? tenant.http('PATCH', `/v1/tickets/${known.id}`, { load_id: load.id })
          : tenant.http('POST', '/v1/tickets', { ...said, load_id: load.id });
      const completing = () => tenant.driver.http('PUT', `/v1/jobs/${job.id}/complete`, {});
      const [first, second] = await inTurn(job.order.id, isFirst ? [proving, completing] : [completing, proving]);
      if (isFirst) expect([first.status, second.status]).toEqual([known ? 200 : 201, 200]);
      else
        expect([first.status, second.status, messages(second)]).toEqual([200, 422, ['has been canceled: nothing was delivered under it']]);
      expect(await statesOf(job.id)).toEqual(['canceled', isFirst ? 'completed' : 'canceled']);
      expect((await tenant.must('GET', `/v1/jobs/${job.id}/tickets`)).length).toBe(isFirst ? 1 : 0);
    }
  },
);

test('the ticket of a load that nobody began, which comes when its job is approved and settled, is billed late: the office completes the load, and not its driver', async () => {
  const own = await makeStaffedTenant(books.app);
  const at = { app: books.app, tenant: own, biller: await billerOf(own) };
  const job = await readyJob(own, { loads_per_truck: 2, ...RATES });
  const loads = await loadsOf(job.id, own);
  await own.driver.must('PUT', '/v1/users/me/driver_state/on_duty', {});
  await drive(own.driver, job.id, ...shortHaul(1).slice(0, -1), 'complete_load');
  await own.driver.must('PUT', '/v1/users/me/driver_state/off_duty', {});
  await ticketed(own, loads[0], '10');
  await at.biller.must('PUT', at.biller.path(`/jobs/${job.id}/approve`), {});
  const invoice = await invoiceOf(at, job.id);
  expect((await event(at.biller, invoice.id, 'approve')).body.data.total_amount).toBe('40');
  await settle(at, [invoice]);

  await ticketed(own, loads[1], '12');
  const isStale = async (): Promise<boolean> => {
    await books.app.settled();
    return (await at.biller.gql('query($id: ID!) { invoice(id: $id) { stale } }', { id: invoice.id })).data.invoice.stale;
  };
  expect(await isStale()).toBe(true);
  const complete = own.path(`/loads/${loads[1].id}/complete`);
  const refused = await own.driver.http('PUT', complete, {});
  expect([refused.status, messages(refused)]).toEqual([409, ['belongs to a job that is approved; take that approval back first']]);
  await own.dispatcher.must('PUT', complete, {});
  expect(await isStale()).toBe(false);
  const listed: Json[] = await at.biller.must('GET', at.biller.path(`/orders/${job.order.id}/invoices`));
  const late = listed.filter(({ state, total_amount }) => state === 'pending' && total_amount === '48');
  expect(late).toHaveLength(1);
  // The approval of the job was given before, and says nothing of it.
  expect(messages(await event(at.biller, late[0].id, 'approve'))).toEqual(['cannot be approved: a load has not been approved for billing']);
  await approveLoads(at.biller, { loads: [loads[1]] });
  expect((await event(at.biller, late[0].id, 'approve')).status).toBe(200);
});
