import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Department, ServiceClass } from '../../../src/directory/master-data/named.entities.ts';
import { Rate } from '../../../src/directory/master-data/rate.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let other: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  other = await makeTenant(app);
});
afterAll(() => app.close());

const post = (body: object, token?: string) => tenant.http('POST', '/v1/orders', body, token);

test('load_at, truck_count, truck_delay, account_id, service_id and waypoints are required', async () => {
  const answer = await post({});
  expect(answer.status).toBe(422);
  expect(answer.body.error.code).toBe('unprocessable_content');
  expect(fieldsOf(answer)).toEqual(['account_id', 'load_at', 'service_id', 'truck_count', 'truck_delay', 'waypoints']);
  for (const item of answer.body.error.errors) expect(item).toMatchObject({ model: 'Order', message: 'is required' });
});

test('the answer is 201 with the order, which is created, editable and readable again', async () => {
  const answer = await post(orderInput(tenant));
  expect(answer.status).toBe(201);
  const order = answer.body.data;
  expect(order).toMatchObject({
    state: 'created',
    editable: true,
    copyable: true,
    truck_count: 1,
    unit_of_measure: 'Load',
    account: { id: tenant.account.id, name: 'Customer', account_types: ['customer'] },
    company: { id: tenant.company.id, platform_id: tenant.company.platformId, legal_name: tenant.company.legalName },
    service: { id: tenant.service.id, name: 'Haulage' },
    trucks_per_delay: 1,
    recurring_loads: false,
    default_digital_ticket_view: false,
    tax_freight: false,
    tax_material: false,
    tax_add_ons: false,
    reject_reason: null,
  });
  expect(order.waypoints.map((w: { type: string; site: { id: string } }) => [w.type, w.site.id])).toEqual([
    ['pickup', tenant.pickup.id],
    ['drop_off', tenant.dropoff.id],
  ]);
  for (const path of [`/v1/orders/${order.id}`, tenant.path(`/orders/${order.id}`)]) expect(await tenant.must('GET', path)).toEqual(order);
});

