import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

/** Drives a job's next load, as far as there are minutes: those after the start of the day at which each event happened. */
async function drive(job: Json, minutes: readonly number[]): Promise<void> {
  const events = ['enroute', 'arrive', 'load_material', 'enroute', 'arrive', 'unload_material', 'complete_load'];
  const day = Date.now() - 24 * 3_600_000;
  for (const [i, event] of events.slice(0, minutes.length).entries()) {
    await tenant.must('PUT', `/v1/jobs/${job.id}/${event}`, { occurred_at: new Date(day + minutes[i]! * 60_000).toISOString() });
  }
}

test('an order without trucks on the road has only its plan', async () => {
  const order = await makeOrder(tenant, { truck_count: 3, loads_per_truck: 2, quantity: 100, equipment_type_gross_capacity: 14 });
  expect(order.order_summary).toMatchObject({
    jobs_count: 3,
    loads_count: 6,
    assigned_jobs_count: 0,
    started_jobs_count: 0,
    actionable_jobs_count: 3,
    delivered_loads_count: 0,
    calculated_loads_count: 8,
    delivered_quantities: [],
    material_gross_requested_quantity: '100',
    material_gross_delivered_quantity: null,
    material_gross_unit_of_measure: 'Load',
    estimated_delivered_quantity: '0',
    total_tickets_quantity: '0',
    first_load_unloaded_at: null,
  });
  expect([order.load_cycle_avg, order.loads_pickup_time_minutes_avg, order.loads_dropoff_time_minutes_avg]).toEqual([0, 0, 0]);
});

test('driven loads are counted, summed by material and unit, and averaged', async () => {
  const order = await makeOrder(tenant, {
    truck_count: 2,
    loads_per_truck: 2,
    driver_id: tenant.driver.id,
    material_id: tenant.material.id,
    unit_of_measure: 'Ton',
    load_unit_of_measure: 'Ton',
    quantity: 60,
    equipment_type_gross_capacity: 15,
    equipment_type_gross_capacity_unit_of_measure: 'Ton',
  });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  for (const load of await tenant.must('GET', `/v1/jobs/${job.id}/loads`)) {
    await tenant.must('PATCH', `/v1/loads/${load.id}`, { quantity: load.ordinality === 1 ? 14.25 : 13.5 });
  }
  // Pickup 6 and 8 minutes, drop-off 4 and 10, from arrival to arrival 60.
  await drive(job, [0, 10, 16, 17, 40, 44, 45]);
  await drive(job, [46, 70, 78, 79, 100, 110, 111]);
  await tenant.must('PUT', `/v1/jobs/${job.id}/complete`, {});
  const after = await tenant.must('GET', tenant.path(`/orders/${order.id}`));
  expect(after.order_summary).toMatchObject({
    jobs_count: 2,
    loads_count: 4,
    assigned_jobs_count: 1,
    started_jobs_count: 1,
    delivered_loads_count: 2,
    delivered_quantities: [{ delivered: '27.75', unit_of_measure: 'Ton', material_name: 'Gravel', total: '60', ticketed: false }],
    material_gross_delivered_quantity: '27.75',
    material_gross_unit_of_measure: 'Ton',
    estimated_delivered_quantity: '30',
    estimated_delivered_unit_of_measure: 'Ton',
  });
  expect(after.order_summary.first_load_unloaded_at).toMatch(/^20.*Z$/);
  expect([after.load_cycle_avg, after.loads_pickup_time_minutes_avg, after.loads_dropoff_time_minutes_avg]).toEqual([60, 7, 7]);
});

/** A finished job of two completed loads, on an order of 60 Ton. */
async function twoLoads(more: object = {}): Promise<{ order: Json; job: Json; loads: Json[] }> {
  const order = await makeOrder(tenant, {
    ...{ truck_count: 1, loads_per_truck: 2, driver_id: tenant.driver.id, material_id: tenant.material.id },
    ...{ unit_of_measure: 'Ton', load_unit_of_measure: 'Ton', quantity: 60, ...more },
  });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await drive(job, [0, 10, 16, 17, 40, 44, 45]);
  await drive(job, [46, 70, 78, 79, 100, 110, 111]);
  await tenant.must('PUT', `/v1/jobs/${job.id}/complete`, {});
  const loads = await tenant.must('GET', `/v1/jobs/${job.id}/loads`);
  return { order, job, loads: loads.sort((a: Json, b: Json) => a.ordinality - b.ordinality) };
}

