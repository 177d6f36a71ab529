import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Material } from '../../src/directory/master-data/named.entities.ts';
import { machineToken, makeStaffedTenant, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { makeOrder } from '../helpers/tenant.ts';
import { merge } from '../merging/merging.ts';
import { approveLoads, billerOf, event, hauled, invoiceOf, linesOf, M10, makeBooks, messages, withMinimum } from './books.ts';
import { pagesOf } from './documents/printed.ts';
import { settle } from './settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const FREIGHT = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon', material_rate_itemized: true };

const vendor = (own: StaffedTenant, name: string): Promise<Json> =>
  own.must('POST', '/v1/accounts', { name, account_types: ['vendor'], auto_accept_orders: false });
const priced = (own: StaffedTenant, material_id: string, more: object): Promise<Json> =>
  own.must('POST', '/v1/material_rates', { material_id, unit_of_measure: 'Ton', ...more });
const assigned = ({ material_rate_assignment: one }: Json) =>
  one && [one.sell_price, one.buy_price, one.unit_of_measure, one.supplier_account?.name ?? null];

/** A material that is sold at 12.50 where it is loaded, and bought there of a pit at 9.80; a quarry sells it at 8.00 wherever. */
async function twoSuppliers(own: StaffedTenant): Promise<{ material: string; pit: Json; quarry: Json }> {
  const { id: material } = await own.save(Material, { company: ref(own.company), name: 'Sand of two' });
  const [pit, quarry] = [await vendor(own, 'Pit'), await vendor(own, 'Quarry')];
  await priced(own, material, { sell_price: 12.5, buy_price: 9.8, supplier_account_id: pit.id, site_id: own.pickup.id });
  await priced(own, material, { sell_price: 11, buy_price: 8, supplier_account_id: quarry.id });
  return { material, pit, quarry };
}

test('M17: a supplier whom an order names gets its own price, and the customer pays what it did', async () => {
  const own = await makeStaffedTenant(books.app);
  const by = await billerOf(own);
  const { material, quarry } = await twoSuppliers(own);
  const owed = async (tons: readonly string[], order: object): Promise<Json[]> => {
    const job = await hauled(books, tons, { at: own, order: { ...FREIGHT, material_id: material, ...order } });
    const sold = (await linesOf(by, (await invoiceOf(books, job.id, 'receivable', by)).id)).map(([, , amount]) => amount);
    expect(sold.slice(tons.length)).toEqual(['290.13', '267.5', '300.75'].slice(0, tons.length));
    const query = `query($order: ID!) { invoices(orderId: $order, filter: { ofMaterial: true }) { nodes { totalAmount vendorAccount { name } } } }`;
    const { order: made } = await own.must('GET', `/v1/jobs/${job.id}`);
    const { data } = await own.gql(query, { order: made.id }, by.token);
    return data.invoices.nodes.map(({ totalAmount, vendorAccount }: Json) => [vendorAccount.name, totalAmount]);
  };
  // 23.21, 21.40 and 24.06 at 8.00.
  expect(await owed(M10, { material_rate_supplier_account_id: quarry.id })).toEqual([['Quarry', '549.36']]);
  // Nobody knows what it costs there, and nobody gets what somebody else sells it for.
  const stranger = await vendor(own, 'Stranger');
  expect(await owed(M10.slice(0, 1), { material_rate_supplier_account_id: stranger.id })).toEqual([]);
});

