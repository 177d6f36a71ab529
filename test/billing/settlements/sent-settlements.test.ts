import { expect, test } from '@jest/globals';
import { jobOfChain, makeChain, shortHaul } from '../../helpers/staffed-tenant.ts';
import { approveLoads, type Biller, billerOf, event, invoiceOf, makeBooks, messages, settledWork, ticketed } from '../books.ts';
import { settle } from '../settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const act = (by: Biller, id: string, name: string) => by.http('PUT', by.path(`/settlements/${id}/${name}`), {});
const unscoped = (by: Biller, id: string, name: string) => by.http('PUT', `/v1/settlements/${id}/${name}`, {});
const idsOf = (list: Json[]) => list.map(({ id }) => id);
/** Whether the customer may release it. */
const release = async (by: Biller, id: string): Promise<boolean> =>
  Boolean((await by.gql('mutation($id: ID!) { customerReleaseSettlement(id: $id) }', { id })).data?.customerReleaseSettlement);

/** A chain of three with a load of 10 tons, and the approved settlement of what the company in the middle gets for it. */
async function billed(before: (ofMiddle: Biller, invoiceId: string) => Promise<unknown> = async () => {}) {
  const chain = await makeChain(books.app);
  const { owner, middle, last } = chain;
  const [ofOwner, ofMiddle, ofLast] = [await billerOf(owner), await billerOf(middle), await billerOf(last)];
  const { id: jobId, go } = await jobOfChain(chain);
  const rates = { customer_rate_value: 9, customer_rate_type: 'RatePerTon', vendor_rate_value: 3.5, vendor_rate_type: 'RatePerTon' };
  await owner.must('PATCH', `/v1/jobs/${jobId}`, rates);
  for (const one of shortHaul()) await go(one);
  const [load] = await owner.must('GET', `/v1/jobs/${jobId}/loads`);
  await ticketed(owner, load, '10');
  await approveLoads(ofMiddle, { loads: [load] });
  const invoice = await invoiceOf(books, jobId, 'receivable', ofMiddle);
  expect((await event(ofMiddle, invoice.id, 'approve')).status).toBe(200);
  await before(ofMiddle, invoice.id);
  const settlement = await settle({ biller: ofMiddle }, [invoice]);
  const fee = { name: 'Inner fee', quantity: 1, revenue_rate_value: 5, external_id: 'ours' };
  await ofMiddle.must('POST', ofMiddle.path(`/settlements/${settlement.id}/add_on_charges`), fee);
  expect((await act(ofMiddle, settlement.id, 'approve')).status).toBe(200);
  const stateOf = async (by = ofMiddle) => [
    (await by.must('GET', by.path(`/settlements/${settlement.id}`))).state,
    (await by.gql('query($id: ID!) { invoice(id: $id) { state } }', { id: invoice.id })).data.invoice.state,
  ];
  return { ...chain, ofOwner, ofMiddle, ofLast, jobId, load, invoice, settlement, stateOf };
}

const EVERYTHING = `{ id settlementId side state stateEvents totalAmount invoicesTotalAmount adjustmentsTotalAmount currency startsOn jobsCount version sentAt
  customerAccount { id } driver { id } data { friendlyOrderIds quantitiesPerUom } deliveredQuantities { delivered } exportedAt billingApprovedAt
  voidReason originalSettlement { id } company { id } editable approved unapprovable }`;

