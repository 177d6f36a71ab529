import { expect, test } from '@jest/globals';
import { drive, jobOfChain, makeChain, makeStaffedTenant, readyJob, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { type Biller, billerOf, event, invoiceOf, linesOf, makeBooks, rateCard } from '../books.ts';
import { choose } from '../days/worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const HOURS = { type: 'RatePerHour', time_minimum_minutes: 240, time_increment_minutes: 15 };
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

/** A company whose customers promise four hours at 110, and whose drivers get four at 30. */
async function company(): Promise<{ own: StaffedTenant; by: Biller; rates: object }> {
  const own = await makeStaffedTenant(books.app);
  const rates = {
    customer_rate_id: (await rateCard(own, 'customer', { ...HOURS, time_rate: 110 })).id,
    driver_rate_id: (await rateCard(own, 'driver', { ...HOURS, time_rate: 30 })).id,
  };
  return { own, by: await billerOf(own), rates };
}
const cancel = (own: StaffedTenant, { id }: Json) => own.dispatcher.must('PUT', own.path(`/jobs/${id}/cancel`), {});
const requested = async (own: StaffedTenant, { id }: Json): Promise<Json[]> => {
  await own.app.settled();
  return own.must('GET', `/v1/jobs/${id}/add_on_charges`);
};
const live = async (own: StaffedTenant, by: Biller, { id }: Json, side = 'receivable') => {
  await own.app.settled();
  return by.http('GET', `/v1/jobs/${id}/${side}`);
};

test('a truck that had left is charged for the show-up minimum on both sides, and the office decides', async () => {
  const { own, by, rates } = await company();
  const job = await readyJob(own, { ...rates, load_at: inMinutes(3_000) });
  await drive(own.driver, job.id, 'enroute');
  await cancel(own, job);
  expect(await requested(own, job)).toMatchObject([{ name: 'Stack-out', quantity: '4', revenue_rate_value: '110', total_amount: '440' }]);
  const receivable = await invoiceOf(books, job.id, 'receivable', by);
  expect(receivable).toMatchObject({ state: 'pending', total_amount: '440', add_on_charges_total_amount: '440' });
  expect(await linesOf(by, receivable.id)).toEqual([]);
  expect(await invoiceOf(books, job.id, 'payable', by)).toMatchObject({ state: 'pending', total_amount: '120' });
  // Half of it was agreed on.
  const [charge] = await requested(own, job);
  await own.must('PATCH', `/v1/add_on_charges/${charge.id}`, { quantity: 2 });
  expect((await live(own, by, job)).body.data.total_amount).toBe('220');
  expect((await event(by, receivable.id, 'approve')).status).toBe(200);
  expect(await live(own, by, job)).toMatchObject({ body: { data: { state: 'approved', total_amount: '220' } } });
});

test('a job is canceled too late within the notice only; what the office takes back does not come again', async () => {
  const { own, by, rates } = await company();
  const late = await readyJob(own, { ...rates, load_at: inMinutes(60) });
  await cancel(own, late);
  const [charge] = await requested(own, late);
  expect(charge).toMatchObject({ name: 'Stack-out', quantity: '4' });
  expect((await own.http('DELETE', `/v1/add_on_charges/${charge.id}`)).status).toBe(204);
  expect([await requested(own, late), (await live(own, by, late)).status]).toEqual([[], 404]);
  const early = await readyJob(own, { ...rates, load_at: inMinutes(300) });
  await cancel(own, early);
  expect([await requested(own, early), (await live(own, by, early)).status]).toEqual([[], 404]);
  // A longer notice, and none at all.
  await choose(own, { cancelNoticeMinutes: 1_440 });
  const noticed = await readyJob(own, { ...rates, load_at: inMinutes(300) });
  await cancel(own, noticed);
  expect(await requested(own, noticed)).toHaveLength(1);
  await choose(own, { stackOutsRequested: false });
  const free = await readyJob(own, { ...rates, load_at: inMinutes(10) });
  await cancel(own, free);
  expect(await requested(own, free)).toEqual([]);
  // By the ton, nobody is promised any hours. What was requested by hand is invoiced all the same.
  await choose(own, { stackOutsRequested: true });
  const tons = await readyJob(own, { customer_rate_value: 5, customer_rate_type: 'RatePerTon', load_at: inMinutes(10) });
  await own.must('POST', `/v1/jobs/${tons.id}/add_on_charges`, { name: 'Dry run', quantity: 1, revenue_rate_value: 75 });
  await cancel(own, tons);
  expect(await requested(own, tons)).toMatchObject([{ name: 'Dry run' }]);
  expect((await live(own, by, tons)).body.data).toMatchObject({ state: 'pending', total_amount: '75' });
});

test('each company of a chain requests for itself, at the terms of its links', async () => {
  const chain = await makeChain(books.app);
  const { owner, middle, last } = chain;
  const job = await jobOfChain(chain);
  for (const [at, time_rate] of [
    [owner, 80],
    [middle, 70],
  ] as const) {
    const [link] = (await at.must('GET', at.path(`/jobs/${job.id}/job_assignments`))).filter((one: Json) => one.rate_value !== undefined);
    const { id } = await rateCard(at, 'vendor', { ...HOURS, time_rate });
    await at.must('PATCH', `/v1/job_assignments/${link.id}`, { rate_id: id });
  }
  await job.go('enroute');
  await cancel(owner, job);
  // The owner's customer does not pay by the hour.
  const charges = [];
  for (const company of [owner, middle, last])
    charges.push((await requested(company, job)).map(({ revenue_rate_value }) => revenue_rate_value));
  expect(charges).toEqual([[], ['80'], ['70']]);
  const by = await billerOf(middle);
  expect([(await live(middle, by, job)).body.data.total_amount, (await live(middle, by, job, 'payable')).body.data.total_amount]).toEqual([
    '320',
    '280',
  ]);
});
