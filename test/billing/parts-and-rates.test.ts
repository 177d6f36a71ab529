import { expect, test } from '@jest/globals';
import { jobOfChain, machineToken, makeChain, shortHaul } from '../helpers/staffed-tenant.ts';
import {
  addOn,
  approveLoads,
  billerOf,
  chargesOfM20,
  event,
  hauled,
  invoiceOf,
  linesOf,
  M10,
  makeBooks,
  messages,
  rateCard,
  ticketed,
} from './books.ts';
import { approvedInvoice, settle } from './settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const perTon = (rate_value: number) => ({ rate_value, rate_type: 'RatePerTon' });
const ofCustomer = (value: number) => ({ customer_rate_value: value, customer_rate_type: 'RatePerTon' });
const supplement = (id: string, body: object = {}, by = books.biller) => by.http('POST', by.path(`/invoices/${id}/supplements`), body);
const change = (id: string, body: object) => books.biller.must('PATCH', books.biller.path(`/invoices/${id}`), body);
const split = (id: string, loads: Json[]): Promise<Json> =>
  books.biller.must('POST', books.biller.path(`/invoices/${id}/split`), { load_ids: loads.map((load) => load.id) });
const approve = async (...ids: string[]): Promise<void> => {
  for (const id of ids) {
    const { status, body } = await event(books.biller, id, 'approve');
    expect([status, body.error]).toEqual([200, undefined]);
  }
};

const INVOICES = `query ($order: ID!, $side: InvoiceCategoryFilter) { invoices(orderId: $order, filter: { invoiceCategory: $side }) { nodes {
  id invoiceId part reason state stale totalAmount job { id } commissionRateValue
  invoiceLineItems { id isDifference totalAmount quantity rate workQuantity workTotalAmount } } } }`;
/** The live invoices of a job on a side, in the order of their parts. */
async function partsOf(job: Json, side = 'receivables'): Promise<Json[]> {
  await books.app.settled();
  const { data, errors } = await books.tenant.gql(INVOICES, { order: job.order.id, side }, books.biller.token);
  expect(errors).toBeUndefined();
  const own = data.invoices.nodes.filter((one: Json) => one.job.id === job.id && one.state !== 'voided');
  return own.toSorted((a: Json, b: Json) => a.part - b.part);
}
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

