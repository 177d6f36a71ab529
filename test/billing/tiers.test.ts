import { expect, test } from '@jest/globals';
import { acceptedOrder, drive, makeStaffedTenant, type StaffedTenant, shortHaul } from '../helpers/staffed-tenant.ts';
import { approveLoads, type Biller, billerOf, event, invoiceOf, linesOf, makeBooks, rateCard, ticketed } from './books.ts';
import { settle } from './settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const CREATE = 'mutation($input: CreateRateInput!) { createRate(input: $input) { id tierMode tiers { from rate } unitRate } }';
const UPDATE = 'mutation($id: ID!, $input: UpdateRateInput!) { updateRate(id: $id, input: $input) { tierMode tiers { from rate } } }';
const FROM_100 = { tiers: [{ from: '100', rate: '5.25' }] };
const byTheTon = { name: 'Bands', ownerType: 'customer', type: 'RatePerTon', unitRate: '6', unitMinimum: '0', unitIncrement: '0' };
const problems = ({ errors }: Json): string[] => errors[0].extensions.errors.map(({ field, message }: Json) => `${field} ${message}`);

/** An order of two jobs whose customer pays by a rate card with bands. */
async function twoJobs(more: object): Promise<{ own: StaffedTenant; by: Biller; jobs: Json[] }> {
  const own = await makeStaffedTenant(books.app);
  const { data } = await own.gql(CREATE, { input: { ...byTheTon, ...FROM_100, ...more } }, await own.administrator());
  const { jobs } = await acceptedOrder(own, { truck_count: 2, loads_per_truck: 3, customer_rate_id: data.createRate.id });
  return { own, by: await billerOf(own), jobs };
}
/** Hauls a job with a ticket for each load. */
async function haul(own: StaffedTenant, { id }: Json, quantities: string[]): Promise<Json> {
  await own.dispatcher.must('PATCH', `/v1/jobs/${id}`, { driver_id: own.driver.id });
  await own.dispatcher.must('PUT', `/v1/jobs/${id}/request`, {});
  await drive(own.driver, id, 'accept', ...shortHaul(quantities.length));
  const loads: Json[] = (await own.must('GET', `/v1/jobs/${id}/loads`)).sort((a: Json, b: Json) => a.ordinality - b.ordinality);
  const tickets: Json[] = [];
  for (const [i, load] of loads.entries()) tickets.push(await ticketed(own, load, quantities[i]!));
  return { id, loads, tickets };
}
const lines = async (by: Biller, { id }: Json) => linesOf(by, (await invoiceOf(books, id, 'receivable', by)).id);
const total = async (by: Biller, { id }: Json) => (await invoiceOf(books, id, 'receivable', by)).total_amount;

test('M16, slab: a load that reaches into another band of its order has a line in each, and follows what other jobs hauled before', async () => {
  const { own, by, jobs } = await twoJobs({});
  const first = await haul(own, jobs[0], ['24', '24', '24']);
  const second = await haul(own, jobs[1], ['24', '24', '0']);
  expect(await total(by, first)).toBe('432');
  expect(await lines(by, second)).toEqual([
    ['24', '6', '144'],
    ['4', '6', '24'],
    ['20', '5.25', '105'],
    ['0', '6', '0'],
  ]);
  const invoice = await invoiceOf(books, second.id, 'receivable', by);
  // The load with a line in each is one load.
  expect(invoice.total_loads_count).toBe(3);
  const named: Json[] = await by.must('GET', by.path(`/invoices/${invoice.id}/invoice_line_items`));
  expect(named.map(({ name }) => name.replace(/^load \S+?(?=,|$)/, 'load'))).toEqual(['load', 'load', 'load, from 100 on', 'load']);
  // A line of a split load is not edited by itself.
  const path = by.path(`/invoices/${invoice.id}/invoice_line_items`);
  const edited = await by.http('PATCH', path, { invoice_line_items: [{ id: named[1].id, rate: 5 }] });
  expect([edited.status, edited.body.error.errors[0].field]).toEqual([422, 'invoice_line_items.0.id']);
  // Its first ticket was wrong: what the other job hauled begins later.
  await own.must('PATCH', `/v1/tickets/${first.tickets[0].id}`, { quantity: '30' });
  expect(await total(by, first)).toBe('468');
  expect(await lines(by, second)).toEqual([
    ['22', '6', '132'],
    ['2', '5.25', '10.5'],
    ['24', '5.25', '126'],
    ['0', '6', '0'],
  ]);
  // One value for all of the invoice has no bands, as a preview and by hand.
  const flat = { rate_value: 4, rate_type: 'RatePerTon' };
  const preview: Json[] = await by.must('POST', `${path}/generate`, flat);
  expect(preview.map(({ total_amount }) => total_amount)).toEqual(['96', '96', '0']);
  // Approved, settled, voided and billed anew at one rate: the second line of the load is nothing then.
  await approveLoads(by, second);
  await by.must('PUT', by.path(`/invoices/${invoice.id}/approve`), undefined);
  const settlement = await settle({ biller: by }, [invoice], { settlement_line_item_type: 'load' });
  await by.must('PUT', by.path(`/settlements/${settlement.id}/void`), undefined);
  const anew = await by.must('POST', by.path(`/settlements/${settlement.id}/rebill`), {});
  const rates = { data: [{ invoice_id: invoice.id, rebill_rate_value: 4 }] };
  await by.must('PATCH', `/v1/settlements/${anew.id}/invoices/rebill_rates`, rates);
  const [billed] = await by.must('GET', by.path(`/settlements/${anew.id}/settlement_line_items`));
  const sums = billed.line_items.map((line: Json) => Number(line.rebill_total_amount));
  expect([sums.sort((a: number, b: number) => a - b), sums.reduce((sum: number, one: number) => sum + one, 0)]).toEqual([
    [0, 0, 96, 96],
    192,
  ]);
});

