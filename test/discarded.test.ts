import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { schemaOfRooms } from '../src/app/serve.ts';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { makeTenant, type Tenant } from './helpers/tenant.ts';
import { type Expectation, expectationOf, graphqlCall, type Ids, idsUsed, makeIds } from './helpers/walk.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

/** Where the master data of each kind is. */
const TABLES: Partial<Record<NonNullable<Expectation['of']>, string>> = {
  account: 'account',
  complianceDocumentType: 'compliance_document_type',
  department: 'department',
  equipment: 'equipment',
  inactiveEquipment: 'equipment',
  equipmentType: 'equipment_type',
  label: 'label',
  material: 'material',
  inactiveMaterial: 'material',
  rate: 'rate',
  customerRate: 'rate',
  vendorRate: 'rate',
  service: 'service',
  serviceClass: 'service_class',
  site: 'site',
  inactiveSite: 'site',
  trafficControlPlan: 'traffic_control_plan',
  user: 'app_user',
  driver: 'app_user',
  foreman: 'app_user',
  managedUser: 'app_user',
  managedTruck: 'equipment',
  managedAccount: 'account',
};

/** The answer for people who left, instead of "not found": they can be reactivated. */
const PEOPLE_WHO_LEFT = [
  'deactivateManagedUser',
  'deactivateUser',
  'impersonate',
  'inviteManagedUser',
  'inviteUser',
  'createUserTimeOff',
  'makeUserAvailable',
  'makeUserUnavailable',
];
/** What is left to do for people who have left: a shift that outlasts them is ended (D-DISPATCH-111), and where they were is forgotten. */
const STILL_DONE = ['setDriverOffDuty', 'forgetPositions'];
const ACCOUNTS = ['createAccountTimeOff', 'makeAccountAvailable', 'makeAccountUnavailable'];

test('discarded records cannot be changed: their id is not found any more', async () => {
  const reported: [string, string][] = [];
  const refused: string[] = [];
  for (const field of Object.values(schemaOfRooms().getMutationType()!.getFields())) {
    const expected = expectationOf(field.name);
    const aboutPapers = field.args.some(({ name }) => name === 'compliantType');
    const kind = aboutPapers ? 'user' : expected.of;
    const table = kind && TABLES[kind];
    if (!table) continue;
    const call = (ids: Ids) => graphqlCall('mutation', field, expected, ids, tenant);
    const ids = await makeIds(tenant, field.name, new Set([...idsUsed(call), kind]));
    const { query, variables } = call(ids);
    const id = aboutPapers ? variables.compliantId : ids[kind];
    const sql = app.orm.em.getConnection();
    const discarded = await sql.execute(`update "${table}" set discarded_at = now() where id = ? returning id`, [id]);
    const answer = await tenant.gql(query, variables);
    const code = discarded.length === 1 ? (answer.errors?.[0]?.extensions?.code ?? 'done') : 'not arranged';
    if (code === 'unprocessable_content') refused.push(field.name);
    else reported.push([field.name, code]);
  }
  expect(reported.length).toBeGreaterThan(40);
  expect(reported.filter(([, code]) => code !== 'object_not_found')).toEqual(STILL_DONE.map((name) => [name, 'done']));
  expect(refused.sort()).toEqual([...PEOPLE_WHO_LEFT, ...ACCOUNTS].sort());
});

test.each([
  ['users', 'user', 'app_user'],
  ['accounts', 'account', 'account'],
  ['equipment', 'equipment', 'equipment'],
] as const)('REST: documents of discarded %s are read, and none is added', async (room, kind, table) => {
  const ids = await makeIds(tenant, undefined, new Set([kind]));
  const type = await tenant.must('POST', tenant.path('/compliance_document_types'), { name: `Card of ${room}`, field_type: 'string' });
  const path = tenant.path(`/${room}/${ids[kind]}/compliance_documents`);
  const { id } = await tenant.must('POST', path, { compliance_document_type_id: type.id, value: 'A' });
  await app.orm.em.getConnection().execute(`update ${table} set discarded_at = now() where id = ?`, [ids[kind]]);
  expect((await tenant.http('POST', path, { compliance_document_type_id: type.id, value: 'B' })).status).toBe(404);
  expect((await tenant.http('PATCH', `${path}/${id}`, { value: 'C' })).status).toBe(404);
  expect((await tenant.http('DELETE', `${path}/${id}`)).status).toBe(404);
  expect((await tenant.must('GET', `${path}/${id}`)).value).toBe('A');
});

test('REST: deactivated people cannot be changed until they are reactivated', async () => {
  const { user } = await tenant.person({ roles: ['dispatcher'] });
  await tenant.must('DELETE', `/v1/users/${user.id}`);
  expect((await tenant.http('PATCH', `/v1/users/${user.id}`, { first_name: 'Later' })).status).toBe(404);
  expect((await tenant.http('PATCH', `/v1/users/${user.id}`, {})).status).toBe(404);
  expect((await tenant.http('PATCH', `/v1/users/${user.id}`, { phone: null, first_name: 'Later' })).status).toBe(404);
  await tenant.must('PUT', `/v1/users/${user.id}/reactivate`);
  expect((await tenant.must('PATCH', `/v1/users/${user.id}`, { first_name: 'Later' })).first_name).toBe('Later');
});
