import { expect, test } from '@jest/globals';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { acceptedOrder, act, drive, makeChain, type StaffedTenant, shortHaul } from '../../helpers/staffed-tenant.ts';
import { type Biller, billerOf, invoiceOf, linesOf, makeBooks, ticketed } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const SIDES = ['receivable', 'payable'];

/** The lines that a preview says for each side of a job in the books of somebody: quantity, rate and amount. */
async function previewed(by: Biller, jobId: string): Promise<Json> {
  const [{ invoices }] = await by.must('GET', by.path(`/billing/previews?job_ids[]=${jobId}`));
  const linesIn = ({ line_items }: Json) => line_items.map((line: Json) => [line.quantity, line.rate, line.total_amount]);
  return Object.fromEntries(invoices.map((invoice: Json) => [invoice.side, linesIn(invoice)]));
}

async function invoiced(by: Biller, jobId: string, sides: readonly string[]): Promise<Json> {
  const found: [string, string[][]][] = [];
  for (const side of sides) found.push([side, await linesOf(by, (await invoiceOf(books, jobId, side, by)).id)]);
  return Object.fromEntries(found);
}

test('a preview of work that is paid by time along a link alone says what invoices do, in the books of all three of a chain', async () => {
  const chain = await makeChain(books.app);
  const { owner, middle, last, hired, subHired } = chain;
  const [ofOwner, ofMiddle, ofLast] = [await billerOf(owner), await billerOf(middle), await billerOf(last)];
  const byTon = { customer_rate_value: 5, customer_rate_type: 'RatePerTon', vendor_rate_value: 4, vendor_rate_type: 'RatePerTon' };
  const { jobs } = await acceptedOrder(owner, { loads_per_truck: 1, ...byTon });
  const [{ id }] = jobs;
  const driver = await last.person({ roles: ['driver'] });
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  await act(middle, id, 'assign_vendor', { vendor_id: subHired.id });
  const links: Json[] = await middle.must('GET', middle.path(`/jobs/${id}/job_assignments`));
  const link = links.find((one) => one.rate_value !== undefined);
  await middle.must('PATCH', `/v1/job_assignments/${link.id}`, { rate_value: 60, rate_type: 'RatePerHour' });
  await last.dispatcher.must('PATCH', `/v1/jobs/${id}`, { driver_id: driver.user.id });
  await last.dispatcher.must('PUT', `/v1/jobs/${id}/request`, {});
  await drive(driver, id, 'accept', ...shortHaul());
  const loads: Json[] = await owner.must('GET', `/v1/jobs/${id}/loads`);
  await ticketed(owner, loads[0], '20');
  await lasting(owner, id, 90);
  await owner.must('PATCH', `/v1/orders/${jobs[0].order.id}`, { tax_rate: 1, tax_freight: true });

  const expected: [Biller, Json][] = [
    [ofOwner, { receivable: [['20', '5', '100']], payable: [['20', '4', '80']] }],
    [ofMiddle, { receivable: [['20', '4', '80']], payable: [['1.5', '60', '90']] }],
    [ofLast, { receivable: [['1.5', '60', '90']] }],
  ];
  for (const [by, wanted] of expected) {
    expect(await invoiced(by, id, Object.keys(wanted))).toEqual(wanted);
    const said = await previewed(by, id);
    expect(Object.fromEntries(SIDES.flatMap((side) => (wanted[side] ? [[side, said[side]]] : [])))).toEqual(wanted);
  }
  // A preview reads no sites of other work, and an invoice has them nevertheless.
  const filter = `filter[pickup_site_ids][]=${owner.pickup.id}&filter[dropoff_site_ids][]=${owner.dropoff.id}`;
  const found: Json[] = await ofOwner.must('GET', ofOwner.path(`/invoices?page[limit]=100&${filter}`));
  const written = await Promise.all(SIDES.map(async (side) => (await invoiceOf(books, id, side, ofOwner)).id));
  expect(found.map((one) => one.id).sort()).toEqual(written.sort());
});

/** Has a job take so many minutes. */
async function lasting(at: StaffedTenant, id: string, minutes: number): Promise<void> {
  const since = new Date('2026-11-18T12:00:00Z');
  const fields = { breaks: '{}', adjustedLoggingStartedAt: since, adjustedLoggingEndedAt: new Date(since.getTime() + minutes * 60_000) };
  await at.app.orm.em.fork().nativeUpdate(Job, { id }, fields as never, { filters: { tenant: false } });
}
