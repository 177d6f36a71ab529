import { expect, test } from '@jest/globals';
import type { Permission } from '../../src/identity/access/permissions.ts';
import { machineToken } from '../helpers/staffed-tenant.ts';
import { approveLoads, event, hauled, invoiceOf, makeBooks } from './books.ts';
import { settle } from './settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

test('the money of charges is seen by those who see that of what they are on, and no filter reveals it', async () => {
  const { biller, tenant } = books;
  const rates = { customer_rate_value: 2, customer_rate_type: 'RatePerTon', driver_rate_value: 100, driver_rate_type: 'RateFlatRate' };
  const job = await hauled(books, ['10'], { order: rates });
  await approveLoads(biller, job);
  await tenant.must('PUT', tenant.path(`/jobs/${job.id}/approve`), {}, await tenant.administrator());
  const [bill, pay] = [await invoiceOf(books, job.id), await invoiceOf(books, job.id, 'payable')];
  const add = (id: string, more: object) =>
    biller.must('POST', biller.path(`/invoices/${id}/add_on_charges`), { name: 'Extra', quantity: 2, ...more });
  await add(bill.id, { revenue_rate_value: 7 });
  // What is paid is the cost; the rate of the customer is not kept there.
  await add(pay.id, { revenue_rate_value: 9, cost_rate_value: 5 });
  for (const { id } of [bill, pay]) expect((await event(biller, id, 'approve')).status).toBe(200);
  const settled = [await settle(books, [bill]), await settle(books, [pay])];
  for (const { id } of settled)
    await biller.must('POST', biller.path(`/settlements/${id}/add_on_charges`), { name: 'Fee', quantity: 1, revenue_rate_value: 3 });

  const seen = async (permissions: Permission[]): Promise<Json> => {
    const token = await machineToken(tenant, ['view_settlements', ...permissions]);
    const get = async (path: string): Promise<Json[]> => (await books.app.http('GET', tenant.path(path), { token })).body.data;
    const money = (list: Json[]) => list.map(({ rate, total_amount }) => [rate, total_amount]);
    const charges = [];
    for (const { id } of [bill, pay]) charges.push(...money(await get(`/invoices/${id}/add_on_charges`)));
    for (const { id } of settled) charges.push(...money(await get(`/settlements/${id}/add_on_charges`)));
    const of = async (list: string, type: string) => (await get(`/${list}?filter[rate_types][]=${type}`)).length;
    const found = [];
    for (const list of ['invoices', 'settlements/receivables', 'settlements/payables'])
      found.push(await of(list, 'RatePerTon'), await of(list, 'RateFlatRate'));
    return { charges, found };
  };
  const none = [null, null];
  const [billed, paid, ofBill, ofPay] = [
    ['7', '14'],
    ['5', '10'],
    ['3', '3'],
    ['3', '3'],
  ];
  expect(await seen(['view_customer_rates'])).toEqual({ charges: [billed, none, ofBill, none], found: [1, 0, 1, 0, 0, 0] });
  expect(await seen(['view_driver_rates'])).toEqual({ charges: [none, paid, none, ofPay], found: [0, 1, 0, 0, 0, 1] });
  expect(await seen(['view_vendor_rates'])).toEqual({ charges: [none, none, none, none], found: [0, 0, 0, 0, 0, 0] });
  // The driver reads what is paid for each, and the rate stays with the office.
  const own = await tenant.driver.must('GET', tenant.path(`/settlements/${settled[1]!.id}/add_on_charges`));
  expect(own.map(({ rate, total_amount }: Json) => [rate, total_amount])).toEqual([[null, '3']]);
  expect(await tenant.driver.must('GET', tenant.path('/settlements/payables?filter[rate_types][]=RateFlatRate'))).toHaveLength(1);
});