test('M16, volume: all of an order has the rate of the band that it reaches, also what was invoiced before and is not approved', async () => {
  const { own, by, jobs } = await twoJobs({ tierMode: 'volume' });
  const first = await haul(own, jobs[0], ['24', '24', '24']);
  expect(await total(by, first)).toBe('432');
  const second = await haul(own, jobs[1], ['24', '24', '0']);
  expect([await total(by, first), await total(by, second)]).toEqual(['378', '252']);
  // A rate that is set for one job is for that job alone, and the other one reaches no band any more.
  const { id } = await invoiceOf(books, second.id, 'receivable', by);
  await by.must('PATCH', by.path(`/invoices/${id}`), { rate_value: 5, rate_type: 'RatePerTon' });
  expect([await total(by, first), await total(by, second)]).toEqual(['432', '240']);
  await by.must('PATCH', by.path(`/invoices/${id}`), { rate_value: null, rate_type: null });
  expect([await total(by, first), await total(by, second)]).toEqual(['378', '252']);
  await approveLoads(by, second);
  expect((await event(by, id, 'approve')).status).toBe(200);
});

test('tiers are of rates by the unit or the load, ascend, and are taken back with their type', async () => {
  const { tenant } = books;
  const admin = await tenant.administrator();
  const made = await tenant.gql(CREATE, { input: { ...byTheTon, name: 'Tiers', ...FROM_100 } }, admin);
  const { id, ...tiered } = made.data.createRate;
  expect(tiered).toEqual({ tierMode: 'slab', unitRate: '6', ...FROM_100 });
  const change = (input: object) => tenant.gql(UPDATE, { id, input }, admin);
  const two = (from: string, next: string) => ({
    tiers: [
      { from, rate: '5' },
      { from: next, rate: '4' },
    ],
  });
  expect(problems(await change(two('0', '0')))).toEqual([
    expect.stringMatching(/^tiers\.0\.from must be above 0/),
    expect.stringMatching(/^tiers\.1\.from must be above 0/),
  ]);
  expect(problems(await change(two('1.00001', '2')))).toEqual([expect.stringMatching(/^tiers\.0\.from /)]);
  expect((await change({ ...two('100', '300'), tierMode: 'volume' })).data.updateRate).toEqual({
    tierMode: 'volume',
    ...two('100', '300'),
  });
  expect((await change({ tiers: [] })).data.updateRate).toEqual({ tierMode: null, tiers: [] });
  expect(problems(await change({ tierMode: 'slab' }))).toEqual([expect.stringMatching(/^tierMode is only for rates that have tiers/)]);
  const hourly = { type: 'RatePerHour', timeRate: '90', timeMinimumMinutes: 0, timeIncrementMinutes: 0 };
  expect(problems(await change({ ...hourly, ...FROM_100 }))).toEqual([expect.stringMatching(/^tiers is no value of a RatePerHour/)]);
  await change(FROM_100);
  expect((await change(hourly)).data.updateRate).toEqual({ tierMode: null, tiers: [] });
  // Rate cards over REST have none.
  expect(await rateCard(tenant, 'customer', { type: 'RatePerTon', unit_rate: 4, unit_minimum: 0, unit_increment: 0 })).not.toHaveProperty(
    'tiers',
  );
});
