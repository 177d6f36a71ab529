import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant } from '../../helpers/tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());

/** Every root field that a project's payload may set, but for dates, rates and what names other records. */
const ROOT = {
  name: 'Bridge',
  notes: 'a',
  order_notes: 'b',
  job_notes: 'c',
  internal_notes: 'd',
  po_job_number: 'PO-1',
  charge_to_account: '4711',
  order_quantity: 12.5,
  order_unit_of_measure: 'Tonne',
  job_quantity: 3.25,
  job_unit_of_measure: 'Load',
  load_unit_of_measure: 'Tonne',
  equipment_type_gross_capacity: 20,
  equipment_type_gross_capacity_unit_of_measure: 'Tonne',
  truck_count: 4,
  loads_per_truck: 2,
  units_per_hour: 7,
  job_time: 90,
  tax_rate: 8.25,
  hauler_rate_type: 'RatePerHour',
  recurring_loads: true,
  chase_missing_tickets: true,
  default_digital_ticket_view: true,
  tax_freight: true,
  tax_material: true,
  tax_add_ons: true,
};

test('a sheet of projects has a column for every field of a project in JSON', async () => {
  const tenant = await makeTenant(app);
  const json = await tenant.must('POST', '/ingest/projects', { projects: [{ external_id: 'J', customer: { external_id: 'C' }, ...ROOT }] });
  const header = ['external_id', 'customer.external_id', ...Object.keys(ROOT)];
  const cells = ['S', 'C', ...Object.values({ ...ROOT, name: 'Tunnel' }).map(String)];
  const sheet = await tenant.must('POST', '/ingest/projects/csv', `${header.join(',')}\n${cells.join(',')}\n`);
  expect(sheet.unknown_columns).toEqual([]);
  await app.settled();
  const made = [];
  for (const { records } of [json, sheet]) {
    const record = await tenant.must('GET', `/v1/imported_records/${records[0].id}`);
    expect([record.state, record.last_error, record.warnings]).toEqual(['processed', null, []]);
    made.push(record.result_id);
  }
  const fields = Object.keys(ROOT).map((field) => field.replace(/_[a-z]/g, (step) => step[1]!.toUpperCase()));
  const read = async (id: string) =>
    (await tenant.gql(`query ($id: ID!) { project(id: $id) { ${fields.join(' ')} } }`, { id })).data.project;
  const [ofJson, ofSheet] = [await read(made[0]), await read(made[1])];
  expect(Object.values(ofJson)).not.toContain(null);
  expect(ofSheet).toEqual({ ...ofJson, name: 'Tunnel' });
});
