import { expect, test } from '@jest/globals';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { approveLoads, billerOf, chargesOfM20, event, hauled, invoiceOf, M10, makeBooks } from '../books.ts';
import { approvedInvoice, settle } from '../settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

test('M23: another rate of freight is all that changes, whatever became of the tax and the requests of the work since it was billed', async () => {
  const { tenant, biller } = books;
  const { fuel, wash, order } = await chargesOfM20(books);
  const invoice = await approvedInvoice(books, M10, { order, charges: [fuel, wash] });
  expect(invoice).toMatchObject({ tax_total_amount: '96.08', total_amount: '1285.64' });
  const settlement = await settle(books, [invoice]);
  const admin = await tenant.administrator();
  await tenant.must('PATCH', `/v1/orders/${invoice.job.order.id}`, { tax_material: false, tax_add_ons: true });
  const requests: Json[] = await tenant.must('GET', `/v1/jobs/${invoice.job.id}/add_on_charges`);
  const idOf = (name: string) => requests.find((one) => one.name === name).id;
  await tenant.must('PATCH', `/v1/add_on_charges/${idOf('Wash')}`, { revenue_rate_value: 30 }, admin);
  expect((await tenant.http('DELETE', `/v1/add_on_charges/${idOf('Fuel')}`, undefined, admin)).status).toBe(204);
  await tenant.must('POST', `/v1/jobs/${invoice.job.id}/add_on_charges`, { add_on_id: wash.id, quantity: 2 }, admin);
  await books.app.settled();
  await biller.must('PUT', biller.path(`/settlements/${settlement.id}/void`), {});
  const anew = await biller.must('POST', biller.path(`/settlements/${settlement.id}/rebill`), {});
  expect(anew.rebill_total_amount).toBe('1285.64');
  const data = [{ invoice_id: invoice.id, rebill_rate_value: 4.5 }];
  const rated = await biller.must('PATCH', `/v1/settlements/${anew.id}/invoices/rebill_rates`, { data });
  // Lines 311.72 and 858.38, fuel 12.47, the wash, and 8.25 % of freight, fuel and material.
  expect(rated).toMatchObject({ rebill_invoices_tax_total_amount: '97.56', rebill_invoices_total_amount: '1305.13' });
  // What changed since is a difference to that, which a supplement bills.
  const made = await biller.must('POST', biller.path(`/invoices/${invoice.id}/supplements`), {});
  const charges: Json[] = await biller.must('GET', biller.path(`/invoices/${made.id}/add_on_charges`));
  expect(charges.map(({ name, total_amount }) => [name, total_amount]).sort()).toEqual([
    ['Fuel', '-12.47'],
    ['Wash', '5'],
    ['Wash', '50'],
  ]);
});

test('B2.4: a request that was withdrawn or lowered after it was settled is given back by a supplement, at a quantity and a rate that come to it', async () => {
  const { tenant, biller } = books;
  const admin = await tenant.administrator();
  const job = await hauled(books, ['10'], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  const ask = (name: string, quantity: number, more: object = {}) =>
    tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { name, quantity, revenue_rate_value: 25, ...more });
  const [gone, fewer, dearer, share] = [
    await ask('Gone', 1),
    await ask('Fewer', 3),
    await ask('Dearer', 2),
    await ask('Share', 1, { revenue_cost_rate_type: 'RatePercentOfTotal', percentage: 10 }),
  ];
  await approveLoads(biller, job);
  const bill = await invoiceOf(books, job.id);
  expect((await event(biller, bill.id, 'approve')).body.data).toMatchObject({ total_amount: '172' });
  await settle(books, [bill]);
  const change = (id: string, body: object) => tenant.must('PATCH', `/v1/add_on_charges/${id}`, body, admin);
  for (const { id } of [gone, share]) expect((await tenant.http('DELETE', `/v1/add_on_charges/${id}`, undefined, admin)).status).toBe(204);
  await change(fewer.id, { quantity: 1 });
  await change(dearer.id, { revenue_rate_value: 27.5 });
  const made = await biller.must('POST', biller.path(`/invoices/${bill.id}/supplements`), {});
  expect(made.total_amount).toBe('-72');
  const differences = async (): Promise<Json> => {
    await books.app.settled();
    const charges: Json[] = await biller.must('GET', biller.path(`/invoices/${made.id}/add_on_charges`));
    return charges.map(({ name, quantity, revenue_rate_value, total_amount }) => [name, quantity, revenue_rate_value, total_amount]).sort();
  };
  expect(await differences()).toEqual([
    ['Dearer', '2', '2.5', '5'],
    ['Fewer', '2', '-25', '-50'],
    ['Gone', '1', '-25', '-25'],
    ['Share', '0', '25', '-2'],
  ]);
  // It follows, and another one bills what differs from both.
  await change(fewer.id, { quantity: 2 });
  expect((await differences())[1]).toEqual(['Fewer', '1', '-25', '-25']);
  const approved = await tenant.http('PUT', tenant.path(`/invoices/${made.id}/approve`), undefined, admin);
  expect([approved.status, approved.body.data?.total_amount]).toEqual([200, '-47']);
  await change(fewer.id, { quantity: 4 });
  const next = await biller.must('POST', biller.path(`/invoices/${bill.id}/supplements`), {});
  const [more] = await biller.must('GET', biller.path(`/invoices/${next.id}/add_on_charges`));
  expect([more.name, more.quantity, more.revenue_rate_value, more.total_amount]).toEqual(['Fewer', '1', '50', '50']);
});

