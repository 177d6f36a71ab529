import { expect, test } from '@jest/globals';
import { addOn, approveLoads, event, hauled, invoiceOf, rateCard } from './books.ts';
import { approve, books, change, ofCustomer, partsOf, perTon, supplement } from './invoices/parts.ts';
import { approvedInvoice, settle } from './settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;
const split = (id: string, loads: Json[]): Promise<Json> =>
  books.biller.must('POST', books.biller.path(`/invoices/${id}/split`), { load_ids: loads.map((load) => load.id) });
const totalsOf = async (job: Json, side?: string) => (await partsOf(job, side)).map(({ totalAmount }) => totalAmount);

test('a rate that a supplement corrects is that of pending parts, too, unless somebody set another one on them', async () => {
  const job = await hauled(books, ['10', '20', '30'], { order: ofCustomer(2) });
  await approveLoads(books.biller, job);
  const first = await invoiceOf(books, job.id);
  await change(first.id, perTon(3));
  const second = await split(first.id, [job.loads[1]]);
  const third = await split(first.id, [job.loads[2]]);
  await change(third.id, perTon(5));
  expect(await totalsOf(job)).toEqual(['30', '60', '150']);
  await approve(first.id);
  await settle(books, [first]);
  const made = await supplement(first.id, perTon(4));
  expect([made.status, made.body.data.total_amount]).toEqual([201, '10']);
  expect(await totalsOf(job)).toEqual(['30', '80', '150', '10']);
  // Another rate of the same supplement, and none any more.
  await supplement(first.id, perTon(4.5));
  expect(await totalsOf(job)).toEqual(['30', '90', '150', '15']);
  await event(books.biller, made.body.data.id, 'void');
  expect(await totalsOf(job)).toEqual(['30', '60', '150']);
  expect((await partsOf(job))[0]).toMatchObject({ stale: false });
  // Without the first part, the second one keeps the rate that it had from it.
  const other = await hauled(books, ['10', '20'], { order: ofCustomer(2) });
  const whole = await invoiceOf(books, other.id);
  await change(whole.id, perTon(3));
  await split(whole.id, [other.loads[1]]);
  await event(books.biller, whole.id, 'void');
  expect((await totalsOf(other)).toSorted()).toEqual(['20', '60']);
  expect(second.part).toBe(2);
});

test('tiers are counted over all parts of a job, also at a rate card that somebody set by hand', async () => {
  const CREATE = 'mutation($input: CreateRateInput!) { createRate(input: $input) { id } }';
  const bands = { type: 'RatePerTon', unitRate: '6', unitMinimum: '0', unitIncrement: '0', tiers: [{ from: '100', rate: '5.25' }] };
  const input = { name: 'Bands of parts', ownerType: 'customer', ...bands };
  const admin = await books.tenant.administrator();
  const { data } = await books.tenant.gql(CREATE, { input }, admin);
  const job = await hauled(books, ['24', '24', '24', '24', '24'], { order: ofCustomer(1) });
  const first = await invoiceOf(books, job.id);
  await change(first.id, { rate_id: data.createRate.id });
  expect(await totalsOf(job)).toEqual(['705']);
  await split(first.id, job.loads.slice(3));
  expect(await totalsOf(job)).toEqual(['432', '273']);
  // B-I8, B-I10: loads of one moment are counted in the same order in each part.
  await books.app.orm.em.fork().execute('update load set summary_load_completed_at = null where job_id = ?', [job.id]);
  await books.tenant.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 0, tax_freight: true });
  expect(await totalsOf(job)).toEqual(['432', '273']);
  // B14, tiers at 0: what is hauled from there on costs nothing more.
  const free = { ...input, name: 'Free', tiers: [{ from: '100', rate: '0' }] };
  const made = await books.tenant.gql(CREATE, { input: free }, admin);
  expect(made.errors).toBeUndefined();
  const all = await hauled(books, ['60', '60'], { order: { customer_rate_id: made.data.createRate.id } });
  expect(await totalsOf(all)).toEqual(['600']);
  const below = await books.tenant.gql(CREATE, { input: { ...free, name: 'Below', tiers: [{ from: '100', rate: '-1' }] } }, admin);
  expect(below.errors[0].extensions.errors[0].field).toBe('tiers.0.rate');
});

