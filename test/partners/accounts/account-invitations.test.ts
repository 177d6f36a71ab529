import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Label } from '../../../src/directory/master-data/label.entity.ts';
import { Department } from '../../../src/directory/master-data/named.entities.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { ACCOUNT_FIELDS } from '../../helpers/accounts.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { sessionToken } from '../../helpers/session.ts';
import { fieldsOf, inviteInput, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const sql = <T>(text: string, values: unknown[] = []) => app.orm.em.getConnection().execute<T[]>(text, values);
const connectedOf = (tenant: Tenant, query = '') => tenant.must('GET', tenant.path(`/accounts/connected${query}`));

test('an invited business gets a company, an administrator and accounts on both sides', async () => {
  const tenant = await makeTenant(app);
  const own = { company: ref(tenant.company) };
  const department = await tenant.save(Department, { ...own, name: 'Aggregates' });
  const label = await tenant.save(Label, { ...own, name: 'New', color: '#00FF00' });
  const body = inviteInput({
    contact: { name: 'Ina May Vited', email: 'Ina.Vited@example.com', phone: '(512) 555-0142' },
    notes: 'Met at the quarry',
    external_id: 'V-9',
    accounting_id: 'ACC-9',
    truck_count: 4,
    auto_accept_orders: true,
    company_type: 'hauler',
    time_zone: 'America/Denver',
    department_id: department.id,
    label_ids: [label.id],
    send_invite: { email: true, sms: true },
  });
  const { token } = await tenant.person({ roles: ['dispatcher'] });
  const account = await tenant.must('POST', tenant.path('/accounts/invite'), body, token);
  expect(Object.keys(account).sort()).toEqual(ACCOUNT_FIELDS);
  expect(account).toMatchObject({
    name: body.name,
    account_types: ['vendor'],
    notes: 'Met at the quarry',
    external_id: 'V-9',
    accounting_id: 'ACC-9',
    truck_count: 4,
    auto_accept_orders: true,
    department: { id: department.id, name: 'Aggregates' },
    labels: [{ id: label.id, name: 'New', color: '#00FF00' }],
    connected_company: { legal_name: body.name, company_type: 'hauler' },
    connected_account: { account_types: ['customer'] },
    primary_contact: { name: 'Ina May Vited', email: 'Ina.Vited@example.com', phone: '+15125550142' },
    address: body.address,
  });
  const company = account.connected_company.id;
  const [person] = await sql<{ id: string; first_name: string; last_name: string; roles: string[] }>(
    'select id, first_name, last_name, roles from app_user where company_id = ?',
    [company],
  );
  expect(person).toMatchObject({ first_name: 'Ina', last_name: 'May Vited', roles: ['company_admin'] });
  expect(await sql('select channel, inviter_company_id, sent_at from invitation where user_id = ? order by channel', [person!.id])).toEqual(
    [
      { channel: 'email', inviter_company_id: tenant.company.id, sent_at: null },
      { channel: 'sms', inviter_company_id: tenant.company.id, sent_at: null },
    ],
  );
  // Once signed in, the new administrator has an office of their own, and the customer that invited them.
  const admin = await app.orm.em.fork().findOneOrFail(User, person!.id, { filters: { tenant: false } });
  const theirs = await sessionToken(app.orm, admin);
  expect(await tenant.must('GET', `/v1/companies/${company}`, undefined, theirs)).toMatchObject({
    legal_name: body.name,
    time_zone: 'America/Denver',
    currency: tenant.company.currency,
    platform_customer: false,
    usage_status: 'onboarding',
    parent_company: null,
    primary_contact: { email: 'Ina.Vited@example.com' },
  });
  const [customer] = await tenant.must('GET', '/v1/accounts/connected', undefined, theirs);
  expect(customer).toMatchObject({
    name: tenant.company.legalName,
    account_types: ['customer'],
    notes: null,
    connected_account: { truck_count: 4, auto_accept_orders: true },
  });
  // Our notes about them are nobody's business there.
  expect(JSON.stringify(customer)).not.toMatch(/quarry|ACC-9|V-9|Aggregates/);
  expect((await tenant.http('GET', `/v1/companies/${company}`)).status).toBe(404);
});

test('without a request for it no invitation is sent, and an owner-operator also drives', async () => {
  const tenant = await makeTenant(app);
  const account = await tenant.must('POST', '/v1/accounts/invite', inviteInput({ company_type: 'owner_operator' }));
  const [person] = await sql<{ roles: string[] }>('select roles from app_user where company_id = ?', [account.connected_company.id]);
  expect(person!.roles).toEqual(['company_admin', 'driver']);
  expect(await sql('select 1 from invitation where company_id = ?', [account.connected_company.id])).toEqual([]);
});

test('an invitation creates the truck of the new company, shared, and one of the inviting company', async () => {
  const [tenant, stranger] = [await makeTenant(app), await makeTenant(app)];
  const type = await tenant.save(EquipmentType, { company: ref(tenant.company), name: 'Side dump' });
  const truck = {
    name: 'Old Blue',
    external_id: 'OB',
    license_number: 'TX 1',
    equipment_type_name: 'Tandem',
    company_share_external_id: 'T-1',
  };
  const body = inviteInput({
    company_type: 'owner_operator',
    equipment: truck,
    internal_equipment: {
      name: 'Blue (hired)',
      equipment_type_id: type.id,
      ownership: 'external',
      state: 'inactive',
      home_base_id: tenant.pickup.id,
    },
  });
  const account = await tenant.must('POST', '/v1/accounts/invite', body);
  const trucks = await tenant.must('GET', tenant.path('/equipment?sort[name]=asc'));
  expect(trucks).toMatchObject([
    {
      name: 'Blue (hired)',
      ownership: 'external',
      state: 'inactive',
      equipment_type: { id: type.id },
      home_base: { id: tenant.pickup.id },
    },
    {
      name: 'Old Blue',
      external_id: 'OB',
      license_number: 'TX 1',
      equipment_type: { name: 'Tandem' },
      company: { id: account.connected_company.id },
      company_share: { external_id: 'T-1', sender_company: { id: account.connected_company.id } },
    },
  ]);
  const [driver] = await sql<{ equipment_id: string }>('select equipment_id from app_user where company_id = ?', [
    account.connected_company.id,
  ]);
  expect(driver!.equipment_id).toBe(trucks[1].id);
  const wrong = inviteInput({
    internal_equipment: { name: 'X', equipment_type_id: stranger.company.id, home_base_id: stranger.pickup.id },
  });
  const answer = await tenant.http('POST', '/v1/accounts/invite', wrong);
  expect([answer.status, fieldsOf(answer)]).toEqual([422, ['internal_equipment.equipment_type_id', 'internal_equipment.home_base_id']]);
});

test('a name, e-mail or telephone that is taken is refused by field, without its owner', async () => {
  const [tenant, other] = [await makeTenant(app), await makeTenant(app)];
  const taken = inviteInput({ contact: { name: 'Tom', email: 'tom.taken@example.com', phone: '+15125550177' } });
  await other.must('POST', '/v1/accounts/invite', taken);
  const again = inviteInput({ name: ` ${taken.name.toUpperCase()} `, contact: { email: 'TOM.Taken@example.com', phone: '512-555-0177' } });
  const answer = await tenant.http('POST', '/v1/accounts/invite', again);
  expect([answer.status, fieldsOf(answer)]).toEqual([422, ['contact.email', 'contact.phone', 'name']]);
  expect(JSON.stringify(answer.body)).not.toContain(other.company.legalName);
  expect(JSON.stringify(answer.body)).not.toContain(other.company.id);
  const [{ count } = { count: 0 }] = await sql<{ count: number }>(
    'select count(*)::int as count from company where lower(btrim(legal_name)) = lower(?)',
    [taken.name],
  );
  expect(count).toBe(1);
});

test('a business and its address exist already if their fold does, not if they only look alike', async () => {
  const tenant = await makeTenant(app);
  const invite = (name: string, email: string) =>
    tenant.http('POST', '/v1/accounts/invite', inviteInput({ name, contact: { name: 'Tom', email } }));
  expect((await invite('Kisi \u00c9toile', 'kisi@etoile.example')).status).toBe(201);
  const same = await invite(' \u212aISI e\u0301toile', '\u212aisi@etoile.example');
  expect([same.status, fieldsOf(same)]).toEqual([422, ['contact.email', 'name']]);
  expect((await invite('K\u0130si \u00c9toile', 'k\u0130si@etoile.example')).status).toBe(201);
});

test('of concurrent invitations of the same business one succeeds', async () => {
  const [tenant, other] = [await makeTenant(app), await makeTenant(app)];
  const body = inviteInput();
  const answers = await Promise.all([tenant, other, tenant, other].map((who) => who.http('POST', '/v1/accounts/invite', body)));
  expect(answers.map((answer) => answer.status).sort()).toEqual([201, 422, 422, 422]);
});

test('every wrong field of an invitation is reported at once, and nothing is created', async () => {
  const [tenant, stranger] = [await makeTenant(app), await makeTenant(app)];
  const strange = await stranger.save(Department, { company: ref(stranger.company), name: 'Theirs' });
  const wrong = inviteInput({
    contact: { email: 'x', phone: '1' },
    account_types: [],
    time_zone: 'Moon/Base',
    department: 'Nowhere',
    department_id: strange.id,
    label_ids: [strange.id],
    company_id: stranger.company.id,
  });
  const answer = await tenant.http('POST', tenant.path('/accounts/invite'), wrong);
  expect([answer.status, fieldsOf(answer)]).toEqual([
    422,
    ['account_types', 'company_id', 'contact.email', 'contact.phone', 'department', 'department_id', 'label_ids.0', 'time_zone'],
  ]);
  for (const [more, field] of [
    [{ contact: { name: 'No Body' } }, 'contact'],
    [{ contact: { phone: '+15125550163' }, send_invite: { email: true } }, 'contact.email'],
    [{ contact: { email: 'only@example.com' }, send_invite: { sms: true } }, 'contact.phone'],
    [{ company_type: 'super' }, 'company_type'],
    [{ truck_count: -1 }, 'truck_count'],
  ] as const) {
    const one = await tenant.http('POST', '/v1/accounts/invite', inviteInput(more));
    expect([one.status, fieldsOf(one)]).toEqual([422, [field]]);
  }
  expect(await connectedOf(tenant)).toEqual([]);
  const { token } = await tenant.person({ roles: ['foreman'] });
  expect((await tenant.http('POST', '/v1/accounts/invite', inviteInput(), token)).status).toBe(403);
  expect((await stranger.http('POST', tenant.path('/accounts/invite'), inviteInput())).status).toBe(404);
});

test('an invitation does not take an external id that another account has, by which imports would find the wrong one', async () => {
  const tenant = await makeTenant(app);
  const first = await tenant.must('POST', '/v1/accounts/invite', inviteInput({ external_id: ' V-1 ' }));
  expect(first.external_id).toBe('V-1');
  const refused = await tenant.http('POST', '/v1/accounts/invite', inviteInput({ external_id: 'V-1' }));
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['external_id']]);
  const twins = await Promise.all([1, 2].map(() => tenant.http('POST', '/v1/accounts/invite', inviteInput({ external_id: 'V-2' }))));
  expect(twins.map(({ status }) => status).sort()).toEqual([201, 422]);
});