test('B2.4: requests of one name that were withdrawn after they were settled are given back at what each was, also if the freight is billed anew', async () => {
  const { tenant, biller } = books;
  const admin = await tenant.administrator();
  const job = await hauled(books, ['10'], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  const asked: Json[] = [];
  for (const revenue_rate_value of [25, 30])
    asked.push(await tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { name: 'Wash', quantity: 1, revenue_rate_value }));
  await approveLoads(biller, job);
  const bill = await invoiceOf(books, job.id);
  expect((await event(biller, bill.id, 'approve')).body.data).toMatchObject({ total_amount: '75' });
  const settlement = await settle(books, [bill]);
  for (const { id } of asked) expect((await tenant.http('DELETE', `/v1/add_on_charges/${id}`, undefined, admin)).status).toBe(204);
  await biller.must('PUT', biller.path(`/settlements/${settlement.id}/void`), {});
  const anew = await biller.must('POST', biller.path(`/settlements/${settlement.id}/rebill`), {});
  const data = [{ invoice_id: bill.id, rebill_rate_value: 3 }];
  const rated = await biller.must('PATCH', `/v1/settlements/${anew.id}/invoices/rebill_rates`, { data });
  expect(rated.rebill_total_amount).toBe('85');
  const made = await biller.must('POST', biller.path(`/invoices/${bill.id}/supplements`), {});
  expect(made.total_amount).toBe('-55');
});

test.each([
  ['longer', 62, '22.5'],
  ['not at all', 20, '-45'],
] as const)(
  'B2.4: waiting is billed anew as it was billed, and a truck that waited %s by times that were corrected since is a difference',
  async (_, minutes, differs) => {
    const own = await makeStaffedTenant(books.app);
    const [by, admin] = [await billerOf(own), await own.administrator()];
    const waiting = { name: 'Waiting', addOnTypes: ['invoicing'], revenueRateValue: '90', waitCountedIn: 'hour', waitFreeMinutes: 30 };
    const ADD = 'mutation($input: CreateAddOnInput!) { createAddOn(input: $input) { id } }';
    const { data } = await own.gql(ADD, { input: { ...waiting, waitIncrementMinutes: 15 } }, admin);
    const assigned = { add_on_id: data.createAddOn.id, account_type: 'customer' };
    await own.must('POST', `/v1/accounts/${own.account.id}/auto_add_on_assignments`, assigned);
    const job = await hauled(books, ['10'], { at: own, order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
    const [load] = job.loads;
    const correct = (minutes: number, more: object = {}) =>
      own.must(
        'PATCH',
        `/v1/loads/${load.id}/summary`,
        { arrived_pickup_at: new Date(Date.parse(load.load_summary.loaded_at) - minutes * 60_000).toISOString(), ...more },
        admin,
      );
    await correct(47);
    await approveLoads(by, job);
    const bill = await invoiceOf(books, job.id, 'receivable', by);
    // Ten tons at 2, and half an hour beyond the free one, by quarters, at 90.
    expect((await event(by, bill.id, 'approve')).body.data).toMatchObject({ total_amount: '65' });
    const settlement = await by.must('POST', by.path('/settlements'), { invoice_ids: [bill.id] });
    await correct(minutes, { supplement: true });
    await books.app.settled();
    const listed: Json[] = await by.must('GET', by.path(`/orders/${job.order.id}/invoices?filter[invoice_category]=receivables`));
    const supplement = listed.find(({ id, state }) => id !== bill.id && state === 'pending')!;
    expect(supplement.total_amount).toBe(differs);
    // Nobody bills that yet.
    expect((await event(by, supplement.id, 'void')).status).toBe(200);
    await by.must('PUT', by.path(`/settlements/${settlement.id}/void`), {});
    const anew = await by.must('POST', by.path(`/settlements/${settlement.id}/rebill`), {});
    const rates = [{ invoice_id: bill.id, rebill_rate_value: 3 }];
    expect((await by.must('PATCH', `/v1/settlements/${anew.id}/invoices/rebill_rates`, { data: rates })).rebill_total_amount).toBe('75');
    // What the waiting differs is billed once, by the next supplement.
    expect((await by.must('POST', by.path(`/invoices/${bill.id}/supplements`), {})).total_amount).toBe(differs);
  },
);
