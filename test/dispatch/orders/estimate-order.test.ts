import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const SHIFT = { equipment_capacity: 14, job_duration_minutes: 480, cycle_time_minutes: 50 };
const figures = (
  truck_quantity: number,
  loads_per_truck: number,
  total_loads: number,
  delivered_per_truck: number,
  total_units: number,
  units_per_hour: number,
) => ({
  truck_quantity,
  loads_per_truck,
  total_loads,
  delivered_per_truck,
  total_units,
  units_per_hour,
});

test.each([
  ['loads', { ...SHIFT, total_loads: 20 }, figures(3, 9, 20, 126, 280, 50)],
  ['trucks', { ...SHIFT, truck_quantity: 2 }, figures(2, 9, 18, 126, 252, 34)],
  ['units', { ...SHIFT, total_units: 500 }, figures(4, 9, 36, 126, 504, 67)],
  ['a capacity that is no whole number', { ...SHIFT, equipment_capacity: 13.5, total_units: 27 }, figures(1, 9, 2, 122, 27, 16)],
  ['a cycle longer than the job', { ...SHIFT, job_duration_minutes: 30, total_loads: 2 }, figures(2, 1, 2, 14, 28, 34)],
])('estimates from %s', async (_name, body, expected) => {
  for (const path of ['/v1/orders/estimate', tenant.path('/orders/estimate')]) {
    const answer = await tenant.http('POST', path, body);
    expect([answer.status, answer.body.data]).toEqual([200, expected]);
  }
});

test.each([
  ['nothing', {}, ['cycle_time_minutes', 'equipment_capacity', 'job_duration_minutes']],
  ['no amount', SHIFT, ['total_loads']],
  ['two amounts', { ...SHIFT, total_loads: 2, total_units: 5 }, ['total_loads']],
  ['a truck without room', { ...SHIFT, equipment_capacity: 0, total_loads: 2 }, ['equipment_capacity']],
  ['a cycle of no time', { ...SHIFT, cycle_time_minutes: 0, total_loads: 0 }, ['cycle_time_minutes', 'total_loads']],
  ['more than anybody hauls', { ...SHIFT, total_loads: 2_000_000_000 }, ['equipment_capacity']],
  ['text', { ...SHIFT, total_loads: 'many' }, ['total_loads']],
])('refuses %s', async (_name, body, fields) => {
  const answer = await tenant.http('POST', '/v1/orders/estimate', body);
  expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
});

test('GraphQL estimates the same', async () => {
  const { data } = await tenant.gql(
    '{ estimateOrder(input: {equipmentCapacity: "14", jobDurationMinutes: 480, cycleTimeMinutes: 50, totalLoads: 20}) { truckQuantity unitsPerHour } }',
  );
  expect(data.estimateOrder).toEqual({ truckQuantity: 3, unitsPerHour: 50 });
});
