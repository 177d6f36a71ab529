import { expect, test } from '@jest/globals';
import { localDate, localDateAfter } from '../../../src/platform/time.ts';
import { act, drive, jobOf, makeChain, shortHaul } from '../../helpers/staffed-tenant.ts';
import { billerOf, makeBooks } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks({ worker: true });

test('a load after midnight may be billed by its own day or by that of its job, and by no other one', async () => {
  const { owner, middle, hired } = await makeChain(books.app);
  const biller = await billerOf(owner);
  const { user, token } = await middle.person({ roles: ['driver'] });
  const driver = { must: (method: string, path: string, body?: object) => middle.must(method, path, body, token) } as never;
  const zone = owner.company.timeZone;
  // Also a day of 25 hours was yesterday.
  const planned = new Date(Date.now() - 26 * 3_600_000);
  const { id } = await jobOf(owner, { load_at: planned.toISOString(), loads_per_truck: 4 });
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  await middle.dispatcher.must('PATCH', `/v1/jobs/${id}`, { driver_id: user.id });
  await middle.dispatcher.must('PUT', `/v1/jobs/${id}/request`, {});
  await drive(driver, id, 'accept');
  await owner.must('PATCH', `/v1/jobs/${id}`, { vendor_rate_value: 3.6, vendor_rate_type: 'RatePerTon' });
  await drive(driver, id, ...shortHaul(4));
  const loads: Json[] = (await owner.must('GET', `/v1/jobs/${id}/loads`)).toSorted((a: Json, b: Json) => a.ordinality - b.ordinality);
  for (const [i, load] of loads.entries())
    await owner.must('POST', '/v1/tickets', { load_id: load.id, ticket_number: `N-${i}`, quantity: 10, unit_of_measure: 'Ton' });
  const began = localDate(planned, zone);
  const unloaded = loads.map(({ load_summary }) => new Date(load_summary.unloaded_at));
  const dates = [began, localDate(unloaded[1]!, zone), localDateAfter(planned, -1, zone), localDateAfter(unloaded[3]!, 1, zone)];
  expect(dates[1]! > began).toBe(true);
  const lines = dates.map((date, i) => ({ ticket_number: `N-${i}`, quantity: 10, rate: 3.6, date }));
  const bill = await biller.must('POST', biller.path('/billing/vendor_bills'), { vendor_account_id: hired.id, number: 'Night', lines });
  await books.app.settled();
  const found: Json[] = await biller.must('GET', biller.path(`/billing/load_matches?filter[vendor_bill_id]=${bill.id}`));
  expect(Object.fromEntries(found.map((one) => [one.ticket_number, one.variances]))).toEqual({
    ...{ 'N-0': [], 'N-1': [] },
    ...{ 'N-2': ['date_bill_vs_load'], 'N-3': ['date_bill_vs_load'] },
  });
});
