import { beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../src/directory/accounts/account.entity.ts';
import { drive, makeStaffedTenant, ONE_LOAD, readyJob, shortHaul } from '../helpers/staffed-tenant.ts';
import {
  addOn,
  approveLoads,
  billerOf,
  chargesOfM20,
  event,
  hauled,
  invoiceOf,
  linesOf,
  makeBooks,
  messages,
  rateCard,
  ticketed,
  withMinimum,
} from './books.ts';
import { touch, worked, ZONE } from './days/worked-days.ts';
import { approvedInvoice, settle } from './settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

// Rows of B15 that are tried elsewhere, each by a test that names it: a voided ticket of what is settled, a correction of its rate and a dispute in
// supplements.test.ts, a vendor that invoices more in sent-invoices.test.ts and matching, a near duplicate of a ticket in matching, a purchase order
// that arrives later in profiles.
const books = makeBooks();
let m20: Json;
beforeAll(async () => {
  m20 = await chargesOfM20(books);
});
const ofCustomer = (value: number, type = 'RatePerTon') => ({ customer_rate_value: value, customer_rate_type: type });
const payables = { driver_rate_value: 3, driver_rate_type: 'RatePerTon' };
const ticketOf = async (job: Json): Promise<Json> => (await books.tenant.must('GET', `/v1/jobs/${job.id}/tickets`))[0];
const totals = async (job: Json) => [
  (await invoiceOf(books, job.id)).total_amount,
  (await invoiceOf(books, job.id, 'payable')).total_amount,
];

test('A12, B15: a ticket in tonnes on an order in tons is kept as weighed, and converted where it is summed and billed; a unit that was keyed wrong is corrected, and both sides refresh', async () => {
  const job = await hauled(books, ['20'], { order: { ...ofCustomer(4.25), ...payables } });
  expect(await totals(job)).toEqual(['85', '60']);
  const { id } = await ticketOf(job);
  await books.tenant.must('PATCH', `/v1/tickets/${id}`, { unit_of_measure: 'Tonne' });
  expect(await totals(job)).toEqual(['93.7', '66.14']);
  const lines: Json[] = await books.biller.must(
    'GET',
    books.biller.path(`/invoices/${(await invoiceOf(books, job.id)).id}/invoice_line_items`),
  );
  expect(lines).toMatchObject([{ delivered_quantity: '22.0462', quantity: '22.0462' }]);
  expect(await ticketOf(job)).toMatchObject({ quantity: '20', unit_of_measure: 'Tonne' });
});

test('B15, ticket voided after invoice: a pending line falls to the reported quantity or a blocker, an approved one refuses', async () => {
  const job = await hauled(books, ['10'], { order: ofCustomer(2) });
  const draft = await invoiceOf(books, job.id);
  await books.tenant.must('PATCH', `/v1/loads/${job.loads[0].id}`, { quantity: 9, unit_of_measure: 'Ton' });
  const { id } = await ticketOf(job);
  await books.tenant.must('PUT', `/v1/tickets/${id}/void`, {});
  expect((await invoiceOf(books, job.id)).total_amount).toBe('18');
  const again = await ticketed(books.tenant, job.loads[0], '11');
  await approveLoads(books.biller, job);
  await books.app.settled();
  expect((await event(books.biller, draft.id, 'approve')).body.data.total_amount).toBe('22');
  const refused = await books.tenant.http('PUT', `/v1/tickets/${again.id}/void`, {}, await books.tenant.administrator());
  expect([refused.status, messages(refused)]).toEqual([
    409,
    [`is on ${draft.invoice_id}, which is approved; take that approval back first`],
  ]);
  // As every conflict of an event, it says which event failed in which state.
  const { state } = await books.tenant.must('GET', `/v1/tickets/${again.id}`);
  expect(refused.body.error.errors).toMatchObject([{ model: 'Ticket', field: 'state', state, event: 'void' }]);
});

test('B15, rate changed after settlement: nothing', async () => {
  const order = await withMinimum(books.tenant);
  const invoice = await approvedInvoice(books, ['30'], { order });
  const settlement = await settle(books, [invoice]);
  await books.tenant.must('PATCH', `/v1/rates/${order.customer_rate_id}`, { unit_rate: 5 });
  await touch(books.tenant, invoice.job);
  expect((await invoiceOf(books, invoice.job.id)).total_amount).toBe('127.5');
  expect(await books.biller.must('GET', books.biller.path(`/settlements/${settlement.id}`))).toMatchObject({ total_amount: '127.5' });
  // Everything is compared anew: the tax differs, which is stale, and nobody bills it by himself; back again, nothing differs.
  const found = async () => {
    await books.app.settled();
    const { data } = await books.biller.gql('query($id: ID!) { invoice(id: $id) { stale } }', { id: invoice.id });
    const listed: Json[] = await books.biller.must('GET', books.biller.path(`/orders/${invoice.job.order.id}/invoices`));
    return [data.invoice.stale, listed.filter(({ state, parent_invoice }) => state !== 'voided' && parent_invoice).length];
  };
  expect(await found()).toEqual([true, 0]);
  await books.tenant.must('PATCH', `/v1/orders/${invoice.job.order.id}`, { tax_rate: null, tax_freight: false });
  expect(await found()).toEqual([false, 0]);
});

test('B15, load re-assigned, handed over: it is on one receivable, and who did it is paid', async () => {
  const { tenant, biller } = books;
  const other = await tenant.person({ roles: ['driver'] });
  const job = await readyJob(tenant, { loads_per_truck: 1, ...ofCustomer(2), ...payables });
  await tenant.must('PUT', `/v1/jobs/${job.id}/unassign`, {});
  await tenant.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: other.user.id });
  await tenant.dispatcher.must('PUT', `/v1/jobs/${job.id}/request`, {});
  await drive(other, job.id, 'accept', ...shortHaul());
  const [load] = await tenant.must('GET', `/v1/jobs/${job.id}/loads`);
  await ticketed(tenant, load, '10');
  expect(await totals(job)).toEqual(['20', '30']);
  const listed: Json[] = await biller.must('GET', biller.path(`/orders/${job.order.id}/invoices`));
  const live = listed.filter(({ state }) => state !== 'voided');
  expect(live.map(({ driver }) => driver?.id)).toEqual([other.user.id, other.user.id]);
  // A8: handed over with a load on board, the load goes on as one of another job, and is billed once, for who brought it.
  const shared = await readyJob(tenant, { loads_per_truck: 1, ...ofCustomer(2), ...payables });
  await drive(tenant.driver, shared.id, ...ONE_LOAD.slice(0, 4));
  const HAND_OVER = 'mutation($id: ID!, $driverId: ID!) { handOverJob(id: $id, driverId: $driverId) { id loads { nodes { id } } } }';
  const { data } = await tenant.dispatcher.gql(HAND_OVER, { id: shared.id, driverId: other.user.id });
  const next = data.handOverJob;
  const [taken] = next.loads.nodes;
  await drive(other, next.id, ...ONE_LOAD.slice(4), 'complete');
  await ticketed(tenant, taken, '10');
  expect(await totals(next)).toEqual(['20', '30']);
  expect(await totals(shared)).toEqual(['0', '0']);
  const bills: Json[] = await biller.must('GET', biller.path(`/orders/${shared.order.id}/invoices`));
  const paid = bills.filter(({ total_amount }) => total_amount !== '0').map(({ driver, total_amount }) => [driver.id, total_amount]);
  expect(paid.sort()).toEqual([
    [other.user.id, '20'],
    [other.user.id, '30'],
  ]);
});

