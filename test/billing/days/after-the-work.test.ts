import { expect, test } from '@jest/globals';
import { drive, readyJob, shortHaul } from '../../helpers/staffed-tenant.ts';
import { makeRoad } from '../../telematics/fences/road.ts';
import { invoiceOf, makeBooks } from '../books.ts';
import { company, rateCardOf } from './worked-days.ts';

const books = makeBooks({ worker: true });

test('B3, time basis site: a truck that leaves the place after its work was done is paid until then, unless later positions disprove that', async () => {
  const { own, by } = await company(books);
  const rates = await rateCardOf(own, { type: 'RatePerHour', timeRate: '60', timeBasis: 'site' });
  const road = await makeRoad(own, { order: { ...rates, recurring_loads: false, loads_per_truck: 1 } });
  const draft = async () => invoiceOf(books, road.jobId, 'receivable', by);
  await road.drive([0, -400], [2, 0], [2.5, 0], [4, 0]);
  await road.go([10, 600], [12, 600]);
  await road.go([20, 5_000], [24, 5_000]);
  for (const [event, at] of [
    ['unload_material', 30],
    ['complete_load', 31],
    ['complete', 32],
  ] as const)
    await road.press(event, at);
  const [load] = await own.must('GET', `/v1/jobs/${road.jobId}/loads`);
  expect(load.state).toBe('completed');
  // Nobody has seen it leave.
  expect(await draft()).toMatchObject({ state: 'pending', total_amount: '0' });
  await road.drive([40, 5_400], [40.5, 5_400], [41, 5_400], [41.5, 5_400]);
  expect(await draft()).toMatchObject({ total_amount: '38' });
  // In between it was at the place again and again, as its telephone had kept for itself.
  await road.drive([40.25, 5_000], [40.75, 5_000], [41.25, 5_000], [41.75, 5_000]);
  expect(await draft()).toMatchObject({ total_amount: '0' });
});

test('B5: a draft follows a break that the telephone of a driver reports after the job', async () => {
  const { own, by } = await company(books);
  const order = { customer_rate_value: 60, customer_rate_type: 'RatePerHour' };
  const job = await readyJob(own, { loads_per_truck: 1, ...order });
  await drive(own.driver, job.id, ...shortHaul());
  // It began two hours ago.
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const sql = `update driver_state_event set started_at = ? where user_id = ? and state = 'on_duty'`;
  await books.app.orm.em.fork().execute(sql, [ago(180), own.driver.user.id]);
  const times = { adjusted_logging_started_at: ago(120).toISOString(), adjusted_logging_ended_at: ago(20).toISOString() };
  await own.must('PATCH', `/v1/jobs/${job.id}/summary`, times, await own.administrator());
  expect((await invoiceOf(books, job.id, 'receivable', by)).total_amount).toBe('100');
  for (const [state, minutes] of [
    ['break', 60],
    ['on_duty', 30],
  ] as const)
    await own.driver.must('PUT', `/v1/users/me/driver_day/${state}`, { occurred_at: ago(minutes).toISOString() });
  expect((await invoiceOf(books, job.id, 'receivable', by)).total_amount).toBe('70');
});
