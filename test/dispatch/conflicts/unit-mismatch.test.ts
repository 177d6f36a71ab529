import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Material } from '../../../src/directory/master-data/named.entities.ts';
import { Rate } from '../../../src/directory/master-data/rate.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { Order } from '../../../src/dispatch/model/order.entity.ts';
import { MaterialRate } from '../../../src/dispatch/pricing/material-rate.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const validate = async (path: string, body: object, as?: string) => tenant.http('POST', path, body, as);
const conflictsOf = async (id: string) =>
  (await tenant.gql('query ($id: ID!) { job(id: $id) { conflicts { code severity field relatedId message } } }', { id })).data.job
    .conflicts;

/** Returns the answer of a write that must be refused, after its trial has reported the same. */
async function refused(trial: string | null, method: string, path: string, body: object): Promise<string[]> {
  const answer = await tenant.http(method, path, body);
  expect([answer.status, answer.body.error?.errors?.[0]?.message]).toEqual([422, expect.stringContaining('cannot be converted')]);
  const fields = answer.body.error.errors.map(({ field }: Json) => field);
  if (trial) {
    const reported = (await validate(trial, body)).body.data;
    expect([reported.valid, reported.conflicts.map(({ code, field }: Json) => [code, field])]).toEqual([
      false,
      fields.map((field: string) => ['unit_mismatch', field]),
    ]);
  }
  return fields;
}