test('the price of a supplier follows the order and the job until the work is done, and is read over REST', async () => {
  const own = await makeStaffedTenant(books.app);
  const admin = await own.administrator();
  const { material, pit, quarry } = await twoSuppliers(own);
  const order = await makeOrder(own, {
    material_id: material,
    truck_count: 2,
    loads_per_truck: 1,
    material_rate_supplier_account_id: quarry.id,
  });
  expect(order.material_rate_supplier_account).toMatchObject({ id: quarry.id, name: 'Quarry' });
  const all = async () => {
    const jobs: Json[] = await own.must('GET', `/v1/orders/${order.id}/jobs`);
    const loads: Json[] = await own.must('GET', own.path(`/orders/${order.id}/loads`));
    return [...jobs.toSorted((a, b) => (a.job_id < b.job_id ? -1 : 1)), ...loads.toSorted((a, b) => (a.load_id < b.load_id ? -1 : 1))];
  };
  const prices = async () => (await all()).map(assigned);
  const [atPit, atQuarry] = [
    ['12.5', '9.8', 'Ton', 'Pit'],
    ['12.5', '8', 'Ton', 'Quarry'],
  ];
  expect(await prices()).toEqual([atQuarry, atQuarry, atQuarry, atQuarry]);
  const patch = (path: string, body: object) => own.must('PATCH', path, body, admin);
  await patch(`/v1/orders/${order.id}`, { material_rate_supplier_account_id: null });
  expect(await prices()).toEqual([atPit, atPit, atPit, atPit]);
  // A job has a supplier of its own, and follows the order again when it is said to have that one.
  const [first] = await all();
  const ofJob = (body: object) => patch(`/v1/jobs/${first.id}`, { material_rate_assignment: body });
  expect(assigned(await ofJob({ supplier_account_id: quarry.id }))).toEqual(atQuarry);
  expect(await prices()).toEqual([atQuarry, atPit, atQuarry, atPit]);
  await patch(`/v1/orders/${order.id}`, { material_rate_supplier_account_id: pit.id });
  expect(await prices()).toEqual([atQuarry, atPit, atQuarry, atPit]);
  await ofJob({ supplier_account_id: pit.id });
  expect(await prices()).toEqual([atPit, atPit, atPit, atPit]);
  // A price that is set with the supplier is that one, also if it is what another supplier gets.
  await ofJob({ supplier_account_id: quarry.id, buy_price: 9.8 });
  expect((await prices())[0]).toEqual(['12.5', '9.8', 'Ton', 'Quarry']);
  await ofJob({ supplier_account_id: quarry.id, buy_price: 8 });
  expect((await prices())[0]).toEqual(atQuarry);
  // A price that names no supplier is everybody's; one in another unit is none.
  const { id: gravel } = await own.save(Material, { company: ref(own.company), name: 'Gravel of anybody' });
  await priced(own, gravel, { sell_price: 20, buy_price: 15 });
  await priced(own, gravel, { sell_price: 21, buy_price: 16, supplier_account_id: pit.id, site_id: own.pickup.id, unit_of_measure: 'Ton' });
  const of = async (more: object) => {
    const { id } = await makeOrder(own, { material_id: gravel, ...more });
    return assigned((await own.must('GET', `/v1/orders/${id}/jobs`))[0]);
  };
  expect(await of({ material_rate_supplier_account_id: quarry.id })).toEqual(['21', '15', 'Ton', 'Quarry']);
  const ofCustomer = { supplier_account_id: quarry.id, customer_account_id: own.account.id, unit_of_measure: 'Yard' };
  await priced(own, gravel, { sell_price: 30, buy_price: 3, ...ofCustomer });
  expect(await of({ material_rate_supplier_account_id: pit.id })).toEqual(['30', null, 'Yard', 'Pit']);
});

/** A vendor who sells material, for what it is bought and sold for at most places. */
async function supplierOf(own: StaffedTenant, name: string, more: object = {}): Promise<Json> {
  const supplier = await own.must('POST', '/v1/accounts', { name, account_types: ['vendor'], auto_accept_orders: false });
  if (Object.keys(more).length > 0)
    await own.must('POST', '/v1/material_rates', {
      ...{ material_id: own.material.id, unit_of_measure: 'Ton', sell_price: 12.5, buy_price: 9.8, supplier_account_id: supplier.id },
      ...more,
    });
  return supplier;
}

