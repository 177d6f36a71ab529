import { expect } from '@jest/globals';
import { approveLoads, type Books, event, hauled, invoiceOf, withMinimum } from './books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** An approved invoice for loads of these tons, at 4.25 with 22 tons at least unless the order says otherwise. */
export async function approvedInvoice(
  books: Books,
  quantities: readonly string[],
  { order, charges = [] }: { order?: object; charges?: Json[] } = {},
): Promise<Json> {
  const job = await hauled(books, quantities, { order: order ?? (await withMinimum(books.tenant)) });
  for (const { id } of charges) await books.tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: id, quantity: 1 });
  await approveLoads(books.biller, job);
  const invoice = await invoiceOf(books, job.id);
  const answer = await event(books.biller, invoice.id, 'approve');
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return { ...answer.body.data, job };
}

/** A settlement of invoices. */
export const settle = ({ biller }: Pick<Books, 'biller'>, invoices: readonly Json[], more: object = {}): Promise<Json> =>
  biller.must('POST', biller.path('/settlements'), { invoice_ids: invoices.map(({ id }) => id), ...more });
