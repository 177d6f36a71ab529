import { beforeAll, expect, test } from '@jest/globals';
import {
  approveLoads,
  type Biller,
  chargesOfM20,
  event,
  hauled,
  invoiceOf,
  linesOf,
  M10,
  makeBooks,
  messages,
  ticketed,
  withMinimum,
} from './books.ts';
import { approvedInvoice, settle } from './settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const supplement = (id: string, body: object = {}) => books.biller.http('POST', books.biller.path(`/invoices/${id}/supplements`), body);
const ofJob = async (jobId: string): Promise<Json[]> => {
  await books.app.settled();
  const asked = `query ($order: ID!) { invoices(orderId: $order, filter: { invoiceCategory: receivables }) { nodes {
    id invoiceId part reason state stale totalAmount taxTotalAmount parentInvoice { id } job { id } invoiceLineItems { isDifference totalAmount quantity } } } }`;
  const { order } = await books.tenant.must('GET', `/v1/jobs/${jobId}`);
  const { data, errors } = await books.tenant.gql(asked, { order: order.id }, books.biller.token);
  expect(errors).toBeUndefined();
  return data.invoices.nodes.filter(({ job }: Json) => job.id === jobId).toSorted((a: Json, b: Json) => a.part - b.part);
};
const chargesOf = async (by: Biller, id: string): Promise<Json> =>
  Object.fromEntries(
    (await by.must('GET', by.path(`/invoices/${id}/add_on_charges`))).map(({ name, total_amount }: Json) => [name, total_amount]),
  );
/** The charges of M20, and an approved invoice of it in a settlement; a load without a ticket is not billed. */
let m20: Awaited<ReturnType<typeof chargesOfM20>>;
beforeAll(async () => {
  m20 = await chargesOfM20(books);
});
async function settledWithout(job: Json): Promise<Json> {
  await approveLoads(books.biller, { loads: job.loads.slice(0, -1) });
  const draft = await invoiceOf(books, job.id);
  const path = books.biller.path(`/invoices/${draft.id}/invoice_line_items`);
  const lines: Json[] = await books.biller.must('GET', path);
  const removed = lines.filter(({ delivered_quantity }) => delivered_quantity === '0').map(({ id }) => ({ id, _destroy: 1 }));
  await books.biller.must('PATCH', path, { rate_type: 'RatePerTon', invoice_line_items: removed });
  const approved = await event(books.biller, draft.id, 'approve');
  expect([approved.status, approved.body.error]).toEqual([200, undefined]);
  return { ...approved.body.data, job, settlement: await settle(books, [draft]) };
}

test('M8: a ticket that comes after the settlement is billed by a supplement', async () => {
  const job = await hauled(books, [...M10, null], { order: m20.order });
  for (const { id } of [m20.fuel, m20.wash])
    await books.tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: id, quantity: 1 });
  const invoice = await settledWithout(job);
  expect(await ofJob(job.id)).toMatchObject([{ totalAmount: '1285.64', stale: false }]);
  const load = job.loads[3];
  await ticketed(books.tenant, load, '22.8');
  const [first, second, ...more] = await ofJob(invoice.job.id);
  expect(more).toEqual([]);
  expect(first).toMatchObject({ totalAmount: '1285.64', state: 'approved', stale: false, reason: 'regular' });
  expect(second).toMatchObject({ part: 2, reason: 'late_ticket', state: 'pending', totalAmount: '417.61', taxTotalAmount: '31.83' });
  expect(second.parentInvoice).toEqual({ id: first.id });
  expect(await linesOf(books.biller, second.id)).toEqual([
    ['22.8', '4.25', '96.9'],
    ['22.8', '12.5', '285'],
  ]);
  // Whoever does not bill it takes its lines off: then it stays, and comes to nothing.
  const ofSecond = books.biller.path(`/invoices/${second.id}/invoice_line_items`);
  const off = (await books.biller.must('GET', ofSecond)).map(({ id }: Json) => ({ id, _destroy: 1 }));
  await books.biller.must('PATCH', ofSecond, { rate_type: 'RatePerTon', invoice_line_items: off });
  expect((await ofJob(job.id))[1]).toMatchObject({ id: second.id, state: 'pending', totalAmount: '0' });
  await books.biller.must('PATCH', books.biller.path(`/invoices/${second.id}`), { rate_id: null });
  expect((await ofJob(job.id))[1]).toMatchObject({ id: second.id, totalAmount: '417.61' });
  // The wash was for the job.
  expect(await chargesOf(books.biller, second.id)).toEqual({ Fuel: '3.88' });
  await books.biller.must('PUT', books.biller.path(`/loads/${load.id}/approve`), {});
  await books.app.settled();
  expect((await event(books.biller, second.id, 'approve')).status).toBe(200);
  const own = await settle(books, [second]);
  expect(own).toMatchObject({ total_amount: '417.61', data: { quantities_per_uom: ['22.8 Ton'] } });
  // The contents of the first one stay the first one's; it is taken back after its supplement.
  await books.biller.must('PUT', books.biller.path(`/settlements/${invoice.settlement.id}/void`), {});
  for (const name of ['unapprove', 'void']) {
    const refused = await event(books.biller, first.id, name);
    expect([refused.status, messages(refused)]).toEqual([409, [`has the supplement ${second.invoiceId}; void that first`]]);
  }
});