test('what was billed is compared at the price of fuel, the rate card and the form by which it was billed', async () => {
  const { fuel, index, order } = await chargesOfM20(books);
  const own = { customer_rate_id: (order as Json).customer_rate_id };
  const material = { material_id: books.tenant.material.id, material_rate_sell_price: 12.5, material_rate_unit_of_measure: 'Ton' };
  const job = await hauled(books, [...M10, null], { order: { ...own, ...material } });
  await books.tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: fuel.id, quantity: 1 });
  await approveLoads(books.biller, { loads: job.loads.slice(0, -1) });
  const invoice = await invoiceOf(books, job.id);
  const path = books.biller.path(`/invoices/${invoice.id}/invoice_line_items`);
  const lines: Json[] = await books.biller.must('GET', path);
  const [removed, edited] = [lines.find(({ load }) => load.id === job.loads[3].id), lines.find(({ load }) => load.id === job.loads[0].id)];
  await books.biller.must('PATCH', path, {
    rate_type: 'RatePerTon',
    invoice_line_items: [
      { id: removed.id, _destroy: 1 },
      { id: edited.id, rate: 17 },
    ],
  });
  await approve(invoice.id);
  const billed = (await partsOf(job))[0].totalAmount;
  await settle(books, [invoice]);
  // A higher price of that week, and material by itself from now on.
  const [price] = await books.tenant.must('GET', `/v1/fuel_price_indices/${index.id}/fuel_prices`);
  const admin = await books.tenant.administrator();
  const changed = async (path: string, change: object, token = admin) =>
    (await books.tenant.must('PATCH', path, change, token)).approved_invoices_count ?? null;
  expect(await changed(`/v1/fuel_prices/${price.id}`, { price: 3.8 })).toBe(1);
  await books.tenant.must('PATCH', `/v1/orders/${job.order.id}`, { material_rate_itemized: true });
  expect(await partsOf(job)).toMatchObject([{ totalAmount: billed, stale: false }]);
  expect((await supplement(invoice.id)).status).toBe(409);
  // B5, B6: whoever changes what it was priced by learns how many invoices keep what they say, if they read invoices.
  const [schedule] = await books.tenant.must('GET', books.tenant.path('/fuel_surcharge_schedules'));
  const rows = `/v1/fuel_surcharge_schedules/${schedule.id}/fuel_surcharge_schedule_prices`;
  const [row] = await books.tenant.must('GET', rows);
  expect(await changed(`/v1/fuel_surcharge_schedule_prices/${row.id}`, { bill_surcharge: 0 })).toBe(1);
  expect(await changed(`/v1/fuel_surcharge_schedules/${schedule.id}`, { name: 'Usual' })).toBe(1);
  expect(await changed(`/v1/rates/${own.customer_rate_id}`, { name: 'By the ton' })).toBe(1);
  const clerk = await machineToken(books.tenant, ['edit_rate', 'view_customer_rates']);
  expect(await changed(`/v1/rates/${own.customer_rate_id}`, { name: 'By the ton' }, clerk)).toBe(null);
  // A price of the week before does not hold on the day of the work.
  const before = { date: '2026-11-09', price: 4 };
  const earlier = await books.tenant.must('POST', `/v1/fuel_price_indices/${index.id}/fuel_prices`, before, admin);
  expect(earlier.approved_invoices_count).toBe(0);
  const MANY = 'query($id: ID!) { fuelPrices(fuelPriceIndexId: $id) { nodes { date approvedInvoicesCount } } }';
  const { data } = await books.tenant.gql(MANY, { id: index.id }, admin);
  expect(data.fuelPrices.nodes).toEqual([
    { date: '2026-11-16', approvedInvoicesCount: 1 },
    { date: '2026-11-09', approvedInvoicesCount: 0 },
  ]);
  // A later load has the fuel of the job: 22.80 t at 4.25 are 96.90, and 4 % are 3.88.
  await ticketed(books.tenant, job.loads[3], '22.8');
  const [, late] = await partsOf(job);
  expect(late).toMatchObject({ reason: 'late_ticket', totalAmount: '385.78' });
  // Both say by the price of which day; who does not see what fuel costs does not read it.
  const RATED = 'query($id: ID!) { invoiceAddOnCharges(invoiceId: $id) { nodes { ratedOn } } }';
  const rated = async (id: string, token: string) =>
    (await books.tenant.gql(RATED, { id }, token)).data.invoiceAddOnCharges.nodes.map(({ ratedOn }: Json) => ratedOn);
  const blind = await machineToken(books.tenant, ['view_settlements', 'view_customer_rates']);
  expect([await rated(invoice.id, admin), await rated(late.id, admin), await rated(late.id, blind)]).toEqual([
    ['2026-11-16'],
    ['2026-11-16'],
    [null],
  ]);
  const { explain } = await books.biller.must('GET', books.biller.path(`/invoices/${invoice.id}/explain`));
  expect(JSON.stringify(explain)).toContain('"date":"2026-11-16"');
  expect(await linesOf(books.biller, late.id)).toEqual([
    ['22.8', '4.25', '96.9'],
    ['22.8', '12.5', '285'],
  ]);
  // An edited line of it is shown next to the one that it would be.
  const ofLate = books.biller.path(`/invoices/${late.id}/invoice_line_items`);
  const change = { id: late.invoiceLineItems[0].id, quantity: 23, only_this_side: true };
  await books.biller.must('PATCH', ofLate, { rate_type: 'RatePerTon', invoice_line_items: [change] });
  const [, shown] = await partsOf(job);
  expect(shown.invoiceLineItems[0]).toMatchObject({ quantity: '23', workQuantity: '22.8', workTotalAmount: '96.9' });
  expect((await partsOf(job))[1].invoiceLineItems[0].id).toBe(late.invoiceLineItems[0].id);
});

test('a schedule of a project that is changed says how many approved invoices of its work keep what they say', async () => {
  const { tenant } = books;
  const project = await tenant.must('POST', '/v1/projects', { name: 'Road of schedules', account_id: tenant.account.id });
  const path = `/v1/projects/${project.id}/site_rate_schedules`;
  const [here, elsewhere] = [
    await tenant.must('POST', path, { ...ofCustomer(5), site_id: tenant.pickup.id }),
    await tenant.must('POST', path, { ...ofCustomer(7), site_id: tenant.dropoff.id }),
  ];
  const invoice = await approvedInvoice(books, ['10'], { order: { project_id: project.id } });
  expect(invoice.total_amount).toBe('50');
  const admin = await tenant.administrator();
  const changed = async ({ id }: Json) =>
    (await tenant.must('PATCH', `/v1/site_rate_schedules/${id}`, ofCustomer(6), admin)).approved_invoices_count;
  expect([await changed(here), await changed(elsewhere)]).toEqual([1, 0]);
  const [{ totalAmount, stale }] = await partsOf(invoice.job);
  expect([totalAmount, stale]).toEqual(['50', false]);
});

