import { expect, test } from '@jest/globals';
import { jobOfChain, makeChain, type StaffedTenant, shortHaul } from '../helpers/staffed-tenant.ts';
import { approveLoads, type Biller, billerOf, event, hauled, invoiceOf, linesOf, makeBooks, messages, ticketed } from './books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

/** A chain of three with a load of 23.21 tons, and the receivable of the company in the middle, which it has approved. */
async function billed() {
  const chain = await makeChain(books.app);
  const { owner, middle, last } = chain;
  const [ofOwner, ofMiddle, ofLast] = [await billerOf(owner), await billerOf(middle), await billerOf(last)];
  const { id, go } = await jobOfChain(chain);
  const rates = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon', vendor_rate_value: 3.6, vendor_rate_type: 'RatePerTon' };
  await owner.must('PATCH', `/v1/jobs/${id}`, rates);
  for (const one of shortHaul()) await go(one);
  const [load] = await owner.must('GET', `/v1/jobs/${id}/loads`);
  await ticketed(owner, load, '23.21');
  await requestCharge(middle, id);
  await approveLoads(ofMiddle, { loads: [load] });
  const receivable = await invoiceOf(books, id, 'receivable', ofMiddle);
  expect((await event(ofMiddle, receivable.id, 'approve')).body.data).toMatchObject({ state: 'approved', total_amount: '108.56' });
  return { ...chain, ofOwner, ofMiddle, ofLast, jobId: id, load, receivable };
}
const requestCharge = (by: StaffedTenant, jobId: string) =>
  by.must('POST', `/v1/jobs/${jobId}/add_on_charges`, { name: 'Tarping', quantity: 1, revenue_rate_value: 25, external_id: 'inner name' });

const stateOf = async (by: Biller, id: string): Promise<string> =>
  (await by.gql('query($id: ID!) { invoice(id: $id) { state } }', { id })).data.invoice.state;

const EVERYTHING = `{ id invoiceId side state stateEvents totalAmount rateValue rateType rate { id } explain blockers stale byHand number: invoiceId
  order { id } job { id } jobJobIds customerAccount { id } driver { id } equipment { id } project { id } ticketsCount exportedAt billingApprovedAt
  jobSummary { workTimeMinutes } invoiceLineItems { name quantity rate totalAmount load { id } } company { id } sentAt }`;

test('a sent invoice is read by the company of its customer alone, which agrees to it and pays it', async () => {
  const { ofOwner, ofMiddle, ofLast, receivable, jobId, load, middle } = await billed();
  const { id } = receivable;
  // Nothing is seen before it is sent.
  const received = async (by: Biller) => (await by.must('GET', by.path('/invoices?filter[received]=true'))).map((one: Json) => one.id);
  expect(await received(ofOwner)).toEqual([]);
  expect((await event(ofOwner, id, 'customer_approve')).status).toBe(404);
  expect((await event(ofMiddle, id, 'customer_approve')).status).toBe(403);
  const sent = await event(ofMiddle, id, 'send_invoice');
  expect([sent.status, sent.body.data.state]).toEqual([200, 'customer_pending']);
  expect((await event(ofMiddle, id, 'send_invoice')).status).toBe(409);
  const refused = await event(ofMiddle, id, 'unapprove');
  expect([refused.status, messages(refused)]).toEqual([409, ['was sent to the customer; void it to invoice the work anew']]);

  expect(await received(ofOwner)).toEqual([id]);
  expect(await received(ofMiddle)).toEqual([]);
  expect((await ofOwner.must('GET', ofOwner.path('/invoices'))).map((one: Json) => one.id)).not.toContain(id);
  expect((await ofOwner.must('GET', ofOwner.path(`/invoices?filter[company_id]=${middle.company.id}`))).map((one: Json) => one.id)).toEqual(
    [id],
  );
  const { data, errors } = await ofOwner.gql(`query($id: ID!) { invoice(id: $id) ${EVERYTHING} }`, { id });
  expect(errors).toBeUndefined();
  expect(data.invoice).toMatchObject({
    ...{ side: 'receivable', state: 'customer_pending', stateEvents: ['customer_pay'], totalAmount: '108.56', rateValue: '3.6' },
    ...{ invoiceId: receivable.invoice_id, job: { id: jobId }, company: { id: middle.company.id }, rateType: 'RatePerTon' },
    invoiceLineItems: [{ quantity: '23.21', rate: '3.6', totalAmount: '83.56', load: { id: load.id } }],
  });
  // The knowledge of the company in the middle stays there.
  expect(data.invoice).toMatchObject({
    ...{ rate: null, explain: null, blockers: [], stale: false, byHand: false, customerAccount: null, driver: null, equipment: null },
    ...{ project: null, ticketsCount: 0, exportedAt: null, billingApprovedAt: null, jobSummary: null },
  });
  expect(await linesOf(ofOwner, id)).toEqual([['23.21', '3.6', '83.56']]);
  const [charge] = await ofOwner.must('GET', ofOwner.path(`/invoices/${id}/add_on_charges`));
  expect(charge).toMatchObject({ name: 'Tarping', total_amount: '25', external_id: null });
  for (const name of ['approve', 'void', 'pay', 'export', 'send_invoice']) expect((await event(ofOwner, id, name)).status).toBe(404);

  // Nobody else has a part in it, and dispatchers read no invoices.
  expect(await received(ofLast)).toEqual([]);
  for (const by of [ofLast, books.biller]) expect((await event(by, id, 'customer_approve')).status).toBe(404);
  // The one who sent it does not answer for the customer.
  expect((await event(ofMiddle, id, 'customer_approve')).status).toBe(403);
  expect((await event(ofOwner, id, 'customer_approve')).body.data).toMatchObject({
    id,
    state: 'customer_approved',
    total_amount: '108.56',
  });
  expect((await event(ofOwner, id, 'customer_approve')).status).toBe(409);
  expect((await event(ofOwner, id, 'customer_pay')).body.data.state).toBe('customer_paid');
  expect(await stateOf(ofMiddle, id)).toBe('customer_paid');
  expect((await event(ofMiddle, id, 'export')).body.data.state).toBe('exported');
  expect((await event(ofMiddle, id, 'pay')).body.data.state).toBe('paid');
  expect(await stateOf(ofOwner, id)).toBe('paid');
});

