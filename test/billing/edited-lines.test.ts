import { expect, test } from '@jest/globals';
import { Ticket } from '../../src/proof/ticket.entity.ts';
import { approveLoads, type Biller, event, hauled, invoiceOf, linesOf, makeBooks, messages, withMinimum } from './books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const PER_TON = { customer_rate_value: 2, customer_rate_type: 'RatePerTon' };

const linesAt = (by: Biller, id: string): Promise<Json[]> => by.must('GET', by.path(`/invoices/${id}/invoice_line_items`));
const edit = (id: string, changes: object[], by = books.biller) =>
  by.http('PATCH', by.path(`/invoices/${id}/invoice_line_items`), { rate_type: 'RatePerTon', invoice_line_items: changes });
const detailsOf = async (id: string): Promise<Json> =>
  (
    await books.biller.gql(
      'query($id: ID!) { invoice(id: $id) { stale blockers totalAmount invoiceLineItems { edited quantity rate totalAmount workQuantity workRate workTotalAmount } } }',
      { id },
    )
  ).data.invoice;

test('an edited line stays when the work changes, and keeps the invoice from being approved until somebody has looked at it', async () => {
  const job = await hauled(books, ['10', '20'], { order: { ...PER_TON, tax_rate: 10, tax_freight: true } });
  await approveLoads(books.biller, job);
  const draft = await invoiceOf(books, job.id);
  const [first] = await linesAt(books.biller, draft.id);
  // Clients of either name of a rate find it.
  expect([first.rate, first.revenue_rate_value]).toEqual(['2', '2']);
  const edited = await edit(draft.id, [{ id: first.id, rate: 2.5, quantity: 11, only_this_side: true }]);
  expect([edited.status, edited.body.data.map((line: Json) => [line.quantity, line.rate, line.total_amount])]).toEqual([
    200,
    [
      ['11', '2.5', '27.5'],
      ['20', '2', '40'],
    ],
  ]);
  expect(await detailsOf(draft.id)).toMatchObject({
    ...{ stale: false, blockers: [], totalAmount: '74.25' },
    invoiceLineItems: [
      { edited: true, workQuantity: '10', workRate: '2', workTotalAmount: '20' },
      { edited: false, workQuantity: null },
    ],
  });
  // A correction of the ticket leaves what somebody set, and says that it did.
  const tickets = await books.tenant.must('GET', `/v1/jobs/${job.id}/tickets`);
  const ticket = tickets.find((one: Json) => one.load?.id === first.load.id || one.quantity === '10');
  await books.tenant.must('PATCH', `/v1/tickets/${ticket.id}`, { quantity: 12 });
  await books.app.settled();
  expect(await detailsOf(draft.id)).toMatchObject({
    ...{ stale: true, blockers: ['stale_edited_line'], totalAmount: '74.25' },
    invoiceLineItems: [{ quantity: '11', workQuantity: '12', workTotalAmount: '24' }, {}],
  });
  const refused = await event(books.biller, draft.id, 'approve');
  expect(messages(refused)).toEqual(['cannot be approved: the work of an edited line has changed since']);
  // Edited again, it is up to date; without its edits, it follows.
  await edit(draft.id, [{ id: first.id, quantity: 11.5, only_this_side: true }]);
  expect(await detailsOf(draft.id)).toMatchObject({ stale: false, blockers: [], invoiceLineItems: [{ quantity: '11.5' }, {}] });
  expect((await event(books.biller, draft.id, 'approve')).status).toBe(200);
  expect((await edit(draft.id, [{ id: first.id, rate: 1 }])).status).toBe(422);
  await event(books.biller, draft.id, 'unapprove');
  await edit(draft.id, [{ id: first.id, quantity: null, rate: null }]);
  expect(await detailsOf(draft.id)).toMatchObject({
    totalAmount: '70.4',
    invoiceLineItems: [{ edited: false, quantity: '12', workQuantity: null }, {}],
  });
});

test('a new quantity is written to the ticket, so that both sides follow, unless the other side is approved', async () => {
  const order = { ...(await withMinimum(books.tenant)), driver_rate_value: 3, driver_rate_type: 'RatePerTon' };
  const job = await hauled(books, ['23.21'], { order });
  const [draft, pay] = [await invoiceOf(books, job.id), await invoiceOf(books, job.id, 'payable')];
  const [line] = await linesAt(books.biller, draft.id);
  expect((await edit(draft.id, [{ id: line.id, quantity: 24 }])).status).toBe(200);
  expect(await linesOf(books.biller, draft.id)).toEqual([['24', '4.25', '102']]);
  await books.app.settled();
  expect(await linesOf(books.biller, pay.id)).toEqual([['24', '3', '72']]);
  // Of an approved ticket, the figure of the scale stays readable.
  const [ticket] = await books.tenant.must('GET', `/v1/jobs/${job.id}/tickets`);
  expect(ticket.quantity).toBe('24');
  const admin = await books.tenant.administrator();
  const picture = { foreignImageUrl: 'https://files.example/1.jpg' };
  await books.app.orm.em.fork().nativeUpdate(Ticket, { id: ticket.id }, picture, { filters: { tenant: false } });
  expect((await books.tenant.http('PUT', `/v1/tickets/${ticket.id}/approve`, {}, admin)).status).toBe(200);
  expect((await edit(draft.id, [{ id: line.id, quantity: 23, reason: 'Scale was off' }])).status).toBe(200);
  const { data } = await books.biller.gql('query($id: ID!) { ticket(id: $id) { quantity amendments { before after reason origin } } }', {
    id: ticket.id,
  });
  expect(data.ticket).toMatchObject({
    quantity: '23',
    amendments: [{ before: '24', after: '23', reason: 'Scale was off', origin: 'write_back' }],
  });
  await approveLoads(books.biller, job);
  await books.app.settled();
  expect((await event(books.biller, pay.id, 'approve')).status).toBe(200);
  const refused = await edit(draft.id, [{ id: line.id, quantity: 25 }]);
  expect([refused.status, messages(refused)]).toEqual([
    422,
    [`is on ${pay.invoice_id}, which is approved; take that approval back first, or change only this side`],
  ]);
  expect((await edit(draft.id, [{ id: line.id, quantity: 25, only_this_side: true }])).status).toBe(200);
  expect(await linesOf(books.biller, draft.id)).toEqual([['25', '4.25', '106.25']]);
  expect(await linesOf(books.biller, pay.id)).toEqual([['23', '3', '69']]);
});

