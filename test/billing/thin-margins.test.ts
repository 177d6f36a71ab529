import { expect, test } from '@jest/globals';
import { machineToken, makeStaffedTenant, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { type Biller, billerOf, hauled, invoiceOf, M10, makeBooks } from './books.ts';
import { choose } from './days/worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const WARNINGS = 'query($id: ID!) { invoice(id: $id) { warnings } }';
const warnings = async (own: StaffedTenant, { id }: Json, token?: string) => (await own.gql(WARNINGS, { id }, token)).data.invoice.warnings;
/** The receivable of a job that costs something, anew. */
async function priced(own: StaffedTenant, by: Biller, job: Json): Promise<Json> {
  await own.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: Math.random().toFixed(2), tax_freight: true });
  return invoiceOf({ ...books, tenant: own }, job.id, 'receivable', by);
}

test('an invoice of which little is left says so to those who see both sides; material that is bought counts', async () => {
  const own = await makeStaffedTenant(books.app);
  const by = await billerOf(own);
  const admin = await own.administrator();
  const order = { customer_rate_value: 3.6, customer_rate_type: 'RatePerTon', driver_rate_value: 3.5, driver_rate_type: 'RatePerTon' };
  const job = await hauled(books, M10, { at: own, order });
  const receivable = await priced(own, by, job);
  // 247.21 less 240.35 is 2.8 %.
  expect(await warnings(own, receivable, admin)).toEqual(['thin_margin']);
  // A machine that reads settlements and the customers' rates does not learn what is left.
  const machine = await machineToken(own, ['view_settlements', 'view_customer_rates']);
  expect(await warnings(own, receivable, machine)).toEqual([]);
  expect(await warnings(own, await invoiceOf({ ...books, tenant: own }, job.id, 'payable', by), admin)).toEqual([]);
  await choose(own, { thinMarginPercent: 2 });
  expect(await warnings(own, await priced(own, by, job), admin)).toEqual([]);
  await choose(own, { thinMarginPercent: 5 });
  const wide = await hauled(books, ['10'], { at: own, order: { ...order, driver_rate_value: 3 } });
  expect(await warnings(own, await priced(own, by, wide), admin)).toEqual([]);
  const material = {
    material_id: own.material.id,
    material_rate_sell_price: 12,
    material_rate_buy_price: 11.9,
    material_rate_unit_of_measure: 'Ton',
  };
  const sold = await hauled(books, ['10'], { at: own, order: { ...order, driver_rate_value: 3, ...material } });
  expect(await warnings(own, await priced(own, by, sold), admin)).toEqual(['thin_margin']);
  // A price that somebody sets on a load is that of its material, on both sides.
  const set = (price: object) => own.must('PATCH', `/v1/loads/${sold.loads[0].id}`, { material_rate_assignment: price });
  await set({ sell_price: 15 });
  const dearer = await invoiceOf({ ...books, tenant: own }, sold.id, 'receivable', by);
  expect([dearer.invoice_line_items_total_amount, await warnings(own, dearer, admin)]).toEqual(['186', []]);
  await set({ buy_price: 15.5 });
  expect(await warnings(own, await invoiceOf({ ...books, tenant: own }, sold.id, 'receivable', by), admin)).toEqual(['thin_margin']);
});
