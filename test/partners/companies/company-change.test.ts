import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const own = () => `/v1/companies/${tenant.company.id}`;
const FIELDS = [
  'address',
  'ai_review_loads',
  'auth_methods',
  'auto_complete_order',
  'billing_contact',
  'billing_status',
  'company_type',
  'created_at',
  'currency',
  'date_format',
  'dba_name',
  'default_geofence_delay_seconds',
  'default_lat',
  'default_lon',
  'fuel_surcharge_percentage',
  'id',
  'idp_organization_id',
  'language',
  'legal_name',
  'logo_url',
  'parent_company',
  'platform_customer',
  'platform_id',
  'primary_contact',
  'saas_billing_plan',
  'site_radius',
  'system_of_measure',
  'time_format',
  'time_zone',
  'unit_of_distance',
  'updated_at',
  'usage_status',
];

test('a company is read with every field, and changed field by field', async () => {
  expect(Object.keys(await tenant.must('GET', own())).sort()).toEqual(FIELDS);
  const changes = {
    legal_name: 'Stone & Sons Ltd',
    dba_name: 'Stone',
    platform_customer: false,
    language: 'fr',
    date_format: 'DD/MM/YYYY',
    time_format: '24-hour',
    system_of_measure: 'imperial',
    unit_of_distance: 'mile',
    currency: 'USD',
    time_zone: 'America/Vancouver',
    usage_status: 'onboarding',
    billing_status: 'paid',
    saas_billing_plan: 'pro',
    company_type: 'producer',
    auth_methods: ['password', 'magic_link'],
    auto_complete_order: true,
    ai_review_loads: true,
    default_geofence_delay_seconds: 90,
  };
  const answer = await tenant.must('PATCH', own(), {
    ...changes,
    fuel_surcharge_percentage: 12.5,
    default_lat: '49.25',
    default_lon: -123.1,
    site_radius: 250,
  });
  expect(answer).toMatchObject({
    ...changes,
    fuel_surcharge_percentage: '12.5',
    default_lat: '49.25',
    default_lon: '-123.1',
    site_radius: '250',
  });
  expect(await tenant.must('GET', own())).toEqual(answer);
});

test('names of a company are kept without outer blanks', async () => {
  const { legal_name } = await tenant.must('GET', own());
  expect(await tenant.must('PATCH', own(), { legal_name: ` ${legal_name}\t`, dba_name: ' Stone ' })).toMatchObject({
    legal_name,
    dba_name: 'Stone',
  });
  for (const dba_name of [' ', '']) {
    expect((await tenant.must('PATCH', own(), { dba_name: 'Stone' })).dba_name).toBe('Stone');
    expect((await tenant.must('PATCH', own(), { dba_name })).dba_name).toBeNull();
  }
});

test('absent fields are kept, null clears optional fields and is refused in required ones', async () => {
  const before = await tenant.must('PATCH', own(), { dba_name: 'Stone', site_radius: 100, default_lat: 1 });
  expect((await tenant.must('PATCH', own(), {})).dba_name).toBe(before.dba_name);
  expect(await tenant.must('PATCH', own(), { dba_name: null, site_radius: null, default_lat: null })).toMatchObject({
    dba_name: null,
    site_radius: null,
    default_lat: null,
    legal_name: before.legal_name,
  });
  const refused = await tenant.http('PATCH', own(), { legal_name: null, time_zone: null, currency: null, auth_methods: null });
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['auth_methods', 'currency', 'legal_name', 'time_zone']]);
  // Without a zone the company would have no local days.
  expect(fieldsOf(await tenant.http('PATCH', own(), { time_zone: '' }))).toEqual(['time_zone']);
});

test('wrong preferences are reported all at once and change nothing', async () => {
  const before = await tenant.must('GET', own());
  const wrong = {
    time_zone: 'Mars/Olympus',
    auth_methods: [],
    legal_name: ' ',
    address: { country: 'usa' },
    primary_contact: { email: 'nobody', phone: '12' },
  };
  const typed = await tenant.http('PATCH', own(), {
    currency: 'EUR',
    date_format: 'YY',
    fuel_surcharge_percentage: 101,
    default_lat: 91,
    default_geofence_delay_seconds: -1,
    language: 'de',
  });
  expect([typed.status, fieldsOf(typed)]).toEqual([
    422,
    ['currency', 'date_format', 'default_geofence_delay_seconds', 'default_lat', 'fuel_surcharge_percentage', 'language'],
  ]);
  const answer = await tenant.http('PATCH', own(), { ...wrong, address: { country: 'us' }, dba_name: 'Changed' });
  expect([answer.status, fieldsOf(answer)]).toEqual([
    422,
    [
      'address.administrative_area',
      'address.country',
      'address.locality',
      'address.postal_code',
      'address.thoroughfare',
      'auth_methods',
      'legal_name',
      'primary_contact.email',
      'primary_contact.phone',
      'time_zone',
    ],
  ]);
  expect(await tenant.must('GET', own())).toEqual(before);
});

