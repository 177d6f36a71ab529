import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeStaffedTenant, readyJob } from '../../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true, worker: true });
});
afterAll(() => app.close());

test('imported tickets, and the load that a job with recurring loads gets for one, are read as they were', async () => {
  const at = await makeStaffedTenant(app);
  const company = ref(at.company);
  const equipmentType = ref(await at.save(EquipmentType, { company, name: 'Dump truck' }));
  const truck = await at.save(Equipment, { company, equipmentType, name: 'Truck', externalId: 'TRK' });
  const job = await readyJob(at, { recurring_loads: true, loads_per_truck: 1 });
  await at.must('PATCH', `/v1/jobs/${job.id}`, { equipment_id: truck.id });
  const weighed = { service_date: '2026-11-23T09:30:00', unit_of_measure: 'Ton', truck_id: 'TRK', platform_order_id: job.order.id };
  const tickets = ['A', 'B'].map((number, i) => ({ ...weighed, ticket_number: number, quantity: 10 + i }));
  await at.must('POST', '/ingest/tickets', { tickets });
  await app.settled();
  const [made, loads]: Json[][] = [await at.must('GET', at.path('/tickets')), await at.must('GET', `/v1/jobs/${job.id}/loads`)];
  expect([made!.length, loads!.length, loads!.every(({ ticket }) => ticket)]).toEqual([2, 2, true]);
  const then = new Date().toISOString();
  for (const { id } of made!) await at.must('PATCH', `/v1/tickets/${id}`, { quantity: 99 });
  const read = (path: string): Promise<Json> => at.must('GET', `${path}?as_of=${then}`);
  for (const { id, quantity } of made!) expect((await read(`/v1/tickets/${id}`)).quantity).toBe(quantity);
  for (const { id, load_id, state } of loads!) expect(await read(`/v1/loads/${id}`)).toMatchObject({ load_id, state });
});
