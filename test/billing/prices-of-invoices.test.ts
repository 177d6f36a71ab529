import { expect, test } from '@jest/globals';
import { makeStaffedTenant } from '../helpers/staffed-tenant.ts';
import {
  addOn,
  approveLoads,
  chargesOfM20,
  event,
  hauled,
  invoiceOf,
  linesOf,
  M10,
  makeBooks,
  messages,
  rateCard,
  withMinimum,
} from './books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

test('M20: material is charged by itself or within the freight, and taxed as the order says', async () => {
  const material = { material_id: books.tenant.material.id, material_rate_sell_price: 12.5, material_rate_unit_of_measure: 'Ton' };
  const tax = { tax_rate: 8.25, tax_freight: true, tax_material: true };
  const order = { ...(await withMinimum(books.tenant)), ...material, ...tax };
  const itemized = await invoiceOf(books, (await hauled(books, M10, { order: { ...order, material_rate_itemized: true } })).id);
  expect(itemized).toMatchObject({ tax_pretax_amount: '1152.78', tax_total_amount: '95.1', total_amount: '1247.88' });
  expect((await linesOf(books.biller, itemized.id)).map((line) => line[2])).toEqual([
    '98.64',
    '93.5',
    '102.26',
    '290.13',
    '267.5',
    '300.75',
  ]);
  const folded = await invoiceOf(books, (await hauled(books, M10, { order })).id);
  expect(folded).toMatchObject({ tax_pretax_amount: '1152.78', tax_total_amount: '95.1', total_amount: '1247.88' });
  expect(await linesOf(books.biller, folded.id)).toEqual([
    ['23.21', '16.75', '388.77'],
    ['22', '16.75', '361'],
    ['24.06', '16.75', '403.01'],
  ]);
});

test('M20 and M18: charges that were requested for the job are on its invoices, each on the side for which it is', async () => {
  const { index, fuel, wash, order } = await chargesOfM20(books);
  const fee = await addOn(books, 'Fee', { revenue_cost_rate_type: 'RatePercentOfTotal', percentage: -8, add_on_types: ['driver_pay'] });
  const driver_rate_id = (
    await rateCard(books.tenant, 'driver', { type: 'RatePerTon', unit_rate: 3.6, unit_minimum: 0, unit_increment: 0 })
  ).id;
  const job = await hauled(books, M10, { order: { ...order, driver_rate_id } });
  const charges = `/v1/jobs/${job.id}/add_on_charges`;
  for (const { id } of [fuel, fee]) await books.tenant.must('POST', charges, { add_on_id: id, quantity: 1 });
  const washed = await books.tenant.must('POST', charges, { add_on_id: wash.id, quantity: 1 });
  const billed = await invoiceOf(books, job.id);
  expect(billed).toMatchObject({ add_on_charges_count: 2, add_on_charges_total_amount: '36.78', tax_pretax_amount: '1189.56' });
  expect(billed).toMatchObject({ tax_total_amount: '96.08', total_amount: '1285.64' });
  const paid = await invoiceOf(books, job.id, 'payable');
  expect(paid).toMatchObject({ invoice_line_items_total_amount: '247.22', add_on_charges_total_amount: '-19.78', total_amount: '227.44' });
  const applied = async (id: string): Promise<Json> =>
    (await books.biller.must('GET', books.biller.path(`/invoices/${id}/add_on_charges`))).map((one: Json) => [one.name, one.total_amount]);
  expect((await applied(billed.id)).sort()).toEqual([
    ['Fuel', '11.78'],
    ['Wash', '25'],
  ]);
  expect(await applied(paid.id)).toEqual([['Fee', '-19.78']]);
  expect(await books.biller.must('GET', charges)).toHaveLength(3);
  // Withdrawn, and changed.
  expect((await books.tenant.http('DELETE', `/v1/add_on_charges/${washed.id}`)).status).toBe(204);
  expect((await invoiceOf(books, job.id)).total_amount).toBe('1260.64');
  expect(await applied(billed.id)).toEqual([['Fuel', '11.78']]);
  // A price of fuel that nobody knows keeps the invoice from being approved.
  await books.tenant.must(
    'DELETE',
    `/v1/fuel_prices/${(await books.tenant.must('GET', `/v1/fuel_price_indices/${index.id}/fuel_prices`))[0].id}`,
  );
  await approveLoads(books.biller, job);
  expect((await invoiceOf(books, job.id)).total_amount).toBe('1247.88');
  expect(messages(await event(books.biller, billed.id, 'approve'))).toEqual([
    'cannot be approved: the price of fuel of the day is not known',
  ]);
  // Once somebody types it, the pending invoice charges it.
  await books.tenant.must('POST', `/v1/fuel_price_indices/${index.id}/fuel_prices`, { date: '2026-11-16', price: 4.132 });
  expect((await invoiceOf(books, job.id)).total_amount).toBe('1260.64');
});

