import { expect, test } from '@jest/globals';
import { acceptedOrder, drive, type StaffedTenant, shortHaul } from '../../helpers/staffed-tenant.ts';
import { approveLoads, event, hauled, invoiceOf, makeBooks, ticketed } from '../books.ts';
import { choose, RATE_CARD, touch, worked } from '../days/worked-days.ts';
import { approvedInvoice, settle } from '../settled.ts';
import { pagesOf } from './printed.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const perTon = (value: number) => ({ customer_rate_value: value, customer_rate_type: 'RatePerTon' });
const at = ({ id }: Json, rest = ''): string => books.biller.path(`/settlements/${id}${rest}`);

async function textOf(settlement: Json): Promise<string> {
  const answer = await fetch(books.app.url + at(settlement, '/pdf'), { headers: { Authorization: `Bearer ${books.biller.token}` } });
  expect(answer.status).toBe(200);
  return (await pagesOf(new Uint8Array(await answer.arrayBuffer()))).join('\n');
}
/** Voids a settlement and bills invoices of it anew at a rate. */
async function billedAnew(settlement: Json, invoices: readonly Json[], rate: number): Promise<Json> {
  const { biller } = books;
  await biller.must('PUT', at(settlement, '/void'), {});
  const made = await biller.must('POST', at(settlement, '/rebill'), {});
  const data = invoices.map(({ id }) => ({ invoice_id: id, rebill_rate_value: rate }));
  return biller.must('PATCH', `/v1/settlements/${made.id}/invoices/rebill_rates`, { data });
}
/** The quantity of each line with the rate at which it is billed anew, and what it comes to. */
const linesOf = async (settlement: Json): Promise<unknown[][]> =>
  (await books.biller.must('GET', at(settlement, '/settlement_line_items'))).flatMap(({ line_items }: Json) =>
    line_items.map((line: Json) => [line.total_quantity, line.rebill_rate_value, line.rebill_total_amount]),
  );
/** Whether a number is printed as a rate or an amount of its own, and not as the end of a longer one. */
const prints = (text: string, number: string): boolean => new RegExp(`(?<![\\d.,])${number.replace('.', '\\.')}(?!\\d)`).test(text);

test('bands that are billed anew at one rate are one line: its quantity at that rate is what it comes to', async () => {
  const { tenant, biller } = books;
  const bands = { name: 'Bands on paper', ownerType: 'customer', type: 'RatePerTon', unitRate: '6', unitMinimum: '0', unitIncrement: '0' };
  const input = { ...bands, tierMode: 'slab', tiers: [{ from: '30', rate: '5.25' }] };
  const made = await tenant.gql(RATE_CARD, { input }, await tenant.administrator());
  const job = await hauled(books, ['20', '20'], { order: { customer_rate_id: made.data.createRate.id } });
  await approveLoads(biller, job);
  const invoice = await invoiceOf(books, job.id);
  expect((await event(biller, invoice.id, 'approve')).body.data).toMatchObject({ total_amount: '232.5', total_loads_count: 2 });
  const anew = await billedAnew(await settle(books, [invoice]), [invoice], 7);
  expect(anew.rebill_total_amount).toBe('280');
  const text = await textOf(anew);
  expect([prints(text, '40 tons'), prints(text, '7.00'), prints(text, '280.00')]).toEqual([true, true, true]);
  for (const part of ['30 tons', '10 tons', '0.00']) expect([part, prints(text, part)]).toEqual([part, false]);
});

test('a rate at which something is billed anew is printed with what it is the rate of alone', async () => {
  // The price of the material is in the rate of its line.
  const folded = { ...perTon(5), material_rate_sell_price: 10, material_rate_unit_of_measure: 'Ton' };
  const invoice = await approvedInvoice(books, ['10'], { order: folded });
  expect(invoice.total_amount).toBe('150');
  const anew = await billedAnew(await settle(books, [invoice]), [invoice], 6);
  expect(await linesOf(anew)).toEqual([['10', null, '160']]);
  const text = await textOf(anew);
  expect([prints(text, '160.00'), prints(text, '6.00'), prints(text, '15.00')]).toEqual([true, false, false]);
  // Freight by itself has the rate that was asked for.
  const plain = await approvedInvoice(books, ['10'], { order: perTon(5) });
  const again = await billedAnew(await settle(books, [plain]), [plain], 6);
  expect(await linesOf(again)).toEqual([['10', '6', '60']]);
  expect(prints(await textOf(again), '6.00')).toBe(true);
});

/** Hauls a job of an order, a load with a ticket. */
async function haul(own: StaffedTenant, { id }: Json, quantity: string): Promise<Json> {
  await own.dispatcher.must('PATCH', `/v1/jobs/${id}`, { driver_id: own.driver.id });
  await own.dispatcher.must('PUT', `/v1/jobs/${id}/request`, {});
  await drive(own.driver, id, 'accept', ...shortHaul());
  const loads: Json[] = await own.must('GET', `/v1/jobs/${id}/loads`);
  await ticketed(own, loads[0], quantity);
  return { id, loads };
}