test('every field that is sent is stored', async () => {
  const own = { company: ref(tenant.company) };
  const equipmentType = await tenant.save(EquipmentType, { ...own, name: 'Tandem' });
  const [serviceClass, department, equipment, rate, foreman] = [
    await tenant.save(ServiceClass, { ...own, name: 'Heavy' }),
    await tenant.save(Department, { ...own, name: 'North' }),
    await tenant.save(Equipment, { ...own, name: 'T1', equipmentType: ref(equipmentType) }),
    await tenant.save(Rate, { ...own, name: 'R', type: 'RatePerTon', ownerType: 'customer' }),
    (await tenant.person({ roles: ['foreman'] })).user,
  ];
  const [vendorRate, driverRate] = [
    await tenant.save(Rate, { ...own, name: 'V', type: 'RatePerTon', ownerType: 'vendor' }),
    await tenant.save(Rate, { ...own, name: 'D', type: 'RatePerTon', ownerType: 'driver' }),
  ];
  const plain = {
    notes: 'n',
    internal_notes: 'in',
    job_notes: 'jn',
    name: 'Order',
    po_job_number: 'PO-1',
    zone: 'Z',
    external_id: 'E-1',
    charge_to_account: 'C',
    units_per_hour: 7,
    job_time: 90,
    loads_per_truck: 3,
    trucks_per_delay: 2,
    unit_of_measure: 'Ton',
    load_unit_of_measure: 'Ton',
    job_unit_of_measure: 'Load',
    material_rate_unit_of_measure: 'Tonne',
    equipment_type_gross_capacity_unit_of_measure: 'Ton',
    hauler_rate_type: 'RatePerTon',
    customer_rate_type: 'RatePerLoad',
    vendor_rate_type: 'RateFlatRate',
    driver_rate_type: 'RatePerDay',
    job_start_at: '2026-11-23T13:00:00.000Z',
    state: 'pending_request',
    requested_quantity_type: 'unit',
    pickup_onsite_minutes: 5,
    dropoff_onsite_minutes: 6,
    pickup_to_dropoff_time_minutes: 17,
    expected_total_loads: 9,
    cycle_time_minutes: 44,
    geofence_delay_seconds: 30,
    recurring_loads: true,
    material_rate_itemized: true,
    chase_missing_tickets: true,
    default_digital_ticket_view: true,
    tax_freight: true,
    tax_material: true,
    tax_add_ons: true,
  };
  const decimals = {
    quantity: 120.5,
    job_quantity: 3,
    customer_rate_value: 12.34,
    vendor_rate_value: 9.5,
    driver_rate_value: 4.25,
    equipment_type_gross_capacity: 14.5,
    pickup_to_dropoff_distance_meters: 18250,
    material_rate_sell_price: 8.1,
    material_rate_buy_price: 5.05,
    tax_rate: 8.1275,
  };
  const contact = { name: 'Mo', email: 'mo@example.com', phone: '+15125550123' };
  const contacts = { sales_contact: contact, foreman_contact: contact, supervisor_contact: contact, collaborator_contact: contact };
  const answer = await post(
    orderInput(tenant, {
      ...plain,
      ...decimals,
      ...contacts,
      service_class_id: serviceClass.id,
      department_id: department.id,
      equipment_id: equipment.id,
      equipment_type_id: equipmentType.id,
      material_id: tenant.material.id,
      requester_id: foreman.id,
      customer_rate_id: rate.id,
      vendor_rate_id: vendorRate.id,
      driver_rate_id: driverRate.id,
      material_rate_site_id: tenant.pickup.id,
      foreman_ids: [foreman.id],
      collaborator_ids: [foreman.id],
      salesperson_ids: [foreman.id],
      phases: [
        { name: 'Base', code: '01' },
        { name: 'Top', code: '02', primary: true },
      ],
      dispatch_number: { name: 'D-7' },
      company_id: tenant.company.id,
    }),
  );
  expect([answer.status, answer.body.error]).toEqual([201, undefined]);
  const order = answer.body.data;
  expect(order).toMatchObject(plain);
  for (const [field, value] of Object.entries(decimals))
    expect([field, typeof order[field], Number(order[field])]).toEqual([field, 'string', value]);
  for (const field of Object.keys(contacts)) expect(order[field]).toMatchObject(contact);
  for (const list of ['foremen', 'collaborators', 'salespeople']) expect(order[list]).toMatchObject([{ id: foreman.id }]);
  expect(order).toMatchObject({
    service_class: { id: serviceClass.id },
    department: { id: department.id },
    equipment: { id: equipment.id },
    equipment_type: { id: equipmentType.id },
    material: { id: tenant.material.id },
    requester: { id: foreman.id },
    customer_rate: { id: rate.id },
    vendor_rate: { id: vendorRate.id },
    driver_rate: { id: driverRate.id },
    material_rate_site: { id: tenant.pickup.id },
    phases: [
      { name: 'Base', code: '01', primary: false },
      { name: 'Top', code: '02', primary: true },
    ],
    phase: { name: 'Top' },
    dispatch_number: { name: 'D-7' },
  });
});

test('every wrong field is reported at once, by its wire path', async () => {
  const vendorOnly = tenant.vendor.id;
  const answer = await post(
    orderInput(tenant, {
      account_id: vendorOnly,
      driver_id: other.driver.id,
      material_id: other.material.id,
      service_id: other.service.id,
      foreman_ids: [tenant.driver.id, other.driver.id],
      state: 'accepted',
      tax_rate: 1.00001,
      sales_contact: { name: 'x', phone: 'call me' },
      waypoints: [
        { type: 'pickup', site_id: tenant.pickup.id, ordinality: 0 },
        { type: 'drop_off', site_id: other.dropoff.id, ordinality: 1 },
      ],
      phases: [
        { name: 'a', primary: true },
        { name: 'b', primary: true },
      ],
    }),
  );
  expect(answer.status).toBe(422);
  expect(fieldsOf(answer)).toEqual([
    'account_id',
    'driver_id',
    'foreman_ids.1',
    'material_id',
    'phases',
    'sales_contact.phone',
    'service_id',
    'state',
    'tax_rate',
    'waypoints.1.site_id',
  ]);
});

