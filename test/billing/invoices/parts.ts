import { expect } from '@jest/globals';
import { event, makeBooks } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export const books = makeBooks();
export const perTon = (rate_value: number) => ({ rate_value, rate_type: 'RatePerTon' });
export const ofCustomer = (value: number) => ({ customer_rate_value: value, customer_rate_type: 'RatePerTon' });
export const supplement = (id: string, body: object = {}, by = books.biller) =>
  by.http('POST', by.path(`/invoices/${id}/supplements`), body);
export const change = (id: string, body: object) => books.biller.must('PATCH', books.biller.path(`/invoices/${id}`), body);
export const approve = async (...ids: string[]): Promise<void> => {
  for (const id of ids) {
    const { status, body } = await event(books.biller, id, 'approve');
    expect([status, body.error]).toEqual([200, undefined]);
  }
};

const INVOICES = `query ($order: ID!, $side: InvoiceCategoryFilter) { invoices(orderId: $order, filter: { invoiceCategory: $side }) { nodes {
  id invoiceId part reason state stale totalAmount job { id } commissionRateValue
  invoiceLineItems { id isDifference totalAmount quantity rate workQuantity workTotalAmount } } } }`;
/** The live invoices of a job on a side, in the order of their parts. */
export async function partsOf(job: Json, side = 'receivables'): Promise<Json[]> {
  await books.app.settled();
  const { data, errors } = await books.tenant.gql(INVOICES, { order: job.order.id, side }, books.biller.token);
  expect(errors).toBeUndefined();
  const own = data.invoices.nodes.filter((one: Json) => one.job.id === job.id && one.state !== 'voided');
  return own.toSorted((a: Json, b: Json) => a.part - b.part);
}