test('an invitation refers to nothing that is discarded, and names nothing by blanks', async () => {
  const tenant = await makeTenant(app);
  const gone = { company: ref(tenant.company), discardedAt: new Date() };
  const department = await tenant.save(Department, { ...gone, name: 'Gone' });
  const label = await tenant.save(Label, { ...gone, name: 'Gone', color: '#00FF00' });
  const type = await tenant.save(EquipmentType, { ...gone, name: 'Gone' });
  const site = await tenant.save(Site, { ...gone, name: 'Gone' });
  const wrong = inviteInput({
    name: ' ',
    department_id: department.id,
    label_ids: [label.id],
    equipment: { name: ' ', equipment_type_name: '\t' },
    internal_equipment: { name: ' ', equipment_type_id: type.id, home_base_id: site.id },
  });
  const answer = await tenant.http('POST', '/v1/accounts/invite', wrong);
  expect([answer.status, fieldsOf(answer)]).toEqual([
    422,
    ['department_id', 'equipment.equipment_type_name', 'equipment.name']
      .concat(['internal_equipment.equipment_type_id', 'internal_equipment.home_base_id', 'internal_equipment.name'])
      .concat(['label_ids.0', 'name']),
  ]);
  expect(await tenant.must('GET', '/v1/equipment')).toEqual([]);
});

