import { expect, test } from '@jest/globals';
import { drive, jobOfChain, makeChain, makeStaffedTenant, ONE_LOAD, readyJob, shortHaul } from '../../helpers/staffed-tenant.ts';
import { approveLoads, type Books, billerOf, event, hauled, invoiceOf, makeBooks, messages } from '../books.ts';
import { touch, worked } from '../days/worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const PER_TON = { customer_rate_value: 5, customer_rate_type: 'RatePerTon' };
const execute = (sql: string, values: readonly unknown[]): Promise<Json> => books.app.orm.em.fork().execute(sql, values as Json[]);

/** Returns the reasons that keep an invoice from being approved, by their codes, and the sentences for somebody who tries. */
async function blockedBy(at: Pick<Books, 'biller'>, id: string): Promise<[string[], number, string[]]> {
  const { data } = await at.biller.gql('query($id: ID!) { invoice(id: $id) { blockers } }', { id });
  const refused = await event(at.biller, id, 'approve');
  return [data.invoice.blockers, refused.status, refused.body.error ? messages(refused) : []];
}

test('B2.2 job_not_approved: an hourly invoice waits for the approval of its job, and not for that of loads', async () => {
  const job = await worked(books.tenant, null, { customer_rate_value: 90, customer_rate_type: 'RatePerHour' }, 120);
  await touch(books.tenant, job);
  const { id } = await invoiceOf(books, job.id);
  const sentence = 'cannot be approved: its job has not been approved for billing';
  expect(await blockedBy(books, id)).toEqual([['job_not_approved'], 409, [sentence]]);
  await books.tenant.must('PUT', books.tenant.path(`/jobs/${job.id}/approve`), {});
  await books.app.settled();
  expect(await blockedBy(books, id)).toEqual([[], 200, []]);
});

test('B2.2 open_load: a job that is finished with a load still open is not billed as finished', async () => {
  const job = await hauled(books, ['10', '10'], { order: PER_TON });
  await approveLoads(books.biller, job);
  const { id } = await invoiceOf(books, job.id);
  await execute("update load set state = 'loaded' where id = ?", [job.loads[1].id]);
  await touch(books.tenant, job);
  await books.app.settled();
  const [blockers, status] = await blockedBy(books, id);
  expect([blockers, status]).toEqual([['open_load'], 409]);
  await execute("update load set state = 'completed' where id = ?", [job.loads[1].id]);
  await books.tenant.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 2 });
  await books.app.settled();
  expect(await blockedBy(books, id)).toEqual([[], 200, []]);
});

test('B2.2 open_load: when a shift ends, a load that was begun keeps its job from being invoiced, and the next one that nobody began does not', async () => {
  const own = await makeStaffedTenant(books.app);
  const at = { ...books, tenant: own, biller: await billerOf(own) };
  const { id } = await readyJob(own, { recurring_loads: true, driver_rate_value: 30, driver_rate_type: 'RatePerLoad', ...PER_TON });
  const press = (...events: string[]) => drive(own.driver, id, ...events);
  const state = (name: string) => own.driver.must('PUT', `/v1/users/me/driver_state/${name}`, {});
  const loads = async (): Promise<Json[]> =>
    (await own.must('GET', `/v1/jobs/${id}/loads`)).sort((a: Json, b: Json) => a.ordinality - b.ordinality);
  await state('on_duty');
  await press(...ONE_LOAD, 'enroute', 'load_material');
  await state('off_duty');
  expect((await loads()).map((one) => one.state)).toEqual(['completed', 'loaded']);
  for (const { id: load } of await loads())
    await own.dispatcher.must('PATCH', `/v1/loads/${load}`, { quantity: 10, unit_of_measure: 'Ton' });
  await books.app.settled();
  const bill = await invoiceOf(at, id);
  expect((await blockedBy(at, bill.id)).slice(0, 2)).toEqual([['open_load'], 409]);
  await own.dispatcher.must('PUT', own.path(`/loads/${(await loads())[1].id}/complete`), {});
  // Its loads recur.
  expect((await loads()).map((one) => one.state)).toEqual(['completed', 'completed', 'created']);
  await approveLoads(at.biller, { loads: (await loads()).slice(0, 2) });
  await books.app.settled();
  expect(await invoiceOf(at, id)).toMatchObject({ state: 'pending', total_amount: '100' });
  expect(await blockedBy(at, bill.id)).toEqual([[], 200, []]);
  const pay = await invoiceOf(at, id, 'payable');
  expect([pay.total_amount, await blockedBy(at, pay.id)]).toEqual(['60', [[], 200, []]]);
});

