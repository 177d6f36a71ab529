import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

interface Event {
  event_name: string;
  payload: { label: string; from_value: string | null; to_value: string | null } | null;
}

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const jobOf = async (more: object = {}): Promise<string> => {
  const { id } = await makeOrder(tenant, more);
  return (await tenant.must('GET', `/v1/orders/${id}/jobs`))[0].id;
};
/** The changes in the history of a job, in the order of their names. */
const changesOf = async (job: string): Promise<string[]> => {
  const events: Event[] = await tenant.must('GET', `/v1/jobs/${job}/job_events`);
  return events
    .filter(({ event_name }) => event_name.endsWith('Changed'))
    .map(({ event_name, payload }) => `${event_name} ${payload?.label}: ${payload?.from_value} -> ${payload?.to_value}`)
    .sort();
};

test('the history of a job says what changed, from what to what', async () => {
  const job = await jobOf({ material_id: tenant.material.id, job_quantity: 18, job_unit_of_measure: 'Ton' });
  const { id: sand } = await tenant.must('POST', '/v1/materials', { name: 'Sand' });
  const company = ref(tenant.company);
  const equipmentType = ref(await tenant.save(EquipmentType, { company, name: 'End dump' }));
  const truck = await tenant.save(Equipment, { company, equipmentType, name: 'Truck 12' });
  await tenant.must('PATCH', `/v1/jobs/${job}`, {
    material_id: sand,
    equipment_id: truck.id,
    quantity: 20.5,
    notes: 'Gate 3',
    customer_rate_value: 90,
  });
  expect(await changesOf(job)).toEqual([
    'JobAttributeChanged Notes: null -> Gate 3',
    'JobAttributeChanged Quantity: 18 -> 20.5',
    'JobEquipmentChanged Equipment: null -> Truck 12',
    'JobMaterialChanged Material: Gravel -> Sand',
  ]);
  await tenant.must('PATCH', `/v1/jobs/${job}`, { quantity: '20.50', notes: 'Gate 3', material_id: sand });
  expect(await changesOf(job)).toHaveLength(4);
  await tenant.must('PATCH', `/v1/jobs/${job}`, { material_id: null });
  expect(await changesOf(job)).toContain('JobMaterialChanged Material: Sand -> null');
});

test('a change that is refused is no history', async () => {
  const job = await jobOf();
  const { status } = await tenant.http('PATCH', `/v1/jobs/${job}`, { notes: 'Gate 3', material_id: tenant.pickup.id });
  expect([status, await changesOf(job)]).toEqual([422, []]);
});