test('B15, partial approval, 5 of 7 loads: part 1 is of five, part 2 of two; one disputed load of them is settled later', async () => {
  const tons = ['1', '2', '3', '4', '5', '6', '7'];
  const job = await hauled(books, tons, { order: ofCustomer(10) });
  await approveLoads(books.biller, { loads: job.loads.slice(0, 5) });
  const draft = await invoiceOf(books, job.id);
  const blocked = await event(books.biller, draft.id, 'approve');
  expect([blocked.status, messages(blocked)]).toEqual([409, ['cannot be approved: a load has not been approved for billing']]);
  const path = books.biller.path(`/invoices/${draft.id}/split`);
  const part = await books.biller.must('POST', path, { load_ids: job.loads.slice(5).map(({ id }: Json) => id) });
  expect(part).toMatchObject({ part: 2, total_amount: '130' });
  expect((await event(books.biller, draft.id, 'approve')).body.data).toMatchObject({ state: 'approved', total_amount: '150' });
  expect((await settle(books, [draft])).total_amount).toBe('150');
});

test('B15, zero-quantity ticket of a rejected load: a line of 0.00, no minimum and no fuel', async () => {
  const { fuel, order } = m20;
  const job = await hauled(books, ['0'], { order: { customer_rate_id: order.customer_rate_id } });
  await books.tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: fuel.id, quantity: 1 });
  const invoice = await invoiceOf(books, job.id);
  expect([invoice.total_amount, await linesOf(books.biller, invoice.id)]).toEqual(['0', [['0', '4.25', '0']]]);
  // By the load, too, while the load that was hauled is paid; and a charge for each load is for that one.
  const byLoad = await hauled(books, ['0', '20'], { order: ofCustomer(185, 'RatePerLoad') });
  const toll = await addOn(books, 'Toll', { revenue_cost_rate_type: 'PerLoad', revenue_rate_value: 7 });
  const wish = await books.tenant.must('POST', `/v1/jobs/${byLoad.id}/add_on_charges`, { add_on_id: toll.id });
  const billed = await invoiceOf(books, byLoad.id);
  expect([wish.total_amount, billed.total_amount]).toEqual(['7', '192']);
  expect((await linesOf(books.biller, billed.id)).map((line) => line[2])).toEqual(['0', '185']);
  // Approved, it is not turned away any more without its invoice.
  await approveLoads(books.biller, byLoad);
  await event(books.biller, billed.id, 'approve');
  const tickets: Json[] = await books.tenant.must('GET', `/v1/jobs/${byLoad.id}/tickets`);
  const { id } = tickets.find(({ quantity }) => quantity === '20');
  const admin = await books.tenant.administrator();
  const answers = [];
  for (const quantity of [21, 0]) answers.push((await books.tenant.http('PATCH', `/v1/tickets/${id}`, { quantity }, admin)).status);
  expect(answers).toEqual([200, 422]);
});

