import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, orderInput, type Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are written as they are
type Json = any;
interface Example {
  request?: Json;
  response?: Json;
  further?: Record<string, Json>;
}

const FILE = 'schema/examples.json';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

/** Calls the twenty operations that most clients begin with, on the way of an order to a ticket. */
async function run(): Promise<Record<string, Example>> {
  const examples: Record<string, Example> = {};
  const call = async (name: string, method: string, path: string, request?: Json, as?: string): Promise<Json> => {
    const response = (await tenant.http(method, path, request, as)).body;
    if (response?.error) throw new Error(`${name}: ${JSON.stringify(response)}`);
    examples[name] = { ...(request ? { request } : {}), response };
    return response?.data;
  };
  await call('CreateAccount', 'POST', '/v1/accounts', {
    company_id: tenant.company.id,
    name: 'Bridge Builders',
    account_types: ['customer'],
    external_id: 'C-17',
  });
  await call('CreateSite', 'POST', '/v1/sites', {
    company_id: tenant.company.id,
    name: 'North pit',
    lat: 30.63,
    lon: -97.67,
    site_type: 'Quarry',
  });
  await call('CreateMaterial', 'POST', '/v1/materials', { name: 'Flex base', external_id: 'FB' });
  const body = orderInput(tenant, { material_id: tenant.material.id, quantity: 36.5, unit_of_measure: 'Ton', external_id: 'ORD-1' });
  const order = await call('CreateOrder', 'POST', '/v1/orders', body);
  await call('GetOrder', 'GET', `/v1/orders/${order.id}`);
  await call('ListOrders', 'GET', '/v1/orders');
  await call('UpdateOrder', 'PATCH', `/v1/orders/${order.id}`, { notes: 'Gate 3', version: order.version });
  await call('AcceptOrder', 'PUT', `/v1/orders/${order.id}/accept`);
  const [job] = await call('ListOrderJobs', 'GET', `/v1/orders/${order.id}/jobs`);
  await call('UpdateJob', 'PATCH', `/v1/jobs/${job.id}`, { driver_id: tenant.driver.id });
  await call('GetJob', 'GET', `/v1/jobs/${job.id}`);
  await call('ListJobs', 'GET', '/v1/jobs');
  await call('SendJob', 'PUT', `/v1/jobs/${job.id}/request`);
  await call('AcceptJob', 'PUT', `/v1/jobs/${job.id}/accept`, undefined, tenant.driver.token);
  const at = { occurred_at: new Date(Date.now() - 1_000).toISOString(), lat: 30.63, lon: -97.67 };
  await call('EnrouteJob', 'PUT', `/v1/jobs/${job.id}/enroute`, at, tenant.driver.token);
  await call('ListJobLoads', 'GET', `/v1/jobs/${job.id}/loads`);
  await call('CreateTicket', 'POST', '/v1/tickets', { job_id: job.id, ticket_number: 'T-1001', quantity: 18.25, unit_of_measure: 'Ton' });
  await call('ListTickets', 'GET', '/v1/tickets');
  await call('ListDrivers', 'GET', tenant.path('/drivers'));
  const sent = (external_id: string) => ({
    external_id,
    load_at: '2026-11-23T07:00:00',
    customer: { external_id: 'C-17' },
    truck_count: 2,
  });
  await call('PostOrders', 'POST', '/ingest/orders', { orders: [sent('ORD-2')] });
  // One that is made, and one that lacks something.
  const orders = [
    { ...sent('ORD-3'), unit_of_measure: 'buckets' },
    { external_id: 'ORD-4', customer: { external_id: 'C-17' } },
  ];
  const waited = await tenant.app.http('POST', '/ingest/orders', { token: tenant.token, headers: { Prefer: 'wait=30' }, body: { orders } });
  expect(waited.body.data.records.map(({ state }: Json) => state)).toEqual(['processed', 'failed']);
  examples.PostOrders!.further = { waited: waited.body };
  return examples;
}

/** The same with ids and instants that do not change from run to run. */
function steady(examples: Json): Json {
  const ids = new Map<string, string>();
  return JSON.parse(
    // Whether the driver has jobs today depends on the day of the run.
    JSON.stringify(examples, (name, value) => (name === 'company_day_driver_stat' ? null : value))
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
        if (!ids.has(id)) ids.set(id, `018cc251-f400-7000-8000-${String(ids.size + 1).padStart(12, '0')}`);
        return ids.get(id)!;
      })
      .replace(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g, '2026-11-23T12:00:00.000Z'),
  );
}

/** The names of all fields, of lists those of the first element. */
function shapeOf(value: Json): Json {
  if (Array.isArray(value)) return value.length > 0 ? [shapeOf(value[0])] : [];
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shapeOf(one)]));
}

test('the examples of the OpenAPI document are what the product answers', async () => {
  const now = steady(await run());
  if (process.env.HAULGATE_WRITE_EXAMPLES === 'on') writeFileSync(FILE, `${JSON.stringify(now, null, 2)}\n`);
  const written = JSON.parse(readFileSync(FILE, 'utf8'));
  // HAULGATE_WRITE_EXAMPLES=on npm test -- test/contract/examples.test.ts && npm run schema writes them anew.
  expect(shapeOf(written)).toEqual(shapeOf(now));
  expect(Object.keys(written)).toHaveLength(20);
  const { paths } = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));
  const operations = new Map<string, Json>(
    Object.values<Json>(paths).flatMap((path) => Object.values<Json>(path).map((one) => [one.operationId, one] as const)),
  );
  for (const [name, { request, response, further }] of Object.entries<Example>(written)) {
    const { requestBody, responses } = operations.get(name);
    expect([name, requestBody?.content['application/json'].example]).toEqual([name, request]);
    const answers = Object.values<Json>(responses).flatMap(({ content }) => content?.['application/json'] ?? []);
    const shown = answers.flatMap(({ example, examples }) =>
      example ? [example] : Object.values<Json>(examples ?? {}).map(({ value }) => value),
    );
    expect([name, shown]).toEqual([name, [response, ...Object.values(further ?? {})].filter((one) => one !== undefined)]);
  }
});