test('a sent settlement is read by the company of its customer alone, which agrees to it and pays it, with its invoices', async () => {
  const { ofOwner, ofMiddle, ofLast, settlement, invoice, jobId, load, owner, middle, stateOf } = await billed();
  const { id } = settlement;
  const received = async (by: Biller, list = 'payables') =>
    idsOf(await by.must('GET', by.path(`/settlements/${list}?filter[received]=true`)));
  // Nothing is seen before it is sent.
  expect(await received(ofOwner)).toEqual([]);
  for (const name of ['customer_approve', 'customer_pay']) expect((await unscoped(ofOwner, id, name)).status).toBe(404);
  expect((await unscoped(ofMiddle, id, 'customer_approve')).status).toBe(403);
  const sent = await act(ofMiddle, id, 'send_settlement');
  expect([sent.status, sent.body.data?.state, sent.body.error]).toEqual([200, 'customer_pending', undefined]);
  expect((await act(ofMiddle, id, 'send_settlement')).status).toBe(409);
  expect(await stateOf()).toEqual(['customer_pending', 'customer_pending']);
  for (const name of ['unapprove', 'void']) {
    const refused = await act(ofMiddle, id, name);
    expect([refused.status, messages(refused)]).toEqual([409, ['was sent to the customer, who has to release it first']]);
  }

  // A settlement that others sent is their debt; their own books stay as they are.
  expect(await received(ofOwner)).toEqual([id]);
  expect(await received(ofOwner, 'receivables')).toEqual([]);
  expect(await received(ofMiddle)).toEqual([]);
  for (const list of ['payables', 'receivables'])
    expect(idsOf(await ofOwner.must('GET', ofOwner.path(`/settlements/${list}`)))).toEqual([]);
  expect(idsOf(await ofOwner.must('GET', ofOwner.path(`/settlements/receivables?filter[company_id]=${middle.company.id}`)))).toEqual([id]);
  const { data, errors } = await ofOwner.gql(`query($id: ID!) { settlement(id: $id) ${EVERYTHING} }`, { id });
  expect(errors).toBeUndefined();
  expect(data.settlement).toMatchObject({
    ...{ side: 'receivable', state: 'customer_pending', stateEvents: ['customer_pay'], totalAmount: '40', invoicesTotalAmount: '35' },
    ...{ settlementId: settlement.settlement_id, company: { id: middle.company.id }, jobsCount: 1, editable: false, approved: true },
    // The fields that the company in the middle keeps.
    ...{
      customerAccount: null,
      driver: null,
      adjustmentsTotalAmount: null,
      exportedAt: null,
      billingApprovedAt: null,
      deliveredQuantities: [],
    },
    data: { friendlyOrderIds: [], quantitiesPerUom: ['10 Ton'] },
  });
  const parts = (name: string) => ofOwner.must('GET', ofOwner.path(`/settlements/${id}/${name}`));
  expect((await parts('invoices')).map((one: Json) => [one.id, one.total_amount])).toEqual([[invoice.id, '35']]);
  expect(idsOf(await parts('loads'))).toEqual([load.id]);
  expect(await parts('add_on_charges')).toMatchObject([{ name: 'Inner fee', total_amount: '5', external_id: null }]);
  const [lines] = await parts('settlement_line_items');
  expect(lines).toMatchObject({ subtotal: '35', line_items: [{ total_amount: '35', rate_value: '3.5', equipment_names: [] }] });
  expect(lines.line_items[0].ids.map((one: Json) => one.job_id)).toEqual([jobId]);
  for (const name of ['approve', 'pay', 'void', 'send_settlement']) expect((await act(ofOwner, id, name)).status).toBe(404);
  expect((await ofOwner.http('POST', ofOwner.path(`/settlements/${id}/add_on_charges`), { name: 'x' })).status).toBe(404);
  expect((await ofOwner.http('GET', `/v1/settlements/${id}/file_attachments`)).status).toBe(404);

  // Nobody else has a part in it; an invoice is answered with its settlement.
  expect(await received(ofLast)).toEqual([]);
  for (const by of [ofLast, books.biller]) expect((await unscoped(by, id, 'customer_approve')).status).toBe(404);
  expect((await unscoped(ofMiddle, id, 'customer_approve')).status).toBe(403);
  const dispatcher: Biller = { ...ofOwner, ...(await owner.person({ roles: ['dispatcher'] })) };
  expect((await unscoped(dispatcher, id, 'customer_approve')).status).toBe(403);
  const alone = await event(ofOwner, invoice.id, 'customer_approve');
  expect([alone.status, messages(alone)]).toEqual([409, [`was sent with settlement ${settlement.settlement_id}; answer that`]]);
  const agreed = await unscoped(ofOwner, id, 'customer_approve');
  expect([agreed.status, agreed.body.data?.state]).toEqual([200, 'customer_approved']);
  expect((await unscoped(ofOwner, id, 'customer_approve')).status).toBe(409);
  expect(await stateOf()).toEqual(['customer_approved', 'customer_approved']);
  expect((await act(ofOwner, id, 'customer_pay')).body.data).toMatchObject({ state: 'customer_paid', total_amount: '40' });
  expect(await stateOf()).toEqual(['customer_paid', 'customer_paid']);
  expect((await act(ofMiddle, id, 'pay')).body.data.state).toBe('paid');
  expect(await stateOf(ofOwner)).toEqual(['paid', 'paid']);
  expect((await act(ofMiddle, id, 'undo_pay')).body.data.state).toBe('customer_paid');
  expect(await stateOf()).toEqual(['customer_paid', 'customer_paid']);
});

test('a settlement that is wrong is released by the customer, and what came with it is not read any more', async () => {
  const { ofOwner, ofMiddle, settlement, invoice, stateOf } = await billed();
  const { id } = settlement;
  expect(await release(ofOwner, id)).toBe(false);
  await act(ofMiddle, id, 'send_settlement');
  expect(await release(ofMiddle, id)).toBe(false);
  expect(await release(ofOwner, id)).toBe(true);
  expect(await stateOf()).toEqual(['approved', 'approved']);
  expect((await ofOwner.http('GET', `/v1/settlements/${id}`)).status).toBe(404);
  expect(await ofOwner.must('GET', ofOwner.path('/invoices?filter[received]=true'))).toEqual([]);
  expect((await act(ofMiddle, id, 'void')).body.data.state).toBe('voided');
  expect((await event(ofMiddle, invoice.id, 'unapprove')).status).toBe(200);
});

test('an invoice that was sent before its settlement stays sent when that is released', async () => {
  const { ofOwner, ofMiddle, settlement, invoice, stateOf } = await billed(async (by, id) => {
    expect((await event(by, id, 'send_invoice')).status).toBe(200);
  });
  await event(ofOwner, invoice.id, 'customer_approve');
  await act(ofMiddle, settlement.id, 'send_settlement');
  expect(await stateOf()).toEqual(['customer_pending', 'customer_approved']);
  expect(await release(ofOwner, settlement.id)).toBe(true);
  expect(await stateOf()).toEqual(['approved', 'customer_approved']);
  expect(idsOf(await ofOwner.must('GET', ofOwner.path('/invoices?filter[received]=true')))).toEqual([invoice.id]);
});

test('what is sent is an approved receivable, to a customer on the platform', async () => {
  const { biller } = books;
  const owed = await settledWork(books, 'payable');
  const plain = await settledWork(books);
  // The contract has no 422 here.
  const refused = async (id: string) => {
    const answer = await act(biller, id, 'send_settlement');
    return [answer.status, messages(answer)];
  };
  expect(await refused(owed.id)).toEqual([400, ['cannot be sent: only what a customer owes is sent to it']]);
  expect(await refused(plain.id)).toEqual([400, ['cannot be sent: the customer is not connected with your company']]);
});
