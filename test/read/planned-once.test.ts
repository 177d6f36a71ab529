import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sendBehind } from '../../src/platform/database/connection/together.ts';
import { planLookUps, plannedOnce, planOnce } from '../../src/platform/database/planned-once.ts';
import { asCompanies, currentScope } from '../../src/platform/database/scope.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ productionPlans: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

interface Plans {
  statement: string;
  custom: number;
  generic: number;
}

/** How often the connections of the product planned what they keep prepared for its values, and how often they ran it with a plan for any. */
async function plans(): Promise<Plans[]> {
  const pool = await poolOf(app.productOrm.em.fork());
  const clients = await Promise.all(Array.from({ length: 10 }, () => pool.connect()));
  const rows = await Promise.all(
    clients.map(async (client) => {
      const text = `select statement, custom_plans::int as custom, generic_plans::int as generic from pg_prepared_statements
        where statement like '%json_build_%'`;
      return (await client.query<Plans>(text)).rows;
    }),
  );
  for (const client of clients) client.release();
  return rows.flat();
}

const sum = (all: Plans[], key: 'custom' | 'generic') => all.reduce((total, one) => total + one[key], 0);

test.each([
  ['an order', 'from "orders" t0', (order: { id: string }) => `/v1/orders/${order.id}`],
  ["an order's figures", 'with o as (select o.id', (order: { id: string }) => `/v1/orders/${order.id}`],
])('%s is planned once for each connection', async (_, text, path) => {
  const order = await makeOrder(tenant, { truck_count: 2 });
  for (let i = 0; i < 12; i++) await tenant.must('GET', path(order));
  const found = (await plans()).filter(({ statement }) => statement.includes(text) && !statement.includes('order by t0.'));
  expect(sum(found, 'generic')).toBeGreaterThanOrEqual(10);
  expect(sum(found, 'custom')).toBe(0);
});

test('a job is planned once for each connection, and so is what a command answers', async () => {
  const order = await makeOrder(tenant, { truck_count: 1 });
  const jobs = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  for (let i = 0; i < 6; i++) {
    await tenant.must('GET', `/v1/jobs/${jobs[0].id}`);
    await tenant.must('PATCH', `/v1/jobs/${jobs[0].id}`, { notes: `Gate ${i}` });
  }
  const found = (await plans()).filter(({ statement }) => / from "job" t0 .* t0\.id = \$\d+/s.test(statement));
  expect(sum(found, 'generic')).toBeGreaterThanOrEqual(10);
  expect(sum(found, 'custom')).toBe(0);
});

test('a page of all orders of a company is planned once, from its beginning and behind a cursor', async () => {
  for (let i = 0; i < 3; i++) await makeOrder(tenant);
  const text = 'query($after: String) { orders(first: 2, after: $after) { nodes { id } pageInfo { endCursor } } }';
  const page = async (after: string | null) => {
    const { data, errors } = await tenant.gql(text, { after });
    expect(errors).toBeUndefined();
    return data.orders;
  };
  const { pageInfo, nodes } = await page(null);
  for (let i = 0; i < 3; i++) {
    const [again, next] = [await page(null), await page(pageInfo.endCursor)];
    expect(again.nodes).toEqual(nodes);
    expect(next.nodes).toHaveLength(2);
    expect(nodes).not.toContainEqual(next.nodes[0]);
  }
  const found = (await plans()).filter(({ statement }) => statement.includes('limit 3') && statement.includes('"orders"'));
  expect(sum(found, 'generic')).toBeGreaterThanOrEqual(4);
  expect(sum(found, 'custom')).toBe(0);
});

test('a page of orders that are named by their ids is planned once, also where another filter is added', async () => {
  const orders = [await makeOrder(tenant), await makeOrder(tenant)];
  const named = orders.map(({ id }) => `filter[ids][]=${id}`).join('&');
  const page = async (more: string) => (await tenant.must('GET', `/v1/orders?${named}&page[limit]=10${more}`)).length;
  for (let i = 0; i < 4; i++)
    expect([await page(''), await page('&filter[states][]=created'), await page('&filter[states][]=canceled')]).toEqual([2, 2, 0]);
  const found = (await plans()).filter(({ statement }) => statement.includes('limit 11') && statement.includes('"orders"'));
  expect(sum(found, 'generic')).toBeGreaterThanOrEqual(8);
  expect(sum(found, 'custom')).toBe(0);
});

