import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, inviteInput, makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
let type: Json;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  type = await tenant.must('POST', '/v1/equipment_types', { name: 'Tandem', external_id: 'TA' });
});
afterAll(() => app.close());

const one = (id: string, event = '') => `/v1/equipment/${id}${event && `/${event}`}`;
const make = (name: string, more: object = {}): Promise<Json> =>
  tenant.must('POST', '/v1/equipment', { name, equipment_type_id: type.id, ...more });
const namesOf = (list: Json[]) => list.map((truck) => truck.name).sort();

test('a truck is created, changed and read with its type, home base and labels', async () => {
  const label = await tenant.must('POST', tenant.path('/labels'), { name: 'Night', color: '#112233' });
  const made = await make(' Truck 7 ', {
    license_number: 'ABC 123',
    external_id: ' T-7 ',
    ownership: 'external',
    zone: 'North',
    accounting_id: 'A7',
    home_base_id: tenant.pickup.id,
    label_ids: [label.id, label.id],
  });
  expect(made).toMatchObject({
    name: 'Truck 7',
    equipment_type: { id: type.id, name: 'Tandem', system: false, external_id: 'TA', accounting_id: null },
    external_id: 'T-7',
    license_number: 'ABC 123',
    zone: 'North',
    accounting_id: 'A7',
    company: { id: tenant.company.id },
    company_share: null,
    ownership: 'external',
    state: 'active',
    home_base: { id: tenant.pickup.id, name: 'Quarry' },
    labels: [{ id: label.id, name: 'Night', color: '#112233' }],
  });
  expect(await tenant.must('GET', one(made.id))).toEqual(made);
  expect(await tenant.must('GET', tenant.path(`/equipment/${made.id}`))).toEqual(made);
  const changed = await tenant.must('PATCH', one(made.id), { name: 'Truck 8', home_base_id: null, label_ids: [], zone: '' });
  expect(changed).toEqual({ ...made, name: 'Truck 8', home_base: null, labels: [], zone: null, updated_at: changed.updated_at });
  const { data } = await tenant.gql(`{ equipment(id: "${made.id}") { name equipmentId labels { id } } }`);
  expect(data.equipment).toEqual({ name: 'Truck 8', equipmentId: made.equipment_id, labels: [] });
});

test('every truck gets the next number of its company, even if several are created concurrently', async () => {
  const other = await makeTenant(app);
  const kind = await other.must('POST', '/v1/equipment_types', { name: 'Tandem' });
  const made = await Promise.all(
    [1, 2, 3, 4].map((n) => other.must('POST', '/v1/equipment', { name: `N${n}`, equipment_type_id: kind.id })),
  );
  expect(made.map((truck) => truck.equipment_id).sort()).toEqual(['1', '2', '3', '4']);
});

test('wrong input names every field and changes nothing; foreign and discarded records do not exist', async () => {
  const made = await make('Steady');
  const stranger = await makeTenant(app);
  const theirs = await stranger.must('POST', '/v1/equipment_types', { name: 'Theirs' });
  const gone = await tenant.must('POST', '/v1/equipment_types', { name: 'Gone' });
  const label = await tenant.must('POST', tenant.path('/labels'), { name: 'Gone' });
  await tenant.must('DELETE', `/v1/equipment_types/${gone.id}`);
  await tenant.must('DELETE', tenant.path(`/labels/${label.id}`));
  for (const [body, fields] of [
    [{ name: ' ' }, ['name']],
    [{ name: 'x'.repeat(256), ownership: 'leased', state: 'broken' }, ['name', 'ownership', 'state']],
    [{ equipment_type_id: theirs.id, home_base_id: stranger.pickup.id }, ['equipment_type_id', 'home_base_id']],
    [{ equipment_type_id: gone.id, label_ids: [label.id] }, ['equipment_type_id', 'label_ids.0']],
    [{ equipment_type_id: 'seven' }, ['equipment_type_id']],
  ] as const) {
    const refused = await tenant.http('PATCH', one(made.id), body);
    expect([refused.status, fieldsOf(refused)]).toEqual([422, fields]);
  }
  expect(fieldsOf(await tenant.http('POST', '/v1/equipment', {}))).toEqual(['equipment_type_id', 'name']);
  expect(await tenant.must('GET', one(made.id))).toEqual(made);
});