test('B2.2 open_load: the next load that a telephone reports as begun when the shift is over is open', async () => {
  const own = await makeStaffedTenant(books.app);
  const at = { ...books, tenant: own, biller: await billerOf(own) };
  const { id } = await readyJob(own, { recurring_loads: true, ...PER_TON });
  const state = (name: string) => own.driver.must('PUT', `/v1/users/me/driver_state/${name}`, {});
  await state('on_duty');
  await drive(own.driver, id, ...ONE_LOAD);
  const { started_at: ended } = await state('off_duty');
  await books.app.settled();
  const bill = async () => {
    const { id: invoice } = await invoiceOf(at, id);
    return (await at.biller.gql('query($id: ID!) { invoice(id: $id) { state blockers } }', { id: invoice })).data.invoice;
  };
  expect(await bill()).toEqual({ state: 'pending', blockers: expect.not.arrayContaining(['open_load']) });
  // The telephone was offline, and its driver's states were sent before.
  await own.driver.must('PUT', `/v1/jobs/${id}/enroute`, { occurred_at: ended });
  await books.app.settled();
  expect(await bill()).toEqual({ state: 'in_progress', blockers: expect.arrayContaining(['open_load']) });
});

test('B2.2 ticket_missing and ticket_incomplete: an order that has tickets chased waits for them, and for what they say', async () => {
  const job = await hauled(books, ['10', null], { order: { ...PER_TON, chase_missing_tickets: true } });
  const [, load] = job.loads;
  await books.tenant.must('PATCH', `/v1/loads/${load.id}`, { quantity: 9, unit_of_measure: 'Ton' });
  await approveLoads(books.biller, job);
  const { id } = await invoiceOf(books, job.id);
  expect(await blockedBy(books, id)).toEqual([['ticket_missing'], 409, ['cannot be approved: the ticket of a load is missing']]);
  const ticket = await books.tenant.must('POST', '/v1/tickets', { load_id: load.id, ticket_number: 'T-EMPTY', unit_of_measure: 'Ton' });
  await books.app.settled();
  const sentence = 'cannot be approved: the ticket of a load has no quantity';
  expect(await blockedBy(books, id)).toEqual([['ticket_incomplete'], 409, [sentence]]);
  await books.tenant.must('PATCH', `/v1/tickets/${ticket.id}`, { quantity: 9, unit_of_measure: 'Ton' });
  await books.app.settled();
  expect(await blockedBy(books, id)).toEqual([[], 200, []]);
});

test('B2.2 no_counterparty: a receivable of passed work waits until somebody is named who pays', async () => {
  const chain = await makeChain(books.app);
  const { owner, middle } = chain;
  const ofMiddle = { ...books, tenant: middle, biller: await billerOf(middle) };
  const { id: jobId, go } = await jobOfChain(chain);
  await owner.must('PATCH', `/v1/jobs/${jobId}`, { vendor_rate_value: 4, vendor_rate_type: 'RatePerLoad' });
  for (const one of shortHaul()) await go(one);
  const loads: Json[] = await owner.must('GET', `/v1/jobs/${jobId}/loads`);
  await approveLoads(ofMiddle.biller, { loads });
  // Whoever connects companies makes the account; a link may lose it.
  await execute('update job_assignment set customer_account_id = null where job_id = ? and vendor_company_id = ?', [
    ...[jobId, middle.company.id],
  ]);
  await touch(owner, await owner.must('GET', `/v1/jobs/${jobId}`));
  const { id } = await invoiceOf(ofMiddle, jobId);
  expect(await blockedBy(ofMiddle, id)).toEqual([['no_counterparty'], 409, ['cannot be approved: nobody is named who pays or is paid']]);
});
