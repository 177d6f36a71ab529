import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Label } from '../../../src/directory/master-data/label.entity.ts';
import { IamRole } from '../../../src/directory/people/iam-role.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { OPENINGS } from '../../../src/identity/access/access.ts';
import { ROLES } from '../../../src/identity/access/permissions.ts';
import { TOGGLES } from '../../../src/identity/access/toggles.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const namesOf = async (tenant: Tenant, query: string, token?: string): Promise<string[]> =>
  (await tenant.must('GET', `/v1/users${query}`, undefined, token)).map((user: { first_name: string }) => user.first_name);

test('a person is returned with every field of the wire shape', async () => {
  const tenant = await makeTenant(app);
  const own = { company: ref(tenant.company) };
  const type = await tenant.save(EquipmentType, { ...own, name: 'Tri-axle' });
  const truck = await tenant.save(Equipment, { ...own, name: 'T-1', equipmentType: ref(type), equipmentId: '1' });
  const label = await tenant.save(Label, { ...own, name: 'Nights', color: '#2255AA' });
  const { user } = await tenant.person({
    firstName: 'Fay',
    lastName: 'Stone',
    email: 'fay@example.com',
    phone: '+15125550142',
    externalId: 'F-1',
    roles: ['foreman', 'driver'],
    equipment: ref(truck),
    additionalEquipmentIds: [truck.id],
    labelIds: [label.id],
    preferences: { notifications: { job_canceled: ['sms'] } },
  });
  const equipment = {
    id: truck.id,
    name: 'T-1',
    equipment_type: { id: type.id, name: 'Tri-axle', system: false, external_id: null, accounting_id: null },
    external_id: null,
    equipment_id: '1',
    license_number: null,
    zone: null,
    accounting_id: null,
    company_share: null,
  };
  const expected = {
    id: user.id,
    first_name: 'Fay',
    last_name: 'Stone',
    discarded_at: null,
    email: 'fay@example.com',
    phone: '+15125550142',
    external_id: 'F-1',
    schedule_on: false,
    created_at: user.createdAt.toISOString(),
    updated_at: user.updatedAt.toISOString(),
    company: {
      id: tenant.company.id,
      platform_id: tenant.company.platformId,
      legal_name: tenant.company.legalName,
      company_type: 'hauler',
    },
    iam_roles: [
      { id: '1d5b5052-326d-595a-bd36-23dffa1fdc0c', name: 'Foreman' },
      { id: '8f868405-03ba-5d72-b418-caae734b38d4', name: 'Driver' },
    ],
    idp_member_id: null,
    idp_member_status: 'needs_invite',
    idp_phone_id: null,
    idp_user_id: null,
    idp_user_status: 'needs_invite',
    equipment,
    additional_equipment: [equipment],
    time_zone: 'America/Chicago',
    preferences: { notifications: { job_canceled: ['sms'] } },
    text_to_accept_enabled: false,
    last_login_at: null,
    labels: [{ id: label.id, name: 'Nights', color: '#2255AA' }],
  };
  expect(await tenant.must('GET', `/v1/users/${user.id}`)).toEqual(expected);
  expect(await tenant.must('GET', tenant.path(`/users/${user.id}`))).toEqual(expected);
  expect(await tenant.must('GET', '/v1/users?search[datagrid]=fay')).toEqual([expected]);
  const { data } = await tenant.gql('query ($id: ID!) { user(id: $id) { id roles timeZone effectiveTimeZone iamRoles { name } } }', {
    id: user.id,
  });
  expect(data.user).toMatchObject({ id: user.id, roles: ['foreman', 'driver'], timeZone: null, effectiveTimeZone: 'America/Chicago' });
});

test('a list shows active people of one company, sorted and in pages', async () => {
  const tenant = await makeTenant(app);
  const child = await makeTenant(app, { company: { parentCompany: ref(tenant.company) } });
  for (const firstName of ['bea', 'Abe', 'Cy']) await tenant.person({ firstName, lastName: 'Same' });
  await tenant.person({ firstName: 'Gone', discardedAt: new Date() });
  expect(await namesOf(tenant, '?sort[first_name]=asc')).toEqual(['Abe', 'bea', 'Cy', 'Dora']);
  expect(await namesOf(tenant, '?filter[discarded]=true')).toEqual(['Gone']);
  const first = await tenant.http('GET', '/v1/users?sort[last_name]=asc&sort[first_name]=desc&page[limit]=2');
  expect(first.body.data.map((user: { first_name: string }) => user.first_name)).toEqual(['Cy', 'bea']);
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1];
  const second = await app.http('GET', new URL(next!).pathname + new URL(next!).search, { token: tenant.token });
  expect(second.body.data.map((user: { first_name: string }) => user.first_name)).toEqual(['Abe', 'Dora']);
  const inChild = await tenant.must('GET', child.path('/users'));
  expect(inChild.map((user: { id: string }) => user.id)).toEqual([child.driver.id]);
  expect((await child.http('GET', tenant.path('/users'))).status).toBe(404);
});