test('a rate for all of the work is charged once, however many parts were billed', async () => {
  const job = await hauled(books, ['10', '20', '30'], { order: ofCustomer(2) });
  await approveLoads(books.biller, job);
  const first = await invoiceOf(books, job.id);
  const second = await split(first.id, [job.loads[1]]);
  await split(first.id, [job.loads[2]]);
  await approve(first.id, second.id);
  await settle(books, [first, second]);
  const made = await supplement(first.id, { rate_value: 100, rate_type: 'RateFlatRate' });
  // 100 for all of it, of which 20 and 40 were billed; the pending part has nothing more.
  expect([made.status, made.body.data.total_amount]).toEqual([201, '40']);
  expect(await totalsOf(job)).toEqual(['20', '40', '0', '40']);
});

test('commissions follow what corrects the receivable, and a thin margin counts all parts of both sides', async () => {
  const { biller, tenant } = books;
  const { id: share } = await rateCard(tenant, 'driver', { type: 'RateCommission', commission_percentage: 30 });
  const job = await hauled(books, ['10', '20'], { order: { ...ofCustomer(10), driver_rate_id: share } });
  await approveLoads(biller, job);
  const first = await invoiceOf(books, job.id);
  await change(first.id, perTon(20));
  await books.app.settled();
  expect(await partsOf(job, 'payables')).toMatchObject([{ totalAmount: '180', commissionRateValue: '6' }]);
  const second = await split(first.id, [job.loads[1]]);
  await approve(first.id, second.id);
  await settle(books, [first, second]);
  const made = await supplement(first.id, perTon(21));
  expect(made.body.data.total_amount).toBe('30');
  await books.tenant.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 0, tax_freight: true });
  expect(await partsOf(job, 'payables')).toMatchObject([{ totalAmount: '189', commissionRateValue: '6.3' }]);
  const admin = await tenant.administrator();
  const WARNINGS = 'query($id: ID!) { invoice(id: $id) { warnings } }';
  // 630 less 189: the first part alone would be 200.
  expect((await tenant.gql(WARNINGS, { id: first.id }, admin)).data.invoice.warnings).toEqual([]);
  const fee = await addOn(books, 'Fee', { add_on_types: ['driver_pay'], cost_rate_value: 430, revenue_rate_value: 430 });
  await tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: fee.id, quantity: 1 });
  await books.app.settled();
  expect((await tenant.gql(WARNINGS, { id: first.id }, admin)).data.invoice.warnings).toEqual(['thin_margin']);
});

test('the loads of parts are counted once, whatever became of the part that they were taken off', async () => {
  const { biller } = books;
  const job = await hauled(books, ['10', '20', '30'], { order: ofCustomer(2) });
  await approveLoads(biller, job);
  const whole = await invoiceOf(books, job.id);
  const part = await split(whole.id, [job.loads[2]]);
  await event(biller, whole.id, 'void');
  const rest = await invoiceOf(books, job.id);
  await approve(rest.id, part.id);
  const [one, other] = [await settle(books, [rest]), await settle(books, [part])];
  expect([one.data.quantities_per_uom, other.data.quantities_per_uom]).toEqual([['30 Ton'], ['30 Ton']]);
  const perLoad = { name: 'Each load', revenue_cost_rate_type: 'PerLoad', revenue_rate_value: 1 };
  const charged = await biller.must('POST', biller.path(`/settlements/${one.id}/add_on_charges`), perLoad);
  expect(charged.total_amount).toBe('2');
});

test('a part that follows the work is voided although another one has a supplement', async () => {
  const job = await hauled(books, ['10', '20'], { order: ofCustomer(2) });
  await approveLoads(books.biller, job);
  const first = await invoiceOf(books, job.id);
  const part = await split(first.id, [job.loads[1]]);
  await approve(part.id);
  await settle(books, [part]);
  const made = await supplement(part.id, perTon(3));
  expect(made.body.data.total_amount).toBe('20');
  expect((await event(books.biller, first.id, 'void')).status).toBe(200);
  // The invoice that takes its place has the corrected rate.
  expect(await totalsOf(job)).toEqual(['30', '40', '20']);
});

test('B-I10: of two approvals at once, one is 200 and one 409', async () => {
  const draft = async () => {
    const job = await hauled(books, ['10'], { order: ofCustomer(2) });
    await approveLoads(books.biller, job);
    return invoiceOf(books, job.id);
  };
  const invoice = await draft();
  const answers = await Promise.all([1, 2].map(() => event(books.biller, invoice.id, 'approve')));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const settlement = await settle(books, [await approvedInvoice(books, ['10'], { order: ofCustomer(2) })]);
  const both = await Promise.all(
    [1, 2].map(() => books.biller.http('PUT', books.biller.path(`/settlements/${settlement.id}/approve`), {})),
  );
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
});