test('what a filter decides is planned for its values', async () => {
  await makeOrder(tenant);
  for (let i = 0; i < 4; i++) await tenant.must('GET', '/v1/orders?filter[states][]=created&page[limit]=7');
  const found = (await plans()).filter(({ statement }) => statement.includes('limit 8') && statement.includes('"orders"'));
  expect(sum(found, 'custom')).toBeGreaterThanOrEqual(3);
});

test('a record whose nested list is filtered is planned for its values', async () => {
  const order = await makeOrder(tenant, { truck_count: 2 });
  const text =
    'query($id: ID!, $states: [JobState!]) { order(id: $id) { id jobs(first: 3, filter: { states: $states }) { nodes { id } } } }';
  for (let i = 0; i < 4; i++) expect((await tenant.gql(text, { id: order.id, states: ['created'] })).errors).toBeUndefined();
  const found = (await plans()).filter(({ statement }) => statement.includes('limit 4') && statement.includes('"orders"'));
  expect(sum(found, 'custom')).toBeGreaterThanOrEqual(3);
});

test('in a transaction only the statement itself is planned so', async () => {
  const pool = await poolOf(app.productOrm.em.fork());
  await asCompanies([tenant.company.id], async () => {
    const client = await pool.connect();
    const mode = async () => (await client.query<{ plan_cache_mode: string }>('show plan_cache_mode')).rows[0]!.plan_cache_mode;
    const once = () =>
      client.query(plannedOnce({ name: 'once-here', text: 'select id from orders where id = $1', values: [tenant.company.id] }));
    const other = () => client.query('select 1 from orders limit 1');
    const before = await mode();
    try {
      await once();
      expect(await mode()).toBe(before);
      await client.query('begin');
      await once();
      expect(await mode()).toBe('force_generic_plan');
      await other();
      expect(await mode()).toBe('auto');
      await client.query('savepoint a');
      await once();
      await client.query('rollback to savepoint a');
      await once();
      expect(await mode()).toBe('force_generic_plan');
      await client.query('commit');
      await other();
      expect(await mode()).toBe(before);
    } finally {
      client.release();
    }
  });
});

/** The settings under which a statement runs that says them. */
const SETTINGS = ['plan_cache_mode', 'enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'];
const saying = (how: string) => `select array[${SETTINGS.map((name) => `current_setting('${name}')`).join(', ')}] as settings -- ${how}`;
const ONCE = saying('once');
const WAYS = {
  auto: [saying('auto'), ['auto', 'on', 'on', 'on']],
  once: [ONCE, ['force_generic_plan', 'on', 'on', 'on']],
  lookUps: [planLookUps(saying('look-ups')), ['force_generic_plan', 'off', 'off', 'off']],
} as const;
planOnce(ONCE);

test('each statement has the settings of its own planning, in whatever order they come, in a transaction or in one message', async () => {
  const pool = await poolOf(app.productOrm.em.fork());
  const ways = Object.values(WAYS);
  await asCompanies([tenant.company.id], async () => {
    const client = await pool.connect();
    const said = async (text: string) => (await client.query<{ settings: string[] }>({ text, values: [] })).rows[0]!.settings;
    try {
      for (const [first, settings] of ways) {
        for (const [second, others] of ways) {
          expect(await said(first)).toEqual(settings);
          await client.query('begin');
          expect(await said(first)).toEqual(settings);
          expect(await said(second)).toEqual(others);
          await client.query('savepoint a');
          expect(await said(first)).toEqual(settings);
          await client.query('rollback to savepoint a');
          expect(await said(first)).toEqual(settings);
          await expect(client.query({ text: `${second}\nfrom nothing`, values: [] })).rejects.toThrow();
          await client.query('rollback to savepoint a');
          expect(await said(second)).toEqual(others);
          await client.query('commit');
          // Behind it in its message, each under its own.
          const behind: unknown[] = [];
          const values: unknown[] = [];
          const along = [second, first, second].map((text) => ({
            config: { text, values: [] },
            scope: currentScope(),
            done: (error: Error | null, found?: { rows: { settings?: string[] }[] }) =>
              void behind.push(error?.message ?? found!.rows[0]!.settings),
          }));
          sendBehind(values, along);
          expect((await client.query<{ settings: string[] }>({ text: first, values })).rows[0]!.settings).toEqual(settings);
          expect(behind).toEqual([others, settings, others]);
        }
      }
    } finally {
      client.release();
    }
  });
});
