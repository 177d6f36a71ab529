import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Department, Material } from '../../../src/directory/master-data/named.entities.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { Project } from '../../../src/dispatch/model/project.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
/** Ids of what `first` has and `second` has not. */
let has: Record<string, string>;
let first: Json;
let second: Json;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  const own = { company: ref(tenant.company) };
  const type = await tenant.save(EquipmentType, { ...own, name: 'Tandem' });
  const account = await tenant.save(Account, { ...own, name: 'Ambrose Paving', accountTypes: ['customer'] });
  const [department, equipment, material, pickup, dropoff, project, person] = [
    await tenant.save(Department, { ...own, name: 'North' }),
    await tenant.save(Equipment, { ...own, name: 'T1', equipmentType: ref(type) }),
    await tenant.save(Material, { ...own, name: 'Basalt' }),
    await tenant.save(Site, { ...own, name: 'Deep Pit', siteType: 'Quarry' }),
    await tenant.save(Site, { ...own, name: 'New Road', siteType: 'JobSite' }),
    await tenant.save(Project, { ...own, number: 1, projectId: 'P-1', name: 'Ring Road', externalId: 'RR-77', account: ref(account) }),
    (await tenant.person({ roles: ['foreman'] })).user,
  ];
  first = await makeOrder(tenant, {
    load_at: '2026-11-24T05:30:00.000Z',
    job_start_at: '2026-11-25T18:00:00.000Z',
    driver_id: tenant.driver.id,
    project_id: project.id,
    department_id: department.id,
    equipment_id: equipment.id,
    equipment_type_id: type.id,
    material_id: material.id,
    requester_id: person.id,
    foreman_ids: [person.id],
    collaborator_ids: [person.id],
    salesperson_ids: [person.id],
    dispatch_number: { name: 'DN-5' },
    sales_contact: { name: 'Wilhelmina' },
    waypoints: [
      { type: 'pickup', site_id: pickup.id, ordinality: 0 },
      { type: 'drop_off', site_id: dropoff.id, ordinality: 1 },
    ],
  });
  second = await makeOrder(tenant, { load_at: '2026-11-24T06:30:00.000Z', vendor_id: tenant.vendor.id });
  await tenant.must('PUT', `/v1/orders/${second.id}/accept`, {});
  const [job] = await tenant.must('GET', `/v1/orders/${first.id}/jobs`);
  await tenant.must('PATCH', `/v1/jobs/${job.id}`, { equipment_id: equipment.id });
  has = {
    department: department.id,
    equipment: equipment.id,
    type: type.id,
    material: material.id,
    pickup: pickup.id,
    dropoff: dropoff.id,
    project: project.id,
    person: person.id,
    driver: tenant.driver.id,
    account: account.id,
    number: first.dispatch_number.id,
    service: tenant.service.id,
    company: tenant.company.id,
    first: first.id,
  };
});
afterAll(() => app.close());

const found = async (path: string): Promise<string[]> =>
  (await tenant.must('GET', path)).map((order: Json) => ({ [first.id]: 'first', [second.id]: 'second' })[order.id]);

/** The query, with `<name>` for an id, and the orders it finds, newest first. */
const FILTERS: [query: string, orders: string[]][] = [
  ['', ['second', 'first']],
  ['filter[states][]=created', ['first']],
  ['filter[states]=created,accepted', ['second', 'first']],
  ['filter[states][]=hold', []],
  // 2026-11-24T05:30Z is still the 23rd in Chicago.
  ['filter[start_date]=2026-11-24', ['second']],
  ['filter[end_date]=2026-11-23', ['first']],
  ['filter[start_date]=2026-11-23&filter[end_date]=2026-11-24', ['second', 'first']],
  ['filter[requester_ids][]=<person>', ['first']],
  ['filter[foreman_ids][]=<person>', ['first']],
  ['filter[collaborator_ids][]=<person>', ['first']],
  ['filter[salesperson_ids][]=<person>', ['first']],
  ['filter[department_ids][]=<department>', ['first']],
  ['filter[department_ids][]=none', ['second']],
  ['filter[department_ids][]=none&filter[department_ids][]=<department>', ['second', 'first']],
  ['filter[department_ids][]=none&filter[states][]=created', []],
  ['search[datagrid]=ambrose', ['first']],
  ['search[datagrid]=ring%20amb', ['first']],
  ['search[datagrid]=rr-77', ['first']],
  ['search[datagrid]=dn-5', ['first']],
  ['search[datagrid]=ambrose%20nobody', []],
  ['search[datagrid]=%25', []],
  ['nonsense=1&filter[nonsense]=2', ['second', 'first']],
];

