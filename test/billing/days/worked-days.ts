import { expect } from '@jest/globals';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { at } from '../../dispatch/drivers/shifts.ts';
import { drive, makeStaffedTenant, readyJob, type StaffedTenant, shortHaul } from '../../helpers/staffed-tenant.ts';
import { type Biller, type Books, billerOf, event, invoiceOf, linesOf, messages } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export const ZONE = 'America/Toronto';
/** An instant of a day of the past. */
export const on = (time: string, date = '2026-11-18') => at(`${date}T${time}`, ZONE);

/** Changes settings of a company. */
export async function choose(own: StaffedTenant, input: object): Promise<void> {
  const change = 'mutation($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { driverPayBy } }';
  expect((await own.gql(change, { input }, await own.administrator())).errors).toBeUndefined();
}

/** A finished job of so many worked minutes, of a day of its driver unless there is none. */
export async function worked(own: StaffedTenant, dayId: string | null, order: object, minutes: number): Promise<Json> {
  const job = await readyJob(own, { loads_per_truck: 1, ...order });
  await drive(own.driver, job.id, ...shortHaul());
  const times = { adjustedLoggingStartedAt: on('06:00'), adjustedLoggingEndedAt: new Date(on('06:00').getTime() + minutes * 60_000) };
  const fields = { driverDayId: dayId, breaks: '{}', ...times };
  await own.app.orm.em.fork().nativeUpdate(Job, { id: job.id }, fields as never, { filters: { tenant: false } });
  return job;
}

/** Has everything of a job compared anew: the tax of its order changes. */
export const touch = (own: StaffedTenant, job: Json) => own.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 1, tax_freight: true });

/** A company with a biller, in which nobody else works. */
export async function company(books: Books): Promise<{ own: StaffedTenant; by: Biller }> {
  const own = await makeStaffedTenant(books.app, { timeZone: ZONE });
  return { own, by: await billerOf(own) };
}

/** Makes a rate card over GraphQL, which has fields that REST does not have. */
export const RATE_CARD = 'mutation($input: CreateRateInput!) { createRate(input: $input) { id } }';
let made = 0;

/** Makes a rate card of a customer. */
export async function rateCardOf(own: StaffedTenant, input: object): Promise<{ customer_rate_id: string }> {
  const usual = { name: `Card ${++made}`, ownerType: 'customer', timeMinimumMinutes: 0, timeIncrementMinutes: 0 };
  const { data, errors } = await own.gql(RATE_CARD, { input: { ...usual, ...input } }, await own.administrator());
  expect(errors).toBeUndefined();
  return { customer_rate_id: data.createRate.id };
}

/** Returns the amounts of the lines of each job. */
export const linesOfJobs = async (books: Books, by: Biller, jobs: Json[], side = 'receivable') => {
  const found: string[][][] = [];
  for (const { id } of jobs) found.push(await linesOf(by, (await invoiceOf(books, id, side, by)).id));
  return found.map((lines) => lines.map((line) => line[2]));
};

/** Pays minutes more or less for a job. */
export async function adjust(books: Books, by: Biller, { id }: Json, minutes: number): Promise<void> {
  const path = by.path(`/invoices/${(await invoiceOf(books, id, 'receivable', by)).id}/invoice_line_items`);
  const [line] = await by.must('GET', path);
  await by.must('PATCH', path, { invoice_line_items: [{ id: line.id, billing_adjustment_minutes: minutes }] });
}

/** Expects that what was billed for a job is the same when the company chooses otherwise, and that there is nothing to supplement. */
export async function billedAsChosen(
  books: Books,
  own: StaffedTenant,
  by: Biller,
  { job, chosen, side = 'receivable' }: { job: Json; chosen: object; side?: string },
): Promise<void> {
  const { id, total_amount } = await invoiceOf(books, job.id, side, by);
  expect((await event(by, id, 'approve')).status).toBe(200);
  await choose(own, chosen);
  await own.must('PATCH', `/v1/orders/${job.order.id}`, { po_job_number: 'Any' });
  const asked = 'query ($id: ID!) { invoice(id: $id) { stale totalAmount } }';
  await books.app.settled();
  expect((await by.gql(asked, { id })).data.invoice).toEqual({ stale: false, totalAmount: total_amount });
  const none = await by.http('POST', by.path(`/invoices/${id}/supplements`), {});
  expect([none.status, messages(none)]).toEqual([409, ['is billed as its work is: nothing differs']]);
}
