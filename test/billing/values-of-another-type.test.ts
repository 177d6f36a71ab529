import { expect, test } from '@jest/globals';
import { jobOfChain, makeChain, makeStaffedTenant, shortHaul } from '../helpers/staffed-tenant.ts';
import { billerOf, hauled, invoiceOf, linesOf, makeBooks, rateCard, ticketed } from './books.ts';
import { rateCardOf, worked } from './days/worked-days.ts';

const books = makeBooks();
const HOURLY = { type: 'RatePerHour', time_rate: 95, time_minimum_minutes: 240, time_increment_minutes: 15 };
const BY_TON = { type: 'RatePerTon', unit_rate: 4.25, unit_minimum: 22, unit_increment: 0.5 };

test('minutes of an hourly rate card are no tons of a value that goes before it, nor tons tonnes', async () => {
  const of = await makeStaffedTenant(books.app);
  const by = await billerOf(of);
  const billed = async (card: object, customer_rate_value: number, customer_rate_type: string) => {
    const customer_rate_id = (await rateCard(of, 'customer', card)).id;
    const job = await hauled(books, ['10'], { at: of, order: { customer_rate_id, customer_rate_value, customer_rate_type } });
    return linesOf(by, (await invoiceOf(books, job.id, 'receivable', by)).id);
  };
  expect(await billed(HOURLY, 5, 'RatePerTon')).toEqual([['10', '5', '50']]);
  expect(await billed(BY_TON, 5, 'RatePerTonne')).toEqual([['9.0718', '5', '45.36']]);
  // Of the same type they hold.
  expect(await billed(BY_TON, 5, 'RatePerTon')).toEqual([['22', '5', '110']]);
});

test('what is paid by the hour or the load has neither minimum nor bands of a rate card by the ton', async () => {
  const of = await makeStaffedTenant(books.app);
  const by = await billerOf(of);
  const none = { timeMinimumMinutes: undefined, timeIncrementMinutes: undefined };
  const tiers = { tierMode: 'volume', tiers: [{ from: '1', rate: '3' }] };
  const bands = await rateCardOf(of, { ...none, type: 'RatePerTon', unitRate: '4', unitMinimum: '500', unitIncrement: '0', ...tiers });
  const hours = await worked(of, null, { ...bands, customer_rate_value: 60, customer_rate_type: 'RatePerHour' }, 120);
  expect(await linesOf(by, (await invoiceOf(books, hours.id, 'receivable', by)).id)).toEqual([['2', '60', '120']]);
  const loads = { ...bands, customer_rate_value: 185, customer_rate_type: 'RatePerLoad' };
  const job = await hauled(books, ['10', '10'], { at: of, order: loads });
  const lines = await linesOf(by, (await invoiceOf(books, job.id, 'receivable', by)).id);
  expect(lines).toEqual([
    ['1', '185', '185'],
    ['1', '185', '185'],
  ]);
  // A quote of the same says the same.
  const project = await of.must('POST', '/v1/projects', { name: 'By the load', account_id: of.account.id, ...loads });
  const { rates } = await of.admin.must('GET', of.path(`/projects/${project.id}/quote`));
  expect(rates).toMatchObject([{ rate_type: 'RatePerLoad', value: '185', tiers: [], tier_mode: null, minimum_quantity: null }]);
});

test('a type without a value is not that of a rate card', async () => {
  const of = await makeStaffedTenant(books.app);
  const by = await billerOf(of);
  const customer_rate_id = (await rateCard(of, 'customer', HOURLY)).id;
  const job = await hauled(books, ['10'], { at: of, order: { customer_rate_id, customer_rate_type: 'RatePerTon' } });
  const { customer } = await of.admin.must('GET', of.path(`/jobs/${job.id}/applied_rates`));
  expect(customer).toMatchObject({ source: 'order', rate_id: customer_rate_id, rate_type: 'RatePerHour', value: '95' });
  const invoice = await invoiceOf(books, job.id, 'receivable', by);
  const path = by.path(`/invoices/${invoice.id}`);
  const refused = await by.http('PATCH', path, { rate_id: customer_rate_id, rate_type: 'RatePerTon' });
  const message = 'is not that of the rate: leave it out, or add a rate value';
  expect([refused.status, refused.body.error.errors]).toEqual([422, [{ model: 'Invoice', field: 'rate_type', message }]]);
  expect((await by.must('GET', path)).total_amount).toBe(invoice.total_amount);
  expect((await by.must('PATCH', path, { rate_id: customer_rate_id, rate_type: 'RatePerHour' })).rate_type).toBe('RatePerHour');
  expect((await by.must('PATCH', path, { rate_id: customer_rate_id, rate_value: 7, rate_type: 'RatePerTon' })).total_amount).toBe('70');
});

test('a vendor whose link has a value next to a rate card is paid so, too', async () => {
  const chain = await makeChain(books.app);
  const { owner } = chain;
  const { id, go } = await jobOfChain(chain);
  const [link] = await owner.admin.must('GET', owner.path(`/jobs/${id}/job_assignments`));
  const pay = { rate_id: (await rateCard(owner, 'vendor', HOURLY)).id, rate_value: 3, rate_type: 'RatePerTon' };
  await owner.admin.must('PATCH', owner.path(`/job_assignments/${link.id}`), pay);
  for (const one of shortHaul()) await go(one);
  const [load] = await owner.must('GET', `/v1/jobs/${id}/loads`);
  await ticketed(owner, load, '10');
  const by = await billerOf(owner);
  expect(await linesOf(by, (await invoiceOf(books, id, 'payable', by)).id)).toEqual([['10', '3', '30']]);
});
