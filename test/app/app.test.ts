import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeDemoCompany } from '../../src/demo/demo-company.ts';
import { makeDemoWork } from '../../src/demo/demo-work.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ demo: true });
});
afterAll(() => app.close());

async function machineToken(): Promise<string> {
  const { client_id, client_secret } = app.access!;
  const { body } = await app.http('POST', '/v1/auth/token', {
    headers: {
      Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  return body.access_token;
}

test('health, readiness and version are public', async () => {
  const { status, body } = await app.http('GET', '/health');
  const parts = ['data_migrations', 'db', 'db_ro', 'geo_db', 'geo_db_ro', 'geo_migrations', 'migrations', 'redis', 'sidekiq_redis'];
  expect([status, body]).toEqual([200, { data: Object.fromEntries(parts.map((part) => [part, true])) }]);
  expect(await app.http('GET', '/ready')).toMatchObject({ status: 200, body: { status: 'ready' } });
  expect(await app.http('GET', '/version')).toMatchObject({
    status: 200,
    body: { data: { sha: 'abc', time: expect.stringMatching(/^\d{4}-.*Z$/), version: 'test', api: '1.0' } },
  });
  for (const path of ['/health', '/version']) {
    const refused = await app.http('GET', path, { headers: { Accept: 'text/html' } });
    expect([path, refused.status, refused.body]).toEqual([path, 406, { error: { code: 'not_acceptable' } }]);
  }
});

test('the statements of a list do not grow with its page', async () => {
  const token = await machineToken();
  // The first call also loads the viewer.
  expect((await app.http('GET', '/v1/companies', { token })).status).toBe(200);
  const statementsOf = async (size: number) => {
    const { value, statements } = await app.countStatements(() => app.http('GET', `/v1/orders?page[limit]=${size}`, { token }));
    expect([value.status, value.body.data.length]).toEqual([200, size]);
    return statements.length;
  };
  // One for the page, one for the summaries of all its orders.
  expect([await statementsOf(1), await statementsOf(12)]).toEqual([2, 2]);
});

test('a nested GraphQL query takes one statement', async () => {
  const token = await machineToken();
  await app.http('GET', '/v1/companies', { token });
  const { value, statements } = await app.countStatements(() =>
    app.graphql('{ orders(first: 5) { nodes { orderId jobs(first: 3) { nodes { jobId } } } } }', {}, { token }),
  );
  expect(value.body.errors).toBeUndefined();
  expect(value.body.data.orders.nodes).toHaveLength(5);
  expect(statements).toHaveLength(1);
});

test('every answer has its request id, including errors', async () => {
  const given = await app.http('GET', '/v1/orders', { headers: { 'X-Request-Id': 'mine-1' } });
  expect([given.status, given.headers.get('x-client-request-id')]).toEqual([401, 'mine-1']);
  expect(given.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  const made = await app.http('GET', '/nowhere');
  expect([made.status, made.body]).toEqual([404, { error: { code: 'object_not_found' } }]);
  expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(made.headers.get('x-client-request-id')).toBeNull();
  const graphql = await app.http('POST', '/graphql', { body: '{', headers: { 'Content-Type': 'application/json' } });
  expect(graphql.status).toBe(400);
  expect(graphql.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('an app learns without a token whether it is still supported', async () => {
  expect(await app.http('GET', '/v1/mobile_context')).toMatchObject({
    status: 200,
    body: { data: { minimum_supported_version: expect.any(Number) } },
  });
});

test('the demo company is at work now: trucks have positions, and nothing has happened that is yet to come', async () => {
  const token = await machineToken();
  const { body } = await app.http('GET', `/v1/companies/${app.access!.company_id}/drivers?page[limit]=100`, { token });
  const online = body.data.filter((driver: { gps_status: { status: string } | null }) => driver.gps_status?.status === 'online');
  expect(online.length).toBeGreaterThan(4);
  const [{ positions, events, orders, loads }] = await app.orm.em
    .getConnection()
    .execute<[Record<'positions' | 'events' | 'orders' | 'loads', number>]>(
      `select (select count(*)::int from location_history) as positions,
      (select count(*)::int from job_event where occurred_at > now() or created_at > now()) as events,
      (select count(*)::int from orders where state = 'in_progress' and load_at > now()) as orders,
      (select count(*)::int from load where summary_load_completed_at > now() or summary_loaded_at > now()) as loads`,
    );
  expect(positions).toBeGreaterThan(40);
  expect([events, orders, loads]).toEqual([0, 0, 0]);
});

test.each(['00:30', '05:00', '11:00', '23:59'])('a demo that is made at %s in Austin has nothing in the future', async (time) => {
  const now = new Date(`2026-11-20T${time}:00-06:00`);
  const em = app.orm.em.fork();
  makeDemoWork(em, makeDemoCompany(em), now);
  const made = em.getUnitOfWork().getPersistStack();
  const late = [...made].flatMap((one) => {
    const { constructor: entity, occurredAt, createdAt } = one as { constructor: { name: string }; occurredAt?: Date; createdAt?: Date };
    return [occurredAt, entity.name === 'JobEvent' || entity.name === 'Order' ? createdAt : undefined].filter((at) => at && at > now);
  });
  expect(made.size).toBeGreaterThan(100);
  expect(late).toEqual([]);
});
