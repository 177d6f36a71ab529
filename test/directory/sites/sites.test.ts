import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { ResourceScope } from '../../../src/identity/access/resource-scope.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const ADDRESS = { thoroughfare: '1 Pit Rd', locality: 'Austin', administrative_area: 'TX', postal_code: '78701', country: 'US' };

test('a site is created, read, listed, changed and discarded, with all fields of the contract', async () => {
  const department = await tenant.must('POST', '/v1/departments', { name: 'Aggregates' });
  const made = await tenant.must('POST', '/v1/sites', {
    name: '  North pit ',
    lat: 30.25,
    lon: '-97.750000000001',
    notes: 'Gate code 1234',
    site_type: 'Quarry',
    external_id: ' NP-1 ',
    address: ADDRESS,
    department_id: department.id,
  });
  expect(made).toMatchObject({
    name: 'North pit',
    lat: '30.25',
    lon: '-97.750000000001',
    notes: 'Gate code 1234',
    site_type: 'Quarry',
    external_id: 'NP-1',
    address: { ...ADDRESS, premise: null, lat: null, lon: null, place_id: null },
    full_address: '1 Pit Rd, Austin, TX 78701, US',
    routable: true,
    state: 'active',
    department: { id: department.id, name: 'Aggregates' },
    editable: true,
    discarded_at: null,
    company: { id: tenant.company.id },
  });
  expect(await tenant.must('GET', `/v1/sites/${made.id}`)).toEqual(made);
  expect(await tenant.must('GET', tenant.path(`/sites/${made.id}`))).toEqual(made);
  expect((await tenant.must('GET', '/v1/sites')).map((one: Json) => one.id)).toContain(made.id);
  const changed = await tenant.must('PATCH', `/v1/sites/${made.id}`, { name: 'Old pit', notes: null, department_id: null });
  expect(changed).toEqual({ ...made, name: 'Old pit', notes: null, department: null, updated_at: changed.updated_at });
  expect((await tenant.http('DELETE', tenant.path(`/sites/${made.id}`))).status).toBe(204);
  for (const [method, body] of [['GET'], ['PATCH', { name: 'West' }], ['DELETE']] as const)
    expect((await tenant.http(method, `/v1/sites/${made.id}`, body)).status).toBe(404);
  expect((await tenant.must('GET', '/v1/sites')).map((one: Json) => one.id)).not.toContain(made.id);
});

test('an address is kept without outer blanks, and has no required field of blanks', async () => {
  const make = (address: object) => tenant.http('POST', '/v1/sites', { name: 'Blank', address: { ...ADDRESS, ...address } });
  const refused = await make({ thoroughfare: ' ', locality: '\t', postal_code: '  ' });
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['address.locality', 'address.postal_code', 'address.thoroughfare']]);
  const { data } = (await make({ thoroughfare: ' 1 Pit Rd ', premise: ' ', place_id: ' P-1 ' })).body;
  expect(data).toMatchObject({ address: { ...ADDRESS, premise: null, place_id: 'P-1' }, full_address: '1 Pit Rd, Austin, TX 78701, US' });
  const changed = await tenant.http('PATCH', `/v1/sites/${data.id}`, { address: { locality: ' ' } });
  expect([changed.status, fieldsOf(changed)]).toEqual([422, ['address.locality']]);
});

test('GraphQL creates and changes the same record', async () => {
  const { data } = await tenant.gql(
    `mutation ($input: CreateSiteInput!) { createSite(input: $input) { id name lat lon siteType editable state } }`,
    { input: { name: 'By graph', lat: '1.5', lon: '2' } },
  );
  expect(data.createSite).toMatchObject({ name: 'By graph', lat: '1.5', lon: '2', siteType: 'Other', editable: true, state: 'active' });
  const { data: after } = await tenant.gql(
    `mutation ($id: ID!) { deactivateSite(id: $id) { state } updateSite(id: $id, input: { notes: "x" }) { notes } }`,
    {
      id: data.createSite.id,
    },
  );
  expect(after).toEqual({ deactivateSite: { state: 'inactive' }, updateSite: { notes: 'x' } });
  expect(await tenant.must('GET', `/v1/sites/${data.createSite.id}`)).toMatchObject({ name: 'By graph', state: 'inactive', notes: 'x' });
});

