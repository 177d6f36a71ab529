import { expect, test } from '@jest/globals';
import { machineToken } from '../../helpers/staffed-tenant.ts';
import { approveLoads, event, hauled, invoiceOf, makeBooks, rateCard } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const ofCustomer = { customer_rate_value: 2, customer_rate_type: 'RatePerTon' };

test('driver_rate of an invoice is the rate card by which a driver is paid, for those who see what drivers are paid', async () => {
  const { biller, tenant } = books;
  const card = await rateCard(tenant, 'driver', { type: 'RatePerTon', unit_rate: 1.5, unit_minimum: 0, unit_increment: 0 });
  const job = await hauled(books, ['10'], { order: { ...ofCustomer, driver_rate_id: card.id } });
  await approveLoads(biller, job);
  const pay = await invoiceOf(books, job.id, 'payable');
  const read = (path: string, token: string): Promise<Json> => tenant.must('GET', path, undefined, token);
  expect(pay).toMatchObject({ total_amount: '15', rate: { id: card.id }, driver_rate: { id: card.id, name: card.name, unit_rate: 1.5 } });
  expect(await read(`/v1/jobs/${job.id}/payable`, tenant.driver.token)).toMatchObject({ driver_rate: { id: card.id } });
  // It is that of the driver who is paid, and no matter of the customer's invoice.
  const bill = await invoiceOf(books, job.id);
  expect(bill.total_amount).toBe('20');
  expect(bill).not.toHaveProperty('driver_rate');
  const others = await machineToken(tenant, ['view_settlements', 'view_customer_rates', 'view_vendor_rates']);
  const masked: Json[] = await read(tenant.path('/invoices'), others);
  expect(masked.map(({ id }) => id)).toEqual(expect.arrayContaining([pay.id, bill.id]));
  for (const one of masked) expect([one.id, 'driver_rate' in one]).toEqual([one.id, false]);
  const asked = 'query ($id: ID!) { invoice(id: $id) { rate { id } driverRate { id unitRate } } }';
  expect((await tenant.gql(asked, { id: pay.id }, others)).data.invoice).toEqual({ rate: null, driverRate: null });
  // What was approved keeps its rate card, and a rate that somebody sets by hand is of none.
  await biller.must('PATCH', biller.path(`/invoices/${pay.id}`), { rate_value: 3, rate_type: 'RatePerTon' });
  expect(await invoiceOf(books, job.id, 'payable')).not.toHaveProperty('driver_rate');
  await biller.must('PATCH', biller.path(`/invoices/${pay.id}`), { rate_value: null });
  expect((await event(biller, pay.id, 'approve')).body.data).toMatchObject({ state: 'approved', driver_rate: { id: card.id } });
});

test('a driver who is paid a share of what the customer pays reads no rate card of it, by which that could be found out', async () => {
  const { biller, tenant } = books;
  const card = await rateCard(tenant, 'driver', { type: 'RateCommission', commission_percentage: 40 });
  const job = await hauled(books, ['10'], { order: { ...ofCustomer, driver_rate_id: card.id } });
  await approveLoads(biller, job);
  expect(await invoiceOf(books, job.id, 'payable')).toMatchObject({ total_amount: '8', driver_rate: { id: card.id } });
  const own = await tenant.must('GET', `/v1/jobs/${job.id}/payable`, undefined, tenant.driver.token);
  expect(own.total_amount).toBe('8');
  expect(own).not.toHaveProperty('driver_rate');
  const { data } = await tenant.gql('query ($id: ID!) { invoice(id: $id) { driverRate { id } } }', { id: own.id }, tenant.driver.token);
  expect(data.invoice).toEqual({ driverRate: null });
});