test.each(FILTERS)('orders?%s finds %j', async (query, orders) => {
  const asked = query.replace(/<(\w+)>/g, (_, name: string) => has[name]!);
  for (const path of ['/v1/orders', tenant.path('/orders'), '/v1/orders/dispatch']) {
    expect([path, await found(`${path}?${asked}`)]).toEqual([path, orders]);
  }
});

const DISPATCH: [query: string, orders: string[]][] = [
  ['filter[job][states][]=assigned', ['second', 'first']],
  ['filter[job][states][]=sent', []],
  ['filter[job][start_date]=2026-11-25', ['first']],
  ['filter[job][end_date]=2026-11-24', ['second']],
  ['filter[job][customer_account_ids][]=<account>', ['first']],
  ['filter[job][driver_ids][]=<driver>', ['first']],
  ['filter[job][pickup_site_ids][]=<pickup>', ['first']],
  ['filter[job][dropoff_site_ids][]=<dropoff>', ['first']],
  ['filter[job][dropoff_site_ids][]=<pickup>', []],
  ['filter[job][equipment_ids][]=<equipment>', ['first']],
  ['filter[job][material_ids][]=<material>', ['first']],
  ['filter[job][project_ids][]=<project>', ['first']],
  ['filter[job][service_ids][]=<service>', ['second', 'first']],
  ['filter[job][company_ids][]=<company>', ['second', 'first']],
  ['filter[job][external_ids][]=none', []],
  ['filter[job][site_types][]=JobSite', ['first']],
  ['filter[job][foreman_ids][]=<person>', ['first']],
  ['filter[job][collaborator_ids][]=<person>', ['first']],
  ['filter[job][salesperson_ids][]=<person>', ['first']],
  ['filter[equipment_type_ids][]=<type>', ['first']],
  ['filter[dispatch_number_ids][]=<number>', ['first']],
  ['filter[job][driver_ids][]=<driver>&filter[states][]=accepted', []],
  ['search[job][datagrid]=wilhelmina', ['first']],
  ['search[job][datagrid]=wheel%20dora', ['first']],
  ['search[job][datagrid]=wilhelmina%20nobody', []],
  ['sort[created_at]=asc', ['first', 'second']],
  ['sort[load_at]=desc', ['second', 'first']],
  ['sort[load_at]=asc', ['first', 'second']],
  ['sort[friendly_order_id]=asc', ['first', 'second']],
  ['sort[account][name]=asc', ['first', 'second']],
  ['sort[account][name]=desc', ['second', 'first']],
  ['sort[dispatch_number][name]=asc', ['second', 'first']],
  ['sort[company][legal_name]=asc&sort[load_at]=desc', ['second', 'first']],
];

test.each(DISPATCH)('orders/dispatch?%s finds %j', async (query, orders) => {
  const asked = query.replace(/<(\w+)>/g, (_, name: string) => has[name]!);
  expect(await found(`/v1/orders/dispatch?${asked}`)).toEqual(orders);
});

test('orders are found by vendors of their jobs, and by ids', async () => {
  expect(await found(`/v1/orders/dispatch?filter[job][vendor_account_ids][]=${tenant.vendor.id}`)).toEqual(['second']);
  expect(await found(`/v1/orders?ids[]=${first.id}`)).toEqual(['first']);
});

test('wrong values are reported on their parameter', async () => {
  const query =
    'filter[states][]=no&filter[start_date]=x&filter[foreman_ids][]=1&filter[job][driver_ids][]=2&sort[load_at]=up&page[limit]=101';
  const answer = await tenant.http('GET', `/v1/orders/dispatch?${query}`);
  expect([answer.status, fieldsOf(answer)]).toEqual([
    422,
    ['filter[foreman_ids]', 'filter[job][driver_ids]', 'filter[start_date]', 'filter[states]', 'page[limit]', 'sort[load_at]'],
  ]);
  expect((await tenant.http('GET', '/v1/orders?filter[department_ids][]=north')).status).toBe(422);
  expect((await tenant.http('GET', '/v1/orders?page[after]=mine')).status).toBe(400);
});

test('GraphQL reports them, too', async () => {
  for (const filter of ['ids: ["1"]', 'job: { driverIds: ["1"] }', 'departmentIds: ["north"]']) {
    const { errors } = await tenant.gql(`{ orders(filter: { ${filter} }) { nodes { id } } }`);
    expect([filter, errors[0].extensions.code]).toEqual([filter, 'unprocessable_content']);
  }
});