test('what comes by itself is compared as it was billed, whatever is assigned, changed or taken away later', async () => {
  const { tenant, biller } = books;
  const assign = (more: object) =>
    tenant.must('POST', `/v1/accounts/${tenant.account.id}/auto_add_on_assignments`, {
      ...{ account_type: 'customer', add_on_types: ['invoicing'], total_installments: 0, quantity: '1' },
      ...more,
    });
  const fee = await assign({ name: 'Fee', add_on_rate_type: 'RatePercentOfTotal', percentage: 10 });
  const permit = await assign({ name: 'Permit', revenue_rate_value: 25 });
  const fuel = await assign({ add_on_id: m20.fuel.id });
  const job = await hauled(books, ['10', null], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  const invoice = await settledWithout(job);
  expect(await chargesOf(biller, invoice.id)).toEqual({ Fee: '2', Permit: '25', Fuel: '0.8' });
  for (const { id } of [permit, fuel]) expect((await tenant.http('DELETE', `/v1/auto_add_on_assignments/${id}`)).status).toBe(204);
  await tenant.must('PATCH', `/v1/auto_add_on_assignments/${fee.id}`, { percentage: '50' });
  const later = await assign({ name: 'Later', revenue_rate_value: 7 });
  await tenant.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 0 });
  expect(await ofJob(job.id)).toMatchObject([{ totalAmount: '47.8', stale: false }]);
  expect((await supplement(invoice.id)).status).toBe(409);
  // A later load is charged as the rates are then.
  await ticketed(tenant, job.loads[1], '20');
  const [first, second, ...more] = await ofJob(job.id);
  expect([first.stale, second.reason, second.totalAmount, more]).toEqual([false, 'late_ticket', '60', []]);
  expect(await chargesOf(biller, second.id)).toEqual({ Fee: '20' });
  for (const { id } of [fee, later]) await tenant.http('DELETE', `/v1/auto_add_on_assignments/${id}`);
});

test('M9, B15, rate changed after settlement: one that is corrected is billed by what differs, line by line', async () => {
  const { fuel, order } = m20;
  const freight = { customer_rate_id: (order as Json).customer_rate_id };
  const invoice = await approvedInvoice(books, M10, { order: freight, charges: [fuel] });
  await settle(books, [invoice]);
  const none = await supplement(invoice.id);
  expect([none.status, messages(none)]).toEqual([409, ['is billed as its work is: nothing differs']]);
  // The rate card is 4.40 now, with the same minimum.
  const rateCard = await books.tenant.must('POST', '/v1/rates', {
    ...{ name: 'Corrected', owner_type: 'customer', type: 'RatePerTon', unit_rate: 4.4, unit_minimum: 22, unit_increment: 0 },
  });
  const made = await supplement(invoice.id, { rate_id: rateCard.id });
  expect([made.status, made.body.data]).toMatchObject([201, { total_amount: '10.79', part: 2, reason: 'correction' }]);
  const { id } = made.body.data;
  expect(await linesOf(books.biller, id)).toEqual([
    ['23.21', '0.15', '3.48'],
    ['22', '0.15', '3.3'],
    ['24.06', '0.15', '3.6'],
  ]);
  expect(await chargesOf(books.biller, id)).toEqual({ Fuel: '0.41' });
  // Its explanation says what was billed before.
  const tree: Json = await books.biller.must('GET', books.biller.path(`/invoices/${id}/explain`));
  expect(JSON.stringify(tree)).toContain(`billed on ${invoice.invoice_id}`);
  const lines = books.biller.path(`/invoices/${id}/invoice_line_items`);
  const [line] = await books.biller.must('GET', lines);
  const edited = await books.biller.http('PATCH', lines, { rate_type: 'RatePerTon', invoice_line_items: [{ id: line.id, quantity: 1 }] });
  expect(edited.status).toBe(422);
  // Asked again with another rate, it is the same supplement.
  const again = await supplement(invoice.id, { rate_value: 4.25, rate_type: 'RatePerTon' });
  expect(again.body.data).toMatchObject({ id, total_amount: '-2.66' });
  const back = await supplement(invoice.id, { rate_id: rateCard.id });
  expect(back.body.data).toMatchObject({ id, total_amount: '10.79' });
  expect((await event(books.biller, id, 'approve')).status).toBe(200);
  expect((await supplement(invoice.id)).status).toBe(409);
  expect((await ofJob(invoice.job.id)).map(({ stale }) => stale)).toEqual([false, false]);
});

