import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Department, Material, ServiceClass } from '../../../src/directory/master-data/named.entities.ts';
import { DispatchNumber } from '../../../src/dispatch/model/dispatch-number.entity.ts';
import { Phase } from '../../../src/dispatch/model/phase.entity.ts';
import { Project, ProjectMaterial } from '../../../src/dispatch/model/project.entity.ts';
import { Waypoint } from '../../../src/dispatch/model/route.entity.ts';
import { newId } from '../../../src/platform/ids.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
let other: Tenant;
let has: Record<string, string>;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  [tenant, other] = [await makeTenant(app), await makeTenant(app)];
  const own = { company: ref(tenant.company) };
  const account = await tenant.save(Account, { ...own, name: 'Ambrose Paving', accountTypes: ['customer'] });
  const [department, serviceClass, type, number, person] = [
    await tenant.save(Department, { ...own, name: 'North' }),
    await tenant.save(ServiceClass, { ...own, name: 'Heavy' }),
    await tenant.save(EquipmentType, { ...own, name: 'Tandem' }),
    await tenant.save(DispatchNumber, { ...own, name: 'DN-5' }),
    (await tenant.person({ roles: ['foreman'] })).user,
  ];
  const routeId = newId();
  const ring = await tenant.save(Project, {
    ...own,
    number: 1,
    projectId: 'P-1',
    name: 'Ring Road',
    externalId: 'RR-77',
    poJobNumber: 'PO-9',
    account: ref(account),
    department: ref(department),
    serviceClass: ref(serviceClass),
    equipmentType: ref(type),
    dispatchNumber: ref(number),
    requester: ref(person),
    foremanIds: [person.id],
    collaboratorIds: [person.id],
    salespersonIds: [person.id],
    routeId,
    // The first minutes of a day, and the last of another, in Chicago.
    effectiveAt: new Date('2026-03-01T06:00:00Z'),
    expiresAt: new Date('2026-07-01T04:59:00Z'),
  });
  await tenant.save(Waypoint, { routeId, companyId: tenant.company.id, type: 'pickup', ordinality: 0, site: ref(tenant.pickup) });
  await tenant.save(Waypoint, { routeId, companyId: tenant.company.id, type: 'drop_off', ordinality: 1, site: ref(tenant.dropoff) });
  await tenant.save(Phase, { companyId: tenant.company.id, projectId: ring.id, name: 'Base', code: '01' });
  const stone = await tenant.save(Material, { ...own, name: 'Stone' });
  await tenant.save(ProjectMaterial, {
    companyId: tenant.company.id,
    projectId: ring.id,
    material: ref(stone),
    totalQuantity: '1250.5' as never,
    unitOfMeasure: 'Ton',
  });
  await tenant.save(Project, { ...own, number: 2, projectId: 'P-2', name: 'Bridge', account: ref(tenant.account) });
  await tenant.save(Project, { ...own, number: 3, projectId: 'P-3', name: 'Old Ring', account: ref(tenant.account), state: 'inactive' });
  await other.save(Project, {
    company: ref(other.company),
    number: 1,
    projectId: 'P-1',
    name: 'Ring Elsewhere',
    account: ref(other.account),
  });
  has = {
    ring: ring.id,
    account: account.id,
    department: department.id,
    class: serviceClass.id,
    type: type.id,
    number: number.id,
    person: person.id,
    pickup: tenant.pickup.id,
    dropoff: tenant.dropoff.id,
  };
});
afterAll(() => app.close());

const filled = (query: string) => query.replace(/<(\w+)>/g, (_, name: string) => has[name]!);
const names = async (path: string): Promise<string[]> => (await tenant.must('GET', path)).map((project: Json) => project.name);

test.each([
  ['', ['Old Ring', 'Bridge', 'Ring Road']],
  ['filter[states][]=active', ['Bridge', 'Ring Road']],
  ['filter[states][]=inactive', ['Old Ring']],
  ['filter[requester_ids][]=<person>', ['Ring Road']],
  ['filter[external_ids][]=RR-77', ['Ring Road']],
  ['filter[external_ids][]=rr-77', []],
  ['filter[account_ids][]=<account>', ['Ring Road']],
  ['filter[department_ids][]=<department>', ['Ring Road']],
  ['filter[department_ids][]=none', ['Old Ring', 'Bridge']],
  ['filter[dispatch_number_ids][]=<number>', ['Ring Road']],
  ['filter[po_job_numbers][]=PO-9', ['Ring Road']],
  ['filter[service_class_ids][]=<class>', ['Ring Road']],
  ['filter[equipment_type_ids][]=<type>', ['Ring Road']],
  ['filter[foreman_ids][]=<person>', ['Ring Road']],
  ['filter[collaborator_ids][]=<person>', ['Ring Road']],
  ['filter[salesperson_ids][]=<person>', ['Ring Road']],
  ['filter[pickup_site_ids][]=<pickup>', ['Ring Road']],
  ['filter[dropoff_site_ids][]=<dropoff>', ['Ring Road']],
  ['filter[dropoff_site_ids][]=<pickup>', []],
  ['search[datagrid]=ring', ['Old Ring', 'Ring Road']],
  ['search[datagrid]=po-9', ['Ring Road']],
  ['search[datagrid]=p-2', ['Bridge']],
  ['search[datagrid]=ambrose%20ring', ['Ring Road']],
])('projects?%s finds %j', async (query, expected) => {
  for (const path of ['/v1/projects', tenant.path('/projects')])
    expect([path, await names(`${path}?${filled(query)}`)]).toEqual([path, expected]);
});

