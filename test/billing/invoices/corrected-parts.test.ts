import { expect, test } from '@jest/globals';
import { Ticket } from '../../../src/proof/ticket.entity.ts';
import { approveLoads, event, hauled, invoiceOf, ticketed } from '../books.ts';
import { settle } from '../settled.ts';
import { approve, books, change, ofCustomer, perTon, supplement } from './parts.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const PARTS = `query ($order: ID!) { invoices(orderId: $order, filter: { invoiceCategory: receivables }) { nodes {
  id part state stale reason totalAmount rateValue parentInvoice { id } } } }`;
const partsOf = async ({ order }: Json): Promise<Json[]> => {
  await books.app.settled();
  const { data, errors } = await books.tenant.gql(PARTS, { order: order.id }, books.biller.token);
  expect(errors).toBeUndefined();
  return data.invoices.nodes.filter(({ state }: Json) => state !== 'voided').toSorted((a: Json, b: Json) => a.part - b.part);
};
const AMEND = `mutation($id: ID!, $quantity: Decimal!) {
  amendTicket(id: $id, input: { quantity: $quantity, reason: "weighed again", supplement: true }) { quantity } }`;
const split = (id: string, load: Json): Promise<Json> =>
  books.biller.must('POST', books.biller.path(`/invoices/${id}/split`), { load_ids: [load.id] });
const supplementsOf = async ({ id }: Json): Promise<string[]> =>
  (await books.biller.must('GET', books.biller.path(`/settlements/${id}/supplements`))).map((one: Json) => one.id);

test('B2.4, B15: what corrects a load supplements the part that bills it, and the settlement that has that part', async () => {
  const { biller, tenant } = books;
  const job = await hauled(books, ['10', '20'], { order: ofCustomer(2) });
  const tickets: Json[] = await tenant.must('GET', `/v1/jobs/${job.id}/tickets`);
  const admin = await tenant.administrator();
  const picture = { foreignImageUrl: 'https://files.example/1.jpg' };
  await books.app.orm.em.fork().nativeUpdate(Ticket, { job: job.id }, picture, { filters: { tenant: false } });
  for (const { id } of tickets) await tenant.must('PUT', `/v1/tickets/${id}/approve`, {}, admin);
  const amend = async (tons: string, quantity: string) => {
    const { id } = tickets.find((one) => one.quantity === tons);
    const { errors } = await tenant.gql(AMEND, { id, quantity }, admin);
    expect(errors).toBeUndefined();
  };
  await approveLoads(biller, job);
  const first = await invoiceOf(books, job.id);
  const second = await split(first.id, job.loads[1]);
  await change(second.id, perTon(3));
  await approve(first.id, second.id);
  const [one, other] = [await settle(books, [first]), await settle(books, [second])];
  await amend('20', '21');
  const [, , made, ...more] = await partsOf(job);
  expect(more).toEqual([]);
  expect(made).toMatchObject({ reason: 'correction', totalAmount: '3', rateValue: '3', parentInvoice: { id: second.id } });
  expect([await supplementsOf(one), await supplementsOf(other)]).toEqual([[], [made.id]]);
  // It corrects both from then on, and is still named after the one of which it came.
  await amend('10', '11');
  expect((await partsOf(job))[2]).toMatchObject({ id: made.id, totalAmount: '5', parentInvoice: { id: second.id } });
  expect([await supplementsOf(one), await supplementsOf(other)]).toEqual([[made.id], [made.id]]);
  // Only the first part is another one then.
  await amend('20', '20');
  expect((await partsOf(job))[2]).toMatchObject({ id: made.id, totalAmount: '2', parentInvoice: { id: first.id } });
  expect([await supplementsOf(one), await supplementsOf(other)]).toEqual([[made.id], []]);
  // A correction of the rate is of all of the work, and named after the invoice that was asked for it.
  expect((await event(biller, made.id, 'void')).status).toBe(200);
  const asked = await supplement(second.id, perTon(4));
  expect([asked.status, asked.body.data.total_amount]).toEqual([201, '44']);
  expect((await partsOf(job))[2]).toMatchObject({ parentInvoice: { id: second.id } });
  expect([await supplementsOf(one), await supplementsOf(other)]).toEqual([[asked.body.data.id], [asked.body.data.id]]);
});

/** A job whose second part has a load that was taken off because nobody knows what it delivered; both parts are approved. */
async function withoutTicket(): Promise<{ job: Json; first: Json; second: Json }> {
  const { biller } = books;
  const job = await hauled(books, ['10', '20', null], { order: ofCustomer(2) });
  await approveLoads(biller, { loads: job.loads.slice(0, 2) });
  const first = await invoiceOf(books, job.id);
  const second: Json = await biller.must('POST', biller.path(`/invoices/${first.id}/split`), {
    load_ids: job.loads.slice(1).map(({ id }: Json) => id),
  });
  const path = biller.path(`/invoices/${second.id}/invoice_line_items`);
  const unknown = (await biller.must('GET', path)).filter(({ delivered_quantity }: Json) => delivered_quantity === '0');
  await biller.must('PATCH', path, { rate_type: 'RatePerTon', invoice_line_items: unknown.map(({ id }: Json) => ({ id, _destroy: 1 })) });
  await approve(first.id, second.id);
  return { job, first, second };
}
const staleOf = async (job: Json) => (await partsOf(job)).map((one) => [one.totalAmount, one.stale]);

test('B2.4: a late ticket makes the part stale that has its load, and no other one', async () => {
  const { job, second } = await withoutTicket();
  expect(await staleOf(job)).toEqual([
    ['20', false],
    ['40', false],
  ]);
  await ticketed(books.tenant, job.loads[2], '30');
  expect(await staleOf(job)).toEqual([
    ['20', false],
    ['40', true],
  ]);
  // Once its approval is no longer taken back, a supplement of it bills the load.
  const settlement = await settle(books, [second]);
  const [, , made] = await partsOf(job);
  expect(made).toMatchObject({ reason: 'late_ticket', totalAmount: '60', parentInvoice: { id: second.id } });
  expect(await supplementsOf(settlement)).toEqual([made.id]);
});

test('B5, B15: what comes late for a part whose approval can be taken back waits for that, also if the others are settled', async () => {
  const { job, first, second } = await withoutTicket();
  await settle(books, [first]);
  await ticketed(books.tenant, job.loads[2], '30');
  expect(await staleOf(job)).toEqual([
    ['20', false],
    ['40', true],
  ]);
  expect((await event(books.biller, second.id, 'unapprove')).status).toBe(200);
  expect((await staleOf(job)).length).toBe(2);
  // Of a part that is settled itself, a supplement bills it at once.
  const other = await withoutTicket();
  await settle(books, [other.second]);
  await ticketed(books.tenant, other.job.loads[2], '30');
  expect((await partsOf(other.job))[2]).toMatchObject({ reason: 'late_ticket', totalAmount: '60', parentInvoice: { id: other.second.id } });
});
