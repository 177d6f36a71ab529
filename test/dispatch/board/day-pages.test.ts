import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant } from '../../helpers/tenant.ts';
import type { Json } from '../../read/crowded-tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

test('drivers and trucks of a day come page by page as they come whole, in as many statements for a hundred as for one', async () => {
  const fleet = await makeTenant(app, { company: { timeZone: 'America/Chicago' } });
  const date = '2027-12-01';
  const type = await fleet.save(EquipmentType, { company: ref(fleet.company), name: 'Tri-axle' });
  const some = (from: number, to: number) =>
    Promise.all(
      Array.from({ length: to - from }, async (_, at) => {
        const of = { company: ref(fleet.company) };
        await fleet.save(Equipment, { ...of, name: `Truck ${from + at}`, equipmentType: ref(type) });
        const email = `paged${from + at}.${fleet.company.id}@example.com`;
        await fleet.save(User, { ...of, firstName: 'D', lastName: `${from + at}`, email, roles: ['driver'] });
      }),
    );
  await some(0, 1);
  const order = await makeOrder(fleet, { load_at: '2027-12-01T15:00:00Z' });
  const [job] = await fleet.must('GET', `/v1/orders/${order.id}/jobs`);
  await fleet.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: fleet.driver.id });
  const query = `query ($first: Int, $after: String, $afterTruck: String) { dayBoard(date: "${date}") {
    driversByPage(first: $first, after: $after) { count { value } nodes { availability jobsCount driver { lastName } } edges { cursor node { jobsCount driver { id } } } pageInfo { hasNextPage endCursor } }
    trucksByPage(first: $first, after: $afterTruck) { count { value } nodes { availability truck { id name } } pageInfo { hasNextPage endCursor } } } }`;
  const ask = (variables: object, as?: string) => app.countStatements(() => fleet.gql(query, { first: 100, ...variables }, as));
  await ask({});
  const few = await ask({});
  await some(1, 99);
  const many = await ask({});
  expect([few, many].map(({ value }) => value.data.dayBoard.driversByPage.nodes.length)).toEqual([2, 100]);
  expect(many.statements.length).toBe(few.statements.length);
  const whole = (
    await fleet.gql(`{ dayBoard(date: "${date}") { drivers { jobsCount driver { id } } trucks { availability truck { id name } } } }`)
  ).data;
  const seen: { drivers: Json[]; trucks: Json[] } = { drivers: [], trucks: [] };
  for (let cursors = {}; ; ) {
    const { driversByPage: drivers, trucksByPage: trucks } = (await ask({ first: 40, ...cursors })).value.data.dayBoard;
    expect([drivers.count.value, trucks.count.value]).toEqual([100, 99]);
    expect(drivers.edges.map(({ node }: Json) => node.jobsCount)).toEqual(drivers.nodes.map(({ jobsCount }: Json) => jobsCount));
    seen.drivers.push(...drivers.edges.map(({ node }: Json) => node));
    seen.trucks.push(...trucks.nodes);
    if (!drivers.pageInfo.hasNextPage) break;
    cursors = { after: drivers.pageInfo.endCursor, afterTruck: trucks.pageInfo.endCursor };
  }
  expect(seen).toEqual(whole.dayBoard);
  expect(seen.drivers.filter(({ jobsCount }: Json) => jobsCount > 0)).toEqual([{ jobsCount: 1, driver: { id: fleet.driver.id } }]);
  const own = (await ask({}, fleet.driver.token)).value.data.dayBoard;
  expect([own.driversByPage.count.value, own.trucksByPage.nodes]).toEqual([1, []]);
});

test('a day of more jobs than a board reads whole has its counts, and its rows page by page', async () => {
  const huge = await makeTenant(app);
  const date = '2027-11-02';
  const order = await makeOrder(huge, { load_at: '2027-11-02T15:00:00Z' });
  const many = 5_003;
  await app.orm.em.getConnection().execute(
    `insert into job select (jsonb_populate_record(j, jsonb_build_object('id', gen_random_uuid(), 'number', 100 + n, 'state', case when n % 5 = 0 then 'sent' else 'created' end))).*
       from job j, generate_series(1, ${many}) n where j.order_id = ?`,
    [order.id],
  );
  const counted = await app.countStatements(() => huge.gql(`{ dayBoard(date: "${date}") { jobsByState { state count } } }`));
  expect(counted.value.data.dayBoard.jobsByState).toEqual([
    { state: 'created', count: 1 + many - 1_000 },
    { state: 'sent', count: 1_000 },
  ]);
  expect(counted.statements.filter((sql) => /from job\b/.test(sql))).toHaveLength(1);
  const page = `query ($after: String) { dayBoard(date: "${date}") {
    jobsByPage(first: 100, after: $after, filter: { states: sent }) { count(exact: true) { value } nodes { id state } pageInfo { hasNextPage endCursor } }
    ordersByPage { count { value } nodes { id } } } }`;
  const seen = new Set<string>();
  for (let after: string | null = null; ; ) {
    const { data } = await huge.gql(page, { after });
    const { jobsByPage, ordersByPage } = data.dayBoard;
    expect([jobsByPage.count.value, ordersByPage]).toEqual([1_000, { count: { value: 1 }, nodes: [{ id: order.id }] }]);
    for (const { id, state } of jobsByPage.nodes) expect([state, seen.size < seen.add(id).size]).toEqual(['sent', true]);
    if (!jobsByPage.pageInfo.hasNextPage) break;
    after = jobsByPage.pageInfo.endCursor;
  }
  expect(seen.size).toBe(1_000);
}, 120_000);

test('a truck that a merge makes its own trailer has one job of the day', async () => {
  const fleet = await makeTenant(app, { company: { timeZone: 'America/Chicago' } });
  const company = ref(fleet.company);
  const equipmentType = ref(await fleet.save(EquipmentType, { company, name: 'Tri-axle' }));
  const [truck, other] = [
    await fleet.save(Equipment, { company, name: 'A', equipmentType }),
    await fleet.save(Equipment, { company, name: 'B', equipmentType }),
  ];
  const order = await makeOrder(fleet, { load_at: '2027-12-01T15:00:00Z', equipment_id: truck.id });
  const [job] = await fleet.must('GET', `/v1/orders/${order.id}/jobs`);
  await fleet.must('PATCH', `/v1/jobs/${job.id}`, { additional_equipment_ids: [other.id] });
  // It was the same vehicle, entered twice.
  await fleet.must('PUT', fleet.path(`/equipment/${truck.id}/merge`), { other_ids: [other.id] }, await fleet.administrator());
  const { data } = await fleet.gql('{ dayBoard(date: "2027-12-01") { trucks { jobsCount truck { name } } } }');
  expect(data.dayBoard.trucks.map(({ truck: { name }, jobsCount }: Json) => [name, jobsCount])).toEqual([['A', 1]]);
});
