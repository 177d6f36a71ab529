import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Label } from '../../../src/directory/master-data/label.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let other: Tenant;
let label: Label;
let amy: User;
let gone: User;
let foreman: User;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  other = await makeTenant(app);
  label = await tenant.save(Label, { company: ref(tenant.company), name: 'Night', color: '#112233' });
  amy = (await tenant.person({ firstName: 'Amy', lastName: 'Axle', roles: ['driver', 'foreman'], labelIds: [label.id], externalId: 'D-9' }))
    .user;
  gone = (await tenant.person({ firstName: 'Gus', lastName: 'Gone', roles: ['driver'], discardedAt: new Date() })).user;
  foreman = (
    await tenant.person({ firstName: 'Fay', lastName: 'Beam', roles: ['foreman'], phone: '+15125550100', timeZone: 'America/Denver' })
  ).user;
  await tenant.person({ firstName: 'Ben', lastName: 'Desk', roles: ['dispatcher'] });
});
afterAll(() => app.close());

/** Last names of a list, by the un-scoped and by the company's own path. */
async function names(path: string): Promise<string[]> {
  const [plain, scoped] = [await tenant.must('GET', `/v1${path}`), await tenant.must('GET', tenant.path(path))];
  expect(scoped).toEqual(plain);
  return plain.map((one: { last_name: string }) => one.last_name);
}

test('drivers and foremen are people with the role who were not deactivated', async () => {
  expect((await names('/drivers')).sort()).toEqual(['Axle', 'Wheel']);
  expect((await names('/foremen')).sort()).toEqual(['Axle', 'Beam']);
  expect((await names('/drivers?filter[show_all]=true')).sort()).toEqual(['Axle', 'Gone', 'Wheel']);
  expect(await other.must('GET', '/v1/foremen')).toEqual([]);
  expect((await other.http('GET', tenant.path('/drivers'))).status).toBe(404);
});

test('a driver and a foreman have the fields of the contract', async () => {
  const driver = await tenant.must('GET', tenant.path(`/drivers/${amy.id}`));
  expect(driver).toEqual({
    id: amy.id,
    first_name: 'Amy',
    last_name: 'Axle',
    company: {
      id: tenant.company.id,
      platform_id: tenant.company.platformId,
      legal_name: tenant.company.legalName,
      company_type: 'hauler',
    },
    equipment: null,
    default_equipment: null,
    schedule_on: false,
    phone: null,
    email: amy.email,
    managed: false,
    labels: [{ id: label.id, name: 'Night', color: '#112233' }],
    gps_status: { status: 'no_signal', last_ping_at: null },
    external_id: 'D-9',
    time_zone: 'America/Chicago',
    default_additional_equipment: [],
    company_day_driver_stat: null,
    additional_equipment: [],
    company_share: null,
  });
  expect(await tenant.must('GET', tenant.path(`/foremen/${foreman.id}`))).toEqual({
    id: foreman.id,
    first_name: 'Fay',
    last_name: 'Beam',
    phone: '+15125550100',
    email: foreman.email,
    company: driver.company,
    discarded_at: null,
    external_id: null,
    time_zone: 'America/Denver',
    managed: false,
    labels: [],
    company_share: null,
  });
});

test('a deactivated person is still found by id, and nobody is found under a role that they do not have', async () => {
  expect((await tenant.must('GET', `/v1/drivers/${gone.id}`)).last_name).toBe('Gone');
  for (const path of [
    `/drivers/${foreman.id}`,
    `/foremen/${tenant.driver.id}`,
    `/foremen/${other.driver.id}`,
    `/drivers/${other.driver.id}`,
  ])
    expect([path, (await tenant.http('GET', `/v1${path}`)).status]).toEqual([path, 404]);
});

test('typeaheads are sorted by name and searched by words', async () => {
  expect(await names('/drivers/typeahead')).toEqual(['Axle', 'Wheel']);
  expect(await names('/drivers/typeahead?sort[name]=desc')).toEqual(['Wheel', 'Axle']);
  expect(await names('/drivers/typeahead?search[query]=amy%20ax')).toEqual(['Axle']);
  expect(await names('/foremen/typeahead?search[query]=0100')).toEqual(['Beam']);
  const [one] = await tenant.must('GET', '/v1/foremen/typeahead?search[query]=Beam');
  expect(one).toEqual({ id: foreman.id, first_name: 'Fay', last_name: 'Beam', phone: '+15125550100' });
});