test.each([
  ['', ['Bridge', 'Ring Road']],
  ['search[query]=ring', ['Ring Road']],
  ['search[query]=rr-', ['Ring Road']],
  // SPEC: name or external_id, nothing else.
  ['search[query]=ambrose', []],
  ['search[query]=_', []],
  ['filter[account_id]=<account>', ['Ring Road']],
  ['filter[states][]=inactive', ['Old Ring']],
  ['filter[states][]=inactive&filter[states][]=active&search[query]=ring', ['Ring Road', 'Old Ring']],
  ['filter[department_ids][]=none', ['Bridge']],
  ['filter[department_ids][]=none&filter[department_ids][]=<department>', ['Bridge', 'Ring Road']],
])('projects/typeahead?%s offers %j', async (query, expected) => {
  for (const path of ['/v1/projects/typeahead', tenant.path('/projects/typeahead')]) {
    expect([path, await names(`${path}?${filled(query)}`)]).toEqual([path, expected]);
  }
});

test('a typeahead returns only id, name and external_id', async () => {
  expect(await tenant.must('GET', '/v1/projects/typeahead?search[query]=ring')).toEqual([
    { id: has.ring, name: 'Ring Road', external_id: 'RR-77' },
  ]);
});

test('a project shows its terms, phases, materials, stops and people', async () => {
  const [project] = await tenant.must('GET', `/v1/projects?filter[external_ids][]=RR-77`);
  expect(project).toMatchObject({
    id: has.ring,
    state: 'active',
    project_id: 'P-1',
    company_id: tenant.company.id,
    customer_id: has.account,
    starts_on: '2026-03-01',
    ends_on: '2026-06-30',
    account: { id: has.account, name: 'Ambrose Paving' },
    phases: [{ name: 'Base', code: '01' }],
    project_material_totals: [{ total_quantity: '1250.5', unit_of_measure: 'Ton', material: { name: 'Stone' } }],
    waypoints: [{ type: 'pickup' }, { type: 'drop_off' }],
    foremen: [{ id: has.person }],
    dispatch_number: { name: 'DN-5' },
  });
  expect(await tenant.must('GET', `/v1/projects/${has.ring}`)).toEqual(project);
  const { data } = await tenant.gql('query($id: ID!) { project(id: $id) { name orders { nodes { id } } } }', { id: has.ring });
  expect(data.project).toEqual({ name: 'Ring Road', orders: { nodes: [] } });
});

test("another company's project is not found", async () => {
  expect((await other.http('GET', `/v1/projects/${has.ring}`)).status).toBe(404);
  expect((await other.http('GET', tenant.path('/projects'))).status).toBe(404);
  expect((await other.must('GET', '/v1/projects')).map((one: Json) => one.name)).toEqual(['Ring Elsewhere']);
});

test('wrong values are reported on their parameter', async () => {
  const answer = await tenant.http('GET', '/v1/projects?filter[states][]=open&filter[account_ids][]=1&page[limit]=0');
  expect([answer.status, fieldsOf(answer)]).toEqual([422, ['filter[account_ids]', 'filter[states]', 'page[limit]']]);
});

test('an order of a project has its account; an inactive project, or one of a discarded account, takes none', async () => {
  const waypoints = [{ type: 'pickup', site_id: tenant.pickup.id, ordinality: 0 }];
  const body = {
    load_at: '2026-11-23T12:00:00Z',
    truck_count: 1,
    truck_delay: 0,
    service_id: tenant.service.id,
    account_id: tenant.account.id,
    waypoints,
  };
  const order = await tenant.must('POST', '/v1/orders', { ...body, project_id: has.ring });
  expect([order.account.id, order.project.name]).toEqual([has.account, 'Ring Road']);
  const [old] = await tenant.must('GET', '/v1/projects?filter[states][]=inactive');
  const refused = await tenant.http('POST', '/v1/orders', { ...body, project_id: old.id });
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['project_id']]);
  // PATCH may change the project only within the account.
  const [bridge] = await tenant.must('GET', '/v1/projects?search[datagrid]=bridge');
  expect(fieldsOf(await tenant.http('PATCH', `/v1/orders/${order.id}`, { project_id: bridge.id }))).toEqual(['project_id']);
  await app.orm.em.fork().nativeUpdate(Account, { id: has.account }, { discardedAt: new Date() }, { filters: { tenant: false } });
  expect(fieldsOf(await tenant.http('POST', '/v1/orders', { ...body, project_id: has.ring }))).toEqual(['project_id']);
  expect(fieldsOf(await tenant.http('POST', `/v1/orders/${order.id}/copy`, {}))).toEqual(['account_id']);
});
