import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newId } from '../src/platform/ids.ts';
import { type Answer, startTestApp, type TestApp } from './helpers/app.ts';
import { makeOrder, makeTenant, orderInput, type Tenant } from './helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: rows are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const sql = (text: string, params: unknown[] = []) => app.orm.em.getConnection().execute<Json[]>(text, params);
const times = <T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));
const statuses = (answers: Answer[]) => [...new Set(answers.map(({ status }) => status))].sort();

/** Expects the rules that must hold of an order whatever happened to it at once. */
async function expectSound(orderId: string): Promise<void> {
  const [order] = await sql('select * from orders where id = ?', [orderId]);
  const jobs = await sql('select * from job where order_id = ? order by number', [orderId]);
  const loads = await sql('select * from load where order_id = ? order by ordinality', [orderId]);
  const road = ['to_pickup', 'arrived_pickup', 'loaded', 'to_dropoff', 'arrived_dropoff', 'unloaded'];
  expect(new Set(jobs.map((job) => job.number)).size).toBe(jobs.length);
  for (const job of jobs) {
    const own = loads.filter((load) => load.job_id === job.id);
    expect([job.job_id, new Set(own.map((load) => load.ordinality)).size]).toEqual([job.job_id, own.length]);
    const driven = own.filter((load) => [...road, 'paused'].includes(load.state));
    expect([job.state, job.paused_at !== null, driven.map((load) => load.state)]).toEqual([
      job.state,
      driven[0]?.state === 'paused',
      road.includes(job.state) ? [driven[0]?.state === 'paused' ? 'paused' : job.state] : [],
    ]);
    if (['canceled', 'completed'].includes(job.state)) expect(own.filter((load) => load.state === 'created')).toEqual([]);
  }
  if (order.state === 'canceled') expect(jobs.filter((job) => job.state !== 'canceled' && job.state !== 'completed')).toEqual([]);
  // Every state has an unbroken chain of transitions behind it. Ids are drawn when a transition is written, with the record locked;
  // `created_at` is when its transaction began, which may be before it got the lock.
  for (const record of [order, ...jobs, ...loads]) {
    const steps = await sql('select from_state, to_state from transition where subject_id = ? order by id', [record.id]);
    for (const [i, step] of steps.entries()) if (i > 0) expect(step.from_state).toBe(steps[i - 1].to_state);
    if (steps.length > 0) expect(steps.at(-1).to_state).toBe(record.state);
  }
}

test('twenty copies with one idempotency key create one order', async () => {
  const body = orderInput(tenant, { name: 'twin' });
  const headers = { 'Idempotency-Key': newId() };
  const answers = await times(20, () => app.http('POST', tenant.path('/orders'), { token: tenant.token, body, headers }));
  expect(statuses(answers).every((status) => status === 201 || status === 409)).toBe(true);
  const made = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.data.id));
  expect([made.size, (await sql(`select id from orders where name = 'twin'`)).length]).toEqual([1, 1]);
  const later = await app.http('POST', tenant.path('/orders'), { token: tenant.token, body, headers });
  expect([later.status, later.body.data.id]).toEqual([201, [...made][0]]);
});