test('units of material, truck and rate that do not convert are refused when work is saved, on the field that was sent', async () => {
  const own = { company: ref(tenant.company) };
  const tons = await tenant.save(EquipmentType, { ...own, name: 'Tons only', grossCapacity: '14', grossCapacityUnitOfMeasure: 'Ton' });
  const both = { ...own, name: 'Tons and yards', grossCapacity: '14', grossCapacityUnitOfMeasure: 'Ton' };
  const either = await tenant.save(EquipmentType, { ...both, additionalGrossCapacities: [{ capacity: '10', unitOfMeasure: 'Yard' }] });
  const gravel = await tenant.save(Material, { ...own, name: 'Priced gravel' });
  await tenant.save(MaterialRate, { ...own, material: ref(gravel), unitOfMeasure: 'Ton', sellPrice: '9', buyPrice: '7' });
  const rateCard = await tenant.save(Rate, { ...own, name: 'By the ton', ownerType: 'customer', type: 'RatePerTon', unitRate: '9' });
  const [orders, trial] = [tenant.path('/orders'), tenant.path('/orders/validate')];
  const making = (more: object) => refused(trial, 'POST', orders, orderInput(tenant, more));
  const yards = { load_unit_of_measure: 'Yard' };
  expect(await making({ ...yards, equipment_type_id: tons.id })).toEqual(['equipment_type_id']);
  expect(await making({ ...yards, material_id: gravel.id, customer_rate_id: rateCard.id })).toEqual(['material_id', 'customer_rate_id']);
  expect(await making({ ...yards, vendor_rate_type: 'RatePerTonne', vendor_rate_value: 3 })).toEqual(['vendor_rate_type']);
  expect(await making({ unit_of_measure: 'Yard', material_rate_unit_of_measure: 'Ton' })).toEqual(['material_rate_unit_of_measure']);
  expect(await making({ equipment_type_id: tons.id, driver_rate_type: 'RatePerYard', driver_rate_value: 1 })).toEqual(['driver_rate_type']);
  // Units that convert, rates that count no material, and a capacity of the order itself are accepted.
  await makeOrder(tenant, { ...yards, equipment_type_id: either.id, customer_rate_type: 'RatePerLoad', customer_rate_value: 80 });
  await makeOrder(tenant, { unit_of_measure: 'Hour', equipment_type_id: tons.id, material_id: gravel.id, customer_rate_id: rateCard.id });
  const order = await makeOrder(tenant, {
    ...yards,
    equipment_type_id: tons.id,
    equipment_type_gross_capacity: 10,
    equipment_type_gross_capacity_unit_of_measure: 'CubicMeter',
  });
  const [path, tried] = [`/v1/orders/${order.id}`, `/v1/orders/${order.id}/validate`];
  const bare = { equipment_type_gross_capacity_unit_of_measure: null };
  expect(await refused(tried, 'PATCH', path, bare)).toEqual(['equipment_type_gross_capacity_unit_of_measure']);
  expect(await refused(tried, 'PATCH', path, { load_unit_of_measure: 'Gallon' })).toEqual(['load_unit_of_measure']);
  expect((await tenant.must('GET', path)).load_unit_of_measure).toBe('Yard');

  const { id: orderId } = await makeOrder(tenant, { ...yards, equipment_type_id: either.id });
  const [job] = await tenant.must('GET', `/v1/orders/${orderId}/jobs`);
  expect(await conflictsOf(job.id)).toEqual([]);
  const [at, attempt] = [`/v1/jobs/${job.id}`, `/v1/jobs/${job.id}/validate`];
  expect(await refused(attempt, 'PATCH', at, { driver_rate_type: 'RatePerTon', driver_rate_value: 2 })).toEqual(['driver_rate_type']);
  const truck = await tenant.save(Equipment, { ...own, name: 'T-9', equipmentType: ref(tons) });
  expect(await refused(attempt, 'PATCH', at, { equipment_id: truck.id, driver_id: tenant.driver.id })).toEqual(['equipment_id']);
  expect(await refused(null, 'POST', `${at}/equipment`, { equipment_id: truck.id })).toEqual(['equipment_id']);
  const link = `/v1/jobs/${job.id}/job_assignments`;
  const paid = { vendor_account_id: tenant.vendor.id, rate_type: 'RatePerTon', rate_value: 2 };
  expect(await refused(null, 'POST', link, paid)).toEqual(['rate_type']);
  const made = await tenant.must('POST', link, { ...paid, rate_type: 'RatePerYard' });
  const pay = `/v1/job_assignments/${made.id}`;
  expect(await refused(null, 'PATCH', pay, { rate_type: 'RatePerTon' })).toEqual(['rate_type']);
  // Without its value it would be paid for what its rate card is.
  const vendorCard = await tenant.save(Rate, { ...own, name: 'By the ton', ownerType: 'vendor', type: 'RatePerTon', unitRate: '9' });
  await tenant.must('PATCH', pay, { rate_id: vendorCard.id });
  expect(await refused(null, 'PATCH', pay, { rate_value: null })).toEqual(['rate_value']);
  expect((await tenant.must('GET', link))[0].rate_value).toBe('2');

  const project = { name: 'By the yard', account_id: tenant.account.id, ...yards };
  const projects = '/v1/projects';
  expect(await refused(null, 'POST', projects, { ...project, equipment_type_id: tons.id })).toEqual(['equipment_type_id']);
  const { id } = await tenant.must('POST', projects, project);
  expect(await refused(null, 'PATCH', `/v1/projects/${id}`, { customer_rate_id: rateCard.id })).toEqual(['customer_rate_id']);
});

test('an earlier mismatch of units does not prevent other changes', async () => {
  const [job] = await tenant.must('GET', `/v1/orders/${(await makeOrder(tenant, { load_unit_of_measure: 'Ton' })).id}/jobs`);
  const em = app.orm.em.fork();
  for (const [entity, id] of [
    [Order, job.order.id],
    [Job, job.id],
  ] as const)
    await em.nativeUpdate(entity as typeof Job, { id }, { customerRateType: 'RatePerYard' }, { filters: { tenant: false } });
  const same = { customer_rate_type: 'RatePerYard', load_unit_of_measure: 'Ton', notes: 'as read' };
  await tenant.must('PATCH', `/v1/orders/${job.order.id}`, { load_unit_of_measure: 'Ton', notes: 'as read' });
  await tenant.must('PATCH', `/v1/jobs/${job.id}`, same);
  expect(await conflictsOf(job.id)).toMatchObject([{ code: 'unit_mismatch', field: 'customer_rate_type', severity: 'warning' }]);
  // A caller who may not see the rate learns nothing of it.
  const { token } = await tenant.person({ roles: ['dispatcher'] });
  const reported = await validate(`/v1/jobs/${job.id}/validate`, { load_unit_of_measure: 'Tonne' }, token);
  expect(reported.body.data).toEqual({ valid: true, conflicts: [] });
});
