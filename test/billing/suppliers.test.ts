import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Material } from '../../src/directory/master-data/named.entities.ts';
import { makeStaffedTenant, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { makeOrder } from '../helpers/tenant.ts';
import { billerOf, hauled, invoiceOf, linesOf, M10, makeBooks } from './books.ts';

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
