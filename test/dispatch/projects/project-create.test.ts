import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Department, Material, ServiceClass } from '../../../src/directory/master-data/named.entities.ts';
import { Rate } from '../../../src/directory/master-data/rate.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const create = (body: object, token?: string) => tenant.http('POST', '/v1/projects', body, token);
const made = (body: object = {}): Promise<Json> =>
  tenant.must('POST', '/v1/projects', { name: `Road ${Math.random()}`, account_id: tenant.account.id, ...body });
const patched = (id: string, body: object): Promise<Json> => tenant.must('PATCH', `/v1/projects/${id}`, body);
const audited = (id: string): Promise<Json[]> =>
  app.orm.em.fork().getConnection().execute('select event, object_changes from audit_entry where subject_id = ? order by id', [id]);

test('a project is created with all its terms, and orders are placed under it', async () => {
  const own = { company: ref(tenant.company) };
  const [department, serviceClass, type, rate] = [
    await tenant.save(Department, { ...own, name: 'North' }),
    await tenant.save(ServiceClass, { ...own, name: 'Heavy' }),
    await tenant.save(EquipmentType, { ...own, name: 'Tandem' }),
    await tenant.save(Rate, { ...own, name: 'By the ton', ownerType: 'customer', type: 'RatePerTon', unitRate: '9.5' }),
  ];
  const { user } = await tenant.person({ roles: ['foreman'] });
  const scalars = {
    effective_at: '2026-03-01T06:00:00.000Z',
    expires_at: '2026-10-01T05:00:00.000Z',
    notes: 'n',
    order_notes: 'o',
    job_notes: 'j',
    internal_notes: 'i',
    po_job_number: 'PO-1',
    external_id: 'RR-1',
    hauler_rate_type: 'RatePerTon',
    job_time: 480,
    order_quantity: '1200.5',
    loads_per_truck: 6,
    truck_count: 12,
    units_per_hour: 90,
    job_quantity: '100',
    customer_rate_value: '10.25',
    customer_rate_type: 'RatePerTon',
    vendor_rate_value: null,
    vendor_rate_type: null,
    driver_rate_value: '31',
    driver_rate_type: 'RatePerHour',
    equipment_type_gross_capacity: '14.5',
    equipment_type_gross_capacity_unit_of_measure: 'Ton',
    load_unit_of_measure: 'Ton',
    order_unit_of_measure: 'Ton',
    job_unit_of_measure: 'Load',
    recurring_loads: true,
    charge_to_account: 'C-9',
    chase_missing_tickets: true,
    default_digital_ticket_view: true,
    tax_rate: '8.1252',
    tax_freight: true,
    tax_material: true,
    tax_add_ons: true,
  };
  const project = await made({
    ...scalars,
    // Numbers go in as well as texts.
    order_quantity: 1200.5,
    name: ' Ring Road ',
    site_id: tenant.dropoff.id,
    department_id: department.id,
    service_id: tenant.service.id,
    service_class_id: serviceClass.id,
    equipment_type_id: type.id,
    requester_id: user.id,
    customer_rate_id: rate.id,
    foreman_ids: [user.id],
    collaborator_ids: [user.id],
    salesperson_ids: [user.id],
    contact: { name: 'Site office', phone: '(512) 555-0123' },
    sales_contact: { name: 'Sal', email: 'sal@example.com' },
    phases: [{ name: 'Base', code: '01', primary: true }, { name: 'Top' }],
    project_material_totals: [{ material_id: tenant.material.id, total_quantity: 1200.5, unit_of_measure: 'Ton' }],
    waypoints: [{ type: 'pickup', site_id: tenant.pickup.id, ordinality: 0, contact: { name: 'Loader' } }],
    dispatch_number: { name: 'DN-1' },
  });
  expect(project).toMatchObject({
    ...scalars,
    name: 'Ring Road',
    state: 'active',
    project_id: expect.stringMatching(/^P-\d+$/),
    account: { id: tenant.account.id },
    company: { id: tenant.company.id },
    site: { id: tenant.dropoff.id },
    department: { name: 'North' },
    service: { id: tenant.service.id },
    service_class: { name: 'Heavy' },
    equipment_type: { name: 'Tandem' },
    customer_rate: { id: rate.id, unit_rate: 9.5 },
    requester: { id: user.id },
    foremen: [{ id: user.id }],
    collaborators: [{ id: user.id }],
    salespeople: [{ id: user.id }],
    contact: { name: 'Site office', phone: '+15125550123' },
    sales_contact: { name: 'Sal', email: 'sal@example.com' },
    phases: [
      { name: 'Base', code: '01', primary: true },
      { name: 'Top', code: null, primary: false },
    ],
    project_material_totals: [{ total_quantity: '1200.5', unit_of_measure: 'Ton', material: { id: tenant.material.id } }],
    waypoints: [{ type: 'pickup', site: { id: tenant.pickup.id }, contact: { name: 'Loader' } }],
    dispatch_number: { name: 'DN-1' },
  });
  expect(await tenant.must('GET', `/v1/projects/${project.id}`)).toEqual(project);
  expect((await makeOrder(tenant, { project_id: project.id })).project.id).toBe(project.id);
  const [{ event, object_changes: changes }] = await audited(project.id);
  expect([event, changes.name, changes.customer_rate_value]).toEqual(['create', [null, 'Ring Road'], [null, '10.25']]);
});

