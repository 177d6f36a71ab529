import { expect, test } from '@jest/globals';
import { DriverDay } from '../../../src/dispatch/model/driver-day.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { pastShift } from '../../dispatch/drivers/shifts.ts';
import { readyJob, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { event, invoiceOf, makeBooks, messages } from '../books.ts';
import { adjust, billedAsChosen, choose, company, linesOfJobs, on, rateCardOf, touch, worked } from './worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

test('the minimum of an hourly rate is for each job, or for the day', async () => {
  const { own, by } = await company(books);
  const hourly = { type: 'RatePerHour', timeRate: '60', timeMinimumMinutes: 240 };
  const each = await rateCardOf(own, hourly);
  const byDay = await rateCardOf(own, { ...hourly, minimumPer: 'day' });
  const jobs: Json[] = [];
  for (const rates of [each, each, byDay, byDay]) jobs.push(await worked(own, null, rates, 125));
  for (const job of jobs) await touch(own, job);
  expect(await linesOfJobs(books, by, jobs)).toEqual([['240'], ['240'], ['125'], ['125']]);
  // An edit of one job is a part of the day, of which the others get the rest: 65 and 125 of 240 minutes.
  await adjust(books, by, jobs[2], -60);
  expect(await linesOfJobs(books, by, jobs)).toEqual([['240'], ['240'], ['82'], ['158']]);
});

test('jobs of the first and the last hour of a day of 25 hours share it, and wait for each other until one goes to another driver', async () => {
  const { own, by } = await company(books);
  const rates = await rateCardOf(own, { type: 'RatePerDay', timeRate: '900', timeMinimumMinutes: 480 });
  // Ten past midnight and ten to midnight where clocks fell back.
  const starts = [on('00:10', '2026-11-01'), on('23:50', '2026-11-01')].map((at) => at.toISOString());
  const jobs: Json[] = [];
  for (const load_at of starts) jobs.push(await worked(own, null, { ...rates, load_at }, 300));
  for (const job of jobs) await touch(own, job);
  expect(await linesOfJobs(books, by, jobs)).toEqual([['450'], ['450']]);
  const waiting = await readyJob(own, { loads_per_truck: 1, ...rates, load_at: starts[1] });
  const blockers = async () => {
    const { id } = await invoiceOf(books, jobs[0].id, 'receivable', by);
    return (await by.gql('query($id: ID!) { invoice(id: $id) { blockers } }', { id })).data.invoice.blockers;
  };
  expect(await blockers()).toContain('day_not_finished');
  const other = await own.person({ roles: ['driver'] });
  await own.dispatcher.must('PATCH', `/v1/jobs/${waiting.id}`, { driver_id: other.user.id });
  expect(await blockers()).not.toContain('day_not_finished');
});

test('M13: time away from the home base, raised to the increment of the day, is shared by worked minutes', async () => {
  const { own, by } = await company(books);
  const spans = [
    ['on_duty', on('05:30'), on('10:00')],
    ['break', on('10:00'), on('10:30')],
    ['on_duty', on('10:30'), on('16:30')],
  ] as const;
  const day = await pastShift(own, own.driver.user, spans, { firstHomebaseExitAt: on('05:52'), lastHomebaseEntryAt: on('16:10') });
  const rates = await rateCardOf(own, { type: 'RatePerHour', timeRate: '105', timeIncrementMinutes: 60, timeBasis: 'portal' });
  const jobs = [await worked(own, day.id, rates, 310), await worked(own, day.id, rates, 190)];
  for (const job of jobs) await touch(own, job);
  expect(await linesOfJobs(books, by, jobs)).toEqual([['651'], ['399']]);
  // Minutes more are minutes more than its share, and nobody else's.
  await adjust(books, by, jobs[0], 60);
  expect(await linesOfJobs(books, by, jobs)).toEqual([['756'], ['399']]);
  await adjust(books, by, jobs[0], 0);
  // A billed amount stays as it was when the company chooses to pay for breaks.
  await own.must('PUT', own.path(`/jobs/${jobs[1].id}/approve`), {}, await own.administrator());
  await billedAsChosen(books, own, by, { job: jobs[1], chosen: { breaksPaid: true } });
  await choose(own, { breaksPaid: false });
  const shift = await rateCardOf(own, { type: 'RatePerHour', timeRate: '60', timeBasis: 'shift' });
  const paid = await worked(own, day.id, shift, 100);
  await touch(own, paid);
  // Of 630 paid minutes of the shift, 100 of 600 worked ones were for this rate.
  expect(await linesOfJobs(books, by, [paid])).toEqual([['105']]);
  // One shift over midnight is paid once, whatever the dates of its jobs: 510 minutes for 100 and 100 worked ones.
  const ofNight = { ...own, driver: await own.person({ roles: ['driver'] }) } as StaffedTenant;
  const night = await pastShift(own, ofNight.driver.user, [['on_duty', on('21:30', '2026-11-16'), on('06:00', '2026-11-17')]]);
  const nightly: Json[] = [];
  for (const start of [on('22:00', '2026-11-16'), on('01:00', '2026-11-17')]) {
    const job = await worked(ofNight, night.id, shift, 100);
    await books.app.orm.em.fork().nativeUpdate(Job, { id: job.id }, { jobStartAt: start } as never, { filters: { tenant: false } });
    nightly.push(job);
  }
  for (const job of nightly) await touch(own, job);
  expect(await linesOfJobs(books, by, nightly)).toEqual([['255'], ['255']]);
  await own.app.orm.em.fork().nativeUpdate(DriverDay, { id: day.id }, { lastHomebaseEntryAt: null }, { filters: { tenant: false } });
  await own.must('PATCH', `/v1/orders/${jobs[0].order.id}`, { tax_rate: 2 });
  const unknown = await invoiceOf(books, jobs[0].id, 'receivable', by);
  await own.must('PUT', own.path(`/jobs/${jobs[0].id}/approve`), {}, await own.administrator());
  expect([unknown.invoice_line_items_total_amount, messages(await event(by, unknown.id, 'approve'))]).toEqual([
    '0',
    ['cannot be approved: nobody knows the time that its rate pays'],
  ]);
  // A biller who sets the times knows it.
  const ofUnknown = by.path(`/invoices/${unknown.id}/invoice_line_items`);
  const [line] = await by.must('GET', ofUnknown);
  const set = { id: line.id, pay_start_time: on('05:52').toISOString(), pay_end_time: on('09:40').toISOString() };
  await by.must('PATCH', ofUnknown, { invoice_line_items: [set] });
  const known = await event(by, unknown.id, 'approve');
  expect([known.status, known.body.data?.invoice_line_items_total_amount]).toEqual([200, '420']);
});

test('previews say what invoices do wherever time is paid: by the rate of a job, by one that somebody set, and for others of a day that is shared', async () => {
  const { own, by } = await company(books);
  const day = await pastShift(own, own.driver.user, [['on_duty', on('05:30'), on('16:30')]]);
  const shift = await rateCardOf(own, { type: 'RatePerHour', timeRate: '60', timeBasis: 'shift' });
  const byTon = { customer_rate_value: 2, customer_rate_type: 'RatePerTon' };
  const jobs = [await worked(own, day.id, shift, 300), await worked(own, day.id, byTon, 100), await worked(own, day.id, byTon, 90)];
  for (const job of jobs) await touch(own, job);
  const { id: byHand } = await invoiceOf(books, jobs[2].id, 'receivable', by);
  await by.must('PATCH', by.path(`/invoices/${byHand}`), { rate_value: 40, rate_type: 'RatePerHour' });
  const invoiced = await linesOfJobs(books, by, jobs);
  // Of 660 minutes of the shift, 300 of 490 are the first job's; those of the others are by the ton, and 1.5 hours at 40.
  expect([invoiced[0], invoiced[2]]).toEqual([['404'], ['60']]);
  const asked = jobs.map(({ id }) => `job_ids[]=${id}`).join('&');
  const previews: Json[] = await by.must('GET', by.path(`/billing/previews?${asked}&side=receivable`));
  const linesIn = ({ invoices }: Json): string[] =>
    invoices.flatMap(({ line_items }: Json) => line_items.map((line: Json) => line.total_amount));
  expect(jobs.map(({ id }) => linesIn(previews.find(({ job_id }) => job_id === id)))).toEqual(invoiced);
});