test('B15, duplicate ticket: the second is refused at entry, and the load is billed once', async () => {
  const job = await hauled(books, ['10'], { order: ofCustomer(2) });
  const { ticket_number } = await ticketOf(job);
  const again = { load_id: job.loads[0].id, ticket_number, quantity: 10, unit_of_measure: 'Ton' };
  expect((await books.tenant.http('POST', '/v1/tickets', again)).status).toBe(422);
  expect((await invoiceOf(books, job.id)).total_amount).toBe('20');
});

test('B15, night shift, price change at midnight, fuel week change on Monday, end of a period: all by the date of the order and of the start', async () => {
  const { fuel, index, order } = m20;
  await books.tenant.must('POST', `/v1/fuel_price_indices/${index.id}/fuel_prices`, { date: '2026-11-23', price: 4.289 });
  const [own] = await books.tenant.must('GET', books.tenant.path('/fuel_surcharge_schedules'));
  const rows = `/v1/fuel_surcharge_schedules/${own.id}/fuel_surcharge_schedule_prices`;
  await books.tenant.must('POST', rows, { price: 4.25, bill_surcharge: 6 });
  // Half past eleven on Sunday at the company; the work goes on into Monday.
  for (const [load_at, surcharge, day] of [
    ['2026-11-23T05:30:00.000Z', '5.1', '2026-11-22'],
    ['2026-11-23T06:30:00.000Z', '7.65', '2026-11-23'],
  ] as const) {
    const job = await hauled(books, ['30'], { order: { customer_rate_id: order.customer_rate_id, load_at } });
    await books.tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: fuel.id, quantity: 1 });
    const invoice = await invoiceOf(books, job.id);
    const { data } = await books.biller.gql('query($id: ID!) { invoice(id: $id) { serviceDate } }', { id: invoice.id });
    expect([invoice.add_on_charges_total_amount, data.invoice.serviceDate]).toEqual([surcharge, day]);
  }
});