test('M17: what material is bought for is owed to who sells it, is explained, counts once in the margin, and is settled and exported by itself', async () => {
  const own = await makeStaffedTenant(books.app);
  const by = await billerOf(own);
  const admin = await own.administrator();
  const pit = await supplierOf(own, 'Pit', { site_id: own.pickup.id });
  const rates = { driver_rate_value: 3, driver_rate_type: 'RatePerTon', material_rate_itemized: true };
  const order = { ...(await withMinimum(own)), ...rates, material_id: own.material.id };
  const job = await hauled(books, M10, { at: own, order });
  await own.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { name: 'Tarps', quantity: 1, revenue_rate_value: 5, cost_rate_value: 4 });
  const owedTo = async ({ id }: Json, more = ''): Promise<Json[]> => {
    await books.app.settled();
    return by.must('GET', by.path(`/invoices?filter[invoice_category]=vendor_payables&filter[vendor_account_ids][]=${id}${more}`));
  };
  const linesOfInvoice = async ({ id }: Json): Promise<Json[]> => by.must('GET', by.path(`/invoices/${id}/invoice_line_items`));

  // The customer pays 858.38 for it, and the supplier gets 672.97; what is requested for the job is for those who haul.
  const billed = await invoiceOf(books, job.id, 'receivable', by);
  const sold = (await linesOfInvoice(billed)).filter(({ line_item_type }) => line_item_type === 'MaterialRateLineItem');
  expect(sold.map(({ total_amount }) => total_amount)).toEqual(['290.13', '267.5', '300.75']);
  expect(billed).toMatchObject({ invoice_line_items_total_amount: '1152.78', total_amount: '1157.78' });
  const [owed, ...more] = await owedTo(pit);
  expect(more).toEqual([]);
  expect(owed).toMatchObject({ state: 'pending', rate_type: null, rate_value: null, material_rate_itemized: true, total_loads_count: 0 });
  expect(owed).toMatchObject({ total_amount: '672.97', add_on_charges_count: 0, tax_total_amount: null, vendor_account: { id: pit.id } });
  const lines = await linesOfInvoice(owed);
  expect(lines.map(({ line_item_type }) => line_item_type)).toEqual(M10.map(() => 'MaterialRateLineItem'));
  expect(await linesOf(by, owed.id)).toEqual([
    ['23.21', '9.8', '227.46'],
    ['21.4', '9.8', '209.72'],
    ['24.06', '9.8', '235.79'],
  ]);
  const { explain } = await by.must('GET', by.path(`/invoices/${owed.id}/explain`));
  const leaves = (figure: Json): Json[] => (figure.parts ? figure.parts.flatMap(leaves) : [figure]);
  const named = leaves(explain).flatMap(({ source, amount }) => (source ? [[source.type, amount]] : []));
  expect(explain.amount).toBe('672.97');
  expect(named).toEqual(
    M10.flatMap((tons) => [
      ['Ticket', tons],
      ['Job', '9.8'],
    ]),
  );

  // It is no pay for the job, and who may not see what vendors cost reads no amount of it.
  const paid = await invoiceOf(books, job.id, 'payable', by);
  expect([paid.driver.id, paid.total_amount]).toEqual([own.driver.user.id, '210.01']);
  const machine = await machineToken(own, ['view_settlements', 'view_customer_rates']);
  const [seen] = await own.must('GET', own.path(`/invoices?filter[vendor_account_ids][]=${pit.id}`), undefined, machine);
  expect([seen.id, seen.total_amount, seen.tax_total_amount]).toEqual([owed.id, null, null]);
  const { data } = await own.gql(
    '{ ofMaterial: invoices(filter: { ofMaterial: true }) { nodes { id ofMaterial } } others: invoices(filter: { ofMaterial: false, invoiceCategory: payables }) { nodes { ofMaterial } } }',
    {},
    admin,
  );
  expect(data).toEqual({ ofMaterial: { nodes: [{ id: owed.id, ofMaterial: true }] }, others: { nodes: [{ ofMaterial: false }] } });
  const metrics = async () => {
    const measures = ['material_cost', 'vendor_payable', 'margin'].map((one) => `measures[]=${one}`).join('&');
    const [group] = await by.must('GET', by.path(`/metrics?${measures}`));
    return group.values.map(({ measure, value }: Json) => [measure, Number(value)]);
  };
  // M22's way to a margin: what is owed for material is taken off once.
  const margin = 1157.78 - 210.01 - 672.97;
  expect(await metrics()).toEqual([
    ['material_cost', 672.97],
    ['vendor_payable', 672.97],
    ['margin', Number(margin.toFixed(2))],
  ]);
  // Previews say the same.
  const [preview] = await by.must('GET', by.path(`/billing/previews?job_ids[]=${job.id}&side=payable`));
  expect(preview.invoices.map((one: Json) => [one.invoice_id, one.vendor_account_id, one.total_amount])).toEqual([
    [paid.id, null, '210.01'],
    [owed.id, pit.id, '672.97'],
  ]);

  // There is no rate for all of it, and its lines are edited as others are.
  const path = by.path(`/invoices/${owed.id}`);
  const rated = await by.http('PATCH', path, { rate_value: 10, rate_type: 'RatePerTon' });
  expect([rated.status, rated.body.error.errors[0].field]).toEqual([422, 'rate_value']);
  const generated = await by.http('POST', `${path}/invoice_line_items/generate`, { rate_value: 10, rate_type: 'RatePerTon' });
  expect(generated.status).toBe(422);
  await by.must('PATCH', `${path}/invoice_line_items`, { invoice_line_items: [{ id: lines[1].id, rate: 10 }] });
  expect((await owedTo(pit))[0].total_amount).toBe('677.25');
  expect((await metrics())[0]).toEqual(['material_cost', 677.25]);
  await by.must('PATCH', `${path}/invoice_line_items`, { invoice_line_items: [{ id: lines[1].id, rate: null }] });

  // One load came from elsewhere; who sells it is said on the load, and corrected until it is approved.
  const quarry = await supplierOf(own, 'Quarry');
  const from = (supplier: Json | null, { id }: Json) =>
    own.http('PATCH', `/v1/loads/${id}`, { material_rate_assignment: { supplier_account_id: supplier?.id ?? null } }, admin);
  const customer = await from(own.account, job.loads[2]);
  expect([customer.status, customer.body.error.errors[0].field]).toEqual([422, 'material_rate_assignment.supplier_account_id']);
  expect((await from(quarry, job.loads[2])).status).toBe(200);
  expect([(await owedTo(pit))[0].total_amount, (await owedTo(quarry))[0].total_amount]).toEqual(['437.18', '235.79']);
  // Both are paid for the job by themselves, so that they are not made one.
  const both = await merge(own, 'accounts', pit.id, [quarry.id]);
  expect([both.status, messages(both)[0]]).toEqual([422, expect.stringContaining('both sold material of the same job')]);
  expect((await from(pit, job.loads[2])).status).toBe(200);
  expect([(await owedTo(pit))[0].total_amount, (await owedTo(quarry, '&filter[states][]=pending')).length]).toEqual(['672.97', 0]);

  // Once it is approved, nobody pays for it twice, whoever is said to have sold it.
  await approveLoads(by, job);
  expect((await event(by, owed.id, 'approve')).status).toBe(200);
  expect((await from(quarry, job.loads[2])).status).toBe(422);
  const ofJob = await own.http('PATCH', `/v1/jobs/${job.id}`, { material_rate_assignment: { supplier_account_id: quarry.id } }, admin);
  const ofOrder = await own.http('PATCH', `/v1/orders/${job.order.id}`, { material_rate_supplier_account_id: quarry.id }, admin);
  expect([ofJob.status, ofOrder.status, (await owedTo(pit))[0].total_amount, await owedTo(quarry, '&filter[states][]=pending')]).toEqual([
    ...[409, 200],
    '672.97',
    [],
  ]);
  const settlement = await settle({ biller: by }, [owed]);
  expect(settlement).toMatchObject({ total_amount: '672.97', jobs_count: 1, data: { quantities_per_uom: ['68.67 Ton'] } });
  const [group] = await by.must('GET', by.path(`/settlements/${settlement.id}/settlement_line_items`));
  expect(group.line_items.map((line: Json) => [line.rate_value, line.total_amount])).toEqual([['9.8', '672.97']]);
  for (const done of ['approve', 'pay']) await by.must('PUT', by.path(`/settlements/${settlement.id}/${done}`), {});
  const pdf = await fetch(books.app.url + by.path(`/settlements/${settlement.id}/pdf`), {
    headers: { Authorization: `Bearer ${by.token}` },
  });
  const [page] = await pagesOf(new Uint8Array(await pdf.arrayBuffer()));
  expect([page!.includes('Pit'), page!.includes('9.80'), page!.includes('672.97')]).toEqual([true, true, true]);
  // The job itself is still to be paid.
  expect((await own.must('GET', `/v1/jobs/${job.id}`)).state).toBe('completed');
  const file = await fetch(books.app.url + own.path(`/accounting_file?format=quickbooks_desktop&settlement_ids[]=${settlement.id}`), {
    headers: { Authorization: `Bearer ${admin}` },
  });
  const rows = (await file.text()).split(/\r?\n/).map((row) => row.split('\t'));
  const amounts = rows
    .filter(([kind]) => kind === 'TRNS' || kind === 'SPL')
    .map((cells) => [cells[1], cells.find((cell) => /^-?\d+\.\d\d$/.test(cell))]);
  expect(amounts).toEqual([
    ['BILL', '-672.97'],
    ['BILL', '672.97'],
  ]);
});