test('an external id is taken until its truck is discarded, and free in another company', async () => {
  const first = await make('First', { external_id: 'X-1' });
  const refused = await tenant.http('POST', '/v1/equipment', { name: 'Second', equipment_type_id: type.id, external_id: 'X-1' });
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['external_id']]);
  const twins = await Promise.all(
    [1, 2].map(() => tenant.http('POST', '/v1/equipment', { name: 'Twin', equipment_type_id: type.id, external_id: 'X-2' })),
  );
  expect(twins.map(({ status }) => status).sort()).toEqual([201, 422]);
  const other = await makeTenant(app);
  const kind = await other.must('POST', '/v1/equipment_types', { name: 'Tandem' });
  expect((await other.http('POST', '/v1/equipment', { name: 'First', equipment_type_id: kind.id, external_id: 'X-1' })).status).toBe(201);
  await tenant.must('DELETE', one(first.id));
  expect((await tenant.http('PATCH', one((await make('Third')).id), { external_id: 'X-1' })).status).toBe(200);
});

test('a truck out of service is not offered and refuses new work; a second time is a conflict', async () => {
  const made = await make('Resting');
  const offered = async () => namesOf(await tenant.must('GET', tenant.path('/equipment/typeahead?search[query]=rest')));
  expect(await offered()).toEqual(['Resting']);
  expect(await tenant.must('PUT', one(made.id, 'deactivate'), {})).toMatchObject({ id: made.id, state: 'inactive' });
  expect(await offered()).toEqual([]);
  expect(namesOf(await tenant.must('GET', tenant.path('/equipment?search[datagrid]=resting&filter[dispatchable]=true')))).toEqual([]);
  expect(namesOf(await tenant.must('GET', tenant.path('/equipment?search[datagrid]=resting')))).toEqual(['Resting']);
  const refused = await tenant.http('POST', tenant.path('/orders'), orderInput(tenant, { equipment_id: made.id }));
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['equipment_id']]);
  const again = await tenant.http('PUT', one(made.id, 'deactivate'), {});
  expect([again.status, again.body.error.errors[0]]).toMatchObject([
    409,
    { model: 'Equipment', field: 'state', state: 'inactive', event: 'deactivate' },
  ]);
  expect(await tenant.must('PUT', one(made.id, 'activate'), {})).toMatchObject({ state: 'active' });
  expect((await tenant.http('PUT', one(made.id, 'activate'), {})).status).toBe(409);
});

test('a discarded truck leaves lists and its drivers, but stays in its jobs', async () => {
  const [made, trailer] = [await make('Old Red'), await make('Old trailer')];
  const { user } = await tenant.person({
    firstName: 'Rex',
    lastName: 'Red',
    roles: ['driver'],
    equipment: ref(Equipment, made.id),
    defaultEquipment: ref(Equipment, made.id),
    additionalEquipmentIds: [trailer.id, made.id],
  });
  const order = await makeOrder(tenant, { equipment_id: made.id });
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  expect(job.equipment.id).toBe(made.id);
  expect((await tenant.http('DELETE', one(made.id))).status).toBe(204);
  for (const [method, path] of [
    ['GET', one(made.id)],
    ['DELETE', one(made.id)],
    ['PUT', one(made.id, 'deactivate')],
  ] as const)
    expect((await tenant.http(method, path, method === 'PUT' ? {} : undefined)).status).toBe(404);
  expect(namesOf(await tenant.must('GET', tenant.path('/equipment?search[datagrid]=red')))).toEqual([]);
  expect((await tenant.must('GET', `/v1/jobs/${job.id}`)).equipment).toMatchObject({ id: made.id, name: 'Old Red' });
  const { data } = await tenant.gql(`{ driver(id: "${user.id}") { equipment { id } defaultEquipment { id } additionalEquipment { id } } }`);
  expect(data.driver).toEqual({ equipment: null, defaultEquipment: null, additionalEquipment: [{ id: trailer.id }] });
});

test('trucks of another company that are shared are found and offered, but changed by their owner alone', async () => {
  const partner = await makeTenant(app);
  const kind = await partner.must('POST', '/v1/equipment_types', { name: 'Side dump' });
  const lent = await partner.must('POST', '/v1/equipment', {
    name: 'Lent',
    equipment_type_id: kind.id,
    external_id: 'X-1',
    accounting_id: 'secret',
    label_ids: [(await partner.must('POST', partner.path('/labels'), { name: 'Secret' })).id],
  });
  await partner.must('POST', partner.path('/accounts/connected'), { platform_id: tenant.company.platformId, account_types: ['customer'] });
  await partner.must('POST', '/v1/company_shares', {
    receiver_company_id: tenant.company.id,
    company_shareable_id: lent.id,
    company_shareable_type: 'Equipment',
    dispatchable: true,
  });
  const filter = `filter[sender_company_ids][]=${partner.company.id}`;
  expect(await tenant.must('GET', tenant.path(`/equipment/typeahead?${filter}`))).toEqual([
    {
      id: lent.id,
      name: 'Lent',
      equipment_type: { id: kind.id, name: 'Side dump', system: false, external_id: null, accounting_id: null },
      external_id: 'X-1',
      company_share: expect.objectContaining({ dispatchable: true, sender_company: expect.objectContaining({ id: partner.company.id }) }),
      equipment_id: '1',
    },
  ]);
  expect(await tenant.must('GET', one(lent.id))).toMatchObject({ name: 'Lent', accounting_id: null, labels: [] });
  expect(namesOf(await tenant.must('GET', tenant.path('/equipment/typeahead?filter[shared]=false&search[query]=lent')))).toEqual([]);
  for (const [method, path, body] of [
    ['PATCH', one(lent.id), { name: 'Mine' }],
    ['DELETE', one(lent.id)],
    ['PUT', one(lent.id, 'deactivate'), {}],
  ] as const)
    expect((await tenant.http(method, path, body)).status).toBe(404);
  await partner.must('PUT', one(lent.id, 'deactivate'), {});
  expect(await tenant.must('GET', tenant.path(`/equipment/typeahead?${filter}`))).toEqual([]);
});

