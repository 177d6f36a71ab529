import { expect, test } from '@jest/globals';
import { hauled, M10, makeBooks } from '../billing/books.ts';
import { machineToken, makeStaffedTenant, ONE_LOAD, readyJob } from '../helpers/staffed-tenant.ts';
import { CHICAGO, loginOf, rowsOf, signerIn } from './bi-logins.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const signedIn = signerIn(books);

test('cycles are the same in metrics, in their view, of a job and of an order: none is over a night, and none less than 0', async () => {
  const at = await makeStaffedTenant(books.app, CHICAGO);
  const job = await readyJob(at, { load_at: '2026-11-19T12:00:00Z', loads_per_truck: 5 });
  // Behind the first load there are 60 minutes, a night, 90 minutes, and what the office corrects to less than nothing.
  for (const start of ['19T12:00', '19T13:00', '20T12:00', '20T13:30', '20T15:00'])
    for (const [step, event] of ONE_LOAD.entries()) {
      const occurred_at = new Date(Date.parse(`2026-11-${start}:00Z`) + step * 300_000).toISOString();
      await at.driver.must('PUT', `/v1/jobs/${job.id}/${event}`, { occurred_at });
    }
  const loads = await at.must('GET', `/v1/jobs/${job.id}/loads`);
  const last = loads.find(({ ordinality }: Json) => ordinality === 5);
  await at.admin.must('PATCH', `/v1/loads/${last.id}/summary`, { arrived_pickup_at: '2026-11-20T13:00:00Z' });
  const { load_cycle_time_minutes_avg: listed } = await at.must('GET', `/v1/jobs/${job.id}/loads/cycles`);
  const [ofJob, ofOrder] = [await at.must('GET', `/v1/jobs/${job.id}`), await at.must('GET', `/v1/orders/${job.order.id}`)];
  const [{ values }] = await at.admin.must('GET', at.path('/metrics?measures[]=cycle_minutes'));
  expect([listed, ofJob.load_cycle_avg, ofOrder.load_cycle_avg, values]).toEqual([
    50,
    50,
    50,
    [{ measure: 'cycle_minutes', unit: 'minutes', value: '50' }],
  ]);
  const inView = await signedIn(await loginOf(at), (db) =>
    rowsOf(db, 'select sum(cycle_minutes)::int as minutes, sum(cycles)::int as cycles from metric_loads'),
  );
  expect(inView).toEqual([{ minutes: 150, cycles: 3 }]);
});

test('the percentage of a commission is read in SQL by those who read it in the API: who sees what the customer pays', async () => {
  const at = await makeStaffedTenant(books.app, CHICAGO);
  const rates = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon', driver_rate_value: 33, driver_rate_type: 'RateCommission' };
  await hauled(books, M10, { at, order: rates });
  await books.app.settled();
  const ofApi = async (...permissions: Parameters<typeof machineToken>[1]) =>
    (await at.must('GET', at.path('/invoices'), undefined, await machineToken(at, permissions))).map(
      ({ rate_value, total_amount }: Json) => [
        rate_value === null ? null : Number(rate_value),
        total_amount === null ? null : Number(total_amount),
      ],
    );
  const ofView = async (...permissions: string[]) =>
    (
      await signedIn(await loginOf(at, permissions), (db) =>
        rowsOf(db, 'select rate_value::float8, total_amount::float8 from invoices order by created_at desc, id desc'),
      )
    ).map(({ rate_value, total_amount }: Json) => [rate_value, total_amount]);
  for (const seen of [['view_driver_rates'], ['view_customer_rates'], ['view_customer_rates', 'view_driver_rates']] as const)
    expect([seen, await ofView('view_settlements', ...seen)]).toEqual([seen, await ofApi('view_settlements', ...seen)]);
  const percentages = async (...seen: string[]) => (await ofView('view_settlements', ...seen)).filter(([rate]) => rate === 33).length;
  expect([await percentages('view_driver_rates'), await percentages('view_driver_rates', 'view_customer_rates')]).toEqual([0, 1]);
});

test('what waits for an approval is as many in metrics, in their views and in its lists, also while an order is on hold', async () => {
  const at = await makeStaffedTenant(books.app, CHICAGO);
  const [held] = [await hauled(books, M10, { at }), await hauled(books, ['9'], { at })];
  const waiting = async () => {
    const [{ values }] = await at.admin.must('GET', at.path('/metrics?measures[]=jobs_to_approve&measures[]=loads_to_approve'));
    const [sums] = await signedIn(await loginOf(at), (db) =>
      rowsOf(
        db,
        `select (select sum(jobs_to_approve) from metric_jobs)::int as jobs, (select sum(loads_to_approve) from metric_loads)::int as loads`,
      ),
    );
    const listed = [];
    for (const list of ['/jobs/approval', '/loads/approval']) listed.push((await at.admin.must('GET', at.path(list))).length);
    expect([values.map(({ value }: Json) => Number(value)), [sums.jobs, sums.loads]]).toEqual([listed, listed]);
    return listed;
  };
  expect(await waiting()).toEqual([2, 4]);
  await at.admin.must('PUT', at.path(`/orders/${held.order.id}/hold`), {});
  expect(await waiting()).toEqual([1, 1]);
  await at.admin.must('PUT', at.path(`/orders/${held.order.id}/start`), {});
  expect(await waiting()).toEqual([2, 4]);
});