test('DOMAIN 3.7: a rate card that asks for fuel is charged the percentage of the company, taxed as freight, unless a schedule charges for fuel', async () => {
  const { tenant, biller } = books;
  const admin = await tenant.administrator();
  await tenant.must('PATCH', `/v1/companies/${tenant.company.id}`, { fuel_surcharge_percentage: 5 }, admin);
  const flat = { type: 'RateFlatRate', flat_amount: 1000, fuel_surcharge_enabled: true };
  const tax = { tax_rate: 10, tax_freight: true, tax_material: false };
  const order = { ...tax, customer_rate_id: (await rateCard(tenant, 'customer', flat)).id };
  const job = await hauled(books, ['10'], { order });
  const invoice = await invoiceOf(books, job.id);
  expect(invoice).toMatchObject({ add_on_charges_count: 1, tax_pretax_amount: '1050', tax_total_amount: '105', total_amount: '1155' });
  const charges = biller.path(`/invoices/${invoice.id}/add_on_charges`);
  const [charge] = await biller.must('GET', charges);
  expect(charge).toMatchObject({ name: 'Fuel surcharge', revenue_cost_rate_type: 'FuelSurcharge', percentage: '5', total_amount: '50' });
  expect((await tenant.http('DELETE', `/v1/add_on_charges/${charge.id}`, undefined, admin)).status).toBe(422);
  // A rate card that somebody sets by hand brings it along, and a value by itself does not.
  const path = biller.path(`/invoices/${invoice.id}`);
  expect((await biller.must('PATCH', path, { rate_value: 900, rate_type: 'RateFlatRate' })).total_amount).toBe('990');
  expect((await biller.must('PATCH', path, { rate_id: order.customer_rate_id })).total_amount).toBe('1155');
  // A later charge of the company is for work that is finished later.
  await tenant.must('PATCH', `/v1/companies/${tenant.company.id}`, { fuel_surcharge_percentage: 6 }, admin);
  await biller.must('PUT', biller.path(`/jobs/${job.id}/approve`), {});
  expect((await event(biller, invoice.id, 'approve')).body.data.total_amount).toBe('1155');
  // Never both.
  const [fuel] = (await tenant.must('GET', tenant.path('/add_ons'))).filter(({ name }: Json) => name === 'Fuel');
  await tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: fuel.id, quantity: 1 });
  const other = await hauled(books, ['10'], { order });
  await tenant.must('POST', `/v1/jobs/${other.id}/add_on_charges`, { add_on_id: fuel.id, quantity: 1 });
  const scheduled = await invoiceOf(books, other.id);
  expect([scheduled.add_on_charges_count, scheduled.add_on_charges_total_amount]).toEqual([1, '40']);
  // The approved one differs by what it charges otherwise, and says so.
  await books.app.settled();
  const { data } = await biller.gql('query($id: ID!) { invoice(id: $id) { stale } }', { id: invoice.id });
  expect(data.invoice.stale).toBe(true);
});

