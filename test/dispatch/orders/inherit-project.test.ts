import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Department, ServiceClass } from '../../../src/directory/master-data/named.entities.ts';
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

let made = 0;
const projectWith = (body: object): Promise<Json> =>
  tenant.must('POST', '/v1/projects', { name: `Road ${++made}`, account_id: tenant.account.id, ...body });

const TERMS = {
  po_job_number: 'PO-7',
  charge_to_account: 'C-9',
  job_time: 480,
  loads_per_truck: 3,
  units_per_hour: 90,
  job_quantity: '40',
  job_unit_of_measure: 'Ton',
  load_unit_of_measure: 'Ton',
  hauler_rate_type: 'RatePerTon',
  recurring_loads: true,
  default_digital_ticket_view: true,
  tax_rate: '8.125',
  tax_freight: true,
  tax_material: true,
  tax_add_ons: true,
};

test('an order inherits absent fields from its project, and its jobs inherit them from the order', async () => {
  const own = { company: ref(tenant.company) };
  const [department, serviceClass, type] = [
    await tenant.save(Department, { ...own, name: 'North' }),
    await tenant.save(ServiceClass, { ...own, name: 'Heavy' }),
    await tenant.save(EquipmentType, { ...own, name: 'Slinger' }),
  ];
  const [{ user: foreman }, { user: gone }] = [await tenant.person({ roles: ['foreman'] }), await tenant.person({ roles: ['foreman'] })];
  const project = await projectWith({
    ...TERMS,
    order_quantity: '1200',
    order_unit_of_measure: 'Ton',
    equipment_type_gross_capacity: '14.5',
    equipment_type_gross_capacity_unit_of_measure: 'Ton',
    customer_rate_value: 5,
    customer_rate_type: 'RatePerTon',
    notes: 'Of the project',
    internal_notes: 'Ours',
    order_notes: 'Of its orders',
    job_notes: 'Of their jobs',
    department_id: department.id,
    service_class_id: serviceClass.id,
    equipment_type_id: type.id,
    foreman_ids: [foreman.id, gone.id],
    salesperson_ids: [foreman.id],
    sales_contact: { name: 'Sal', email: 'sal@example.com' },
    phases: [{ name: 'Base', code: '01', primary: true }, { name: 'Top' }],
    dispatch_number: { name: 'DN-9' },
  });
  await app.orm.em.getConnection().execute('update app_user set discarded_at = now() where id = ?', [gone.id]);
  const order = await makeOrder(tenant, { project_id: project.id });
  expect(order).toMatchObject({
    ...TERMS,
    quantity: '1200',
    unit_of_measure: 'Ton',
    equipment_type_gross_capacity: '14.5',
    equipment_type_gross_capacity_unit_of_measure: 'Ton',
    notes: 'Of its orders',
    job_notes: 'Of their jobs',
    // The project's own fields: shown with it, and applied at its level.
    internal_notes: null,
    customer_rate_value: null,
    department: { id: department.id },
    service_class: { id: serviceClass.id },
    equipment_type: { id: type.id },
    foremen: [{ id: foreman.id }],
    salespeople: [{ id: foreman.id }],
    collaborators: [],
    sales_contact: { name: 'Sal', email: 'sal@example.com' },
    dispatch_number: { name: 'DN-9' },
    project: { notes: 'Of the project' },
  });
  expect(order.phases.map(({ name, code, primary }: Json) => [name, code, primary]).sort()).toEqual([
    ['Base', '01', true],
    ['Top', null, false],
  ]);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  expect(job).toMatchObject({
    loads_count: 3,
    foremen: [{ id: foreman.id }],
    phase: { name: 'Base' },
    recurring_loads: true,
    quantity: '40',
  });
  // Later changes of either are its own.
  await tenant.must('PATCH', `/v1/projects/${project.id}`, { tax_rate: 1, sales_contact: { name: 'Other' }, phases: [{ name: 'Third' }] });
  expect(await tenant.must('GET', `/v1/orders/${order.id}`)).toEqual(order);
  await tenant.must('PATCH', `/v1/orders/${order.id}`, { sales_contact: { name: 'Mine' } });
  expect(await tenant.must('GET', `/v1/projects/${project.id}`)).toMatchObject({ sales_contact: { name: 'Other' } });
});

test('fields of the order take precedence, including null and empty lists; fields that belong together come from one side', async () => {
  const type = await tenant.save(EquipmentType, { company: ref(tenant.company), name: 'Own kind' });
  const { user } = await tenant.person({ roles: ['foreman'] });
  const project = await projectWith({
    ...TERMS,
    order_quantity: 1200,
    order_unit_of_measure: 'Ton',
    equipment_type_gross_capacity: 14.5,
    equipment_type_gross_capacity_unit_of_measure: 'Ton',
    foreman_ids: [user.id],
    sales_contact: { name: 'Sal' },
    phases: [{ name: 'Base', primary: true }],
  });
  const order = await makeOrder(tenant, {
    project_id: project.id,
    tax_rate: null,
    tax_freight: false,
    po_job_number: 'Own',
    quantity: 7,
    equipment_type_id: type.id,
    foreman_ids: [],
    sales_contact: null,
    phases: [],
    loads_per_truck: 1,
  });
  expect(order).toMatchObject({
    tax_rate: null,
    tax_freight: false,
    tax_material: true,
    po_job_number: 'Own',
    quantity: '7',
    unit_of_measure: 'Load',
    equipment_type: { id: type.id },
    equipment_type_gross_capacity: null,
    foremen: [],
    sales_contact: null,
    phases: [],
  });
  expect((await makeOrder(tenant)).po_job_number).toBeNull();
});
