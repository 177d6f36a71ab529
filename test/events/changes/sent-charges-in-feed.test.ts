import { expect, test } from '@jest/globals';
import { approveLoads, billerOf, event, invoiceOf, makeBooks, ticketed } from '../../billing/books.ts';
import { jobOfChain, makeChain, shortHaul } from '../../helpers/staffed-tenant.ts';
import { Replica } from '../follower.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

test('the charges of an invoice that was sent are in the feed and the snapshot of the company that got it, as in the list of the invoice', async () => {
  const chain = await makeChain(books.app);
  const { owner, middle, last } = chain;
  const [ofOwner, ofMiddle, ofLast] = [await billerOf(owner), await billerOf(middle), await billerOf(last)];
  const { id, go } = await jobOfChain(chain);
  const rates = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon', vendor_rate_value: 3.6, vendor_rate_type: 'RatePerTon' };
  await owner.must('PATCH', `/v1/jobs/${id}`, rates);
  for (const one of shortHaul()) await go(one);
  const [load] = await owner.must('GET', `/v1/jobs/${id}/loads`);
  await ticketed(owner, load, '23.21');
  const requested = { name: 'Tarping', quantity: 1, revenue_rate_value: 25, external_id: 'inner name' };
  await middle.must('POST', `/v1/jobs/${id}/add_on_charges`, requested);
  await approveLoads(ofMiddle, { loads: [load] });
  const receivable = await invoiceOf(books, id, 'receivable', ofMiddle);
  await event(ofMiddle, receivable.id, 'approve');

  const charges = (one: Replica) => [...one.records].filter(([key]) => key.startsWith('AddOnCharge ')).map(([, record]) => record);
  const replica = await new Replica(owner, ofOwner.token).begin();
  expect(charges(replica)).toEqual([]);
  expect((await event(ofMiddle, receivable.id, 'send_invoice')).status).toBe(200);
  const [listed, ...more] = await ofOwner.must('GET', ofOwner.path(`/invoices/${receivable.id}/add_on_charges`));
  expect(more).toEqual([]);

  expect(await replica.follow()).toContain('AddOnCharge update');
  expect(charges(replica)).toEqual([expect.objectContaining({ id: listed.id, name: 'Tarping', total_amount: '25', external_id: null })]);
  expect(charges(await new Replica(owner, ofOwner.token).begin())).toEqual(charges(replica));
  expect(charges(replica)).toEqual([await ofOwner.must('GET', `/v1/add_on_charges/${listed.id}`)]);
  // Nobody else has a part in it, and a dispatcher of the customer reads no invoices.
  expect((await ofLast.http('GET', `/v1/add_on_charges/${listed.id}`)).status).toBe(404);
  expect((await owner.dispatcher.http('GET', `/v1/add_on_charges/${listed.id}`)).status).toBe(404);

  // What is taken back by being voided is gone there, too.
  expect((await event(ofMiddle, receivable.id, 'void')).status).toBe(200);
  await replica.follow();
  const still = (await ofOwner.http('GET', ofOwner.path(`/invoices/${receivable.id}/add_on_charges`))).body.data as Json[] | undefined;
  expect(charges(replica).map(({ id: one }) => one)).toEqual((still ?? []).map(({ id: one }) => one));
  expect(charges(await new Replica(owner, ofOwner.token).begin())).toEqual(charges(replica));
});