test('what is sent is an approved receivable, to a customer on the platform', async () => {
  const { ofOwner, ofMiddle, jobId, receivable } = await billed();
  const owed = await invoiceOf(books, jobId, 'payable', ofMiddle);
  expect(messages(await event(ofMiddle, owed.id, 'send_invoice'))).toEqual(['cannot be sent: only what a customer owes is sent to it']);
  const job = await hauled(books, ['10'], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  const plain = await invoiceOf(books, job.id);
  const refused = await event(books.biller, plain.id, 'send_invoice');
  expect([refused.status, messages(refused)]).toEqual([422, ['cannot be sent: the customer is not connected with your company']]);
  // It is taken back by being voided: the customer sees that, and not the one that takes its place.
  await event(ofMiddle, receivable.id, 'send_invoice');
  expect((await event(ofMiddle, receivable.id, 'void')).body.data.state).toBe('voided');
  await books.app.settled();
  const seen = await ofOwner.must('GET', ofOwner.path('/invoices?filter[received]=true'));
  expect(seen.map(({ id, state }: Json) => [id, state])).toEqual([[receivable.id, 'voided']]);
  expect((await event(ofOwner, receivable.id, 'customer_pay')).status).toBe(409);
});

test('a customer outside of the chain reads the bill without the work', async () => {
  const { owner, middle, ofMiddle } = await billed();
  // The owner is also a plain customer of the one that hauls for it.
  const account = (await middle.must('GET', middle.path('/accounts'))).find((one: Json) => one.connected_company?.id === owner.company.id);
  await middle.must('PATCH', `/v1/accounts/${account.id}`, { account_types: ['customer', 'vendor'] }, await middle.administrator());
  const order = { customer_rate_value: 2, customer_rate_type: 'RatePerTon', account_id: account.id };
  const job = await hauled(books, ['10'], { at: middle, order });
  await approveLoads(ofMiddle, job);
  const top = await invoiceOf(books, job.id, 'receivable', ofMiddle);
  await event(ofMiddle, top.id, 'approve');
  expect((await event(ofMiddle, top.id, 'send_invoice')).body.data.state).toBe('customer_pending');
  const ofOwner = await billerOf(owner);
  const { data, errors } = await ofOwner.gql(`query($id: ID!) { invoice(id: $id) ${EVERYTHING} }`, { id: top.id });
  expect(errors).toBeUndefined();
  expect(data.invoice).toMatchObject({
    totalAmount: '20',
    job: null,
    order: null,
    jobJobIds: [],
    invoiceLineItems: [{ quantity: '10', load: null }],
  });
});

const MATCH = `match { receivedInvoiceId payableId theirTotalAmount ourTotalAmount
  lines { loadId result theirs { quantity rate totalAmount } ours { quantity rate totalAmount } } }`;
const matchOf = async (by: Biller, id: string): Promise<Json> =>
  (await by.gql(`query($id: ID!) { invoice(id: $id) { ${MATCH} } }`, { id })).data.invoice?.match;

test('B15, vendor invoices more than we computed: the customer compares what was sent with its own payable, line by line', async () => {
  const { ofOwner, ofMiddle, jobId, load, receivable } = await billed();
  const payable = await invoiceOf(books, jobId, 'payable', ofOwner);
  expect(await matchOf(ofOwner, payable.id)).toBeNull();
  await event(ofMiddle, receivable.id, 'send_invoice');
  const line = { quantity: '23.21', rate: '3.6', totalAmount: '83.56' };
  const expected = {
    ...{ receivedInvoiceId: receivable.id, payableId: payable.id, theirTotalAmount: '108.56', ourTotalAmount: '83.56' },
    lines: [{ loadId: load.id, result: 'equal', theirs: line, ours: line }],
  };
  expect(await matchOf(ofOwner, payable.id)).toEqual(expected);
  expect(await matchOf(ofOwner, receivable.id)).toEqual(expected);
  // The one who sent it learns nothing of what the customer computed.
  expect(await matchOf(ofMiddle, receivable.id)).toBeNull();
  const resultAt = async (rate: object): Promise<Json> => {
    await ofOwner.must('PATCH', ofOwner.path(`/invoices/${payable.id}`), rate);
    return (await matchOf(ofOwner, payable.id)).lines.map(({ result }: Json) => result);
  };
  expect(await resultAt({ rate_value: 3.5, rate_type: 'RatePerTon' })).toEqual(['price_differs']);
  expect(await resultAt({ rate_value: 83.56, rate_type: 'RatePerLoad' })).toEqual(['quantity_differs']);
  expect((await resultAt({ rate_value: 80, rate_type: 'RateFlatRate' })).sort()).toEqual(['only_ours', 'only_theirs']);
});
