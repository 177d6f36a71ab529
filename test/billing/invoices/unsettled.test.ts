import { expect, test } from '@jest/globals';
import { event, hauled, invoiceOf, makeBooks } from '../books.ts';
import { closed, DAY, openBooks } from '../periods/closed.ts';
import { approvedInvoice, settle } from '../settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const shared = makeBooks({ worker: true });
const order = { customer_rate_value: 10, customer_rate_type: 'RatePerTon' };

test('B2.2: the list of blockers says why work is in no settlement, also of what is approved', async () => {
  const books = await openBooks(shared);
  const { biller, tenant } = books;
  const listed = async (): Promise<Json[]> =>
    (await biller.must('GET', biller.path('/billing/blockers?page[limit]=100'))).map((one: Json) => [
      one.invoice_id,
      one.blockers,
      one.unsettled_reason,
    ]);
  const reasonOf = async (id: string): Promise<string | null> =>
    (await tenant.gql('query($id: ID!) { invoice(id: $id) { unsettledReason } }', { id }, biller.token)).data.invoice.unsettledReason;
  const waiting = await invoiceOf(books, (await hauled(books, ['10'], { order })).id);
  const late = await approvedInvoice(books, ['10'], { order });
  const settled = await approvedInvoice(books, ['20'], { order });
  const exported = await approvedInvoice(books, ['30'], { order });
  expect((await event(biller, exported.id, 'export')).status).toBe(200);
  // Without a driver's rate, nobody approves the other side.
  const ofReceivables = async () =>
    (await listed()).filter(([number]) => [waiting, late, settled, exported].some((one) => one.invoice_id === number));
  const kept = [
    [waiting.invoice_id, ['load_not_approved'], 'not_approved'],
    [exported.invoice_id, [], 'exported'],
  ];
  expect((await ofReceivables()).toSorted()).toEqual(kept.toSorted());
  expect([await reasonOf(late.id), await reasonOf(settled.id)]).toEqual(['to_settle', 'to_settle']);
  const settlement = await settle(books, [settled]);
  expect(await reasonOf(settled.id)).toBeNull();
  expect((await biller.http('PUT', biller.path(`/settlements/${settlement.id}/approve`), {})).status).toBe(200);
  await closed(books, { ends_on: DAY, force: true, reason: 'the rest comes later' });
  expect((await ofReceivables()).toSorted()).toEqual([...kept, [late.invoice_id, [], 'period_closed']].toSorted());

  // Settled together, it is left out by its name, and is settled by who says so.
  const period = { start_date: `${DAY}T12:00:00Z`, end_date: `${DAY}T12:00:00Z`, bulk_create_for: ['customers'] };
  const bulk = async (more: object = {}): Promise<Json[]> => {
    const answer = await biller.http('POST', biller.path('/settlements/bulk_create'), { ...period, ...more });
    expect(answer.status).toBe(202);
    await books.app.settled();
    return (await biller.must('GET', `${answer.headers.get('location')}/items`)).map((item: Json) => [
      item.customer_account.id,
      item.state,
      item.errors.map(({ field, code, message }: Json) => [field, code, message]),
    ]);
  };
  const sentence = `is not said, so approved invoices that count in a closed period are left out (1): ${late.invoice_id}`;
  const left = [tenant.account.id, 'failed', [['in_open_period', 'invoices_left_out', sentence]]];
  expect(await bulk()).toEqual([left]);
  expect(await bulk()).toEqual([left]);
  expect(await bulk({ in_open_period: true })).toEqual([[tenant.account.id, 'done', []]]);
  expect(await reasonOf(late.id)).toBeNull();
  expect(await bulk()).toEqual([]);
});
