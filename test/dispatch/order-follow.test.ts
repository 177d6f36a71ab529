import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeYard, type Yard } from '../helpers/yard.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let yard: Yard;
beforeAll(async () => {
  app = await startTestApp();
  yard = await makeYard(app);
});
afterAll(() => app.close());

const jobsOf = async (order: Json): Promise<Json[]> =>
  (await yard.must('GET', `/v1/orders/${order.id}/jobs`)).sort((a: Json, b: Json) => a.job_id.localeCompare(b.job_id));

test('what dispatch set on a job stays when something else of the order changes', async () => {
  const order = await makeOrder(yard, { truck_count: 2, job_notes: 'all' });
  const [first] = await jobsOf(order);
  const own = { notes: 'own', job_start_at: '2026-11-23T18:00:00.000Z', material_id: yard.material.id, job_time: 33 };
  await yard.must('PATCH', `/v1/jobs/${first.id}`, own);
  await yard.must('PATCH', `/v1/orders/${order.id}`, { zone: 'new' });
  const [job, twin] = await jobsOf(order);
  expect(job).toMatchObject({ notes: 'own', job_start_at: own.job_start_at, material: { id: yard.material.id }, job_time: 33 });
  expect(twin).toMatchObject({ notes: 'all', job_start_at: '2026-11-23T12:00:00.000Z', material: null });
});

test('what the order changes is changed on its jobs', async () => {
  const order = await makeOrder(yard, { truck_count: 2, job_notes: 'all' });
  const [first] = await jobsOf(order);
  await yard.must('PATCH', `/v1/jobs/${first.id}`, { notes: 'own', job_time: 33 });
  await yard.must('PATCH', `/v1/orders/${order.id}`, { job_notes: 'new' });
  expect((await jobsOf(order)).map((job) => [job.notes, job.job_time])).toEqual([
    ['new', 33],
    ['new', null],
  ]);
});

test('trucks already on the road keep what they left with', async () => {
  const order = await makeOrder(yard, { truck_count: 2, driver_id: yard.driver.id, job_notes: 'all' });
  await yard.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [first] = await jobsOf(order);
  await yard.must('PUT', `/v1/jobs/${first.id}/enroute`, {});
  await yard.must('PATCH', `/v1/orders/${order.id}`, { job_notes: 'new' });
  expect((await jobsOf(order)).map((job) => job.notes)).toEqual(['all', 'new']);
});