test('of concurrent orders with one external id, one is created, and the others are refused on the field', async () => {
  const answers = await times(8, () => tenant.http('POST', tenant.path('/orders'), orderInput(tenant, { external_id: 'RACE-1' })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const { status, body } of answers.filter(({ status }) => status !== 201))
    expect([status, body.error.errors[0].field]).toEqual([422, 'external_id']);
});

test('trucks and loads that are added concurrently have different numbers', async () => {
  const order = await makeOrder(tenant);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const answers = await times(12, (i) =>
    i % 2 ? tenant.http('POST', `/v1/orders/${order.id}/jobs`, {}) : tenant.http('POST', `/v1/jobs/${job.id}/loads`, {}),
  );
  expect(statuses(answers)).toEqual([201]);
  await expectSound(order.id);
});

test('concurrent changes of the number of trucks leave the result of one of them', async () => {
  const order = await makeOrder(tenant, { truck_count: 3 });
  const answers = await times(8, (i) => tenant.http('PATCH', `/v1/orders/${order.id}`, { truck_count: 1 + i }));
  expect(statuses(answers).every((status) => status === 200 || status === 409)).toBe(true);
  const [row] = await sql('select truck_count from orders where id = ?', [order.id]);
  const live = await sql(`select id from job where order_id = ? and state <> 'canceled'`, [order.id]);
  expect(live).toHaveLength(row.truck_count);
  await expectSound(order.id);
});

/** A night job sends the order again: changed, or canceled. */
const resent = (order: Json, more: object) => ({
  orders: [{ external_id: order.external_id, load_at: '2026-11-23T12:00:00', customer: { external_id: 'C-1' }, name: newId(), ...more }],
});

const ACTS = [
  (order: Json) => ['POST', '/ingest/orders', resent(order, { notes: 'changed', foremen: [{ email: 'f@example.com' }] })],
  (order: Json) => ['POST', '/ingest/orders', resent(order, { state: 'canceled' })],
  (order: Json) => ['PATCH', `/v1/orders/${order.id}`, { truck_count: 3, notes: 'by hand' }],
  (order: Json) => ['PUT', `/v1/orders/${order.id}/cancel`],
  (order: Json) => ['PUT', `/v1/orders/${order.id}/complete`],
  (order: Json) => ['PUT', `/v1/orders/${order.id}/hold`],
  (order: Json) => ['POST', `/v1/orders/${order.id}/jobs`],
  (_order: Json, job: Json) => ['PUT', `/v1/jobs/${job.id}/enroute`],
  (_order: Json, job: Json) => ['PUT', `/v1/jobs/${job.id}/arrive`],
  (_order: Json, job: Json) => ['PUT', `/v1/jobs/${job.id}/pause`],
  (_order: Json, job: Json) => ['PUT', `/v1/jobs/${job.id}/resume`],
  (_order: Json, job: Json) => ['PUT', `/v1/jobs/${job.id}/complete`],
  (_order: Json, job: Json) => ['PUT', `/v1/jobs/${job.id}/cancel`],
  (_order: Json, job: Json) => ['PUT', `/v1/jobs/${job.id}/unassign`],
  (_order: Json, job: Json) => ['DELETE', `/v1/jobs/${job.id}`],
  (_order: Json, job: Json) => ['POST', `/v1/jobs/${job.id}/loads`],
  (_order: Json, _job: Json, load: Json) => ['PUT', `/v1/loads/${load.id}/complete`],
  (_order: Json, _job: Json, load: Json) => ['DELETE', `/v1/loads/${load.id}`],
  (_order: Json, _job: Json, load: Json) => ['PATCH', `/v1/loads/${load.id}`],
];

test('whatever concurrent commands change on an order, its jobs and loads, all of it is consistent afterwards', async () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  for (let round = 0; round < Number(process.env.RACE_ROUNDS ?? 15); round++) {
    const order = await makeOrder(tenant, { truck_count: 2, loads_per_truck: 2, driver_id: tenant.driver.id, external_id: `R-${round}` });
    await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
    const jobs: Json[] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
    const loads: Json[] = await tenant.must('GET', tenant.path(`/orders/${order.id}/loads`));
    await tenant.must('PUT', `/v1/jobs/${jobs[0].id}/enroute`, {});
    const acts = Array.from({ length: 6 }, () => {
      const [method, path, body] = ACTS[random(ACTS.length)]!(order, jobs[random(2)], loads[random(loads.length)]) as [
        string,
        string,
        object?,
      ];
      return { method, path, body: body ?? (method === 'DELETE' ? undefined : method === 'PATCH' ? { notes: 'x' } : {}) };
    });
    const answers = await Promise.all(acts.map(({ method, path, body }) => tenant.http(method, path, body)));
    await app.settled();
    const reported = answers.map(({ status }, i) => `${acts[i]!.method} ${acts[i]!.path.replace(/[0-9a-f-]{36}/, 'ID')} ${status}`);
    expect(reported.filter((one) => !/ (200|201|202|204|404|409|422)$/.test(one))).toEqual([]);
    const internal = await sql(`select last_error from imported_record where company_id = ? and last_error like 'internal%'`, [
      tenant.company.id,
    ]);
    expect(internal).toEqual([]);
    await expectSound(order.id).catch((error) => {
      throw new Error(`round ${round}: ${reported.join('; ')}\n${error.message}`);
    });
  }
}, 600_000);
