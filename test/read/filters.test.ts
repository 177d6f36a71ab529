import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../src/directory/equipment/equipment-type.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { crowdedTenant, type Json, sqlOf } from './crowded-tenant.ts';

let app: TestApp;
let tenant: Tenant;
let sql: ReturnType<typeof sqlOf>;
let truck: Equipment;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await crowdedTenant(app, 16);
  sql = sqlOf(app);
  const company = ref(tenant.company);
  const equipmentType = ref(await tenant.save(EquipmentType, { company, name: 'End dump' }));
  truck = await tenant.save(Equipment, { company, equipmentType, name: 'Truck 12' });
  const mine = [tenant.company.id];
  // Some jobs have a driver and a truck; loads are unloaded and completed over two days, some not at all, some at the same moment.
  await sql(
    `with n as (select id, row_number() over (order by id) as at from job where company_id = ?)
     update job set driver_id = case n.at % 3 when 0 then '${tenant.driver.id}'::uuid end,
       equipment_id = case n.at % 4 when 0 then '${truck.id}'::uuid end,
       additional_equipment_ids = case n.at % 4 when 1 then array['${truck.id}'::uuid] else '{}' end
     from n where n.id = job.id`,
    mine,
  );
  await sql(
    `with n as (select id, row_number() over (order by id) as at from load where company_id = ?)
     update load set summary_unloaded_at = case when n.at % 5 > 0 then timestamptz '2026-11-20 06:00Z' + (n.at / 3) * interval '1 hour' end,
       summary_load_completed_at = case when n.at % 5 > 1 then timestamptz '2026-11-20 06:10Z' + (n.at / 3) * interval '1 hour' end,
       material_id = case when n.at % 2 = 0 then '${tenant.material.id}'::uuid end,
       updated_at = timestamptz '2026-11-20 00:00Z' + n.at * interval '1 minute'
     from n where n.id = load.id`,
    mine,
  );
  await sql(
    `insert into ticket (id, company_id, created_at, updated_at, state, source, unit_of_measure, ticket_number, load_id, job_id, order_id, quantity)
     select gen_random_uuid(), company_id, now(), now(), 'pending', 'driver_app', 'Ton', 'T-' || row_number() over (order by id), id, job_id, order_id, 12.5
     from load where company_id = ? and summary_unloaded_at is not null and material_id is not null`,
    mine,
  );
});
afterAll(() => app.close());

async function ask(query: string, variables: Record<string, unknown> = {}): Promise<Json> {
  const { data, errors } = await tenant.gql(query, variables);
  expect(errors).toBeUndefined();
  return data;
}

/** Ids of a list, over all of its pages. */
async function listed(list: 'loads' | 'jobs' | 'orders' | 'tickets', filter: object, sort?: object): Promise<string[]> {
  const type = { loads: 'Load', jobs: 'Job', orders: 'Order', tickets: 'Ticket' }[list];
  const query = `query ($filter: ${type}Filter, $sort: ${type}Sort, $after: String) {
    ${list}(filter: $filter, sort: $sort, first: 20, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }`;
  const ids: string[] = [];
  let after: string | null = null;
  for (;;) {
    const page: Json = (await ask(query, { filter, sort, after }))[list];
    ids.push(...page.nodes.map(({ id }: Json) => id));
    if (!page.pageInfo.hasNextPage) return ids;
    if (ids.length > 1_000) throw new Error('a list without end');
    after = page.pageInfo.endCursor;
  }
}

const rows = async (from: string, condition: string): Promise<string[]> =>
  (await sql(`select t.id from ${from} t where t.company_id = ? and (${condition})`, [tenant.company.id])).map(({ id }) => id).sort();

const HOUR = { from: '2026-11-20T10:00:00Z', before: '2026-11-20T13:00:00Z' };
const IN_HOUR = (column: string) => `t.${column} >= '2026-11-20 10:00Z' and t.${column} < '2026-11-20 13:00Z'`;
const OF_DRIVER = () => `exists (select 1 from job j where j.id = t.job_id and j.driver_id = '${tenant.driver.id}')`;