test.each<[string, string[]]>([
  ['off', []],
  ['on', Object.keys(TOGGLES)],
])('people are filtered by role, label and offered features, with the toggles of their company %s', async (_, permissionToggles) => {
  const tenant = await makeTenant(app, { company: { permissionToggles } });
  const own = { company: ref(tenant.company) };
  const [nights, days] = await Promise.all(['Nights', 'Days'].map((name) => tenant.save(Label, { ...own, name, color: '#000000' })));
  const clerk = await tenant.save(IamRole, { ...own, name: 'Clerk', grants: ['create_site'] });
  for (const role of ROLES) await tenant.person({ firstName: role, roles: [role] });
  await tenant.person({ firstName: 'Clara', roles: [], customRoleIds: [clerk.id], labelIds: [nights!.id] });
  await tenant.person({ firstName: 'Both', roles: ['biller', 'foreman'], labelIds: [days!.id] });
  const sorted = async (query: string) => (await namesOf(tenant, query)).sort();

  expect(await sorted('?filter[iam_roles][]=foreman&filter[iam_roles][]=biller')).toEqual(['Both', 'biller', 'foreman']);
  expect(await sorted(`?filter[iam_roles][]=${clerk.id}`)).toEqual(['Clara']);
  expect(await sorted('?filter[iam_roles][]=Clerk')).toEqual(['Clara']);
  expect(await sorted(`?filter[label_ids][]=${nights!.id}&filter[label_ids][]=${days!.id}`)).toEqual(['Both', 'Clara']);
  expect(await sorted('?search[datagrid]=biller')).toEqual(['Both', 'biller']);
  expect(await sorted('?filter[access]=manage_sites&filter[iam_roles][]=Clerk')).toEqual(['Clara']);

  const everybody = await namesOf(tenant, '');
  const access = new Map<string, string[]>();
  for (const role of [...ROLES, 'both', 'clerk']) {
    const fields =
      role === 'both' ? { roles: ['biller', 'foreman'] } : role === 'clerk' ? { customRoleIds: [clerk.id] } : { roles: [role] };
    const { user, token } = await tenant.person({ roles: [], ...fields });
    access.set(
      role,
      (await tenant.must('GET', '/v1/users/me/access', undefined, token)).map(({ name }: { name: string }) => name),
    );
    await app.orm.em.fork().nativeUpdate(User, { id: user.id }, { discardedAt: new Date() }, { filters: { tenant: false } });
  }
  const offered = (name: string, firstName: string) =>
    access.get({ Both: 'both', Clara: 'clerk', Dora: 'driver' }[firstName] ?? firstName)!.includes(name);
  for (const name of Object.keys(OPENINGS))
    expect([name, await sorted(`?filter[access]=${name}`)]).toEqual([name, everybody.filter((one) => offered(name, one)).sort()]);
});

test('a typeahead offers active people by name', async () => {
  const tenant = await makeTenant(app);
  await tenant.person({ firstName: 'Zed', lastName: 'Adams', roles: ['foreman'] });
  const gone = await tenant.person({ firstName: 'Gone', lastName: 'Adams', discardedAt: new Date() });
  for (const path of ['/v1/users/typeahead', tenant.path('/users/typeahead')]) {
    const all = await tenant.must('GET', path);
    expect(all.map((user: object) => Object.values(user).slice(1))).toEqual([
      ['Zed', 'Adams'],
      ['Dora', 'Wheel'],
    ]);
    expect(all.map((user: { id: string }) => user.id)).not.toContain(gone.user.id);
    expect(await tenant.must('GET', `${path}?search[query]=adam&filter[iam_roles][]=foreman`)).toEqual([all[0]]);
    expect(await tenant.must('GET', `${path}?search[query]=adam&filter[iam_roles][]=driver`)).toEqual([]);
  }
});

test('wrong filters are a 422 on the field', async () => {
  const tenant = await makeTenant(app);
  const reported = async (query: string) => {
    const { status, body } = await tenant.http('GET', `/v1/users?${query}`);
    return [status, body.error.errors?.[0]?.field];
  };
  expect(await reported('filter[access]=fly')).toEqual([422, 'filter[access]']);
  expect(await reported('filter[label_ids][]=7')).toEqual([422, 'filter[label_ids]']);
  expect(await reported('page[limit]=0')).toEqual([422, 'page[limit]']);
});

test('a page of people takes one statement, however many there are', async () => {
  const tenant = await makeTenant(app);
  for (let n = 0; n < 5; n++) await tenant.person({ roles: ['driver', 'foreman'], labelIds: [] });
  const { statements } = await app.countStatements(() =>
    tenant.must('GET', '/v1/users?filter[access]=execute_jobs&search[datagrid]=driver'),
  );
  expect(statements).toHaveLength(1);
});