test('ranges are checked: trucks 1 to 200, loads per truck 1 to 25, trucks per delay from 1', async () => {
  const low = await post(orderInput(tenant, { truck_count: 0, loads_per_truck: 0, trucks_per_delay: 0, truck_delay: -1, tax_rate: -1 }));
  const high = await post(orderInput(tenant, { truck_count: 201, loads_per_truck: 26, truck_delay: 1441, tax_rate: 101 }));
  expect(fieldsOf(low)).toEqual(['loads_per_truck', 'tax_rate', 'truck_count', 'truck_delay', 'trucks_per_delay']);
  expect(fieldsOf(high)).toEqual(['loads_per_truck', 'tax_rate', 'truck_count', 'truck_delay']);
});

test('an unknown and a wrongly typed field are named', async () => {
  const answer = await post(
    orderInput(tenant, { truck_count: 'two', waypoints: [{ type: 'fly', site_id: tenant.pickup.id, ordinality: 0 }] }),
  );
  expect([answer.status, fieldsOf(answer)]).toEqual([422, ['truck_count', 'waypoints.0.type']]);
});

test('an external_id is used only once in a company', async () => {
  const body = orderInput(tenant, { external_id: 'ONCE' });
  expect((await post(body)).status).toBe(201);
  const again = await post(body);
  expect([again.status, fieldsOf(again)]).toEqual([422, ['external_id']]);
  const elsewhere = await other.http('POST', '/v1/orders', orderInput(other, { external_id: 'ONCE' }));
  expect(elsewhere.status).toBe(201);
});

test('a discarded account takes no new work', async () => {
  const gone = await tenant.save(Account, {
    company: ref(tenant.company),
    name: 'Gone',
    accountTypes: ['customer'],
    discardedAt: new Date(),
  });
  expect(fieldsOf(await post(orderInput(tenant, { account_id: gone.id })))).toEqual(['account_id']);
});

test('the owning company of the body must be the one of the path', async () => {
  const answer = await tenant.http('POST', tenant.path('/orders'), orderInput(tenant, { company_id: other.company.id }));
  expect([answer.status, fieldsOf(answer)]).toEqual([422, ['company_id']]);
  expect((await tenant.http('POST', tenant.path('/orders'), orderInput(tenant, { company_id: tenant.company.id }))).status).toBe(201);
});

test('creating an order requires create_order', async () => {
  const { token } = await tenant.person({ roles: ['driver'] });
  expect(await post(orderInput(tenant), token)).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
});

test('people who left cannot be added to new work, but stay on earlier work', async () => {
  const { user } = await tenant.person({ roles: ['foreman'] });
  const order = (await post(orderInput(tenant, { foreman_ids: [user.id, user.id] }))).body.data;
  expect(order.foremen.map(({ id }: { id: string }) => id)).toEqual([user.id]);
  await tenant.must('DELETE', `/v1/users/${user.id}`);
  const lists = { foreman_ids: [user.id], collaborator_ids: [user.id], salesperson_ids: [user.id] };
  const reported = ['collaborator_ids.0', 'foreman_ids.0', 'salesperson_ids.0'];
  const refused = await post(orderInput(tenant, lists));
  expect([refused.status, fieldsOf(refused)]).toEqual([422, reported]);
  const kept = await tenant.must('PATCH', `/v1/orders/${order.id}`, { foreman_ids: [user.id], notes: 'as it was' });
  expect(kept.foremen).toMatchObject([{ id: user.id, discarded_at: expect.any(String) }]);
  const [job] = await tenant.must('GET', `/v1/orders/${(await makeOrder(tenant)).id}/jobs`);
  expect(fieldsOf(await tenant.http('PATCH', `/v1/jobs/${job.id}`, lists))).toEqual(reported);
});

test('lists are limited', async () => {
  const stop = (ordinality: number) => ({ type: 'pickup', site_id: tenant.pickup.id, ordinality });
  const waypoints = Array.from({ length: 101 }, (_, i) => stop(i));
  const refused = await post(
    orderInput(tenant, { waypoints, phases: Array(501).fill({ name: 'P' }), foreman_ids: Array(101).fill(tenant.driver.id) }),
  );
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['foreman_ids', 'phases', 'waypoints']]);
});

test('an order with more loads than an integer holds can still be read, alone and in its list', async () => {
  const made = await post(orderInput(tenant, { quantity: 12_345_678_901, equipment_type_gross_capacity: 0.001 }));
  expect([made.status, made.body.data.order_summary.calculated_loads_count]).toEqual([201, 2 ** 31 - 1]);
  expect((await tenant.http('GET', tenant.path('/orders'))).status).toBe(200);
});