test('labels, and fields that only shared people have', async () => {
  expect(await names(`/drivers?filter[label_ids][]=${label.id}`)).toEqual(['Axle']);
  expect(await names('/drivers?filter[shared]=true')).toEqual([]);
  expect(await names('/drivers?filter[shared]=false')).toHaveLength(2);
  expect(await names('/drivers?filter[dispatchable]=true')).toHaveLength(2);
  expect(await names('/drivers?filter[dispatchable]=false')).toEqual([]);
  expect(await names('/drivers?filter[expiring]=true')).toEqual([]);
  expect(await names('/foremen?filter[sender_company_types][]=hauler')).toEqual([]);
  expect(await names('/drivers?filter[auto_add_ons]=true')).toEqual([]);
  expect(fieldsOf(await tenant.http('GET', '/v1/drivers?filter[label_ids][]=night'))).toEqual(['filter[label_ids]']);
  expect(fieldsOf(await tenant.http('GET', '/v1/foremen?filter[sender_company_types][]=baker'))).toEqual(['filter[sender_company_types]']);
});

test('a driver is available on a day without an open job', async () => {
  const on = (day: string, is: boolean) => names(`/drivers/typeahead?filter[availability]=${is}&filter[date]=${day}`);
  // Half past eleven at night in Chicago, already the next day in UTC.
  const order = await makeOrder(tenant, { driver_id: tenant.driver.id, load_at: '2026-11-25T05:30:00.000Z' });
  expect([await on('2026-11-24', true), await on('2026-11-24', false)]).toEqual([['Axle'], ['Wheel']]);
  expect([await on('2026-11-25', true), await on('2026-11-25', false)]).toEqual([['Axle', 'Wheel'], []]);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await tenant.must('PUT', `/v1/jobs/${job.id}/cancel`, {});
  expect(await on('2026-11-24', true)).toEqual(['Axle', 'Wheel']);
  expect(await names('/drivers/typeahead?filter[availability]=true')).toHaveLength(2);
  expect(fieldsOf(await tenant.http('GET', '/v1/drivers?filter[date]=someday'))).toEqual(['filter[date]']);
});

test('facets are the people of jobs that match the whole filter, each job by itself', async () => {
  const early = { load_at: '2027-01-05T15:00:00Z', dispatch_number: { name: 'N-1' } };
  const { dispatch_number: night } = await makeOrder(tenant, { driver_id: amy.id, foreman_ids: [foreman.id], ...early });
  await makeOrder(tenant, { driver_id: amy.id, load_at: '2027-02-05T15:00:00Z', material_id: tenant.material.id });
  const facets = async (who: string, filter: string) =>
    (await tenant.must('GET', tenant.path(`/${who}/faceted_search?${filter}`))).map((one: { last_name: string }) => one.last_name);
  const january = 'filter[job][start_date]=2027-01-01&filter[job][end_date]=2027-01-31';
  expect(await facets('drivers', january)).toEqual(['Axle']);
  expect(await facets('foremen', january)).toEqual(['Beam']);
  expect(await facets('drivers', `filter[dispatch_number_ids][]=${night.id}`)).toEqual(['Axle']);
  expect(await facets('drivers', `filter[job][material_ids][]=${tenant.material.id}&filter[job][start_date]=2027-02-01`)).toEqual(['Axle']);
  // Amy has a job in January and one with the material, but none that is both.
  expect(await facets('drivers', `filter[job][material_ids][]=${tenant.material.id}&${january}`)).toEqual([]);
  expect(await facets('drivers', `${january}&facet[search][query]=wheel`)).toEqual([]);
  expect(await facets('drivers', `filter[job][states][]=assigned&filter[job][driver_ids][]=${amy.id}`)).toEqual(['Axle']);
  expect((await tenant.http('GET', tenant.path('/drivers/faceted_search?filter[job][driver_ids][]=amy'))).status).toBe(422);
});

test('the same over GraphQL', async () => {
  const { data } = await tenant.gql(
    '{ drivers(sort: { name: asc }, filter: { labelIds: [], showAll: true }) { nodes { lastName } } foremen(search: { query: "fay" }) { nodes { effectiveTimeZone } count { value } } }',
  );
  expect(data).toEqual({ drivers: { nodes: [] }, foremen: { nodes: [{ effectiveTimeZone: 'America/Denver' }], count: { value: 1 } } });
});

test("a page of people takes one statement, apart from the company's zone", async () => {
  await tenant.must('GET', '/v1/drivers?filter[date]=2026-11-24&filter[availability]=true');
  for (const path of ['/v1/drivers', '/v1/foremen', '/v1/drivers/typeahead?filter[availability]=true', `/v1/drivers/${amy.id}`]) {
    const { statements } = await app.countStatements(() => tenant.must('GET', path));
    expect([path, statements.length]).toEqual([path, 1]);
  }
});