test('a line of several jobs, of which one is billed anew, has no rate', async () => {
  const { tenant, biller } = books;
  const { jobs } = await acceptedOrder(tenant, { truck_count: 2, loads_per_truck: 1, ...perTon(5) });
  const invoices: Json[] = [];
  for (const one of jobs) {
    const job = await haul(tenant, one, '10');
    await approveLoads(biller, job);
    const invoice = await invoiceOf(books, job.id);
    expect((await event(biller, invoice.id, 'approve')).status).toBe(200);
    invoices.push(invoice);
  }
  const anew = await billedAnew(await settle(books, invoices), invoices.slice(0, 1), 6);
  expect(await linesOf(anew)).toEqual([['20', null, '110']]);
  const text = await textOf(anew);
  expect([prints(text, '110.00'), prints(text, '6.00')]).toEqual([true, false]);
});

test('overtime that is billed anew is one and a half times the rate, and is not printed at the rate itself', async () => {
  const { tenant } = books;
  const admin = await tenant.administrator();
  await choose(tenant, { overtimePaid: true });
  const job = await worked(tenant, null, { driver_rate_value: 32, driver_rate_type: 'RatePerHour' }, 555);
  await touch(tenant, job);
  await tenant.must('PUT', tenant.path(`/jobs/${job.id}/approve`), {}, admin);
  const pay = await invoiceOf(books, job.id, 'payable');
  expect((await event(books.biller, pay.id, 'approve')).body.data.total_amount).toBe('316');
  const anew = await billedAnew(await settle(books, [pay]), [pay], 36);
  expect(await linesOf(anew)).toEqual([
    ['8', '36', '288'],
    ['1.25', null, '67.5'],
  ]);
  expect((await textOf(anew)).match(/(?<![\d.,])36\.00(?!\d)/g)).toHaveLength(1);
  await choose(tenant, { overtimePaid: false });
});

test('a difference that is one at its amount is no ton on paper', async () => {
  const { biller } = books;
  const invoice = await approvedInvoice(books, ['10'], { order: perTon(4) });
  await settle(books, [invoice]);
  const supplement = async (rate_value: number, total_amount: string): Promise<Json> => {
    const made = await biller.must('POST', biller.path(`/invoices/${invoice.id}/supplements`), { rate_value, rate_type: 'RatePerTon' });
    expect(made.total_amount).toBe(total_amount);
    expect((await event(biller, made.id, 'approve')).status).toBe(200);
    return made;
  };
  await supplement(5, '10');
  // It was corrected before, so that it is neither more tons nor the same at another rate.
  const second = await supplement(6.5, '15');
  const text = await textOf(await settle(books, [second]));
  expect([prints(text, '15.00'), /1 tons/.test(text)]).toEqual([true, false]);
});

test('a line for a job names the job, however many loads it has', async () => {
  const invoice = await approvedInvoice(books, ['10', '20'], { order: perTon(2) });
  const { job_id } = await books.biller.must('GET', `/v1/jobs/${invoice.job.id}`);
  const settlement = await settle(books, [invoice], { settlement_line_item_type: 'job' });
  expect(await textOf(settlement)).toContain(job_id);
});

test.each([
  ['es', 'Tonne', 'métricas', '23.21'],
  ['fr', 'Ton', 'courtes', '12 345,67'],
])('a quantity is printed with all of its unit, and its number in one line (%s, %s)', async (language, unit, word, shown) => {
  const { tenant, biller } = books;
  const admin = await tenant.administrator();
  const company = `/v1/companies/${tenant.company.id}`;
  const before = await biller.must('GET', company);
  await tenant.must('PATCH', company, { language }, admin);
  const job = await hauled(books, [null], {
    order: { customer_rate_value: 1, customer_rate_type: unit === 'Ton' ? 'RatePerTon' : 'RatePerTonne' },
  });
  const quantity = unit === 'Ton' ? '12345.67' : '23.21';
  await tenant.must('POST', '/v1/tickets', { load_id: job.loads[0].id, ticket_number: `${language}-1`, quantity, unit_of_measure: unit });
  await approveLoads(biller, job);
  const invoice = await invoiceOf(books, job.id);
  expect((await event(biller, invoice.id, 'approve')).status).toBe(200);
  const text = await textOf(await settle(books, [invoice], { include_loads_in_pdf: true }));
  // In the line, and in the list of loads.
  expect([text.split(word).length - 1, text.split(shown).length - 1 >= 2, text.includes('…')]).toEqual([2, true, false]);
  await tenant.must('PATCH', company, { language: before.language }, admin);
});
