import { expect, test } from '@jest/globals';
import { jobOfChain, machineToken, makeChain, shortHaul } from '../../helpers/staffed-tenant.ts';
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
  messages,
  rateCard,
  ticketed,
} from '../books.ts';
import { approvedInvoice, settle } from '../settled.ts';
import { approve, books, ofCustomer, partsOf, perTon, supplement } from './parts.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

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