const summaryOf = async (order: Json) => (await tenant.must('GET', tenant.path(`/orders/${order.id}`))).order_summary;

test('a job and its order report the same deliveries: by tickets, otherwise as reported, each with the requested quantity in that unit', async () => {
  const { order, job, loads } = await twoLoads({ job_unit_of_measure: 'Tonne', job_quantity: 20, loads_per_truck: 2 });
  await tenant.must('POST', '/v1/tickets', { load_id: loads[0].id, quantity: 18.25, unit_of_measure: 'Ton' });
  const rows = async () => {
    const ofJob = (await tenant.must('GET', `/v1/jobs/${job.id}/summary`)).delivered_quantities;
    expect((await tenant.must('GET', `/v1/jobs/${job.id}`)).job_summary.delivered_quantities).toEqual(ofJob);
    return [ofJob, (await summaryOf(order)).delivered_quantities];
  };
  const row = (delivered: string, unit_of_measure: string, ticketed: boolean, total: string) => ({
    ...{ delivered, unit_of_measure, ticketed, total },
    material_name: 'Gravel',
  });
  // 20 Tonne are 22.0462 Ton.
  expect(await rows()).toEqual([[row('18.25', 'Ton', true, '22.0462')], [row('18.25', 'Ton', true, '60')]]);
  await tenant.must('PATCH', `/v1/loads/${loads[1].id}`, { quantity: 22, unit_of_measure: 'Yard' });
  expect(await rows()).toEqual([
    [row('18.25', 'Ton', true, '22.0462'), row('22', 'Yard', false, '0')],
    [row('18.25', 'Ton', true, '60'), row('22', 'Yard', false, '0')],
  ]);
  const { data } = await tenant.gql('query($id: ID!) { jobSummary(jobId: $id) { deliveredQuantities { delivered total ticketed } } }', {
    id: job.id,
  });
  expect(data.jobSummary.deliveredQuantities).toEqual([
    { delivered: '18.25', total: '22.0462', ticketed: true },
    { delivered: '22', total: '0', ticketed: false },
  ]);
});

test('loads and tickets are counted alike on a job and on its order, without canceled loads and voided tickets', async () => {
  const order = await makeOrder(tenant, { truck_count: 2, loads_per_truck: 2 });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const jobs = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await tenant.must('PUT', `/v1/jobs/${jobs[0].id}/cancel`, {});
  const [load] = await tenant.must('GET', `/v1/jobs/${jobs[1].id}/loads`);
  const ticket = { job_id: jobs[1].id, quantity: 2, unit_of_measure: 'Ton' };
  const tickets = [];
  for (const more of [{ load_id: load.id }, {}, {}]) tickets.push(await tenant.must('POST', '/v1/tickets', { ...ticket, ...more }));
  await tenant.must('PUT', `/v1/tickets/${tickets[2].id}/void`, {});
  const counts = [];
  for (const { id } of jobs) {
    const { loads_count, tickets_count } = await tenant.must('GET', `/v1/jobs/${id}`);
    counts.push([loads_count, tickets_count]);
  }
  expect(counts).toEqual([
    [0, 0],
    [2, 2],
  ]);
  const summary = await summaryOf(order);
  expect([summary.loads_count, summary.total_tickets_count]).toEqual([2, 2]);
  // A voided ticket stays in the lists, where its state distinguishes it from the others.
  const listed = async (query: string) => (await tenant.must('GET', `/v1/jobs/${jobs[1].id}/tickets${query}`)).length;
  expect([await listed(''), await listed('?filter[states][]=pending'), await listed('?filter[states][]=voided')]).toEqual([3, 2, 1]);
});