test('B15, ticket voided after the settlement: -394.83 is given back, and it is refused without a supplement', async () => {
  const { fuel, wash, order } = m20;
  const invoice = await approvedInvoice(books, M10, { order, charges: [fuel, wash] });
  const tickets: Json[] = await books.biller.must('GET', books.biller.path(`/tickets?page[limit]=100`));
  const [load] = invoice.job.loads.filter((_: Json, i: number) => i === 1);
  const ticket = tickets.find((one) => one.load?.id === load.id || one.load_id === load.id);
  const admin = await books.tenant.administrator();
  const VOID = 'mutation($id: ID!, $supplement: Boolean) { voidTicket(id: $id, input: { supplement: $supplement }) { id } }';
  const voids = (more: object) => books.tenant.gql(VOID, { id: ticket.id, ...more }, admin);
  const keyOf = ({ errors }: Json) => errors[0].extensions.errors.map(({ message }: Json) => message);
  // It is approved alone: then the approval is taken back.
  expect(keyOf(await voids({ supplement: true }))[0]).toContain(`is on ${invoice.invoice_id}, which is approved`);
  await settle(books, [invoice]);
  expect(keyOf(await voids({}))[0]).toContain('which is approved');
  expect((await voids({ supplement: true })).errors).toBeUndefined();
  const [first, second] = await ofJob(invoice.job.id);
  expect(first).toMatchObject({ totalAmount: '1285.64', stale: false });
  expect(second).toMatchObject({ part: 2, reason: 'correction', totalAmount: '-394.83', taxTotalAmount: '-30.09' });
  expect(await linesOf(books.biller, second.id)).toEqual([
    ['-22', '4.25', '-93.5'],
    ['-21.4', '12.5', '-267.5'],
  ]);
  expect(await chargesOf(books.biller, second.id)).toEqual({ Fuel: '-3.74' });
  // Only an administrator owes a customer money.
  expect((await event(books.biller, second.id, 'approve')).status).toBe(409);
  const approved = await books.tenant.http('PUT', books.tenant.path(`/invoices/${second.id}/approve`), undefined, admin);
  expect([approved.status, approved.body.error]).toEqual([200, undefined]);
});