test('what is charged by itself is on the invoices of its side, and stops when it is taken away', async () => {
  const own = await makeStaffedTenant(books.app);
  const by = { ...(await own.person({ roles: ['biller'] })), path: own.path };
  const addOn = async (name: string, more: object): Promise<string> => (await own.must('POST', '/v1/add_ons', { name, ...more })).id;
  const fee = await addOn('Environmental fee', { add_on_types: ['invoicing'], revenue_rate_value: 5, quantity: 1 });
  const lease = await addOn('Lease', { add_on_types: ['driver_pay'], revenue_cost_rate_type: 'RatePercentOfTotal', percentage: -15 });
  const ofAccount = await own.must('POST', `/v1/accounts/${own.account.id}/auto_add_on_assignments`, {
    add_on_id: fee,
    account_type: 'customer',
  });
  await own.must('POST', `/v1/drivers/${own.driver.id}/auto_add_on_assignments`, { add_on_id: lease });
  const rates = { customer_rate_value: 2, customer_rate_type: 'RatePerTon', driver_rate_value: 100, driver_rate_type: 'RateFlatRate' };
  const job = await hauled(books, ['10'], { at: own, order: rates });
  const totals = async () => [
    (await invoiceOf(books, job.id, 'receivable', by)).total_amount,
    (await invoiceOf(books, job.id, 'payable', by)).total_amount,
  ];
  expect(await totals()).toEqual(['25', '85']);
  const { id } = await invoiceOf(books, job.id, 'receivable', by);
  const listed = await by.must('GET', by.path(`/invoices/${id}/add_on_charges`));
  expect(listed).toEqual([expect.objectContaining({ name: 'Environmental fee', total_amount: '5', add_on: { id: fee } })]);
  expect((await own.http('PATCH', `/v1/add_on_charges/${listed[0].id}`, { quantity: 2 })).status).toBe(422);
  expect((await own.http('DELETE', `/v1/auto_add_on_assignments/${ofAccount.id}`)).status).toBe(204);
  // Nothing of the work has changed.
  expect(await totals()).toEqual(['20', '85']);
  await own.must('POST', `/v1/jobs/${job.id}/auto_add_on_assignments`, { add_on_id: fee });
  expect(await totals()).toEqual(['25', '85']);
});

test('a rate by hand prices an invoice anew, what is generated is not stored, and a voided invoice is replaced', async () => {
  const job = await hauled(books, ['10', '20'], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  const draft = await invoiceOf(books, job.id);
  const path = books.tenant.path(`/invoices/${draft.id}`);
  const generated = await books.biller.http('POST', `${path}/invoice_line_items/generate`, { rate_value: 3, rate_type: 'RatePerTon' });
  expect([generated.status, generated.body.data.map(({ total_amount }: Json) => total_amount)]).toEqual([200, ['30', '60']]);
  expect((await books.biller.must('GET', `/v1/jobs/${job.id}/receivable`)).total_amount).toBe('60');
  const byHand = await books.biller.must('PATCH', path, { rate_value: 500, rate_type: 'RateFlatRate' });
  expect(byHand).toMatchObject({ total_amount: '500', rate_type: 'RateFlatRate' });
  // Fields that are not sent stay, also values that somebody set on a line, and a type alone says no rate.
  const [line] = await books.biller.must('GET', `${path}/invoice_line_items`);
  await books.biller.must('PATCH', `${path}/invoice_line_items`, { invoice_line_items: [{ id: line.id, quantity: 2 }] });
  expect((await books.biller.must('PATCH', path, {})).total_amount).toBe('1000');
  const typed = await books.biller.http('PATCH', path, { rate_type: 'RatePerTon' });
  expect([typed.status, messages(typed)]).toEqual([422, ['needs a rate value or a rate']]);
  expect((await books.biller.must('PATCH', path, { rate_value: 500, rate_type: 'RateFlatRate' })).total_amount).toBe('500');
  // A ticket more does not bring the old rate back.
  await books.tenant.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 10, tax_freight: true });
  expect((await invoiceOf(books, job.id)).total_amount).toBe('550');
  expect((await books.biller.http('PATCH', path, { rate_value: 3 })).status).toBe(422);
  expect(
    messages(
      await books.biller.http('PATCH', path, {
        rate_id: (await rateCard(books.tenant, 'driver', { type: 'RatePerTon', unit_rate: 1, unit_minimum: 0, unit_increment: 0 })).id,
      }),
    ),
  ).toHaveLength(1);
  expect((await books.biller.must('PATCH', path, { rate_id: null, rate_value: null })).total_amount).toBe('66');
  expect((await event(books.biller, draft.id, 'void')).body.data.state).toBe('voided');
  const next = await invoiceOf(books, job.id);
  expect([next.id === draft.id, next.total_amount, next.state]).toEqual([false, '66', 'pending']);
  expect((await books.biller.http('PATCH', path, { rate_value: 1, rate_type: 'RateFlatRate' })).status).toBe(422);
  expect((await event(books.biller, draft.id, 'void')).status).toBe(409);
});

