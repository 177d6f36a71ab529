import { afterAll, beforeAll } from '@jest/globals';
import { startTestApp, type TestApp, type TestAppOptions } from '../helpers/app.ts';
import { drive, makeStaffedTenant, readyJob, type StaffedTenant, shortHaul } from '../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** Somebody with the paths of their company. */
export type Biller = Awaited<ReturnType<StaffedTenant['person']>> & { path: StaffedTenant['path'] };
export const billerOf = async (of: StaffedTenant): Promise<Biller> => ({ ...(await of.person({ roles: ['biller'] })), path: of.path });

/** The tons of the worked example M10. */
export const M10 = ['23.21', '21.4', '24.06'];

interface Work {
  at?: StaffedTenant;
  order?: object;
}

/** A company that invoices its work, and what its billers do. It is there when the tests of the file begin. */
export interface Books {
  app: TestApp;
  tenant: StaffedTenant;
  biller: Biller;
}

export function makeBooks(options: TestAppOptions = {}): Books {
  const books = {} as Books;
  beforeAll(async () => {
    const app = await startTestApp({ shared: true, invoices: true, ...options });
    const tenant = await makeStaffedTenant(app);
    Object.assign(books, { app, tenant, biller: await billerOf(tenant) });
  });
  afterAll(() => books.app.close());
  return books;
}

/** A job whose loads have tickets of these tons, or none. */
export async function hauled(
  books: Books,
  quantities: readonly (string | null)[],
  { at = books.tenant, order = {} }: Work = {},
): Promise<Json> {
  const job = await readyJob(at, { loads_per_truck: quantities.length, ...order });
  await drive(at.driver, job.id, ...shortHaul(quantities.length));
  const loads: Json[] = await at.must('GET', `/v1/jobs/${job.id}/loads`);
  for (const [i, load] of loads.sort((a, b) => a.ordinality - b.ordinality).entries())
    if (quantities[i]) await ticketed(at, load, quantities[i]);
  return { ...job, loads };
}
let made = 0;
export const ticketed = (at: StaffedTenant, load: Json, quantity: string): Promise<Json> =>
  at.must('POST', '/v1/tickets', { load_id: load.id, ticket_number: `T-${++made}`, quantity, unit_of_measure: 'Ton' });

export const rateCard = (at: StaffedTenant, owner_type: string, more: object): Promise<Json> =>
  at.must('POST', '/v1/rates', { name: `Card ${owner_type} ${++made}`, owner_type, ...more });
/** A price of 4.25 for a ton, with 22 tons for a load at least. */
export const withMinimum = async (at: StaffedTenant) => ({
  customer_rate_id: (await rateCard(at, 'customer', { type: 'RatePerTon', unit_rate: 4.25, unit_minimum: 22, unit_increment: 0 })).id,
});
export const invoiceOf = async ({ app, biller }: Books, jobId: string, side = 'receivable', by = biller): Promise<Json> => {
  await app.settled();
  return by.must('GET', `/v1/jobs/${jobId}/${side}`);
};
export const event = (by: Biller, id: string, name: string) => by.http('PUT', by.path(`/invoices/${id}/${name}`));
export const linesOf = async (by: Biller, id: string): Promise<string[][]> =>
  (await by.must('GET', by.path(`/invoices/${id}/invoice_line_items`))).map((line: Json) => [line.quantity, line.rate, line.total_amount]);
export const approveLoads = async (by: Biller, { loads }: Json) => {
  for (const { id } of loads) await by.must('PUT', by.path(`/loads/${id}/approve`), {});
};
export const messages = ({ body }: Json): string[] => body.error.errors.map(({ message }: Json) => message);

export const addOn = ({ tenant }: Books, name: string, more: object): Promise<Json> =>
  tenant.must('POST', '/v1/add_ons', { name, add_on_types: ['invoicing'], ...more });

/** The charges and the order of the worked example M20: freight of M10 with fuel, material, a wash and tax. */
export async function chargesOfM20(books: Books): Promise<{ index: Json; fuel: Json; wash: Json; order: object }> {
  const { tenant } = books;
  const index = await tenant.must('POST', tenant.path('/fuel_price_indices'), { name: 'Diesel' });
  await tenant.must('POST', `/v1/fuel_price_indices/${index.id}/fuel_prices`, { date: '2026-11-16', price: 4.132 });
  const follows = { name: 'Standard', fuel_price_index_id: index.id, surcharge_type: 'percentage' };
  const schedule = await tenant.must('POST', tenant.path('/fuel_surcharge_schedules'), follows);
  const rows = [
    { price: 3.5, bill_surcharge: 0 },
    { price: 4, bill_surcharge: 4 },
  ];
  for (const row of rows) await tenant.must('POST', `/v1/fuel_surcharge_schedules/${schedule.id}/fuel_surcharge_schedule_prices`, row);
  const material = { material_id: tenant.material.id, material_rate_sell_price: 12.5, material_rate_unit_of_measure: 'Ton' };
  const tax = { tax_rate: 8.25, tax_freight: true, tax_material: true, material_rate_itemized: true };
  return {
    index,
    fuel: await addOn(books, 'Fuel', { revenue_cost_rate_type: 'FuelSurcharge', fuel_surcharge_schedule_id: schedule.id }),
    wash: await addOn(books, 'Wash', { revenue_rate_value: 25 }),
    order: { ...(await withMinimum(tenant)), ...material, ...tax },
  };
}

/** A pending settlement of one invoice over 200, of two loads. */
export async function settledWork(books: Books, side = 'receivable', order: object = {}): Promise<Json> {
  const rates = { customer_rate_value: 100, customer_rate_type: 'RatePerLoad', driver_rate_value: 100, driver_rate_type: 'RatePerLoad' };
  const job = await hauled(books, ['10', '10'], { order: { ...rates, ...order } });
  await approveLoads(books.biller, job);
  const { id } = await invoiceOf(books, job.id, side);
  await books.biller.must('PUT', books.biller.path(`/invoices/${id}/approve`), undefined);
  return { ...(await books.biller.must('POST', books.biller.path('/settlements'), { invoice_ids: [id] })), invoiceId: id, job };
}