test('the truck of the inviting company is made by those who may make trucks', async () => {
  const tenant = await makeTenant(app, { permissions: ['create_account'] });
  const type = await tenant.save(EquipmentType, { company: ref(tenant.company), name: 'Side dump' });
  const body = inviteInput({ internal_equipment: { name: 'Hired', equipment_type_id: type.id } });
  const refused = await tenant.http('POST', '/v1/accounts/invite', body);
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([403, expect.stringContaining('create_equipment')]);
  expect((await tenant.http('POST', '/v1/accounts/invite', { ...body, internal_equipment: undefined })).status).toBe(201);
});

test('trucks that an invitation makes are events like all others', async () => {
  const tenant = await makeTenant(app);
  const type = await tenant.save(EquipmentType, { company: ref(tenant.company), name: 'Side dump' });
  const account = await tenant.must(
    'POST',
    '/v1/accounts/invite',
    inviteInput({
      equipment: { name: 'Old Blue', equipment_type_name: 'Slinger' },
      internal_equipment: { name: 'Hired', equipment_type_id: type.id },
    }),
  );
  const events = await sql<{ company_id: string; name: string }>(
    "select company_id, name from outbox_event where company_id in (?, ?) and name like 'equipment%' order by name, company_id = ?",
    [tenant.company.id, account.connected_company.id, tenant.company.id],
  );
  expect(events).toEqual([
    { company_id: account.connected_company.id, name: 'equipment.created' },
    { company_id: tenant.company.id, name: 'equipment.created' },
    { company_id: account.connected_company.id, name: 'equipment_type.created' },
  ]);
});