test('B15, DST hour, minimum and several trucks: minutes are those between instants, and the minimum is for each job', async () => {
  const own = await makeStaffedTenant(books.app, { timeZone: ZONE });
  const [by, admin] = [await billerOf(own), await own.administrator()];
  const hourly = await rateCard(own, 'customer', {
    type: 'RatePerHour',
    time_rate: 100,
    time_minimum_minutes: 240,
    time_increment_minutes: 0,
  });
  const plain = await rateCard(own, 'customer', {
    type: 'RatePerHour',
    time_rate: 100,
    time_minimum_minutes: 0,
    time_increment_minutes: 0,
  });
  const total = async (job: Json): Promise<string> => {
    await touch(own, job);
    await own.must('PUT', own.path(`/jobs/${job.id}/approve`), {}, admin);
    return (await invoiceOf({ ...books, tenant: own }, job.id, 'receivable', by)).invoice_line_items_total_amount;
  };
  const short = [
    await worked(own, null, { customer_rate_id: hourly.id }, 125),
    await worked(own, null, { customer_rate_id: hourly.id }, 125),
  ];
  expect([await total(short[0]), await total(short[1])]).toEqual(['400', '400']);
  const night = await worked(own, null, { customer_rate_id: plain.id }, 60);
  // From one o'clock to two o'clock on the clock, of the night in which the hour comes twice: two hours.
  await books.app.orm.em
    .fork()
    .execute('update job set adjusted_logging_started_at = ?, adjusted_logging_ended_at = ? where id = ?', [
      ...['2026-11-01T05:00:00Z', '2026-11-01T07:00:00Z', night.id],
    ]);
  expect(await total(night)).toBe('200');
});

test('B15, negative total, an add-on of -100 %: an administrator alone approves it, and its tax is negative', async () => {
  const order = { ...ofCustomer(10), tax_rate: 10, tax_add_ons: true };
  const job = await hauled(books, ['10'], { order });
  await approveLoads(books.biller, job);
  const back = await addOn(books, 'Back', { revenue_cost_rate_type: 'RatePercentOfTotal', percentage: -100, taxable: true });
  for (const _ of [1, 2]) await books.tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: back.id, quantity: 1 });
  const invoice = await invoiceOf(books, job.id);
  expect(invoice).toMatchObject({ tax_total_amount: '-20', tax_description: 'Add-ons', total_amount: '-120' });
  const refused = await event(books.biller, invoice.id, 'approve');
  expect([refused.status, messages(refused)]).toEqual([409, ['has a negative total; only a company administrator may approve it']]);
  const path = books.tenant.path(`/invoices/${invoice.id}/approve`);
  expect((await books.tenant.http('PUT', path, undefined, await books.tenant.administrator())).status).toBe(200);
});

test('B15, an account that becomes another one: invoices keep the account that they were made for', async () => {
  const { tenant } = books;
  const invoice = await approvedInvoice(books, ['10'], { order: ofCustomer(2) });
  const other = await tenant.save(Account, { company: ref(tenant.company), name: 'New EIN', accountTypes: ['customer'] });
  await books.app.orm.em.fork().execute('update orders set account_id = ? where id = ?', [other.id, invoice.job.order.id]);
  await touch(tenant, invoice.job);
  expect(await invoiceOf(books, invoice.job.id)).toMatchObject({ state: 'approved', customer_account: { id: tenant.account.id } });
});

test('B15, the currency of a company is not changed while it has live invoices', async () => {
  const own = await makeStaffedTenant(books.app);
  const admin = await own.administrator();
  const [kept, other] = own.company.currency === 'USD' ? ['USD', 'CAD'] : ['CAD', 'USD'];
  const change = (currency: string) => own.http('PATCH', `/v1/companies/${own.company.id}`, { currency }, admin);
  const job = await hauled(books, ['10'], { at: own, order: ofCustomer(2) });
  const by = await billerOf(own);
  const invoice = await invoiceOf({ ...books, tenant: own }, job.id, 'receivable', by);
  const refused = await change(other!);
  expect([refused.status, refused.body.error.errors[0]]).toMatchObject([
    422,
    { field: 'currency', message: `cannot be changed: there are invoices in ${kept}` },
  ]);
  expect((await change(kept!)).status).toBe(200);
  expect(invoice.currency ?? kept).toBe(kept);
});

test('B15, 10,000 loads settled at once: what is settled takes as many statements, however much it is', async () => {
  const order = ofCustomer(2);
  const invoices = [];
  for (const tons of [['1'], ['1', '2'], ['3'], ['4', '5', '6']]) invoices.push(await approvedInvoice(books, tons, { order }));
  await books.app.settled();
  const counted = async (of: Json[]): Promise<number> => {
    const { statements } = await books.app.countStatements(() => settle(books, of));
    return statements.filter((sql) => /settlement|invoice|add_on/.test(sql)).length;
  };
  await settle(books, [await approvedInvoice(books, ['1'], { order })]);
  const [few, many] = [await counted(invoices.slice(0, 1)), await counted(invoices.slice(1))];
  expect(few).toBeGreaterThan(3);
  expect(many).toBe(few);
});