test('lists take one statement, and find by label, type and words', async () => {
  const label = await tenant.must('POST', tenant.path('/labels'), { name: 'Winter' });
  await make('Plow', { label_ids: [label.id], license_number: 'SNOW 1' });
  for (const query of [
    `filter[label_ids][]=${label.id}`,
    'search[datagrid]=snow',
    `search[datagrid]=plow&filter[equipment_type_ids][]=${type.id}`,
  ]) {
    const path = tenant.path(`/equipment?${query}`);
    expect(namesOf(await tenant.must('GET', path))).toEqual(['Plow']);
    expect((await app.countStatements(() => tenant.must('GET', path))).statements).toHaveLength(1);
  }
  await tenant.must('DELETE', tenant.path(`/labels/${label.id}`));
  expect(await tenant.must('GET', tenant.path(`/equipment?filter[label_ids][]=${label.id}`))).toEqual([]);
});

test('trucks of a managed company are maintained by its manager, and by nobody else', async () => {
  const account = await tenant.must(
    'POST',
    '/v1/accounts/invite',
    inviteInput({ equipment: { name: 'Blue', equipment_type_name: 'Roll off' }, name: `Managed ${Math.random()}` }),
  );
  const path = tenant.path(`/managed_companies/${account.connected_company.id}/equipment`);
  const body = { name: 'Green', equipment_type_id: type.id };
  expect((await tenant.http('GET', path)).status).toBe(404);
  expect((await tenant.http('POST', path, body)).status).toBe(404);
  await tenant.must('PUT', tenant.path(`/managed_companies/${account.connected_company.id}`), {});
  const foreign = await tenant.http('POST', path, body);
  expect([foreign.status, fieldsOf(foreign)]).toEqual([422, ['equipment_type_id']]);
  const [theirs] = await tenant.must('GET', path.replace(/equipment$/, 'equipment_types'));
  const made = await tenant.must('POST', path, { ...body, equipment_type_id: theirs.id });
  expect(made).toMatchObject({ name: 'Green', equipment_id: '2', company: { id: account.connected_company.id } });
  expect(namesOf(await tenant.must('GET', path))).toEqual(['Blue', 'Green']);
  expect(namesOf(await tenant.must('GET', `${path}/typeahead?search[query]=gre`))).toEqual(['Green']);
  expect(await tenant.must('PATCH', `${path}/${made.id}`, { zone: 'East' })).toMatchObject({ zone: 'East' });
  expect((await tenant.must('GET', `${path}/${made.id}`)).zone).toBe('East');
  expect((await tenant.http('PATCH', one(made.id), { zone: 'West' })).status).toBe(404);
  expect((await tenant.http('DELETE', `${path}/${made.id}`)).status).toBe(204);
  expect(namesOf(await tenant.must('GET', path))).toEqual(['Blue']);
});

test('without the permission it is refused, and every change leaves an audit row', async () => {
  const made = await make('Audited');
  const { token } = await tenant.person({ roles: ['driver'] });
  for (const [method, path, body] of [
    ['POST', '/v1/equipment', { name: 'New', equipment_type_id: type.id }],
    ['PATCH', one(made.id), { name: 'Mine' }],
    ['DELETE', one(made.id)],
    ['PUT', one(made.id, 'deactivate'), {}],
  ] as const)
    expect((await tenant.http(method, path, body, token)).status).toBe(403);
  await tenant.must('PUT', one(made.id, 'deactivate'), {});
  await tenant.must('DELETE', one(made.id));
  const rows = await app.orm.em
    .fork()
    .getConnection()
    .execute('select event, object_changes from audit_entry where subject_id = ? order by created_at, id', [made.id]);
  expect(rows.map((row: Json) => [row.event, Object.keys(row.object_changes)])).toEqual([
    ['create', expect.arrayContaining(['name', 'equipment_type_id'])],
    ['update', ['state']],
    ['update', ['discarded_at']],
  ]);
});
