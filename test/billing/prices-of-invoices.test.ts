import { expect, test } from '@jest/globals';
import { machineToken, makeStaffedTenant, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { merge } from '../merging/merging.ts';
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
  withMinimum,
} from './books.ts';
import { pagesOf } from './documents/printed.ts';
import { settle } from './settled.ts';

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
  expect([ofJob.status, (await owedTo(pit))[0].total_amount, await owedTo(quarry, '&filter[states][]=pending')]).toEqual([
    200,
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
  // What the company charges later is for work that is finished later.
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

test('M12: hours are paid by what was approved, and drivers see what they are paid and nothing of the customer', async () => {
  const hourly = { type: 'RatePerHour', time_rate: 110, time_minimum_minutes: 240, time_increment_minutes: 15 };
  const rates = {
    customer_rate_id: (await rateCard(books.tenant, 'customer', hourly)).id,
    driver_rate_id: (await rateCard(books.tenant, 'driver', { type: 'RateCommission', commission_percentage: 30 })).id,
  };
  const job = await hauled(books, ['1'], { order: rates });
  await books.tenant.must(
    'PUT',
    books.tenant.path(`/jobs/${job.id}/approve`),
    { approved_work_time_minutes: 253 },
    await books.tenant.administrator(),
  );
  const billed = await invoiceOf(books, job.id);
  expect(await linesOf(books.biller, billed.id)).toEqual([['4.25', '110', '467.5']]);
  const pay = await invoiceOf(books, job.id, 'payable');
  expect(pay).toMatchObject({ total_amount: '140.25', commission_rate_value: '33', commission_rate_type: 'RatePerHour' });
  const own = await books.tenant.driver.must('GET', `/v1/jobs/${job.id}/payable`);
  expect([own.id, own.total_amount]).toEqual([pay.id, '140.25']);
  expect((await books.tenant.driver.http('GET', `/v1/jobs/${job.id}/receivable`)).status).toBe(404);
  expect((await books.tenant.driver.must('GET', books.tenant.path('/invoices'))).map(({ id }: Json) => id)).toContain(pay.id);
  const { data } = await books.tenant.driver.gql('{ invoices { nodes { side } } }');
  expect(new Set(data.invoices.nodes.map(({ side }: Json) => side))).toEqual(new Set(['payable']));
  expect((await books.tenant.dispatcher.http('GET', `/v1/jobs/${job.id}/payable`)).status).toBe(404);
});

test('M15: whoever is paid by commission reads what it comes to for a ton, and nothing that reveals what the customer pays', async () => {
  const { tenant, biller } = books;
  const { customer_rate_id } = await withMinimum(tenant);
  const share = await rateCard(tenant, 'driver', { type: 'RateCommission', commission_percentage: 33 });
  const job = await hauled(books, M10, { order: { customer_rate_id, driver_rate_id: share.id } });
  await approveLoads(biller, job);
  const { id, ...pay } = await invoiceOf(books, job.id, 'payable');
  expect(pay).toMatchObject({ total_amount: '97.16', rate_value: '33', rate: { id: share.id }, commission_rate_value: '1.4025' });
  // The job says what it comes to for one, to those who see what drivers are paid and to the driver.
  const ofJob = async (token?: string) => {
    const seen = await tenant.must('GET', `/v1/jobs/${job.id}`, undefined, token);
    return [seen.driver_commission_rate_value ?? null, seen.driver_commission_rate_type ?? null];
  };
  expect([await ofJob(await tenant.administrator()), await ofJob(tenant.driver.token)]).toEqual(Array(2).fill(['1.4025', 'RatePerTon']));
  expect(await ofJob(await machineToken(tenant, ['edit_job', 'view_vendor_rates']))).toEqual([null, null]);
  // The log has no entry of it, and the past of the job, before it was hauled, is answered all the same.
  const past = await tenant.http('GET', `/v1/jobs/${job.id}?as_of=${job.created_at}`, undefined, await tenant.administrator());
  expect([past.status, past.body.data?.driver_commission_rate_value ?? null]).toEqual([200, null]);
  const path = biller.path(`/invoices/${id}`);
  await biller.must('PATCH', path, { rate_value: 3, rate_type: 'RatePerTon' });
  expect(await ofJob(tenant.driver.token)).toEqual([null, null]);
  await biller.must('PATCH', path, { rate_value: null });
  expect(await ofJob(tenant.driver.token)).toEqual(['1.4025', 'RatePerTon']);
  await event(biller, id, 'approve');
  const settlement = await settle(books, [{ id }]);
  const clerk = await machineToken(tenant, ['view_settlements', 'view_driver_rates']);
  for (const token of [tenant.driver.token, clerk]) {
    const read = (path: string) => tenant.must('GET', path, undefined, token);
    const seen = await read(`/v1/jobs/${job.id}/payable`);
    const unit = { commission_rate_value: '1.4025', commission_rate_type: 'RatePerTon' };
    expect(seen).toMatchObject({ ...{ total_amount: '97.16', rate_value: null }, ...unit });
    expect(seen.rate ?? null).toBeNull();
    const lines = await read(tenant.path(`/invoices/${id}/invoice_line_items`));
    // The last is a cent more than its tons at this rate: 33 % of an amount that was rounded.
    expect(lines.map(({ quantity, rate, total_amount, revenue_cost_rate_type: as }: Json) => [quantity, rate, total_amount, as])).toEqual([
      ['23.21', '1.4025', '32.55', 'RateForEach'],
      ['22', '1.4025', '30.86', 'RateForEach'],
      ['24.06', '1.4025', '33.75', 'RateForEach'],
    ]);
    const { explain } = await read(tenant.path(`/invoices/${id}/explain`));
    expect([explain.amount, JSON.stringify(explain).includes('"Ticket"')]).toEqual(['97.16', true]);
    const { data } = await tenant.gql('query($id: ID!) { invoice(id: $id) { explain rateValue rate { id } } }', { id }, token);
    expect(data.invoice).toEqual({ explain, rateValue: null, rate: null });
    const settled = await read(tenant.path(`/settlements/${settlement.id}/settlement_line_items?settlement_line_item_type=load`));
    const all = JSON.stringify([seen, lines, explain, settled]);
    expect(['98.64', '102.26', '4.25', '"33"', customer_rate_id, '294.4'].filter((hidden) => all.includes(hidden))).toEqual([]);
  }
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
  // What is not sent stays, also what somebody set on a line, and a type alone says no rate.
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
