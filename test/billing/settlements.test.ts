import { expect, test } from '@jest/globals';
import type { StaffedTenant } from '../helpers/staffed-tenant.ts';
import { makeOrder } from '../helpers/tenant.ts';
import { zoneAt } from '../helpers/zones.ts';
import { approveLoads, type Biller, chargesOfM20, event, hauled, invoiceOf, M10, makeBooks, messages } from './books.ts';
import { openBooks } from './periods/closed.ts';
import { approvedInvoice } from './settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

const create = (by: Biller, ids: string[], more: object = {}) => by.http('POST', by.path('/settlements'), { invoice_ids: ids, ...more });
const act = (by: Biller, id: string, name: string, body: object = {}) => by.http('PUT', by.path(`/settlements/${id}/${name}`), body);
const read = (by: Biller, id: string, of = ''): Promise<Json> => by.must('GET', by.path(`/settlements/${id}${of}`));

/** Charges an add-on by itself with settlements of a customer. */
async function charging(tenant: StaffedTenant, terms: object, installments = 0): Promise<Json> {
  return tenant.must('POST', `/v1/accounts/${tenant.account.id}/auto_add_on_assignments`, {
    ...{ account_type: 'customer', add_on_types: ['settlement'], quantity: '1', total_installments: installments, ...terms },
  });
}