test.each<[name: string, filter: () => object, condition: () => string]>([
  ['unloaded in a span', () => ({ unloadedAt: HOUR }), () => IN_HOUR('summary_unloaded_at')],
  ['completed before', () => ({ completedAt: { before: HOUR.before } }), () => `t.summary_load_completed_at < '2026-11-20 13:00Z'`],
  ['created since', () => ({ createdAt: { from: '2020-01-01T00:00:00Z' } }), () => 'true'],
  ['created before', () => ({ createdAt: { before: '2020-01-01T00:00:00Z' } }), () => 'false'],
  ['changed since', () => ({ updatedSince: '2026-11-20T00:20:00Z' }), () => `t.updated_at >= '2026-11-20 00:20Z'`],
  ['of a driver', () => ({ driverIds: [tenant.driver.id] }), OF_DRIVER],
  ['at a site', () => ({ siteIds: [tenant.pickup.id] }), () => 'true'],
  ['at a site where nothing is', () => ({ siteIds: [tenant.driver.id] }), () => 'false'],
  [
    'of a ticket',
    () => ({ ticket: { ticketNumbers: ['T-1', 'T-3'] } }),
    () => `exists (select 1 from ticket k where k.load_id = t.id and k.ticket_number in ('T-1', 'T-3'))`,
  ],
  ['without a ticket', () => ({ without: ['ticket'] }), () => 'not exists (select 1 from ticket k where k.load_id = t.id)'],
  [
    'without driver and material',
    () => ({ without: ['driver', 'material'] }),
    () => `t.material_id is null and not exists (select 1 from job j where j.id = t.job_id and j.driver_id is not null)`,
  ],
  ['never unloaded', () => ({ without: ['unloadedAt'] }), () => 't.summary_unloaded_at is null'],
  ['not unloaded in a span, or never', () => ({ not: { unloadedAt: HOUR } }), () => `(${IN_HOUR('summary_unloaded_at')}) is not true`],
  ['not of a material', () => ({ not: { materialIds: [tenant.material.id] } }), () => 't.material_id is null'],
  [
    'one of two',
    () => ({ or: [{ driverIds: [tenant.driver.id] }, { unloadedAt: HOUR, materialIds: [tenant.material.id] }] }),
    () => `${OF_DRIVER()} or (${IN_HOUR('summary_unloaded_at')} and t.material_id is not null)`,
  ],
  [
    'neither of two, and something else',
    () => ({ not: [{ driverIds: [tenant.driver.id] }, { without: ['unloadedAt'] }], materialIds: [tenant.material.id] }),
    () => `not (${OF_DRIVER()} or t.summary_unloaded_at is null) and t.material_id is not null`,
  ],
  ['one of none', () => ({ or: [] }), () => 'false'],
  ['with null everywhere', () => ({ or: null, not: null, driverIds: null, unloadedAt: { from: null }, without: null }), () => 'true'],
  ['not of a condition without values, which all meet', () => ({ not: { driverIds: null, unloadedAt: { from: null } } }), () => 'false'],
  ['one of a condition without values and another', () => ({ or: [{ driverIds: null }, { states: [] }] }), () => 'true'],
])('loads %s are those of a plain statement', async (_name, filter, condition) => {
  expect((await listed('loads', filter())).sort()).toEqual(await rows('load', condition()));
});

test('one document takes filters of several shapes, and each has its own values', async () => {
  const query = 'query ($filter: LoadFilter) { loads(filter: $filter) { count { value } } }';
  const count = async (filter: object) => (await ask(query, { filter })).loads.count.value;
  for (const before of ['2026-11-20T09:00:00Z', '2026-11-20T11:00:00Z']) {
    const expected = await rows('load', `t.summary_unloaded_at < '${before}'`);
    expect(await count({ or: [{ unloadedAt: { before } }] })).toBe(expected.length);
    expect(await count({ not: [{ unloadedAt: { before } }, { without: ['unloadedAt'] }] })).toBe(
      (await rows('load', `t.summary_unloaded_at >= '${before}'`)).length,
    );
  }
});

