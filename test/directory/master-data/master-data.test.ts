import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { Material } from '../../../src/directory/master-data/named.entities.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { send } from '../../ingest/dry-runs.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

/** Every kind that is made and changed by name: its list, and where one of them is. */
const KINDS = [
  { type: 'Department', list: '/v1/departments', one: (id: string) => `/v1/departments/${id}` },
  { type: 'ServiceClass', list: '/v1/service_classes', one: (id: string) => `/v1/service_classes/${id}` },
  { type: 'Material', list: '/v1/materials', one: (id: string) => `/v1/materials/${id}` },
  {
    type: 'Label',
    list: () => tenant.path('/labels'),
    one: (id: string) => tenant.path(`/labels/${id}`),
  },
].map((kind) => ({ ...kind, list: () => (typeof kind.list === 'string' ? kind.list : kind.list()) }));

test.each(KINDS)('$type: created, changed, found and discarded', async ({ type, list, one }) => {
  const made = await tenant.must('POST', list(), { name: '  North  ' });
  expect(made).toMatchObject({ id: expect.any(String), name: 'North' });
  expect(await tenant.must('GET', one(made.id))).toEqual(made);
  expect((await tenant.must('GET', list())).map((record: Json) => record.id)).toContain(made.id);
  const changed = await tenant.must('PATCH', one(made.id), { name: 'South' });
  expect(changed).toEqual({ ...made, name: 'South', updated_at: changed.updated_at });
  expect((await tenant.http('DELETE', one(made.id))).status).toBe(204);
  for (const [method, body] of [['GET'], ['PATCH', { name: 'West' }], ['DELETE']] as const)
    expect((await tenant.http(method, one(made.id), body)).status).toBe(404);
  expect((await tenant.must('GET', list())).map((record: Json) => record.id)).not.toContain(made.id);
  const { data } = await tenant.gql(`{ ${camel(type)}s: ${plural(type)} { nodes { id } } }`);
  expect(Object.values(data as Record<string, Json>)[0].nodes.map((record: Json) => record.id)).not.toContain(made.id);
});

test('null clears optional fields, and is refused by name in required ones', async () => {
  const order = await makeOrder(tenant);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const [load] = await tenant.must('GET', `/v1/jobs/${job.id}/loads`);
  const label = await tenant.must('POST', tenant.path('/labels'), { name: 'Nulls' });
  const { id: typeId } = await tenant.must('POST', '/v1/equipment_types', { name: 'Tandem' });
  const truck = `/v1/equipment/${(await tenant.must('POST', '/v1/equipment', { name: 'T-1', equipment_type_id: typeId })).id}`;
  expect((await tenant.must('PATCH', truck, { label_ids: [label.id] })).labels).toHaveLength(1);
  expect((await tenant.must('PATCH', truck, { label_ids: null })).labels).toEqual([]);
  const needed: [string, string][] = [
    [truck, 'state'],
    [truck, 'ownership'],
    [truck, 'equipment_type_id'],
    [`/v1/accounts/${tenant.account.id}`, 'account_types'],
    [`/v1/orders/${order.id}`, 'waypoints'],
    [`/v1/jobs/${job.id}`, 'waypoints'],
    [`/v1/loads/${load.id}`, 'waypoints'],
  ];
  const where = { thoroughfare: '1 Pit Rd', locality: 'Austin', administrative_area: 'TX', postal_code: '78701', country: 'US' };
  const customer = `/v1/accounts/${tenant.account.id}`;
  await tenant.must('PATCH', customer, { address: { ...where, lat: '30.2', lon: '-97.7' } });
  expect(fieldsOf(await tenant.http('PATCH', customer, { address: { lat: null } }))).toEqual([422, ['address.lat']]);
  for (const [path, field] of needed) expect(fieldsOf(await tenant.http('PATCH', path, { [field]: null }))).toEqual([422, [field]]);
});

test("an order's external id finds its jobs, and the order by them", async () => {
  const order = await makeOrder(tenant, { external_id: 'ERP-77' });
  await makeOrder(tenant);
  const jobs = await tenant.must('GET', '/v1/jobs?filter[external_ids][]=ERP-77');
  expect(jobs.map((job: Json) => job.id)).toEqual((await tenant.must('GET', `/v1/orders/${order.id}/jobs`)).map((job: Json) => job.id));
  const found = await tenant.must('GET', tenant.path('/orders/dispatch?filter[job][external_ids][]=ERP-77'));
  expect(found.map((one: Json) => one.id)).toEqual([order.id]);
});