test('M21, M23: a settlement adds up its invoices and its charges; billed anew at another rate it says by how much it differs', async () => {
  const { biller, tenant } = books;
  const discount = await charging(tenant, { name: 'Prompt pay', add_on_rate_type: 'RatePercentOfTotal', percentage: -2 }, 3);
  const { fuel, wash, order } = await chargesOfM20(books);
  const [first, second] = [
    await approvedInvoice(books, M10, { order, charges: [fuel, wash] }),
    await approvedInvoice(books, ['1'], { order: { customer_rate_value: 467.5, customer_rate_type: 'RatePerLoad' } }),
  ];
  const made = await create(biller, [first.id, second.id, first.id], { settlement_line_item_type: 'load' });
  expect([made.status, made.body.error]).toEqual([201, undefined]);
  const settlement = made.body.data;
  expect(settlement).toMatchObject({ invoices_total_amount: '1753.14', add_on_charges_total_amount: '-35.06', total_amount: '1718.08' });
  expect(settlement).toMatchObject({ invoices_tax_total_amount: '96.08', rebill_total_amount: null, jobs_count: 2 });
  expect(settlement).toMatchObject({ state: 'pending', approvable: true, editable: true, approved: false });
  expect(settlement).toMatchObject({ customer_account: { id: tenant.account.id }, data: { quantities_per_uom: ['69.67 Ton'] } });
  expect(settlement.settlement_id).toBe(settlement.ar_settlement_id);
  expect(settlement.data.friendly_order_ids).toHaveLength(2);
  const amounts = (group: Json) => group.line_items.map(({ rate_value, total_amount }: Json) => [rate_value, total_amount]);
  const [lines] = await read(biller, settlement.id, '/settlement_line_items');
  // The total of the invoices without tax and charges.
  expect(lines.subtotal).toBe('1620.28');
  const freight = ['98.64', '93.5', '102.26'].map((amount) => ['4.25', amount]);
  expect(amounts(lines)).toEqual(expect.arrayContaining([...freight, ['12.5', '290.13'], ['467.5', '467.5']]));
  const [ofOrders] = await biller.must(
    'GET',
    biller.path(`/settlements/${settlement.id}/settlement_line_items?settlement_line_item_type=order`),
  );
  expect(ofOrders.line_items.map(({ total_amount, loads_count }: Json) => [total_amount, loads_count])).toEqual(
    expect.arrayContaining([
      ['294.4', 3],
      ['858.38', 3],
      ['467.5', 1],
    ]),
  );
  expect(await read(biller, settlement.id, '/invoices')).toHaveLength(2);
  expect(await read(biller, settlement.id, '/loads')).toHaveLength(4);
  expect(await read(biller, settlement.id, '/tickets')).toHaveLength(4);
  expect((await read(biller, settlement.id, '/add_on_charges'))[0]).toMatchObject({ name: 'Prompt pay', total_amount: '-35.06' });

  // The parts of a settlement are kept.
  const within = `is in settlement ${settlement.settlement_id}; void that first`;
  for (const name of ['unapprove', 'void', 'pay']) {
    const refused = await event(biller, first.id, name);
    expect([refused.status, messages(refused)]).toEqual([409, [within]]);
  }
  const [load] = await tenant.must('GET', `/v1/jobs/${first.job.id}/loads`);
  const kept = await tenant.http('PUT', `/v1/loads/${load.id}/unapprove`, {}, await tenant.administrator());
  expect([kept.status, messages(kept)]).toEqual([422, [within]]);
  const { body: twice } = await create(biller, [second.id]);
  expect(twice.error.errors).toEqual([expect.objectContaining({ field: 'invoice_ids.0', message: within })]);

  expect((await act(biller, settlement.id, 'approve')).body.data).toMatchObject({ state: 'approved', approved: true, editable: false });
  expect((await act(biller, settlement.id, 'approve')).status).toBe(409);
  const voided = await act(biller, settlement.id, 'void', { void_reason: 'wrong rate' });
  expect(voided.body.data).toMatchObject({ state: 'voided', void_reason: 'wrong rate', rebillable: true, total_amount: '1718.08' });
  expect((await act(biller, settlement.id, 'void')).status).toBe(409);
  expect((await invoiceOf(books, first.job.id)).state).toBe('approved');

  const anew = await biller.http('POST', biller.path(`/settlements/${settlement.id}/rebill`));
  expect([anew.status, anew.body.error]).toEqual([201, undefined]);
  const rebill = anew.body.data;
  expect(rebill).toMatchObject({ state: 'pending', total_amount: '1718.08', rebill_total_amount: '1718.08' });
  expect(rebill.original_settlement).toMatchObject({ id: settlement.id, settlement_id: settlement.settlement_id });
  expect((await biller.http('POST', biller.path(`/settlements/${settlement.id}/rebill`))).status).toBe(422);
  const rates = (data: object[], of = rebill) => biller.http('PATCH', `/v1/settlements/${of.id}/invoices/rebill_rates`, { data });
  const corrected = (await rates([{ invoice_id: first.id, rebill_rate_value: 4.5 }])).body.data;
  expect(corrected).toMatchObject({ total_amount: '1718.08', rebill_invoices_total_amount: '1772.63', rebill_total_amount: '1737.18' });
  expect(corrected).toMatchObject({ rebill_invoices_tax_total_amount: '97.56', rebill_add_on_charges_total_amount: '-35.45' });
  const [again] = await read(biller, rebill.id, '/settlement_line_items');
  const rebilled = again.line_items.map(({ rate_value, rebill_total_amount }: Json) => [rate_value, rebill_total_amount]);
  expect(rebilled).toEqual(expect.arrayContaining([...['104.45', '99', '108.27'].map((amount) => ['4.25', amount]), ['467.5', '467.5']]));
  expect((await read(biller, rebill.id, '/add_on_charges'))[0]).toMatchObject({ total_amount: '-35.06', rebill_total_amount: '-35.45' });
  // Null keeps the rate of the invoice.
  expect((await rates([{ invoice_id: first.id, rebill_rate_value: null }])).body.data.rebill_total_amount).toBe('1718.08');
  const wrong = await rates([1, 2].map(() => ({ invoice_id: settlement.id, rebill_rate_value: 4 })));
  expect([wrong.status, wrong.body.error.errors.map(({ field }: Json) => field)]).toEqual([
    422,
    ['data.0.invoice_id', 'data.1.invoice_id'],
  ]);
  expect((await rates([], settlement)).status).toBe(422);
  // The installment of the voided settlement was given back: one is charged.
  const assignments: Json[] = await tenant.must('GET', `/v1/accounts/${tenant.account.id}/auto_add_on_assignments`);
  expect(assignments.find(({ id }) => id === discount.id)).toMatchObject({ auto_add_on_installments_count: 1, total_installments: 3 });
  await tenant.must('DELETE', `/v1/auto_add_on_assignments/${discount.id}`);
});