test('both interfaces create the same project, with consecutive numbers', async () => {
  const [one, two] = [await made({ name: 'By REST', tax_rate: 8.25, waypoints: [] }), await made({ name: 'Meanwhile' })];
  const { data } = await tenant.gql(
    'mutation($input: CreateProjectInput!) { createProject(input: $input) { name taxRate state projectId phases { name } } }',
    { input: { name: 'By GraphQL', accountId: tenant.account.id, taxRate: '8.2500', phases: [{ name: 'Base' }] } },
  );
  expect(data.createProject).toEqual({
    name: 'By GraphQL',
    taxRate: one.tax_rate,
    state: 'active',
    projectId: `P-${Number(two.project_id.slice(2)) + 1}`,
    phases: [{ name: 'Base' }],
  });
  expect(Number(two.project_id.slice(2)) - Number(one.project_id.slice(2))).toBe(1);
});

test('PATCH changes the fields it contains, clears those with null, and keeps the others', async () => {
  const project = await made({
    notes: 'n',
    job_notes: 'j',
    tax_freight: true,
    sales_contact: { name: 'Sal' },
    dispatch_number: { name: 'DN-7' },
  });
  const changed = await patched(project.id, { notes: null, tax_freight: null, sales_contact: null, dispatch_number: { _destroy: 1 } });
  expect(changed).toEqual({
    ...project,
    notes: null,
    tax_freight: false,
    sales_contact: null,
    dispatch_number: null,
    updated_at: changed.updated_at,
  });
  expect((await audited(project.id))[1].object_changes).toMatchObject({ notes: ['n', null], tax_freight: [true, false] });
  const { version } = (await tenant.gql(`{ project(id: "${project.id}") { version } }`)).data.project;
  expect((await patched(project.id, { version, notes: 'later' })).notes).toBe('later');
  expect((await tenant.http('PATCH', `/v1/projects/${project.id}`, { version, notes: 'too late' })).status).toBe(409);
});

test('phases, materials and stops are changed by id; those not named are kept', async () => {
  const sand = await tenant.save(Material, { company: ref(tenant.company), name: 'Sand' });
  const project = await made({
    phases: [{ name: 'Base', primary: true }, { name: 'Top' }],
    project_material_totals: [{ material_id: tenant.material.id, total_quantity: 5 }],
    waypoints: [
      { type: 'pickup', site_id: tenant.pickup.id, ordinality: 0 },
      { type: 'drop_off', site_id: tenant.dropoff.id, ordinality: 1 },
    ],
  });
  const [base, top] = project.phases;
  const [gravel] = project.project_material_totals;
  const changed = await patched(project.id, {
    phases: [
      { id: base.id, _destroy: 1 },
      { name: 'Kerb', primary: true },
    ],
    project_material_totals: [
      { id: gravel.id, total_quantity: '7.25' },
      { material_id: sand.id, unit_of_measure: 'Yard' },
    ],
    waypoints: [{ id: project.waypoints[0].id, _destroy: 1 }],
  });
  expect(changed.phases).toMatchObject([{ id: top.id }, { name: 'Kerb', primary: true }]);
  expect(changed.project_material_totals).toMatchObject([
    { id: gravel.id, total_quantity: '7.25', material: { id: tenant.material.id } },
    { total_quantity: null, unit_of_measure: 'Yard', material: { id: sand.id } },
  ]);
  expect(changed.waypoints).toMatchObject([{ type: 'drop_off' }]);
  const [, { object_changes: changes }] = await audited(project.id);
  expect(Object.keys(changes).sort()).toEqual(['phases', 'project_material_totals', 'waypoints']);
  for (const [body, field] of [
    [{ project_material_totals: [{ material_id: sand.id }] }, 'project_material_totals.0.material_id'],
    [{ project_material_totals: [{ total_quantity: 1 }] }, 'project_material_totals.0.material_id'],
    [{ project_material_totals: [{ id: base.id }] }, 'project_material_totals.0.id'],
    [{ phases: [{ id: base.id, name: 'X' }] }, 'phases.0.id'],
  ] as const)
    expect(fieldsOf(await tenant.http('PATCH', `/v1/projects/${project.id}`, body))).toEqual([field]);
});