test('waiting is charged by itself, and a ticket in yards is billed by the ton by the density of its material', async () => {
  const own = await makeStaffedTenant(books.app);
  const by = { ...(await own.person({ roles: ['biller'] })), path: own.path };
  const admin = await own.administrator();
  const ADD_ON = 'mutation($input: CreateAddOnInput!) { createAddOn(input: $input) { id waitCountedIn waitFreeMinutes } }';
  const waiting = { name: 'Waiting', addOnTypes: ['invoicing'], revenueRateValue: '90', waitCountedIn: 'hour', waitFreeMinutes: 30 };
  const made = await own.gql(ADD_ON, { input: { ...waiting, waitIncrementMinutes: 15 } }, admin);
  expect(made.data?.createAddOn).toMatchObject({ waitCountedIn: 'hour', waitFreeMinutes: 30 });
  const wrong = await own.gql(ADD_ON, { input: { ...waiting, name: 'Wrong', revenueCostRateType: 'PerLoad' } }, admin);
  expect(wrong.errors[0].extensions.errors.map(({ field }: Json) => field)).toEqual(['waitCountedIn', 'waitFreeMinutes']);
  const assigned = { add_on_id: made.data.createAddOn.id, account_type: 'customer' };
  await own.must('POST', `/v1/accounts/${own.account.id}/auto_add_on_assignments`, assigned);
  const rates = { customer_rate_value: 2, customer_rate_type: 'RatePerTonne', material_id: own.material.id, unit_of_measure: 'Tonne' };
  const job = await hauled(books, [null], { at: own, order: rates });
  const yards = { load_id: job.loads[0].id, ticket_number: 'T-YARDS', quantity: 10, unit_of_measure: 'CubicMeter' };
  await own.must('POST', '/v1/tickets', yards);
  const at = (minutes: number) => new Date(Date.UTC(2026, 10, 18, 12, minutes));
  const stamps = { summaryArrivedPickupAt: at(0), summaryLoadedAt: at(47) };
  await own.app.orm.em
    .fork()
    .getConnection()
    .execute('update load set summary_arrived_pickup_at = ?, summary_loaded_at = ? where job_id = ?', [...Object.values(stamps), job.id]);
  const total = async () => (await invoiceOf(books, job.id, 'receivable', by)).total_amount;
  await own.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 0, tax_freight: true });
  expect(await total()).toBe('45');
  const DENSITY = 'mutation($id: ID!, $density: Decimal) { updateMaterial(id: $id, input: { density: $density }) { density } }';
  expect((await own.gql(DENSITY, { id: own.material.id, density: '1.6' }, admin)).data).toEqual({ updateMaterial: { density: '1.6' } });
  expect((await own.gql(DENSITY, { id: own.material.id, density: '0' }, admin)).errors[0].extensions.errors[0].field).toMatch(/density/);
  // Pending, it follows the density.
  expect(await total()).toBe('77');
  const lines = await by.must('GET', by.path(`/invoices/${(await invoiceOf(books, job.id, 'receivable', by)).id}/invoice_line_items`));
  expect(lines.map(({ name, delivered_quantity }: Json) => [name.replace(/^load \S+/, 'load'), delivered_quantity])).toEqual([
    ['load at 1.6 t/m³', '16'],
  ]);
  // Approved, it stays as it was weighed, and work that follows is weighed anew.
  const { id } = await invoiceOf(books, job.id, 'receivable', by);
  await approveLoads(by, job);
  await event(by, id, 'approve');
  await own.gql(DENSITY, { id: own.material.id, density: '1.5' }, admin);
  await own.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 0, tax_freight: false });
  expect(await total()).toBe('77');
  const { data } = await by.gql('query($id: ID!) { invoice(id: $id) { stale } }', { id });
  expect(data.invoice.stale).toBe(false);
  expect((await event(by, id, 'unapprove')).body.data.total_amount).toBe('75');
  // A day costs the same however long a truck waits in it; who pays for hours pays for waiting already (BILLING B3).
  const daily = await by.must('PATCH', by.path(`/invoices/${id}`), { rate_value: 400, rate_type: 'RatePerDay' });
  expect(daily.add_on_charges_total_amount).toBe('45');
  const timed = await by.must('PATCH', by.path(`/invoices/${id}`), { rate_value: 10, rate_type: 'RatePerHour' });
  expect(timed.add_on_charges_total_amount).toBe('0');
});