test.each([
  [50, 'Ton', 12, 'Ton', 5],
  [50, 'Ton', 12, 'Tonne', 4],
  [45.359237, 'Tonne', 10, 'Ton', 5],
  [50, 'Ton', 12, 'Yard', null],
  [50, 'Ton', 12, null, 5],
  [10, 'Barrel', 42, 'Gallon', 10],
])('%d %s in trucks of %d %s are %d loads', async (quantity, unit_of_measure, equipment_type_gross_capacity, capacityUnit, loads) => {
  const capacity = { equipment_type_gross_capacity, equipment_type_gross_capacity_unit_of_measure: capacityUnit };
  // An order whose loads are counted as its trucks are is taken, whatever unit its quantity has.
  const order = await makeOrder(tenant, { quantity, unit_of_measure, load_unit_of_measure: capacityUnit ?? unit_of_measure, ...capacity });
  expect(order.order_summary.calculated_loads_count).toBe(loads);
});

test("tickets are summed in their order's unit, without those that do not convert to it", async () => {
  const order = await makeOrder(tenant, { unit_of_measure: 'Ton' });
  const inLoads = await makeOrder(tenant, { unit_of_measure: 'Load', load_unit_of_measure: 'Tonne' });
  for (const { id } of [order, inLoads]) {
    const [job] = await tenant.must('GET', `/v1/orders/${id}/jobs`);
    for (const [quantity, unit_of_measure] of [
      [1.1, 'Ton'],
      [2.2, 'Ton'],
      [4.4, 'Tonne'],
      [3.3, 'Yard'],
      [5, 'Yard'],
    ])
      await tenant.must('POST', '/v1/tickets', { job_id: job.id, quantity, unit_of_measure });
  }
  expect(await summaryOf(order)).toMatchObject({ total_tickets_count: 5, total_tickets_quantity: '8.1502' });
  expect((await summaryOf(inLoads)).total_tickets_quantity).toBe('7.3937');
});

test('each mutation of a document answers with the state after it', async () => {
  const order = await makeOrder(tenant);
  const { data } = await tenant.gql(
    `mutation($id: ID!) {
      more: updateOrder(id: $id, input: { truckCount: 3 }) { orderSummary { jobsCount } }
      most: updateOrder(id: $id, input: { truckCount: 5 }) { orderSummary { jobsCount } loadCycleAvg }
    }`,
    { id: order.id },
  );
  expect([data.more.orderSummary.jobsCount, data.most.orderSummary.jobsCount]).toEqual([3, 5]);
});

test('summaries of a page take one statement', async () => {
  const { value, statements } = await app.countStatements(() =>
    tenant.gql('{ orders { nodes { id loadCycleAvg orderSummary { jobsCount deliveredQuantities { delivered } } } } }'),
  );
  expect(value.data.orders.nodes.length).toBeGreaterThan(2);
  expect(statements).toHaveLength(2);
});

test('an order is counted alike by itself and among others', async () => {
  const orders = await tenant.must('GET', '/v1/orders?page[limit]=100');
  expect(orders.length).toBeGreaterThan(10);
  const figures = (order: Json) => [order.order_summary, order.load_cycle_avg, order.loads_pickup_time_minutes_avg];
  for (const order of orders) {
    const single = await tenant.must('GET', `/v1/orders/${order.id}`);
    expect(figures(single)).toEqual(figures(order));
  }
});

test('the times of a load that was canceled are in no average', async () => {
  const order = await makeOrder(tenant, { truck_count: 1, loads_per_truck: 2, driver_id: tenant.driver.id });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await drive(job, [0, 10, 16, 17, 40, 44, 45]);
  // The truck waits for an hour and is loaded, but the job is completed before anything is delivered.
  await drive(job, [46, 70, 130]);
  await tenant.must('PUT', `/v1/jobs/${job.id}/complete`, {});
  const { loads_pickup_time_minutes_avg: pickup, loads_dropoff_time_minutes_avg: dropoff } = await tenant.must(
    'GET',
    `/v1/orders/${order.id}`,
  );
  expect([pickup, dropoff]).toEqual([6, 4]);
});