test('pages follow their Link to the end, each order once', async () => {
  const own = await makeTenant(app);
  const made: string[] = [];
  const other = await own.save(Account, { company: ref(own.company), name: 'Aggregates', accountTypes: ['customer'] });
  // Every second one is the other customer's, every third one has a dispatch number.
  for (let i = 0; i < 7; i++)
    made.push(
      (
        await makeOrder(own, {
          ...(i % 2 ? { account_id: other.id } : {}),
          ...(i % 3 ? {} : { dispatch_number: { name: `D-${6 - i}` } }),
        })
      ).id,
    );
  const at = (...places: number[]) => places.map((place) => made[place]);
  for (const [path, order] of [
    [own.path('/orders?page[limit]=3'), [...made].reverse()],
    ['/v1/orders/dispatch?page[limit]=2&sort[load_at]=asc', made],
    ['/v1/orders/dispatch?page[limit]=2&sort[account][name]=asc', at(1, 3, 5, 0, 2, 4, 6)],
    ['/v1/orders/dispatch?page[limit]=3&sort[account][name]=desc&sort[created_at]=asc', at(0, 2, 4, 6, 1, 3, 5)],
    ['/v1/orders/dispatch?page[limit]=2&sort[dispatch_number][name]=asc', at(1, 2, 4, 5, 6, 3, 0)],
    ['/v1/orders/dispatch?page[limit]=3&sort[company][legal_name]=desc', [...made].reverse()],
  ] as const) {
    const seen: string[] = [];
    for (let next: string | undefined = path; next; ) {
      const answer = await own.http('GET', next.replace(/^https?:\/\/[^/]+/, ''));
      seen.push(...answer.body.data.map((one: Json) => one.id));
      next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(order);
  }
});

test("a child's days are in the child's zone, even for its parent's people", async () => {
  const parent = await makeTenant(app, { company: { timeZone: 'America/Toronto' } });
  const child = await makeTenant(app, { company: { parentCompany: ref(parent.company), timeZone: 'America/Vancouver' } });
  const { token } = await parent.person({ roles: ['dispatcher'] });
  // 22:30 on the 23rd in Vancouver, 01:30 on the 24th in Toronto.
  const order = await makeOrder(child, { load_at: '2026-11-24T06:30:00.000Z' });
  const on = async (day: string) =>
    (await parent.must('GET', child.path(`/orders?filter[start_date]=${day}&filter[end_date]=${day}`), undefined, token)).map(
      (one: Json) => one.id,
    );
  expect([await on('2026-11-23'), await on('2026-11-24')]).toEqual([[order.id], []]);
  expect(await parent.must('GET', '/v1/orders', undefined, token)).toEqual([]);
});

test('all conditions on jobs, or on finished jobs, must be met by one job', async () => {
  const own = await makeTenant(app);
  const { user: other } = await own.person({ firstName: 'Otto', roles: ['driver'] });
  const order = await makeOrder(own, { truck_count: 2, dispatch_number: { name: 'DN-1' } });
  const [done, open] = await own.must('GET', own.path(`/orders/${order.id}/jobs`));
  await own.must('PATCH', `/v1/jobs/${done.id}`, { driver_id: own.driver.id });
  await own.must('PATCH', `/v1/jobs/${open.id}`, { driver_id: other.id });
  await own.must('PUT', `/v1/jobs/${done.id}/accept`, {});
  const find = async (path: string) => (await own.must('GET', own.path(path))).length;
  const asked = (driver: string, state: string) => `filter[job][driver_ids][]=${driver}&filter[job][states][]=${state}`;
  for (const list of ['/orders/dispatch', '/orders/dispatch_numbers/faceted_search'])
    expect([list, await find(`${list}?${asked(other.id, 'assigned')}`), await find(`${list}?${asked(other.id, 'accepted')}`)]).toEqual([
      list,
      1,
      0,
    ]);
  expect(await find(`/orders/dispatch?filter[job][states][]=assigned&search[job][datagrid]=dora`)).toBe(0);
  expect(await find(`/orders/dispatch?filter[job][states][]=assigned&search[job][datagrid]=otto`)).toBe(1);

  await own.must('PUT', `/v1/jobs/${done.id}/complete`, {});
  const invoicing = (query: string) => find(`/orders/invoicing?${query}`);
  expect(await invoicing(`filter[invoice][driver_ids][]=${own.driver.id}`)).toBe(1);
  expect(await invoicing(`filter[invoice][driver_ids][]=${other.id}`)).toBe(0);
  expect([await invoicing('search[invoice][datagrid]=dora'), await invoicing('search[invoice][datagrid]=otto')]).toEqual([1, 0]);
});