test.each([
  { kind: 'materials', entity: Material, part: 'material' },
  { kind: 'sites', entity: Site, part: 'sites' },
])('an external id is taken until the $kind with it is discarded, even for concurrent requests', async ({ kind, entity, part }) => {
  const [list, one] = [`/v1/${kind}`, (id: string) => `/v1/${kind}/${id}`];
  const first = await tenant.must('POST', list, { name: 'First', external_id: ' X-1 ' });
  expect(fieldsOf(await tenant.http('POST', list, { name: 'Second', external_id: 'X-1' }))).toEqual([422, ['external_id']]);
  const second = await tenant.must('POST', list, { name: 'Second', external_id: 'x-1' });
  expect(fieldsOf(await tenant.http('PATCH', one(second.id), { external_id: 'X-1' }))).toEqual([422, ['external_id']]);
  expect((await tenant.must('GET', one(second.id))).external_id).toBe('x-1');
  // Two forms and an import that names nothing else: one of them makes it, and the import takes that one.
  const named = { external_id: 'X-2', ...(part === 'sites' ? { waypoint: 'pickup' } : {}) };
  const order = { external_id: `O-${kind}`, load_at: '2026-12-01T12:00:00Z', customer: { external_id: 'C' } };
  const [sent, ...answers] = await Promise.all([
    send(app, tenant, 'orders', [{ ...order, [part]: part === 'sites' ? [named] : named }]),
    ...['A', 'B'].map((name) => tenant.http('POST', list, { name, external_id: 'X-2' })),
  ]);
  expect(sent).toMatchObject([{ state: 'processed' }]);
  for (const { status } of answers) expect([201, 422]).toContain(status);
  const all = async () => (await tenant.must('GET', `${list}?page[limit]=100`)) as Json[];
  expect((await all()).filter((record) => record.external_id === 'X-2')).toHaveLength(1);
  // A twin from before stays, and may be sent back as it was read.
  const twin = await tenant.save(entity as typeof Material, { company: ref(tenant.company), name: 'Twin', externalId: 'X-1' });
  expect(await tenant.must('PATCH', one(twin.id), { name: 'Old twin', external_id: 'X-1' })).toMatchObject({ external_id: 'X-1' });
  for (const { id } of [first, twin]) await tenant.http('DELETE', one(id));
  await tenant.must('POST', list, { name: 'Third', external_id: 'X-1' });
  await (await makeTenant(app)).must('POST', list, { name: 'Elsewhere', external_id: 'X-1' });
});