test.each<[sort: string, order: string]>([
  ['unloadedAt', `coalesce(t.summary_unloaded_at, '-infinity')`],
  ['completedAt', `coalesce(t.summary_load_completed_at, '-infinity')`],
  [
    'driverName',
    `lower(coalesce((select u.last_name || ' ' || u.first_name from job j join app_user u on u.id = j.driver_id where j.id = t.job_id), ''))`,
  ],
  ['pickupSiteName', `lower('Quarry')`],
  ['ticketNumber', `coalesce((select k.ticket_number from ticket k where k.load_id = t.id), '')`],
])('loads by %s come page by page in the order of a plain statement', async (sort, order) => {
  for (const direction of ['asc', 'desc']) {
    const expected = await sql(`select t.id from load t where t.company_id = ? order by ${order} ${direction}, t.id ${direction}`, [
      tenant.company.id,
    ]);
    expect(await listed('loads', {}, { [sort]: direction })).toEqual(expected.map(({ id }) => id));
  }
});

test('jobs, orders and tickets have spans, what is missing and changes, too', async () => {
  const span = { from: '2026-11-21T00:00:00Z', before: '2026-11-22T00:00:00Z' };
  const within = (column: string) => `t.${column} >= '2026-11-21Z' and t.${column} < '2026-11-22Z'`;
  expect((await listed('jobs', { jobStartAt: span, without: ['driver'] })).sort()).toEqual(
    await rows('job', `${within('job_start_at')} and t.driver_id is null`),
  );
  expect((await listed('orders', { loadAt: span, accountIds: [tenant.account.id] })).sort()).toEqual(
    await rows('orders', `${within('load_at')} and t.account_id = '${tenant.account.id}'`),
  );
  const since = '2026-11-21T00:00:00.000Z';
  for (const [list, table] of [
    ['jobs', 'job'],
    ['orders', 'orders'],
    ['tickets', 'ticket'],
  ] as const)
    expect((await listed(list, { not: { updatedSince: since } })).sort()).toEqual(await rows(table, `t.updated_at < '${since}'`));
});

test('orders, jobs and loads are found by their quantity and by what they lack, and sorted by quantity and change', async () => {
  for (const [list, table] of [
    ['orders', 'orders'],
    ['jobs', 'job'],
    ['loads', 'load'],
  ] as const) {
    await sql(
      `with n as (select id, row_number() over (order by id) as at from ${table} where company_id = ?)
       update ${table} set quantity = case when n.at % 4 > 0 then n.at % 7 + 0.5 end from n where n.id = ${table}.id`,
      [tenant.company.id],
    );
    const found = await listed(list, { quantity: { min: 1.5, max: '3.5' } });
    expect([list, found.sort()]).toEqual([list, await rows(table, 't.quantity between 1.5 and 3.5')]);
    expect(found.length).toBeGreaterThan(0);
    expect((await listed(list, { not: { without: 'quantity' }, quantity: { max: 2 } })).sort()).toEqual(
      await rows(table, 't.quantity <= 2'),
    );
    for (const [sort, order] of [
      ['quantity', 'coalesce(t.quantity, -1)'],
      ['updatedAt', 't.updated_at'],
    ] as const) {
      const expected = await sql(`select t.id from ${table} t where t.company_id = ? order by ${order} desc, t.id desc`, [
        tenant.company.id,
      ]);
      expect([list, sort, await listed(list, {}, { [sort]: 'desc' })]).toEqual([list, sort, expected.map(({ id }) => id)]);
    }
  }
  const byDriver = await sql(
    `select t.id from job t left join app_user u on u.id = t.driver_id where t.company_id = ?
     order by lower(coalesce(u.last_name || ' ' || u.first_name, '')), t.id`,
    [tenant.company.id],
  );
  expect(await listed('jobs', {}, { driverName: 'asc' })).toEqual(byDriver.map(({ id }) => id));
  await sql(`update orders set name = 'Named' where id = (select min(id::text)::uuid from orders where company_id = ?)`, [
    tenant.company.id,
  ]);
  expect((await listed('orders', { without: 'name' })).length).toBe((await rows('orders', 'true')).length - 1);
  expect((await listed('orders', { without: ['name', 'department', 'equipmentType'] })).sort()).toEqual(
    await rows('orders', 't.name is null and t.department_id is null and t.equipment_type_id is null'),
  );
});

test('a filter of more conditions than a statement should have is refused', async () => {
  const refused = async (filter: object) =>
    (await tenant.gql('query ($f: LoadFilter) { loads(filter: $f) { nodes { id } } }', { f: filter })).errors[0].extensions;
  const many = { or: Array.from({ length: 31 }, () => ({ states: ['created'] })) };
  expect(await refused(many)).toMatchObject({ code: 'unprocessable_content', errors: [{ field: 'filter' }] });
  expect((await refused({ or: [{ ticket: { ids: ['x'] } }] })).errors[0].field).toBe('filter.or.0.ticket.ids');
});