test('sign-in methods without a provider are refused, and so are names of two lines', async () => {
  const before = await tenant.must('GET', own());
  for (const wrong of [{ auth_methods: ['google_auth', 'microsoft_auth'] }, { legal_name: 'Yard\nBank of Austin' }])
    expect(fieldsOf(await tenant.http('PATCH', own(), wrong))).toEqual(Object.keys(wrong));
  expect(await tenant.must('GET', own())).toEqual(before);
  const noted = await tenant.must('PATCH', own(), { auth_methods: ['google_auth', 'password'] });
  expect(noted.auth_methods).toEqual(['google_auth', 'password']);
  await tenant.must('PATCH', own(), { auth_methods: before.auth_methods });
});

test('address and contacts are created, changed in place and removed', async () => {
  const address = { thoroughfare: '1 Pit Rd', locality: 'Austin', administrative_area: 'TX', postal_code: '78701', country: 'US' };
  const made = await tenant.must('PATCH', own(), { address, primary_contact: { name: 'Office', email: 'o@example.com' } });
  expect(made.address).toMatchObject({ ...address, premise: null });
  expect(made.primary_contact).toMatchObject({ name: 'Office', email: 'o@example.com', phone: null });
  const changed = await tenant.must('PATCH', own(), { address: { premise: 'Unit 2' }, primary_contact: { phone: '(512) 555-0199' } });
  expect(changed.address).toEqual({ ...made.address, premise: 'Unit 2' });
  expect(changed.primary_contact).toEqual({ ...made.primary_contact, phone: '+15125550199' });
  expect(await tenant.must('PATCH', own(), { address: { _destroy: 1 }, primary_contact: null })).toMatchObject({
    address: null,
    primary_contact: null,
  });
});

test('the changes are in the audit log, including contacts and address', async () => {
  const own = await makeTenant(app);
  await own.must('PATCH', `/v1/companies/${own.company.id}`, { currency: 'USD', billing_contact: { name: 'Bill' } });
  const rows = await app.orm.em
    .getConnection()
    .execute<{ event: string; created_by_type: string; object_changes: object }[]>(
      "select event, object_changes, created_by_type from audit_entry where subject_type = 'Company' and subject_id = ?",
      [own.company.id],
    );
  expect(rows.every((row) => row.event === 'update' && row.created_by_type === 'M2MClient')).toBe(true);
  expect(Object.assign({}, ...rows.map((row) => row.object_changes))).toMatchObject({
    currency: ['CAD', 'USD'],
    billing_contact: [null, { name: 'Bill', email: null, phone: null }],
  });
});

test('parent and platform id are read-only', async () => {
  const other = await makeTenant(app);
  const before = await tenant.must('GET', own());
  const read = {
    id: other.company.id,
    platform_id: 'ABCDEF',
    parent_company_id: other.company.id,
    logo_url: 'x',
    idp_organization_id: 'x',
  };
  expect({ ...(await tenant.must('PATCH', own(), read)), updated_at: before.updated_at }).toEqual(before);
});

test("a parent's administrator changes a child, a child's not its parent, a stranger nobody", async () => {
  const parent = await makeTenant(app);
  const child = await makeTenant(app, { company: { parentCompany: ref(parent.company) } });
  const stranger = await makeTenant(app);
  const path = `/v1/companies/${child.company.id}`;
  expect((await parent.must('PATCH', path, { dba_name: 'Little' })).dba_name).toBe('Little');
  expect((await child.http('PATCH', `/v1/companies/${parent.company.id}`, { dba_name: 'Big' })).status).toBe(404);
  expect((await child.http('GET', `/v1/companies/${parent.company.id}`)).status).toBe(404);
  expect((await stranger.http('PATCH', path, { dba_name: 'Ours' })).status).toBe(404);
  const dispatcher = await parent.person({ roles: ['dispatcher'] });
  expect((await parent.http('PATCH', path, { dba_name: 'Ours' }, dispatcher.token)).status).toBe(403);
  expect((await parent.must('GET', path, undefined, dispatcher.token)).dba_name).toBe('Little');
});

test('GraphQL changes the same', async () => {
  const { data } = await tenant.gql(
    'mutation($id: ID!, $input: UpdateCompanyInput!) { updateCompany(id: $id, input: $input) { timeZone currency } }',
    { id: tenant.company.id, input: { timeZone: 'America/Toronto', currency: 'CAD' } },
  );
  expect(data.updateCompany).toEqual({ timeZone: 'America/Toronto', currency: 'CAD' });
  const { errors } = await tenant.gql('mutation($id: ID!) { updateCompany(id: $id, input: { dateFormat: "YY" }) { id } }', {
    id: tenant.company.id,
  });
  expect(errors[0].extensions.code).toBe('unprocessable_content');
});