test('B15, customer disputes one load: those that are not to be approved yet are split off, and the rest is approved and settled', async () => {
  const job = await hauled(books, ['10', '20', null, '5'], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  const draft = await invoiceOf(books, job.id);
  for (const { id } of job.loads.filter((_: Json, i: number) => i !== 2))
    await books.biller.must('PUT', books.biller.path(`/loads/${id}/approve`), {});
  await books.app.settled();
  expect((await event(books.biller, draft.id, 'approve')).status).toBe(409);
  const split = (load_ids: string[], id = draft.id) => books.biller.http('POST', books.biller.path(`/invoices/${id}/split`), { load_ids });
  const problems = ({ status, body }: Json) => [status, body.error.errors.map(({ field }: Json) => field)];
  expect(problems(await split([]))).toEqual([422, ['load_ids']]);
  expect(problems(await split([draft.id]))).toEqual([422, ['load_ids.0']]);
  expect(problems(await split(job.loads.map(({ id }: Json) => id)))).toEqual([422, ['load_ids']]);
  const made = await split([job.loads[2].id]);
  expect([made.status, made.body.data]).toMatchObject([201, { part: 2, reason: 'partial', total_amount: '0', approvable: false }]);
  expect((await event(books.biller, draft.id, 'approve')).body.data).toMatchObject({ state: 'approved', total_amount: '70' });
  await settle(books, [draft]);
  // Its ticket comes, and it follows.
  await ticketed(books.tenant, job.loads[2], '7');
  await books.biller.must('PUT', books.biller.path(`/loads/${job.loads[2].id}/approve`), {});
  expect((await ofJob(job.id)).map(({ part, totalAmount, stale }) => [part, totalAmount, stale])).toEqual([
    [1, '70', false],
    [2, '14', false],
  ]);
  const { id } = made.body.data;
  expect((await event(books.biller, id, 'approve')).status).toBe(200);
  expect(await settle(books, [{ id }])).toMatchObject({ total_amount: '14', data: { quantities_per_uom: ['7 Ton'] } });
  const flat = await invoiceOf(
    books,
    (await hauled(books, ['1'], { order: { customer_rate_value: 9, customer_rate_type: 'RateFlatRate' } })).id,
  );
  expect(problems(await split([job.loads[0].id], flat.id))).toEqual([409, ['load_ids']]);
  expect((await supplement(flat.id)).status).toBe(409);
  expect(await withMinimum(books.tenant)).toBeDefined();
});

test('a ticket that comes for a load that was billed as reported is billed by a supplement, and is not changed on what is approved', async () => {
  const { tenant, biller } = books;
  const rate = { customer_rate_value: 4, customer_rate_type: 'RatePerTon' };
  const reported = async (): Promise<Json> => {
    const job = await hauled(books, [null, '10'], { order: rate });
    await tenant.must('PATCH', `/v1/loads/${job.loads[0].id}`, { quantity: 10, unit_of_measure: 'Ton' });
    await approveLoads(biller, job);
    const draft = await invoiceOf(books, job.id);
    const approved = await event(biller, draft.id, 'approve');
    expect([approved.status, approved.body.data?.total_amount]).toEqual([200, '80']);
    return { ...draft, job };
  };
  const admin = await tenant.administrator();
  const change = (ticket: Json, input: object, token = admin) =>
    tenant.gql(
      'mutation ($id: ID!, $input: UpdateTicketInput!) { updateTicket(id: $id, input: $input) { id } }',
      { id: ticket.id, input },
      token,
    );
  const refusalOf = ({ errors }: Json): string => errors[0].extensions.errors[0].message;
  const invoice = await reported();
  await settle(books, [invoice]);
  const ticket = await ticketed(tenant, invoice.job.loads[0], '12');
  const [first, second] = await ofJob(invoice.job.id);
  expect(first).toMatchObject({ totalAmount: '80', stale: false });
  expect(second).toMatchObject({ part: 2, reason: 'late_ticket', state: 'pending', totalAmount: '8' });
  expect(await linesOf(biller, second.id)).toEqual([['2', '4', '8']]);
  // It is pending itself, and says what was billed: it changes with a supplement alone, and is voided instead of deleted.
  expect(refusalOf(await change(ticket, { quantity: '13' }))).toContain(`is on ${invoice.invoice_id}, which is approved`);
  expect((await change(ticket, { flagged: true })).errors).toBeUndefined();
  expect((await tenant.http('DELETE', `/v1/tickets/${ticket.id}`, undefined, admin)).status).toBe(422);
  // A payment for once more is a matter of the office, and not of the driver, who may edit the ticket otherwise.
  const byDriver = (input: object) => change(ticket, input, tenant.driver.token);
  expect(refusalOf(await byDriver({ quantity: '13' }))).toContain(`is on ${invoice.invoice_id}, which is approved`);
  expect((await byDriver({ quantity: '13', supplement: true })).errors[0].extensions.code).toBe('forbidden');
  // Of several at once none waits for another that waits for it.
  const atOnce = ['14', '15', '16', '17'].map((quantity) => change(ticket, { quantity, supplement: true }));
  expect((await Promise.all(atOnce)).flatMap(({ errors }) => errors ?? [])).toEqual([]);
  expect((await change(ticket, { quantity: '13', supplement: true })).errors).toBeUndefined();
  expect((await ofJob(invoice.job.id))[1]).toMatchObject({ id: second.id, reason: 'late_ticket', totalAmount: '12' });
  // As long as the approval can be taken back, somebody decides; afterwards, nobody else would bill it.
  const open = await reported();
  const late = await ticketed(tenant, open.job.loads[0], '11');
  expect(await ofJob(open.job.id)).toMatchObject([{ totalAmount: '80', stale: true }]);
  for (const supplement of [false, true]) expect(refusalOf(await change(late, { quantity: '13', supplement }))).toContain('is approved');
  const counted = await reported();
  await ticketed(tenant, counted.job.loads[0], '11');
  await settle(books, [open]);
  await biller.must('POST', biller.path('/billing/periods'), { ends_on: '2026-11-23', force: true, reason: 'what is late comes later' });
  for (const { job } of [open, counted])
    expect(await ofJob(job.id)).toMatchObject([
      { totalAmount: '80', stale: false },
      { reason: 'late_ticket', totalAmount: '4' },
    ]);
  // Voided, it comes again: the ticket is billed nowhere else.
  const [, made] = await ofJob(counted.job.id);
  expect((await event(biller, made.id, 'void')).status).toBe(200);
  const anew = (await ofJob(counted.job.id)).filter(({ state }) => state !== 'voided');
  expect(anew).toMatchObject([{ stale: false }, { state: 'pending', reason: 'late_ticket', totalAmount: '4', part: 2 }]);
  expect(anew[1].id).not.toBe(made.id);
});