test('an inactive site refuses new orders, but stays in existing ones, like a discarded one', async () => {
  const site = await tenant.must('POST', '/v1/sites', { name: 'Closing', external_id: 'C' });
  const waypoints = [
    { type: 'pickup', site_id: site.id, ordinality: 0 },
    { type: 'drop_off', site_id: tenant.dropoff.id, ordinality: 1 },
  ];
  const order = await makeOrder(tenant, { waypoints });
  const off = `/v1/sites/${site.id}/deactivate`;
  expect((await tenant.must('PUT', off, {})).state).toBe('inactive');
  const again = await tenant.http('PUT', off, {});
  expect([again.status, again.body.error.errors[0]]).toMatchObject([409, { field: 'state', state: 'inactive', event: 'deactivate' }]);
  const refused = await tenant.http('POST', '/v1/orders', {
    ...order,
    waypoints,
    account_id: tenant.account.id,
    service_id: tenant.service.id,
  });
  expect(refused.status).toBe(422);
  expect((await tenant.must('PUT', `/v1/sites/${site.id}/activate`, {})).state).toBe('active');
  expect((await tenant.http('DELETE', `/v1/sites/${site.id}`)).status).toBe(204);
  const { waypoints: stops } = await tenant.must('GET', `/v1/orders/${order.id}`);
  expect(stops[0].site).toMatchObject({ id: site.id, name: 'Closing', discarded_at: expect.any(String) });
});

test('every wrong field is named at once, and nothing is created', async () => {
  const count = async () => (await tenant.must('GET', '/v1/sites?page[limit]=100')).length;
  const before = await count();
  const wrong = await tenant.http('POST', '/v1/sites', {
    name: ' ',
    lat: 30,
    department_id: tenant.company.id,
    address: { ...ADDRESS, administrative_area: 'Ontario' },
  });
  expect([wrong.status, fieldsOf(wrong)]).toEqual([422, ['address.administrative_area', 'department_id', 'lon', 'name']]);
  for (const [body, field] of [
    [{ lat: 91, lon: 0 }, 'lat'],
    [{ lat: 0, lon: '-180.5' }, 'lon'],
    [{ lat: 'NaN', lon: 0 }, 'lat'],
    [{ site_type: 'Moon' }, 'site_type'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ address: { ...ADDRESS, country: 'XX' } }, 'address.country'],
    [{ address: { ...ADDRESS, country: 'us' } }, 'address.country'],
    [{ address: { locality: 'Austin' } }, 'address.thoroughfare'],
    [{ company_id: '018cc251-f400-7000-8000-000000000000' }, 'company_id'],
  ] as const) {
    const answer = await tenant.http('POST', '/v1/sites', { name: 'Wrong', ...body });
    expect([answer.status, fieldsOf(answer)]).toEqual([422, expect.arrayContaining([field])]);
  }
  expect(await count()).toBe(before);
});

test.each([
  ['US', 'texas', 'TX'],
  ['US', 'US-NM', 'NM'],
  ['US', 'D.C.', 'DC'],
  ['CA', 'Québec', 'QC'],
  ['CA', 'ca-on', 'ON'],
  ['MX', 'Nuevo Leon', 'NLE'],
  ['FR', 'Bretagne', 'Bretagne'],
])('%s %s is stored as %s', async (country, administrative_area, kept) => {
  const made = await tenant.must('POST', '/v1/sites', { name: 'Somewhere', address: { ...ADDRESS, country, administrative_area } });
  expect(made.address).toMatchObject({ country, administrative_area: kept });
  // A country that has no such area is refused also when only it changes.
  const moved = await tenant.http('PATCH', `/v1/sites/${made.id}`, { address: { country: country === 'US' ? 'CA' : 'US' } });
  expect([moved.status, fieldsOf(moved)]).toEqual([422, ['address.administrative_area']]);
});

test('coordinates and full address come from the address by default', async () => {
  const made = await tenant.must('POST', '/v1/sites', { name: 'Placed', address: { ...ADDRESS, lat: '30.5', lon: '-97.5' } });
  expect(made).toMatchObject({ lat: '30.5', lon: '-97.5', routable: true, full_address: '1 Pit Rd, Austin, TX 78701, US' });
  const one = `/v1/sites/${made.id}`;
  // They follow it, until somebody gives the site others.
  expect(await tenant.must('PATCH', one, { address: { lat: 30.6, lon: -97.6 } })).toMatchObject({ lat: '30.6', lon: '-97.6' });
  await tenant.must('PATCH', one, { lat: 30.5, lon: -97.5 });
  expect(await tenant.must('PATCH', one, { address: { lat: 30.7, lon: -97.7 } })).toMatchObject({ lat: '30.5', lon: '-97.5' });
  expect(await tenant.must('PATCH', one, { address: { thoroughfare: '2 Pit Rd' } })).toMatchObject({
    full_address: '2 Pit Rd, Austin, TX 78701, US',
    lat: '30.5',
  });
  await tenant.must('PATCH', one, { full_address: 'Behind the mill' });
  expect(await tenant.must('PATCH', one, { address: { thoroughfare: '3 Pit Rd' } })).toMatchObject({ full_address: 'Behind the mill' });
  expect(await tenant.must('PATCH', one, { address: { _destroy: 1 }, lat: null, lon: null })).toMatchObject({
    address: null,
    lat: null,
    lon: null,
    routable: false,
    full_address: 'Behind the mill',
  });
});

