import { expect, test } from '@jest/globals';
import { readyJob } from '../../helpers/staffed-tenant.ts';
import { event, invoiceOf, makeBooks } from '../books.ts';
import { choose, company, linesOfJobs, touch, worked } from './worked-days.ts';

const books = makeBooks();
const hourly = (driver_rate_value: number) => ({ driver_rate_value, driver_rate_type: 'RatePerHour' });

test('B3: overtime begins when all hours of the day come to those of a regular one, whatever each job pays for one', async () => {
  const { own, by } = await company(books);
  await choose(own, { overtimePaid: true });
  const jobs = [await worked(own, null, hourly(32), 420), await worked(own, null, hourly(40), 135)];
  for (const job of jobs) await touch(own, job);
  // An hour of the second job is within eight hours; an hour and a quarter is overtime, at 60.
  expect(await linesOfJobs(books, by, jobs, 'payable')).toEqual([['224'], ['40', '75']]);
  // Work that is not paid by the hour is none of it, and the later job follows the earlier one.
  const loads = await worked(own, null, { driver_rate_value: 50, driver_rate_type: 'RatePerLoad' }, 300);
  await touch(own, loads);
  expect(await linesOfJobs(books, by, [...jobs, loads], 'payable')).toEqual([['224'], ['40', '75'], ['50']]);
  await own.must('PATCH', `/v1/jobs/${jobs[0].id}`, { billable_hours: 5 });
  expect(await linesOfJobs(books, by, jobs, 'payable')).toEqual([['160'], ['90']]);
  await own.must('PATCH', `/v1/jobs/${jobs[0].id}`, { billable_hours: 9 });
  expect(await linesOfJobs(books, by, jobs, 'payable')).toEqual([['256', '48'], ['135']]);
});

test('B3: a job whose overtime depends on one before it at another rate waits for that', async () => {
  const { own, by } = await company(books);
  await choose(own, { overtimePaid: true });
  const first = await readyJob(own, { loads_per_truck: 1, ...hourly(32) });
  const second = await worked(own, null, hourly(40), 135);
  await touch(own, second);
  const blockers = async (): Promise<string[]> => {
    const { id } = await invoiceOf(books, second.id, 'payable', by);
    return (await by.gql('query($id: ID!) { invoice(id: $id) { blockers } }', { id })).data.invoice.blockers;
  };
  expect(await blockers()).toContain('day_not_finished');
  await own.dispatcher.must('PUT', own.path(`/jobs/${first.id}/cancel`), {});
  expect(await blockers()).not.toContain('day_not_finished');
});

test.each([
  ['as it was billed', true],
  ['stale', false],
])(
  'B-I4: pay is %s when a job before it at another rate turns out longer, if such hours did not count when it was approved: %s',
  async (_, asBefore) => {
    const { own, by } = await company(books);
    await choose(own, { overtimePaid: true, approvalBeforeInvoice: false });
    const [first, second] = [await worked(own, null, hourly(32), 300), await worked(own, null, hourly(40), 135)];
    for (const job of [first, second]) await touch(own, job);
    const { id, total_amount } = await invoiceOf(books, second.id, 'payable', by);
    expect(total_amount).toBe('90');
    expect((await event(by, id, 'approve')).status).toBe(200);
    // As an invoice says that was approved when only hours at the same rate counted.
    if (asBefore) await books.app.orm.em.fork().execute(`update invoice set time_terms = time_terms - 'overtimeOfDay' where id = ?`, [id]);
    await own.must('PATCH', `/v1/jobs/${first.id}`, { billable_hours: 7 });
    await books.app.settled();
    const { data } = await by.gql('query($id: ID!) { invoice(id: $id) { stale totalAmount } }', { id });
    expect(data.invoice).toEqual({ stale: !asBefore, totalAmount: '90' });
  },
);