test.each(KINDS)('$type: wrong input names its field and changes nothing', async ({ list, one }) => {
  const made = await tenant.must('POST', list(), { name: 'Steady' });
  for (const [body, field] of [
    [{}, 'name'],
    [{ name: '   ' }, 'name'],
    [{ name: 7 }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
  ] as const)
    expect(fieldsOf(await tenant.http('POST', list(), body))).toEqual([422, [field]]);
  expect(fieldsOf(await tenant.http('PATCH', one(made.id), { name: ' ' }))).toEqual([422, ['name']]);
  expect(await tenant.must('GET', one(made.id))).toEqual(made);
  const stranger = await makeTenant(app);
  for (const [method, body] of [['GET'], ['PATCH', { name: 'Mine' }], ['DELETE']] as const)
    expect((await stranger.http(method, one(made.id), body)).status).toBe(404);
  const reader = await makeTenant(app, { permissions: [] });
  expect((await reader.http('POST', list().replace(tenant.company.id, reader.company.id), { name: 'New' })).status).toBe(403);
});

test.each(KINDS.filter(({ type }) => type !== 'Material'))(
  '$type: a name is taken until its record is discarded',
  async ({ list, one }) => {
    const made = await tenant.must('POST', list(), { name: 'Twice' });
    expect(fieldsOf(await tenant.http('POST', list(), { name: 'TWICE' }))).toEqual([422, ['name']]);
    const [first, second] = await Promise.all([1, 2].map(() => tenant.http('POST', list(), { name: 'At once' })));
    expect([first!.status, second!.status].sort()).toEqual([201, 422]);
    await tenant.must('DELETE', one(made.id));
    expect((await tenant.http('POST', list(), { name: 'twice' })).status).toBe(201);
    const other = await makeTenant(app);
    expect((await other.http('POST', list().replace(tenant.company.id, other.company.id), { name: 'Twice' })).status).toBe(201);
  },
);

test('a company-scoped path creates records inside a child', async () => {
  const child = await tenant.save(Company, {
    legalName: 'Child',
    platformId: Math.floor(Math.random() * 0x900000)
      .toString(16)
      .toUpperCase()
      .padStart(6, '0'),
    parentCompany: ref(tenant.company),
    timeZone: 'America/Chicago',
  });
  const parent = await tenant.person({ roles: ['company_admin'] });
  const made = await tenant.must('POST', `/v1/companies/${child.id}/departments`, { name: 'Of the child' }, parent.token);
  expect(made.company.id).toBe(child.id);
  expect((await tenant.must('GET', `/v1/companies/${child.id}/departments`, undefined, parent.token)).map((one: Json) => one.name)).toEqual(
    ['Of the child'],
  );
  expect((await tenant.must('GET', '/v1/departments', undefined, parent.token)).map((one: Json) => one.id)).not.toContain(made.id);
});

test('a material has a type, an external id, and a state that decides whether it is offered', async () => {
  const types = await tenant.must('GET', '/v1/material_types');
  expect(types.at(-1)).toEqual({ id: expect.any(String), name: 'Other', system: true, source: 'web', external_id: null });
  const sand = types.find((type: Json) => type.name === 'Sand');
  const made = await tenant.must('POST', '/v1/materials', { name: 'Washed sand', material_type_id: sand.id, external_id: ' M-1 ' });
  expect(made).toMatchObject({
    external_id: 'M-1',
    state: 'active',
    system: false,
    material_type: { id: sand.id, name: 'Sand', system: true },
  });
  expect(await tenant.must('POST', '/v1/materials', { name: 'Plain' })).toMatchObject({
    material_type: { name: 'Other' },
    external_id: null,
  });
  expect(fieldsOf(await tenant.http('POST', '/v1/materials', { name: 'No type', material_type_id: made.id }))).toEqual([
    422,
    ['material_type_id'],
  ]);
  const offered = async () => (await tenant.must('GET', '/v1/materials/typeahead?search[query]=sand wash')).map((one: Json) => one.name);
  expect(await offered()).toEqual(['Washed sand']);
  const off = `/v1/materials/${made.id}/deactivate`;
  expect(await tenant.must('PUT', off, {})).toMatchObject({ state: 'inactive' });
  expect(await offered()).toEqual([]);
  const again = await tenant.http('PUT', off, {});
  expect([again.status, again.body.error.errors[0]]).toMatchObject([409, { field: 'state', state: 'inactive', event: 'deactivate' }]);
  expect(await tenant.must('PUT', `/v1/materials/${made.id}/activate`, {})).toMatchObject({ state: 'active' });
  expect((await tenant.must('GET', '/v1/materials?search[datagrid]=m-1')).map((one: Json) => one.id)).toEqual([made.id]);
});

test('a traffic control plan is stored over GraphQL and offered by its name', async () => {
  const own = await makeTenant(app);
  const make = (name: string, token?: string) =>
    own.gql('mutation($n: String!) { createTrafficControlPlan(input: { name: $n }) { id name } }', { n: name }, token);
  const { id } = (await make(' Lane shift ')).data.createTrafficControlPlan;
  await make('Flagging');
  const offered = (query = '') => own.must('GET', `/v1/traffic_control_plans/typeahead?search[query]=${query}`);
  expect((await offered()).map((one: Json) => one.name)).toEqual(['Flagging', 'Lane shift']);
  expect(await offered('SHIFT la')).toEqual([{ id, name: 'Lane shift' }]);
  expect((await make('lane SHIFT')).errors[0].extensions.errors[0].field).toBe('name');
  const { token } = await own.person({ roles: ['driver'] });
  expect((await make('Detour', token)).errors[0].extensions.code).toBe('forbidden');
  await own.gql('mutation($id: ID!) { updateTrafficControlPlan(id: $id, input: { name: "Lane closure" }) { id } }', { id });
  expect((await offered('closure')).map((one: Json) => one.id)).toEqual([id]);
  await own.gql('mutation($id: ID!) { deleteTrafficControlPlan(id: $id) }', { id });
  expect((await offered()).map((one: Json) => one.name)).toEqual(['Flagging']);
  const stranger = await makeTenant(app);
  expect(await stranger.must('GET', '/v1/traffic_control_plans/typeahead')).toEqual([]);
});

test('a discarded material stays in the orders that haul it', async () => {
  const material = await tenant.must('POST', '/v1/materials', { name: 'Old gravel', external_id: 'OLD' });
  const order = await makeOrder(tenant, { material_id: material.id });
  expect((await tenant.http('DELETE', `/v1/materials/${material.id}`)).status).toBe(204);
  expect((await tenant.must('GET', `/v1/orders/${order.id}`)).material).toMatchObject({ id: material.id, name: 'Old gravel' });
  expect((await tenant.http('POST', '/v1/materials', { name: 'New gravel', external_id: 'OLD' })).status).toBe(201);
});

test('a label has a colour, by default grey, and is removed from its records when it is discarded', async () => {
  const made = await tenant.must('POST', tenant.path('/labels'), { name: 'Night crew' });
  expect(made.color).toBe('#6B7280');
  expect((await tenant.must('PATCH', tenant.path(`/labels/${made.id}`), { color: '#a1b2c3' })).color).toBe('#A1B2C3');
  for (const color of ['red', '#12345', '#12345g'])
    expect(fieldsOf(await tenant.http('PATCH', tenant.path(`/labels/${made.id}`), { color }))).toEqual([422, ['color']]);
  const { user } = await tenant.person({ firstName: 'Nia', lastName: 'Night', roles: ['driver'], labelIds: [made.id] });
  const account = await tenant.save(Account, {
    company: ref(tenant.company),
    name: 'Labelled',
    accountTypes: ['customer'],
    labelIds: [made.id],
  });
  await tenant.must('DELETE', tenant.path(`/labels/${made.id}`));
  const em = app.orm.em.fork();
  const { rows } = await (em.getConnection().getNativeClient() as Promise<Json>).then((pool: Json) =>
    pool.query('select label_ids from app_user where id = $1 union all select label_ids from account where id = $2', [user.id, account.id]),
  );
  expect(rows).toEqual([{ label_ids: [] }, { label_ids: [] }]);
});

test('services are listed with the units in which they are sold', async () => {
  const [service] = await tenant.must('GET', '/v1/services');
  expect(service).toMatchObject({ name: 'Haulage', ordinality: 0, visible: true, service_type: { name: 'Haulage', key: 'haulage' } });
  expect(await tenant.must('GET', '/v1/services/typeahead')).toEqual([{ id: service.id, name: 'Haulage' }]);
});

test('lists take one statement, and a change leaves an audit row', async () => {
  for (const path of [
    '/v1/departments',
    '/v1/materials',
    '/v1/service_classes',
    tenant.path('/labels'),
    '/v1/services',
    '/v1/material_types',
  ]) {
    await tenant.must('GET', path);
    const { statements } = await app.countStatements(() => tenant.must('GET', path));
    expect([path, statements.length]).toEqual([path, 1]);
  }
  const made = await tenant.must('POST', '/v1/departments', { name: 'Audited' });
  await tenant.must('PATCH', `/v1/departments/${made.id}`, { name: 'Renamed' });
  const rows = await app.orm.em
    .fork()
    .getConnection()
    .execute('select event, object_changes from audit_entry where subject_id = ? order by created_at, id', [made.id]);
  expect(rows.map((row: Json) => [row.event, row.object_changes.name])).toEqual([
    ['create', [null, 'Audited']],
    ['update', ['Audited', 'Renamed']],
  ]);
});

const fieldsOf = ({ status, body }: Json) => [status, body.error.errors.map((item: Json) => item.field)];
const camel = (type: string) => type[0]!.toLowerCase() + type.slice(1);
const plural = (type: string) => (type === 'ServiceClass' ? 'serviceClasses' : `${camel(type)}s`);