test('all errors are reported at once, and nothing is written', async () => {
  const count = async () => Number((await app.orm.em.fork().getConnection().execute('select count(*) from project'))[0]?.count);
  const before = await count();
  const answer = await create({
    name: '  ',
    account_id: tenant.vendor.id,
    site_id: tenant.company.id,
    effective_at: '2026-03-01T06:00:00Z',
    expires_at: '2026-03-01T06:00:00Z',
    tax_rate: '8.12345',
    waypoints: [{ type: 'pickup', site_id: tenant.account.id, ordinality: 0 }],
    phases: [
      { name: 'A', primary: true },
      { name: 'B', primary: true },
    ],
    contact: { email: 'nobody' },
  });
  expect([answer.status, fieldsOf(answer)]).toEqual([
    422,
    ['account_id', 'contact.email', 'expires_at', 'name', 'phases', 'site_id', 'tax_rate', 'waypoints.0.site_id'],
  ]);
  for (const body of [
    { name: 'X' },
    { account_id: tenant.account.id },
    { name: 'X', account_id: tenant.account.id, truck_count: 201 },
    { name: 'X', account_id: tenant.account.id, customer_rate_value: -1 },
    { name: 'X', account_id: tenant.account.id, order_quantity: 'much' },
    { name: 'X', account_id: tenant.account.id, order_quantity: '1e14' },
  ])
    expect([body, (await create(body)).status]).toEqual([body, 422]);
  expect(await count()).toBe(before);
});

test('a customer is created with its first project', async () => {
  const { account } = await made({
    account_id: undefined,
    account: { name: 'New paving', account_types: ['customer'], auto_accept_orders: false },
  });
  expect(account).toMatchObject({ name: 'New paving', account_types: ['customer'] });
  expect((await made({ account_id: account.id })).account.id).toBe(account.id);
  const refused = async (body: object) => fieldsOf(await create({ name: 'X', ...body }));
  expect(await refused({ account: { name: ' ', account_types: ['customer'], auto_accept_orders: false } })).toEqual(['account.name']);
  expect(await refused({ account: { name: 'V', account_types: ['vendor'], auto_accept_orders: false } })).toEqual([
    'account.account_types',
  ]);
  const both = { account_id: account.id, account: { name: 'B', account_types: ['customer'], auto_accept_orders: false } };
  expect(await refused(both)).toEqual(['account']);
  expect((await tenant.must('GET', '/v1/accounts?search[datagrid]=B')).map((one: Json) => one.name)).not.toContain('B');
});

test('a name and an external id belong to one project, in imports, too', async () => {
  const { id } = await made({ name: 'Mill Lane', external_id: 'ML' });
  expect(fieldsOf(await create({ name: ' mill lane ', external_id: 'ML', account_id: tenant.account.id }))).toEqual([
    'external_id',
    'name',
  ]);
  const both = await Promise.all([1, 2].map(() => create({ name: 'At once', account_id: tenant.account.id })));
  expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
  await tenant.must('POST', '/ingest/projects', {
    projects: [{ external_id: 'ML', name: 'Mill Lane', notes: 'sent', customer: { external_id: 'C', name: 'Customer' } }],
  });
  await app.settled();
  expect((await tenant.must('GET', `/v1/projects/${id}`)).notes).toBe('sent');
  expect((await tenant.http('DELETE', `/v1/projects/${id}`)).status).toBe(204);
  expect((await create({ name: 'Mill Lane', external_id: 'ML', account_id: tenant.account.id })).status).toBe(201);
});

test('only callers with the permissions create and change projects, and only in their company', async () => {
  const { id } = await made();
  const biller = (await tenant.person({ roles: ['biller'] })).token;
  expect((await create({ name: 'Mine', account_id: tenant.account.id }, biller)).status).toBe(403);
  expect((await tenant.http('PATCH', `/v1/projects/${id}`, { notes: 'b' }, biller)).status).toBe(200);
  const stranger = await makeTenant(app);
  expect((await stranger.http('PATCH', `/v1/projects/${id}`, { notes: 's' })).status).toBe(404);
  const planted = { name: 'Planted', account_id: stranger.account.id, company_id: tenant.company.id };
  expect(fieldsOf(await stranger.http('POST', '/v1/projects', planted))).toEqual(['company_id']);
  expect(fieldsOf(await stranger.http('POST', '/v1/projects', { name: 'X', account_id: tenant.account.id }))).toEqual(['account_id']);
});

test('a hidden price is not cleared by sending back what was shown', async () => {
  const { id } = await made({ customer_rate_value: 12, customer_rate_type: 'RatePerTon' });
  const dispatcher = (await tenant.person({ roles: ['dispatcher'] })).token;
  const shown = await tenant.must('GET', `/v1/projects/${id}`, undefined, dispatcher);
  expect(shown.customer_rate_value).toBeNull();
  const back = { notes: 'read', customer_rate_value: shown.customer_rate_value, customer_rate_type: shown.customer_rate_type };
  await tenant.must('PATCH', `/v1/projects/${id}`, back, dispatcher);
  const answer = await tenant.http('PATCH', `/v1/projects/${id}`, { notes: 'blind', customer_rate_value: 3 }, dispatcher);
  expect([answer.status, fieldsOf(answer)]).toEqual([403, ['view_customer_rates']]);
  expect(await tenant.must('GET', `/v1/projects/${id}`)).toMatchObject({ notes: 'read', customer_rate_value: '12' });
});