test('a removed line leaves its load unbilled until all lines are made anew', async () => {
  const job = await hauled(books, ['10', '20'], { order: PER_TON });
  const draft = await invoiceOf(books, job.id);
  const [first] = await linesAt(books.biller, draft.id);
  expect((await edit(draft.id, [{ id: first.id, _destroy: 1 }])).body.data).toHaveLength(1);
  await books.tenant.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 10, tax_freight: true });
  expect((await invoiceOf(books, job.id)).total_amount).toBe('44');
  expect((await books.biller.must('PATCH', books.tenant.path(`/invoices/${draft.id}`), { rate_value: null })).total_amount).toBe('66');
});

test('hours are paid between other times, and with other minutes', async () => {
  const job = await hauled(books, ['1'], { order: { customer_rate_value: 60, customer_rate_type: 'RatePerHour' } });
  const draft = await invoiceOf(books, job.id);
  const [line] = await linesAt(books.biller, draft.id);
  const [pay_start_time, pay_end_time] = ['2026-11-16T08:00:00Z', '2026-11-16T12:30:00Z'];
  await edit(draft.id, [{ id: line.id, pay_start_time, pay_end_time }]);
  const [timed] = await linesAt(books.biller, draft.id);
  const paid = Number(timed.quantity);
  expect([paid, timed.total_amount]).toEqual([4.5, '270']);
  const [adjusted] = (await edit(draft.id, [{ id: line.id, billing_adjustment_minutes: -30 }])).body.data;
  expect(adjusted).toMatchObject({ quantity: '4', total_amount: '240', billing_adjustment_minutes: -30 });
});

test('what is wrong with a change is named by its place in the list, and nothing is changed', async () => {
  const job = await hauled(books, ['10', '20'], { order: PER_TON });
  const other = await hauled(books, ['1'], { order: { customer_rate_value: 60, customer_rate_type: 'RatePerHour' } });
  const draft = await invoiceOf(books, job.id);
  const [first, second] = await linesAt(books.biller, draft.id);
  const timed = await invoiceOf(books, other.id);
  const [hours] = await linesAt(books.biller, timed.id);
  const wrong = async (id: string, changes: object[]): Promise<string[]> => {
    const { status, body } = await edit(id, changes);
    expect(status).toBe(422);
    return body.error.errors.map(({ field }: Json) => field);
  };
  expect(await wrong(draft.id, [{ id: first.id, rate: 1 }, { id: first.id }, { id: hours.id }, { _destroy: 1 }])).toEqual([
    'invoice_line_items.1.id',
    'invoice_line_items.2.id',
    'invoice_line_items.3.id',
  ]);
  expect(await wrong(draft.id, [{ id: second.id, rate: -1 }])).toEqual(['invoice_line_items.0.rate']);
  expect(await wrong(draft.id, [{ id: second.id, _destroy: 2 }])).toEqual(['invoice_line_items.0._destroy']);
  expect(await wrong(draft.id, [{ id: second.id, load_id: other.loads[0].id }])).toEqual(['invoice_line_items.0.load_id']);
  expect(await wrong(draft.id, [{ id: second.id, billing_adjustment_minutes: 5 }])).toEqual([
    'invoice_line_items.0.billing_adjustment_minutes',
  ]);
  for (const change of [{ quantity: -1 }, { quantity: 1e12 }, { quantity: 1.23456 }, { billing_adjustment_minutes: 1441 }])
    expect(await wrong(draft.id, [{ id: second.id, ...change }])).toHaveLength(1);
  const at = (hour: string) => `2026-11-${hour}:00:00Z`;
  expect(await wrong(timed.id, [{ id: hours.id, pay_start_time: at('16T12'), pay_end_time: at('16T11') }])).toEqual([
    'invoice_line_items.0.pay_end_time',
  ]);
  expect(await wrong(timed.id, [{ id: hours.id, pay_start_time: at('16T12'), pay_end_time: at('17T13') }])).toEqual([
    'invoice_line_items.0.pay_end_time',
  ]);
  expect(await wrong(timed.id, [{ id: hours.id, billing_adjustment_minutes: -1440 }])).toEqual([
    'invoice_line_items.0.billing_adjustment_minutes',
  ]);
  // The deprecated creation is taken and ignored; only an administrator pays back.
  expect((await edit(draft.id, [{ quantity: 5 }])).body.data).toHaveLength(2);
  const admin = { ...(await books.tenant.person({ roles: ['company_admin'] })), path: books.tenant.path };
  expect((await edit(draft.id, [{ id: second.id, rate: -1 }], admin)).body.data[1].total_amount).toBe('-20');
  expect((await invoiceOf(books, job.id)).total_amount).toBe('0');
});
