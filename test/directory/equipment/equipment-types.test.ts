import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { companyInput, fieldsOf, inviteInput, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const one = (id: string) => `/v1/equipment_types/${id}`;
const namesOf = (list: Json[]) => list.map((type) => type.name);

test('a type is created, changed, listed and discarded, and stays in records that refer to it', async () => {
  const made = await tenant.must('POST', '/v1/equipment_types', {
    name: ' Quad axle ',
    external_id: ' Q4 ',
    gross_capacity: 18.5,
    gross_capacity_unit_of_measure: 'Ton',
    accounting_id: '',
    additional_gross_capacities: [{ capacity: '13.25000', unit_of_measure: 'Yard' }],
  });
  expect(made).toEqual({
    id: expect.any(String),
    name: 'Quad axle',
    system: false,
    external_id: 'Q4',
    accounting_id: null,
    gross_capacity: '18.5',
    gross_capacity_unit_of_measure: 'Ton',
    source: 'api_integration',
    additional_gross_capacities: [{ capacity: '13.25', unit_of_measure: 'Yard' }],
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(await tenant.must('GET', one(made.id))).toEqual(made);
  const changed = await tenant.must('PATCH', one(made.id), { gross_capacity: '20', external_id: null });
  expect(changed).toEqual({ ...made, gross_capacity: '20', external_id: null, updated_at: changed.updated_at });
  expect((await tenant.must('PATCH', one(made.id), { additional_gross_capacities: [] })).additional_gross_capacities).toEqual([]);
  const order = await makeOrder(tenant, { equipment_type_id: made.id });
  expect((await tenant.http('DELETE', one(made.id))).status).toBe(204);
  expect((await tenant.http('GET', one(made.id))).status).toBe(404);
  expect(namesOf(await tenant.must('GET', tenant.path('/equipment_types')))).not.toContain('Quad axle');
  expect((await tenant.must('GET', `/v1/orders/${order.id}`)).equipment_type).toMatchObject({ id: made.id, name: 'Quad axle' });
});

test('GraphQL creates the same record as REST; a person is no integration', async () => {
  const { token } = await tenant.person({ roles: ['company_admin'] });
  const { data } = await tenant.gql(
    `mutation ($input: CreateEquipmentTypeInput!) { createEquipmentType(input: $input) { id source additionalGrossCapacities { capacity unitOfMeasure } } }`,
    { input: { name: 'Slinger', additionalGrossCapacities: [{ capacity: 9, unitOfMeasure: 'CubicMeter' }] } },
    token,
  );
  expect(data.createEquipmentType).toMatchObject({
    source: 'web',
    additionalGrossCapacities: [{ capacity: '9', unitOfMeasure: 'CubicMeter' }],
  });
  expect(await tenant.must('GET', one(data.createEquipmentType.id))).toMatchObject({
    name: 'Slinger',
    source: 'web',
    gross_capacity: null,
  });
});

test('a name and an external id are taken until their type is discarded, and free in another company', async () => {
  const first = await tenant.must('POST', '/v1/equipment_types', { name: 'Belly dump', external_id: 'BD' });
  for (const [body, field] of [
    [{ name: ' belly DUMP' }, 'name'],
    [{ name: 'Other', external_id: 'BD' }, 'external_id'],
  ] as const) {
    const refused = await tenant.http('POST', '/v1/equipment_types', body);
    expect([refused.status, fieldsOf(refused)]).toEqual([422, [field]]);
  }
  expect((await tenant.http('PATCH', one(first.id), { name: 'BELLY dump' })).status).toBe(200);
  const twins = await Promise.all([1, 2].map(() => tenant.http('POST', '/v1/equipment_types', { name: 'At once' })));
  expect(twins.map(({ status }) => status).sort()).toEqual([201, 422]);
  const other = await makeTenant(app);
  expect((await other.http('POST', '/v1/equipment_types', { name: 'Belly dump', external_id: 'BD' })).status).toBe(201);
  await tenant.must('DELETE', one(first.id));
  expect((await tenant.http('POST', '/v1/equipment_types', { name: 'Belly dump', external_id: 'BD' })).status).toBe(201);
});

test('a type that has a namesake from before is sent back unchanged, and renamed to no third one', async () => {
  const own = { company: ref(tenant.company), name: 'Twin', externalId: 'TW' };
  const [first] = [await tenant.save(EquipmentType, own), await tenant.save(EquipmentType, own)];
  const same = { name: ' twin ', external_id: 'TW', gross_capacity: 3, gross_capacity_unit_of_measure: 'Ton' };
  expect(await tenant.must('PATCH', one(first.id), same)).toMatchObject({ name: 'twin', external_id: 'TW', gross_capacity: '3' });
  await tenant.must('POST', '/v1/equipment_types', { name: 'Third', external_id: 'TH' });
  const refused = await tenant.http('PATCH', one(first.id), { name: 'Third', external_id: 'TH' });
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['external_id', 'name']]);
});

test('wrong input names every field and changes nothing', async () => {
  const made = await tenant.must('POST', '/v1/equipment_types', { name: 'Steady' });
  for (const [body, fields] of [
    [{ name: '' }, ['name']],
    [{ gross_capacity: 12 }, ['gross_capacity_unit_of_measure']],
    [{ gross_capacity: -1, gross_capacity_unit_of_measure: 'Pound' }, ['gross_capacity', 'gross_capacity_unit_of_measure']],
    [{ additional_gross_capacities: [{ capacity: 1 }] }, ['additional_gross_capacities.0.unit_of_measure']],
    [
      {
        gross_capacity: 1,
        gross_capacity_unit_of_measure: 'Ton',
        additional_gross_capacities: [
          { capacity: 1, unit_of_measure: 'Yard' },
          { capacity: 2, unit_of_measure: 'Ton' },
          { capacity: 3, unit_of_measure: 'Yard' },
        ],
      },
      ['additional_gross_capacities.1.unit_of_measure', 'additional_gross_capacities.2.unit_of_measure'],
    ],
  ] as const) {
    const refused = await tenant.http('PATCH', one(made.id), body);
    expect([refused.status, fieldsOf(refused)]).toEqual([422, fields]);
  }
  expect(await tenant.must('GET', one(made.id))).toEqual(made);
});

test('the company may be named in the body, if it is one of the family', async () => {
  const stranger = await makeTenant(app);
  const { token } = await tenant.person({ roles: ['company_admin'] });
  const child = (await tenant.must('POST', tenant.path('/equipment_types'), { name: 'By path', company_id: tenant.company.id }, token)).id;
  expect((await tenant.must('GET', one(child))).name).toBe('By path');
  for (const path of ['/v1/equipment_types', tenant.path('/equipment_types')]) {
    const refused = await tenant.http('POST', path, { name: 'Theirs', company_id: stranger.company.id });
    expect([refused.status, fieldsOf(refused)]).toEqual([422, ['company_id']]);
  }
});

test('a built-in type keeps its name and cannot be deleted, but capacities can be added', async () => {
  const built = await tenant.save(EquipmentType, { company: ref(tenant.company), name: 'Standard', system: true });
  for (const [method, body, field] of [
    ['PATCH', { name: 'Renamed' }, 'name'],
    ['DELETE', undefined, 'id'],
  ] as const) {
    const refused = await tenant.http(method, one(built.id), body);
    expect([refused.status, fieldsOf(refused)]).toEqual([422, [field]]);
  }
  const changed = await tenant.must('PATCH', one(built.id), {
    name: 'Standard',
    gross_capacity: 5,
    gross_capacity_unit_of_measure: 'Load',
  });
  expect(changed).toMatchObject({ name: 'Standard', system: true, gross_capacity: '5' });
});

test.each([
  { of: 'child', counted: 'imperial', first: ['Tandem dump', '14', 'Ton'], also: { capacity: '10', unitOfMeasure: 'Yard' } },
  { of: 'child', counted: 'metric', first: ['Tandem dump', '12.7', 'Tonne'], also: { capacity: '7.6', unitOfMeasure: 'CubicMeter' } },
  { of: 'invited', counted: 'imperial', first: ['Tandem dump', '14', 'Ton'], also: { capacity: '10', unitOfMeasure: 'Yard' } },
])('a new $of company begins with the built-in types, $counted', async ({ of, counted, first, also }) => {
  const parent = await makeTenant(app, { company: { systemOfMeasure: counted } });
  const made =
    of === 'child'
      ? await parent.must('POST', '/v1/companies', companyInput({ system_of_measure: counted }))
      : (await parent.must('POST', '/v1/accounts/invite', inviteInput())).connected_company;
  const types = await app.orm.em
    .getConnection()
    .execute<Json[]>('select * from equipment_type where company_id = ? order by created_at, id', [made.id]);
  expect(types.map(({ system }) => system)).toEqual(Array.from({ length: 8 }, () => true));
  expect(new Set(namesOf(types)).size).toBe(8);
  const tandem = types.find(({ name }) => name === first[0]);
  expect([tandem.name, String(Number(tandem.gross_capacity)), tandem.gross_capacity_unit_of_measure]).toEqual(first);
  expect(tandem.additional_gross_capacities).toEqual([also]);
  if (of === 'invited') return;
  const listed = await parent.must('GET', `/v1/companies/${made.id}/equipment_types?page[limit]=100`);
  expect(namesOf(listed).sort()).toEqual(namesOf(types).sort());
});

test('the truck of an invited company is of the built-in type of that name', async () => {
  const invited = await tenant.must(
    'POST',
    '/v1/accounts/invite',
    inviteInput({ equipment: { name: 'Old Blue', equipment_type_name: 'tandem DUMP' } }),
  );
  const [truck] = (await tenant.must('GET', tenant.path('/equipment?search[datagrid]=Old Blue'))) as Json[];
  expect(truck.equipment_type).toMatchObject({ name: 'Tandem dump', system: true });
  const rows = await app.orm.em
    .getConnection()
    .execute('select 1 from equipment_type where company_id = ?', [invited.connected_company.id]);
  expect(rows).toHaveLength(8);
});

test('a typeahead finds words of name and external id, and lists take one statement', async () => {
  const [, , far] = await Promise.all(
    ['Live bottom', 'Live floor', 'Bottom plate'].map((name) => tenant.must('POST', '/v1/equipment_types', { name })),
  );
  expect(namesOf(await tenant.must('GET', '/v1/equipment_types/typeahead?search[query]=bottom LIVE'))).toEqual(['Live bottom']);
  expect(await tenant.must('GET', tenant.path('/equipment_types/typeahead?search[query]=plate'))).toEqual([
    { id: far.id, name: 'Bottom plate' },
  ]);
  for (const path of [tenant.path('/equipment_types'), '/v1/equipment_types/typeahead']) {
    await tenant.must('GET', path);
    expect((await app.countStatements(() => tenant.must('GET', path))).statements).toHaveLength(1);
  }
});

test('types of a managed company are readable by its manager, and by nobody else', async () => {
  const account = await tenant.must(
    'POST',
    '/v1/accounts/invite',
    inviteInput({ equipment: { name: 'Red', equipment_type_name: 'Roll off' } }),
  );
  const managed = account.connected_company.id;
  const path = tenant.path(`/managed_companies/${managed}/equipment_types`);
  expect((await tenant.http('GET', path)).status).toBe(404);
  await tenant.must('PUT', tenant.path(`/managed_companies/${managed}`), {});
  // Newest first; behind it what every new company begins with.
  expect(namesOf(await tenant.must('GET', path))[0]).toBe('Roll off');
  expect(namesOf(await tenant.must('GET', `${path}/typeahead?search[query]=roll`))).toEqual(['Roll off']);
  expect(namesOf(await tenant.must('GET', `${path}/typeahead?search[query]=slinger`))).toEqual([]);
});

test('without the permission it is refused, strangers find nothing, and changes leave audit rows', async () => {
  const made = await tenant.must('POST', '/v1/equipment_types', { name: 'Audited' });
  const stranger = await makeTenant(app);
  const { token } = await tenant.person({ roles: ['driver'] });
  for (const [method, body] of [['PATCH', { name: 'Mine' }], ['DELETE']] as const) {
    expect((await stranger.http(method, one(made.id), body)).status).toBe(404);
    expect((await tenant.http(method, one(made.id), body, token)).status).toBe(403);
  }
  await tenant.must('PATCH', one(made.id), { gross_capacity: 3, gross_capacity_unit_of_measure: 'Yard' });
  const rows = await app.orm.em
    .fork()
    .getConnection()
    .execute('select event, object_changes from audit_entry where subject_id = ? order by created_at, id', [made.id]);
  expect(rows.map((row: Json) => [row.event, row.object_changes.gross_capacity_unit_of_measure])).toEqual([
    ['create', undefined],
    ['update', [null, 'Yard']],
  ]);
});