test('sites are filtered by department, type and state', async () => {
  const mine = await makeTenant(app);
  const { id: department_id } = await mine.must('POST', '/v1/departments', { name: 'Paving' });
  const paved = await mine.must('POST', '/v1/sites', { name: 'Paved', department_id, site_type: 'Plant' });
  const ids = async (query: string) => (await mine.must('GET', `/v1/sites?${query}`)).map((one: Json) => one.name).sort();
  expect(await ids(`filter[department_ids][]=${department_id}`)).toEqual(['Paved']);
  expect(await ids('filter[department_ids][]=none')).toEqual(['Bridge', 'Quarry']);
  expect(await ids('filter[site_types][]=Plant')).toEqual(['Paved']);
  await mine.must('PUT', `/v1/sites/${paved.id}/deactivate`, {});
  expect(await ids('filter[states][]=inactive')).toEqual(['Paved']);
  expect((await mine.http('GET', '/v1/sites?filter[department_ids][]=nobody')).status).toBe(422);
});

test('a parent creates sites that belong to a child; people who are limited to sites create none', async () => {
  const child = await tenant.save(Company, {
    legalName: 'Child',
    platformId: 'F0F0F0',
    parentCompany: ref(tenant.company),
    timeZone: 'America/Chicago',
  });
  const parent = await tenant.person({ roles: ['company_admin'] });
  const made = await tenant.must('POST', '/v1/sites', { name: 'Of the child', company_id: child.id }, parent.token);
  expect(made.company.id).toBe(child.id);
  const clash = await tenant.http(
    'POST',
    `/v1/companies/${child.id}/sites`,
    { name: 'Whose', company_id: tenant.company.id },
    parent.token,
  );
  expect([clash.status, fieldsOf(clash)]).toEqual([422, ['company_id']]);
  const limited = await tenant.person({ roles: ['dispatcher'] });
  await tenant.save(ResourceScope, { company: ref(tenant.company), user: ref(limited.user), site: ref(tenant.pickup) });
  expect((await tenant.http('POST', '/v1/sites', { name: 'Out of sight' }, limited.token)).status).toBe(403);
  expect((await tenant.http('PATCH', `/v1/sites/${tenant.pickup.id}`, { notes: 'Mine' }, limited.token)).status).toBe(200);
});

test('the notes of a shared site are visible to its owner only', async () => {
  const site = await tenant.must('POST', '/v1/sites', { name: 'Shared', notes: 'Owed money' });
  const parent = await tenant.person({ roles: ['company_admin'] });
  const child = await tenant.save(Company, {
    legalName: 'Kin',
    platformId: 'F0F0F1',
    parentCompany: ref(tenant.company),
    timeZone: 'America/Chicago',
  });
  await tenant.must(
    'POST',
    tenant.path('/company_shares'),
    {
      receiver_company_id: child.id,
      company_shareable_id: site.id,
      company_shareable_type: 'Site',
    },
    parent.token,
  );
  const kin = await tenant.person({ company: ref(child), roles: ['company_admin'] });
  expect(await tenant.must('GET', `/v1/sites/${site.id}`, undefined, kin.token)).toMatchObject({
    name: 'Shared',
    notes: null,
    editable: false,
  });
  expect((await tenant.http('PATCH', `/v1/sites/${site.id}`, { notes: 'Mine' }, kin.token)).status).toBe(404);
});

test('a page of sites takes one statement, and every change has an audit row', async () => {
  await tenant.must('GET', '/v1/sites');
  const { statements } = await app.countStatements(() => tenant.must('GET', '/v1/sites'));
  expect(statements).toHaveLength(1);
  const made = await tenant.must('POST', '/v1/sites', { name: 'Audited' });
  await tenant.must('PATCH', `/v1/sites/${made.id}`, { name: 'Renamed', address: ADDRESS });
  await tenant.must('PATCH', `/v1/sites/${made.id}`, { address: { locality: 'Dallas' } });
  const log = await tenant.must('GET', `/v1/audit_entries?filter[from]=${made.created_at}&page[limit]=100`);
  // An address is a record of its own: what changed is said of it, also when nothing of the site did.
  const changes = log.filter((row: Json) => row.event === 'update');
  expect(changes.map((row: Json) => [row.subject_type, row.event, row.object_changes.name ?? row.object_changes.locality])).toEqual([
    ['Address', 'update', ['Austin', 'Dallas']],
    ['Site', 'update', undefined],
    ['Site', 'update', ['Audited', 'Renamed']],
  ]);
});