test('what an account says of tax and fuel later changes nothing that was approved', async () => {
  const { biller, tenant } = books;
  const admin = await tenant.administrator();
  const PROFILE = 'mutation($id: ID!, $input: UpdateBillingProfileInput!) { updateBillingProfile(accountId: $id, input: $input) { id } }';
  const profile = async (input: object): Promise<void> => {
    expect((await tenant.gql(PROFILE, { id: tenant.account.id, input }, admin)).errors).toBeUndefined();
  };
  const [schedule] = await tenant.must('GET', tenant.path('/fuel_surcharge_schedules'));
  const fuel = await addOn(books, 'Fuel of accounts', { revenue_cost_rate_type: 'FuelSurcharge', fuel_surcharge_schedule_id: schedule.id });
  const order = { ...ofCustomer(10), tax_rate: 10, tax_freight: true };
  await profile({ fuelLagWeeks: 0 });
  const [taxed, other] = [
    await approvedInvoice(books, ['10'], { order, charges: [fuel] }),
    await approvedInvoice(books, ['10'], { order: ofCustomer(10) }),
  ];
  const settlement = await settle(books, [taxed, other]);
  await profile({ fuelLagWeeks: 2, taxExemptNumber: 'EX-1', oneJobPerSettlement: true });
  try {
    const none = await supplement(taxed.id);
    expect([none.status, messages(none)]).toEqual([409, ['is billed as its work is: nothing differs']]);
    // Both were settled together, and are together when they are billed anew, at the tax of that time.
    await biller.must('PUT', biller.path(`/settlements/${settlement.id}/void`), {});
    const anew = await biller.must('POST', biller.path(`/settlements/${settlement.id}/rebill`), {});
    expect(anew.rebill_total_amount).toBe(settlement.total_amount);
    const same = { data: [{ invoice_id: taxed.id, rebill_rate_value: 10 }] };
    const again = await biller.must('PATCH', `/v1/settlements/${anew.id}/invoices/rebill_rates`, same);
    expect(again.rebill_total_amount).toBe(settlement.total_amount);
  } finally {
    await profile({ fuelLagWeeks: null, taxExemptNumber: null, oneJobPerSettlement: false });
  }
});

test('a rate card of a link that is changed after the work changes neither what is pending nor what was approved', async () => {
  const chain = await makeChain(books.app);
  const { owner, middle } = chain;
  const by = await billerOf(middle);
  const { id, go } = await jobOfChain(chain);
  const own = (await middle.must('GET', middle.path(`/jobs/${id}/job_assignments`))).filter((one: Json) => one.rate_value !== undefined);
  const rate = await rateCard(middle, 'vendor', { type: 'RatePerTon', unit_rate: 3, unit_minimum: 0, unit_increment: 0 });
  await middle.must('PATCH', `/v1/job_assignments/${own[0].id}`, { rate_id: rate.id });
  for (const one of shortHaul()) await go(one);
  await middle.must('PATCH', `/v1/rates/${rate.id}`, { unit_rate: 3.5, unit_minimum: 20, unit_increment: 7 });
  const [load] = await owner.must('GET', `/v1/jobs/${id}/loads`);
  await ticketed(owner, load, '10');
  await approveLoads(by, { loads: [load] });
  const payable = await invoiceOf(books, id, 'payable', by);
  expect((await event(by, payable.id, 'approve')).body.data).toMatchObject({ state: 'approved', total_amount: '30' });
  await middle.must('PATCH', `/v1/rates/${rate.id}`, { unit_rate: 4 });
  const none = await supplement(payable.id, {}, by);
  expect([none.status, messages(none)]).toEqual([409, ['is billed as its work is: nothing differs']]);
  const made = await supplement(payable.id, perTon(3.5), by);
  expect([made.status, made.body.data.total_amount]).toEqual([201, '5']);
});

test('what came between approval and settlement is billed by a supplement as soon as the approval is not taken back any more', async () => {
  for (const pays of [false, true]) {
    const job = await hauled(books, ['10', null], { order: ofCustomer(2) });
    await approveLoads(books.biller, { loads: job.loads.slice(0, 1) });
    const invoice = await invoiceOf(books, job.id);
    const path = books.biller.path(`/invoices/${invoice.id}/invoice_line_items`);
    const removed = (await books.biller.must('GET', path)).find(({ load }: Json) => load.id === job.loads[1].id);
    await books.biller.must('PATCH', path, { rate_type: 'RatePerTon', invoice_line_items: [{ id: removed.id, _destroy: 1 }] });
    await approve(invoice.id);
    await ticketed(books.tenant, job.loads[1], '7');
    expect(await partsOf(job)).toMatchObject([{ totalAmount: '20', stale: true }]);
    if (pays) await event(books.biller, invoice.id, 'pay');
    else await settle(books, [invoice]);
    expect(await partsOf(job)).toMatchObject([
      { totalAmount: '20', stale: false },
      { totalAmount: '14', reason: 'late_ticket' },
    ]);
  }
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
