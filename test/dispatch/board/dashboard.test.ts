import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { forgetViewers } from '../../../src/identity/access/viewer.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { type Json, sqlOf } from '../../read/crowded-tenant.ts';

/** Denver's midnight of 2 November 2027. */
const DAY = '2027-11-02';
const START = Date.parse('2027-11-02T06:00:00Z');
const hour = (at: number) => new Date(START + at * 3_600_000).toISOString();
/** Loads of an hour. */
const MANY = 1_200;

let app: TestApp;
let tenant: Tenant;
let vendor: Tenant;
let sql: ReturnType<typeof sqlOf>;
/** One job is the driver's, one was passed on to the vendor, one is nobody's. */
let jobs: Json[];
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app, { company: { timeZone: 'America/Denver' } });
  vendor = await makeTenant(app, { company: { timeZone: 'America/Denver' } });
  sql = sqlOf(app);
  const order = await makeOrder(tenant, { load_at: hour(8), truck_count: 3, loads_per_truck: 2 });
  jobs = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const account = { company: ref(tenant.company), name: 'Hauler', accountTypes: ['vendor'], connectedCompany: ref(vendor.company) };
  const { id } = await tenant.save(Account, account);
  await tenant.must('PUT', `/v1/jobs/${jobs[1].id}/assign_vendor`, { vendor_id: id });
  await tenant.must('PATCH', `/v1/jobs/${jobs[0].id}`, { driver_id: tenant.driver.id });
  // That a company receives work is remembered for a moment.
  forgetViewers(app.application);
  await makeOrder(tenant, { load_at: hour(9), truck_count: 1 });
  // The first loads of all jobs in the hour of seven, the second ones of the driver's and of nobody's job at the end of the day and after it.
  const unload = (at: string, which: number, ids: string[]) =>
    sql('update load set summary_unloaded_at = ? where job_id = any(?::uuid[]) and ordinality = ?', [at, `{${ids.join()}}`, which]);
  const ids = jobs.map(({ id }) => id);
  const [first] = await sql('select min(ordinality) as ordinality from load where job_id = ?', [ids[0]]);
  await unload(hour(7), first.ordinality, ids);
  await unload(new Date(START + 24 * 3_600_000 - 1).toISOString(), first.ordinality + 1, [ids[0]]);
  await unload(hour(24), first.ordinality + 1, [ids[2]]);
});
afterAll(() => app.close());

async function ask(query: string, variables: Record<string, unknown> = {}, as?: string, of = tenant): Promise<Json> {
  const { data, errors } = await of.gql(query, variables, as);
  expect(errors).toBeUndefined();
  return data;
}

const COUNTS = `query ($day: Date, $seven: TimeRange, $last: TimeRange) {
  dayBoard(date: $day) { ordersByState { state count } ordersByPage { nodes { state } } loadsByHour { startsAt count } }
  seven: loads(first: 0, filter: { unloadedAt: $seven }) { count { value } }
  last: loads(first: 0, filter: { unloadedAt: $last }) { count { value } } }`;

test('the counts of a day are of what the caller sees, as its lists are', async () => {
  const ranges = { seven: { from: hour(7), before: hour(8) }, last: { from: hour(23), before: hour(24) } };
  const ofDay = async (as?: string, of = tenant) => {
    const { dayBoard, seven, last } = await ask(COUNTS, { day: DAY, ...ranges }, as, of);
    const { ordersByState, ordersByPage, loadsByHour } = dayBoard;
    const states = ordersByPage.nodes.map(({ state }: Json) => state);
    for (const { state, count } of ordersByState) expect(states.filter((one: string) => one === state)).toHaveLength(count);
    expect(ordersByState.reduce((sum: number, { count }: Json) => sum + count, 0)).toBe(states.length);
    expect(loadsByHour.map(({ startsAt }: Json) => startsAt)).toEqual(Array.from({ length: 24 }, (_, at) => hour(at)));
    expect([loadsByHour[7].count, loadsByHour[23].count]).toEqual([seven.count.value, last.count.value]);
    return [states.length, ...loadsByHour.flatMap(({ count }: Json, at: number) => (count > 0 ? [`${at}: ${count}`] : []))];
  };
  expect(await ofDay()).toEqual([2, '7: 3', '23: 1']);
  expect(await ofDay(tenant.driver.token)).toEqual([1, '7: 1', '23: 1']);
  expect(await ofDay(undefined, vendor)).toEqual([1, '7: 1']);
});

test('a day has as many hours as the wall clock gives it', async () => {
  const hours = async (day: string) => (await ask(COUNTS, { day })).dayBoard.loadsByHour.length;
  expect([await hours('2027-03-14'), await hours('2027-11-07')]).toEqual([23, 25]);
});

test('a dashboard of five panels is one request, of a day of any size', async () => {
  await tenant.must('POST', '/ingest/orders', { orders: [{ external_id: 'BAD-1', load_at: 'soon' }] });
  await app.settled();
  await sql(
    `insert into load select (jsonb_populate_record(l, jsonb_build_object('id', gen_random_uuid(), 'ordinality', 100 + n))).*
     from load l, generate_series(1, ?::int) n where l.job_id = ? and l.summary_unloaded_at = ?`,
    [MANY, jobs[0].id, hour(7)],
  );
  await sql(
    `update load set state = 'completed', quantity = 10, unit_of_measure = 'Ton' where job_id = any(?::uuid[]) and summary_unloaded_at is not null`,
    [`{${jobs.map(({ id }) => id).join()}}`],
  );
  const variables = { day: DAY, from: hour(-24 * 6), to: DAY, since: new Date(Date.now() - 86_400_000).toISOString() };
  const document = readFileSync('docs/dashboard.graphql', 'utf8');
  const counted = await app.countStatements(() => ask(document, variables));
  const { dayBoard, metrics, importStatus, importedRecords } = counted.value;
  expect(dayBoard.loadsByHour[7].count).toBe(3 + MANY);
  expect(dayBoard.jobsByState.reduce((sum: number, { count }: Json) => sum + count, 0)).toBe(4);
  expect(dayBoard.driversByPage.nodes.map(({ driver }: Json) => driver.id)).toEqual([tenant.driver.id]);
  // The loads of the hour of seven, and two later ones.
  expect(metrics.nodes.map(({ keys: [site], values }: Json) => [site.label, values])).toEqual([
    ['Quarry', [{ unit: 'Ton', value: String(10 * (5 + MANY)) }]],
  ]);
  expect(importStatus.failureCauses).toContainEqual(expect.objectContaining({ kind: 'order', count: 1 }));
  expect(importedRecords.nodes).toMatchObject([{ kind: 'order', importedFor: 'BAD-1' }]);
  expect(JSON.stringify(counted.value).length).toBeLessThan(8_000);
  expect(counted.statements.length).toBeLessThan(16);
});