test('what was edited and removed by hand is a part of the total, and named by itself', async () => {
  const job = await hauled(books, ['10', '20', '5'], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  await approveLoads(books.biller, job);
  const draft = await invoiceOf(books, job.id);
  const path = books.biller.path(`/invoices/${draft.id}/invoice_line_items`);
  const [first, , last] = await books.biller.must('GET', path);
  await books.biller.must('PATCH', path, {
    rate_type: 'RatePerTon',
    invoice_line_items: [
      { id: first.id, rate: 2.5, only_this_side: true },
      { id: last.id, _destroy: 1 },
    ],
  });
  expect((await event(books.biller, draft.id, 'approve')).status).toBe(200);
  const made = (await create(books.biller, [draft.id])).body.data;
  // 10 tons at 2.50 instead of 2.00, and 5 tons at 2.00 that are not billed.
  expect([made.invoices_total_amount, made.adjustments_total_amount]).toEqual(['65', '-5']);
});

test('a settlement is paid with its invoices and signed-off jobs, and taking that back leaves everything as it was', async () => {
  // Where no day ends while the work of today is looked at.
  const noon = await openBooks(books, { timeZone: zoneAt(12) });
  const { biller, tenant } = noon;
  const rates = { driver_rate_value: 100, driver_rate_type: 'RateFlatRate' };
  const job = await hauled(noon, ['10'], { order: rates });
  const admin = await tenant.administrator();
  await tenant.must('PUT', tenant.path(`/jobs/${job.id}/approve`), {}, admin);
  await tenant.must('PUT', tenant.path(`/jobs/${job.id}/sign_off`), {}, admin);
  const pay = await invoiceOf(noon, job.id, 'payable');
  expect((await event(biller, pay.id, 'approve')).status).toBe(200);
  const { data: settlement } = (await create(biller, [pay.id])).body;
  expect(settlement).toMatchObject({ driver: { id: tenant.driver.id }, total_amount: '100' });
  // The driver as SPEC has them there, with their work of today.
  await makeOrder(tenant, { load_at: new Date().toISOString(), driver_id: tenant.driver.id });
  const driverOf = async (path: string) => (await biller.must('GET', path)).driver;
  const { company_day_driver_stat: today } = await driverOf(tenant.path(`/settlements/${settlement.id}`));
  expect(today).toEqual((await tenant.must('GET', `/v1/drivers/${tenant.driver.id}`)).company_day_driver_stat ?? undefined);
  expect(today?.jobs_count).toBeGreaterThan(0);
  expect(settlement.settlement_id).toBe(settlement.ap_settlement_id);
  // What is being paid stays signed off.
  const kept = await tenant.http('PUT', tenant.path(`/jobs/${job.id}/remove_signoff`), {}, admin);
  expect([kept.status, messages(kept)]).toEqual([409, ['is in a settlement; void that first']]);
  expect((await tenant.must('GET', `/v1/jobs/${job.id}`)).state_events).toEqual(['flag', 'pay']);
  expect((await act(biller, settlement.id, 'pay')).status).toBe(409);
  await act(biller, settlement.id, 'approve');
  const state = async () => [
    (await read(biller, settlement.id)).state,
    (await invoiceOf(noon, job.id, 'payable')).state,
    (await tenant.must('GET', `/v1/jobs/${job.id}`)).state,
  ];
  expect(await state()).toEqual(['approved', 'approved', 'signed_off']);
  const both = await Promise.all([act(biller, settlement.id, 'pay'), act(biller, settlement.id, 'pay')]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await state()).toEqual(['paid', 'paid', 'paid']);
  expect((await act(biller, settlement.id, 'void')).status).toBe(409);
  expect((await act(biller, settlement.id, 'undo_pay')).body.data).toMatchObject({ state: 'approved', approved: true });
  expect(await state()).toEqual(['approved', 'approved', 'signed_off']);
  // The driver reads what he is paid, and nothing else.
  const driver: Biller = { ...tenant.driver, path: tenant.path } as never;
  const own: Json[] = await driver.must('GET', tenant.path('/settlements/payables'));
  expect(own.map(({ id, total_amount }) => [id, total_amount])).toEqual([[settlement.id, '100']]);
  expect(await driver.must('GET', tenant.path('/settlements/receivables'))).toEqual([]);
  expect((await act(biller, settlement.id, 'void')).status).toBe(200);
  expect((await tenant.http('PUT', tenant.path(`/jobs/${job.id}/remove_signoff`), {}, admin)).body.data.state).toBe('in_review');
});

test('what cannot be settled is refused by its place in the list, and nothing is settled', async () => {
  const { biller, tenant } = books;
  const ready = await approvedInvoice(books, ['10'], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  const open = await invoiceOf(books, (await hauled(books, ['10'])).id);
  const refused = async (ids: string[]) => {
    const { status, body } = await create(biller, ids);
    return [status, body.error?.errors.map(({ field, message }: Json) => `${field} ${message}`)];
  };
  const nobody = '018cc251-f400-7000-8000-000000000001';
  expect(await refused([])).toEqual([422, ['invoice_ids is required']]);
  expect(await refused([ready.id, open.id, nobody])).toEqual([
    422,
    [`invoice_ids.1 is ${open.state}; only approved invoices can be settled`, 'invoice_ids.2 must exist'],
  ]);
  expect((await refused(['x']))[0]).toBe(422);
  expect((await refused(Array.from({ length: 10_001 }, () => nobody)))[0]).toBe(422);
  expect((await create({ ...biller, ...(await tenant.person({ roles: ['dispatcher'] })) }, [ready.id])).status).toBe(403);
  const both = await Promise.all([create(biller, [ready.id]), create(biller, [ready.id])]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
  const { id } = both.find(({ status }) => status === 201)!.body.data;
  const patch = (body: object) => biller.http('PATCH', `/v1/settlements/${id}`, body);
  expect((await patch({ settlement_line_item_groupings: ['material', 'service'], include_loads_in_pdf: true })).body.data).toMatchObject({
    settlement_line_item_groupings: ['material', 'service'],
    include_loads_in_pdf: true,
  });
  expect((await read(biller, id, '/settlement_line_items'))[0].group).toMatch(/, /);
  expect((await patch({ exported_at: '2020-01-01T00:00:00Z' })).status).toBe(422);
  // Sent back as it was read, it says nothing of an export.
  expect((await patch({ exported_at: null, include_loads_in_pdf: true })).body.data).toMatchObject({
    exported_at: null,
    include_loads_in_pdf: true,
  });
  await act(biller, id, 'approve');
  expect((await patch({ include_loads_in_pdf: false })).status).toBe(422);
  expect((await patch({ exported_at: '2999-01-01T00:00:00Z' })).status).toBe(422);
  expect((await patch({ exported_at: '2020-01-01T00:00:00Z' })).body.data).toMatchObject({ exported_at: '2020-01-01T00:00:00.000Z' });
  expect((await act(biller, id, 'unapprove')).status).toBe(409);
  expect((await patch({ exported_at: null })).status).toBe(200);
  expect((await act(biller, id, 'unapprove')).body.data).toMatchObject({ state: 'pending', billing_approved_at: null });
});

test('lists of settlements are filtered by what is in them', async () => {
  const { biller, tenant } = books;
  const invoice = await approvedInvoice(books, ['12'], { order: { customer_rate_value: 3, customer_rate_type: 'RatePerTon' } });
  const { data: settlement } = (await create(biller, [invoice.id])).body;
  const listed = async (query: string): Promise<boolean> =>
    (await biller.must('GET', tenant.path(`/settlements/receivables?${query}`))).some(({ id }: Json) => id === settlement.id);
  const nobody = '018cc251-f400-7000-8000-000000000001';
  for (const query of [
    'filter[states][]=pending',
    'filter[rate_types][]=RatePerTon',
    `search[datagrid]=${settlement.settlement_id}`,
    'sort[created_at]=desc',
  ])
    expect([query, await listed(query)]).toEqual([query, true]);
  for (const query of [
    'filter[states][]=paid',
    'filter[rate_types][]=RatePerDay',
    `filter[project_ids][]=${nobody}`,
    'filter[start_date]=2999-01-01',
  ])
    expect([query, await listed(query)]).toEqual([query, false]);
});
