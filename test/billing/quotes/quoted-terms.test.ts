import { expect, test } from '@jest/globals';
import { makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { billerOf, hauled, invoiceOf, linesOf, makeBooks } from '../books.ts';
import { rateCardOf, worked } from '../days/worked-days.ts';
import { pagesOf } from '../documents/printed.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const quoteOf = (of: StaffedTenant, { id }: Json): Promise<Json> => of.admin.must('GET', of.path(`/projects/${id}/quote`));
/** Charges an add-on by itself for the customer's side of a record, which GraphQL can count in more ways. */
const addOn = async (of: StaffedTenant, parent: string, name: string, more: object): Promise<void> => {
  const create = 'mutation($input: CreateAddOnInput!) { createAddOn(input: $input) { id } }';
  const { data, errors } = await of.admin.gql(create, { input: { name, addOnTypes: ['invoicing'], ...more } });
  expect(errors).toBeUndefined();
  const assigned = { add_on_id: data.createAddOn.id, account_type: 'customer' };
  await of.must('POST', `/v1/${parent}/auto_add_on_assignments`, assigned);
};

/** Charges for fuel by what a customer and a project have: 4 per cent from 4.00 on, at a price of 4.132. */
async function fuelOf(of: StaffedTenant): Promise<object> {
  const index = await of.must('POST', of.path('/fuel_price_indices'), { name: 'Diesel, Gulf Coast' });
  await of.must('POST', `/v1/fuel_price_indices/${index.id}/fuel_prices`, { date: '2026-11-16', price: 4.132 });
  const follows = { name: 'Standard', fuel_price_index_id: index.id, surcharge_type: 'percentage', lag_weeks: 1 };
  const schedule = await of.must('POST', of.path('/fuel_surcharge_schedules'), follows);
  for (const [price, bill_surcharge] of [
    [3.5, 0],
    [4, 4],
  ])
    await of.must('POST', `/v1/fuel_surcharge_schedules/${schedule.id}/fuel_surcharge_schedule_prices`, { price, bill_surcharge });
  return { revenueCostRateType: 'FuelSurcharge', fuelSurchargeScheduleId: schedule.id };
}
const WORK_DAY = { load_at: '2026-11-24T16:00:00Z' };
const FUEL = {
  ...{ name: 'Standard', index_name: 'Diesel, Gulf Coast', surcharge_type: 'percentage', date: 'order', lag_weeks: 1 },
  rows: [
    { price: '3.5', bill_surcharge: '0' },
    { price: '4', bill_surcharge: '4' },
  ],
};
const charge = (name: string, type: string, more: object = {}) => ({
  ...{ name, type, rate: null, quantity: null, percentage: null, percentage_base: null, taxable: false },
  ...{ wait_counted_in: null, wait_free_minutes: null, wait_increment_minutes: null, fuel: null, ...more },
});
const printed = async (of: StaffedTenant, { id }: Json): Promise<string> => {
  const path = of.path(`/projects/${id}/quote/pdf`);
  const answer = await fetch(books.app.url + path, { headers: { Authorization: `Bearer ${of.admin.token}` } });
  return (await pagesOf(new Uint8Array(await answer.arrayBuffer()))).join(' ').replace(/\s+/g, ' ');
};

test('a load costs what its quote says: minimum, increment, fuel, charges and tax', async () => {
  const of = await makeStaffedTenant(books.app);
  const by = await billerOf(of);
  const bounds = { type: 'RatePerTon', unitRate: '4.25', unitMinimum: '22', unitIncrement: '0.5' };
  const usual = { timeMinimumMinutes: undefined, timeIncrementMinutes: undefined };
  const project = await of.must('POST', '/v1/projects', {
    ...{ name: 'SH 130', account_id: of.account.id, ...(await rateCardOf(of, { ...usual, ...bounds })) },
    ...{ tax_rate: 8.25, tax_freight: true, tax_material: false, tax_add_ons: true },
  });
  await addOn(of, `accounts/${of.account.id}`, 'Fuel', await fuelOf(of));
  await addOn(of, `projects/${project.id}`, 'Wash', { revenueRateValue: '25', quantity: '2', taxable: true });
  const percent = { revenueCostRateType: 'RatePercentOfTotal', percentage: '2', percentageBase: 'lines_and_fuel' };
  await addOn(of, `projects/${project.id}`, 'Environment', percent);
  await addOn(of, `projects/${project.id}`, 'Gate', { revenueCostRateType: 'PerLoad', revenueRateValue: '3' });
  const quote = await quoteOf(of, project);
  expect(quote).toMatchObject({ tax_rate: '8.25', tax_exempt: false, tax_freight: true, tax_material: false, tax_add_ons: true });
  expect(quote.rates).toHaveLength(1);
  const [rate] = quote.rates;
  expect(rate).toMatchObject({
    ...{ rate_type: 'RatePerTon', value: '4.25', minimum_quantity: '22', increment_quantity: '0.5', minimum_minutes: null },
    ...{ increment_minutes: null, minimum_per: null, time_basis: null, full_day_minutes: null, breaks_paid: null, fuel_percentage: null },
  });
  expect(rate.charges).toEqual([
    charge('Fuel', 'FuelSurcharge', { fuel: FUEL }),
    charge('Wash', 'RateForEach', { rate: '25', quantity: '2', taxable: true }),
    charge('Environment', 'RatePercentOfTotal', { percentage: '2', percentage_base: 'lines_and_fuel' }),
    charge('Gate', 'PerLoad', { rate: '3' }),
  ]);
  // 21.4 tons are 22, and 23.21 are 23.5: 45.5 tons at 4.25.
  const job = await hauled(books, ['21.4', '23.21'], { at: of, order: { project_id: project.id, ...WORK_DAY } });
  const invoice = await invoiceOf(books, job.id, 'receivable', by);
  expect(await linesOf(by, invoice.id)).toEqual([
    ['22', '4.25', '93.5'],
    ['23.5', '4.25', '99.88'],
  ]);
  const applied: Json[] = await by.must('GET', by.path(`/invoices/${invoice.id}/add_on_charges`));
  // Fuel: 4 % of 193.38; the environment: 2 % of that and of 193.38.
  expect(applied.map(({ name, total_amount }) => [name, total_amount]).sort()).toEqual([
    ['Environment', '4.02'],
    ['Fuel', '7.74'],
    ['Gate', '6'],
    ['Wash', '50'],
  ]);
  // Taxed are freight with fuel, and the wash.
  expect(invoice).toMatchObject({ tax_total_amount: '20.72', total_amount: '281.86' });
  const text = await printed(of, project);
  for (const part of [
    ...['at least 22 ton, rounded up to a multiple of 0.5 ton', 'In addition to the hauling', 'Wash: 2 × 25.00 for each job'],
    ...['Environment: 2 % of hauling, material and fuel', 'Gate: 3.00 for each load'],
    'Fuel: by the price of Diesel, Gulf Coast, in per cent of the hauling, on the day of the order less 1 weeks, from 3.50: 0 %, from 4.00: 4 %',
    'Tax (Freight, Add-ons) 8.25 %',
  ])
    expect(text).toContain(part);
});

test('an hour costs what its quote says: minimum and increment of the day, the time that is paid, and no waiting', async () => {
  const of = await makeStaffedTenant(books.app);
  const by = await billerOf(of);
  const admin = await of.administrator();
  await of.must('PATCH', `/v1/companies/${of.company.id}`, { fuel_surcharge_percentage: 5 }, admin);
  const bounds = { timeRate: '110', timeMinimumMinutes: 240, timeIncrementMinutes: 15, minimumPer: 'day', fuelSurchargeEnabled: true };
  const rates = await rateCardOf(of, { type: 'RatePerHour', ...bounds });
  const project = await of.must('POST', '/v1/projects', { name: 'By the hour', account_id: of.account.id, ...rates });
  const perLoad = { customer_rate_value: 185, customer_rate_type: 'RatePerLoad' };
  const elsewhere = { material_id: of.material.id, dropoff_site_id: of.pickup.id };
  await of.must('POST', `/v1/projects/${project.id}/site_rate_schedules`, { ...elsewhere, ...perLoad });
  const counted = { waitCountedIn: 'hour', waitFreeMinutes: 30, waitIncrementMinutes: 15 };
  await addOn(of, `projects/${project.id}`, 'Waiting', { revenueRateValue: '90', quantity: '0', ...counted });
  const waits = { wait_counted_in: 'hour', wait_free_minutes: 30, wait_increment_minutes: 15 };
  const { rates: quoted } = await quoteOf(of, project);
  expect(quoted).toMatchObject([
    {
      ...{ rate_type: 'RatePerHour', minimum_quantity: null, increment_quantity: null, minimum_minutes: 240, increment_minutes: 15 },
      ...{ minimum_per: 'day', time_basis: 'job', breaks_paid: false, fuel_percentage: '5', charges: [] },
    },
    {
      ...{ rate_type: 'RatePerLoad', minimum_per: null, time_basis: null, breaks_paid: null, fuel_percentage: null },
      charges: [charge('Waiting', 'RateForEach', { rate: '90', ...waits })],
    },
  ]);
  await of.must('PATCH', of.path(`/accounts/${of.account.id}/billing_profile`), { breaks_paid: true, tax_exempt_number: 'X-1' }, admin);
  const exempt = await quoteOf(of, project);
  expect([exempt.rates[0].breaks_paid, exempt.tax_exempt, exempt.tax_rate]).toEqual([true, true, null]);
  const text = await printed(of, project);
  for (const part of [
    ...['at least 240 minutes, rounded up to a multiple of 15 minutes', 'minimum and rounding for all work of a driver on a day together'],
    ...['breaks are paid', 'plus 5 % for fuel', 'Tax: Exempt'],
    'plus Waiting: 90.00 for each hour of waiting at a site beyond 30 minutes, rounded up to a multiple of 15 minutes',
  ])
    expect(text).toContain(part);
  // M12: 253 minutes are 255, and 5 % of 467.50 is for fuel.
  const job = await worked(of, null, { project_id: project.id }, 253);
  const invoice = await invoiceOf(books, job.id, 'receivable', by);
  expect(await linesOf(by, invoice.id)).toEqual([['4.25', '110', '467.5']]);
  expect([invoice.add_on_charges_total_amount, invoice.total_amount]).toEqual(['23.38', '490.88']);
});

test('charges that read the same are printed as often as they are charged', async () => {
  const of = await makeStaffedTenant(books.app);
  const rate = { customer_rate_value: 5, customer_rate_type: 'RatePerTon' };
  const project = await of.must('POST', '/v1/projects', { name: 'Escorted', account_id: of.account.id, ...rate });
  const escort = await of.must('POST', '/v1/add_ons', { name: 'Escort', add_on_types: ['invoicing'], revenue_rate_value: 10, quantity: 1 });
  const assign = (parent: string) =>
    of.must('POST', `/v1/${parent}/auto_add_on_assignments`, { add_on_id: escort.id, account_type: 'customer', quantity: '1' });
  await assign(`accounts/${of.account.id}`);
  await assign(`projects/${project.id}`);
  const times = async () => (await printed(of, project)).split('Escort: 1 × 10.00 for each job').length - 1;
  expect(await times()).toBe(2);
  // Work that has a third one has all of them with its rate, and so does other work.
  const narrow = { material_id: of.material.id, customer_rate_value: 6, customer_rate_type: 'RatePerTon' };
  const schedule = await of.must('POST', `/v1/projects/${project.id}/site_rate_schedules`, narrow);
  await assign(`site_rate_schedules/${schedule.id}`);
  expect(await times()).toBe(5);
});