test('REST, whose filters are the contract, takes the last change alone of them', async () => {
  const all = await tenant.must('GET', '/v1/jobs?page[limit]=100');
  expect(await tenant.must('GET', '/v1/jobs?page[limit]=100&filter[created_at][from]=2099-01-01T00:00:00Z')).toHaveLength(all.length);
  expect(await tenant.must('GET', '/v1/jobs?page[limit]=100&filter[updated_since]=2099-01-01T00:00:00Z')).toEqual([]);
});

test('the graph is followed both ways, in one statement', async () => {
  const query = `query ($driver: ID!, $site: ID!, $account: ID!, $truck: ID!) {
    user(id: $driver) { jobs(first: 100) { count { value } nodes { id driver { id } } } }
    site(id: $site) { loads(first: 3, filter: { without: [ticket] }) { count { value } nodes { id ticket { id } } } }
    account(id: $account) { orders(first: 100) { count { value } nodes { id account { id } tickets(first: 2) { nodes { ticketNumber order { id } job { id } load { id } } } } } }
    equipment(id: $truck) { jobs(first: 100) { count { value } nodes { id tickets { nodes { ticketNumber job { id } } } } } } }`;
  const variables = { driver: tenant.driver.id, site: tenant.pickup.id, account: tenant.account.id, truck: truck.id };
  const { value: data, statements } = await app.countStatements(() => ask(query, variables));
  const ids = ({ nodes }: Json) => nodes.map(({ id }: Json) => id).sort();
  expect(ids(data.user.jobs)).toEqual(await rows('job', `t.driver_id = '${tenant.driver.id}'`));
  for (const job of data.user.jobs.nodes) expect(job.driver.id).toBe(tenant.driver.id);
  expect(data.site.loads.count.value).toBe((await rows('load', 'not exists (select 1 from ticket k where k.load_id = t.id)')).length);
  expect(data.site.loads.nodes.map(({ ticket }: Json) => ticket)).toEqual([null, null, null]);
  expect(ids(data.account.orders)).toEqual(await rows('orders', `t.account_id = '${tenant.account.id}'`));
  const tickets = data.account.orders.nodes.flatMap((order: Json) =>
    order.tickets.nodes.map((ticket: Json) => [ticket.order.id === order.id, ticket.job.id !== null, ticket.load.id !== null]),
  );
  expect(tickets.length).toBeGreaterThan(0);
  expect(tickets.every((all: boolean[]) => all.every(Boolean))).toBe(true);
  expect(ids(data.equipment.jobs)).toEqual(
    await rows('job', `t.equipment_id = '${truck.id}' or '${truck.id}' = any(t.additional_equipment_ids)`),
  );
  expect(statements.filter((text) => /json_build_array/.test(text))).toHaveLength(4);
});

test('a company that shares a driver, a site or a customer with nobody shows nobody its work', async () => {
  const stranger = await makeTenant(app);
  const query = `query ($driver: ID!, $account: ID!) { user(id: $driver) { jobs { count { value } } } account(id: $account) { orders { count { value } } } }`;
  const { data, errors } = await stranger.gql(query, { driver: tenant.driver.id, account: tenant.account.id });
  expect([data, errors.map(({ extensions }: Json) => extensions.code)]).toEqual([
    { user: null, account: null },
    ['object_not_found', 'object_not_found'],
  ]);
});

test('who is limited to own records sees no more below a record than in a list', async () => {
  const { token } = await tenant.person({ roles: ['driver'] });
  const { data } = await tenant.gql(
    `{ jobs { count { value } } account(id: "${tenant.account.id}") { orders { count { value } } } site(id: "${tenant.pickup.id}") { loads { count { value } } } }`,
    {},
    token,
  );
  const { data: listed } = await tenant.gql('{ orders { count { value } } loads { count { value } } }', {}, token);
  expect([data.account?.orders.count.value ?? 0, data.site?.loads.count.value ?? 0]).toEqual([
    listed.orders.count.value,
    listed.loads.count.value,
  ]);
});
