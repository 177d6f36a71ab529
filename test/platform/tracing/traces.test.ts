import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ConfigError, readConfig } from '../../../src/app/config.ts';
import { tracingOf } from '../../../src/app/configured.ts';
import { createLog } from '../../../src/platform/log.ts';
import { openTracing } from '../../../src/platform/tracing/open-tracing.ts';
import type { Tracing } from '../../../src/platform/tracing/spans.ts';
import { sqlTextOf } from '../../../src/platform/tracing/sql-text.ts';
import { Receiver } from '../../events/receiver.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';
import { until } from '../../helpers/until.ts';
import { Collector, type Sent } from './collector.ts';

const collector = new Collector();
const receiver = new Receiver();
const reports: string[] = [];
let tracing: Tracing;
let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  await Promise.all([collector.start(), receiver.start()]);
  tracing = await openTracing({
    url: `${collector.url}/v1/traces`,
    sampler: 'parentbased_always_on',
    ratio: 1,
    timeout: 300,
    batches: { scheduledDelayMillis: 20 },
    version: '7.8.9',
    report: (state) => reports.push(state),
  });
  app = await startTestApp({ shared: true, worker: true, webhooks: true, deliveries: true, tracing });
  tenant = await makeTenant(app, { company: { authMethods: ['magic_link'] } });
});
afterAll(async () => {
  await app.close();
  await tracing.close();
  await Promise.all([collector.stop(), receiver.stop()]);
});

const traceId = () => crypto.randomUUID().replaceAll('-', '');
const span = (trace: string, name: string): Sent => {
  const found = collector.of(trace).find((one) => one.name === name);
  if (!found) throw new Error(`no span ${name} among ${collector.of(trace).map((one) => one.name)}`);
  return found;
};
const named = (trace: string, name: string) => collector.of(trace).some((one) => one.name === name);
/** The names from a span up to where its trace came in. */
const pathTo = (of: Sent): string[] => {
  const parent = collector.of(of.traceId).find(({ spanId }) => spanId === of.parentSpanId);
  return [...(parent ? pathTo(parent) : []), of.name];
};
const call = (method: string, path: string, trace: string, body?: unknown, token = tenant.token, flags = '01') =>
  app.http(method, path, { token, body, headers: { traceparent: `00-${trace}-00f067aa0ba902b7-${flags}` } });

test('a read over GraphQL is a span with its operation and statements, in the trace of the caller, with ids and without what was asked', async () => {
  const trace = traceId();
  await makeOrder(tenant, { notes: 'Zebrawood' });
  const query = 'query Overview($name: OrderSearch) { orders(first: 7, search: $name) { nodes { id notes account { id name } } } }';
  const answer = await call('POST', '/graphql', trace, { query, variables: { name: { query: 'Zebrawood' } } });
  expect(answer.body.errors).toBeUndefined();
  await until(() => named(trace, 'POST /graphql'));
  const whose = {
    'haulgate.request.id': answer.headers.get('x-request-id'),
    'haulgate.company.id': tenant.company.id,
    'haulgate.principal.type': 'M2MClient',
    'haulgate.principal.id': expect.any(String),
  };
  const request = span(trace, 'POST /graphql');
  expect(request).toMatchObject({ kind: 2, parentSpanId: '00f067aa0ba902b7', status: {} });
  expect(request.attributes).toEqual({
    ...whose,
    'http.request.method': 'POST',
    'http.route': '/graphql',
    'http.response.status_code': 200,
  });
  const operation = span(trace, 'query Overview');
  expect(pathTo(operation)).toEqual(['POST /graphql', 'query Overview']);
  expect(operation.attributes).toEqual({ ...whose, 'graphql.operation.type': 'query', 'graphql.operation.name': 'Overview' });
  const read = collector.of(trace).find(({ name, parentSpanId }) => parentSpanId === operation.spanId && name.startsWith('select '))!;
  expect(read).toMatchObject({ kind: 3, attributes: { ...whose, 'db.system.name': 'postgresql', 'db.operation.name': 'select' } });
  expect(read.attributes['db.query.text']).toMatch(/from "?orders"?/);
  expect(collector.resource).toMatchObject({ 'service.name': 'haulgate', 'service.version': '7.8.9', 'process.pid': process.pid });
  expect(collector.raw).not.toMatch(/zebrawood/i);
  expect(collector.raw).not.toContain(tenant.token.split('.')[1]);
});

test('an order that is made, and the webhook and the mail that follow, are one trace, which the endpoint learns of', async () => {
  await tenant.must('POST', tenant.path('/webhook_subscriptions'), { url: receiver.url('/traced'), triggers: ['Order::create'] });
  const trace = traceId();
  const { status, body, headers } = await call('POST', '/v1/orders', trace, {
    ...orderInput(tenant),
    notes: 'Quokka',
  });
  expect([status, body.error]).toEqual([201, undefined]);
  await until(() => named(trace, 'task webhook'));
  const delivery = span(trace, 'send webhook');
  expect(pathTo(delivery)).toEqual(['POST /v1/orders', 'mutation CreateOrder', 'task webhook', 'send webhook']);
  expect(delivery).toMatchObject({
    kind: 3,
    attributes: {
      'haulgate.company.id': tenant.company.id,
      'haulgate.webhook.event': 'Order::create',
      'haulgate.webhook.attempt': 1,
      'server.address': '127.0.0.1',
      'http.response.status_code': 204,
    },
  });
  const [received] = receiver.at('/traced');
  expect(received!.headers.traceparent).toBe(`00-${trace}-${delivery.spanId}-01`);
  const statements = collector.of(trace).filter(({ attributes }) => attributes['db.query.text']);
  expect(statements.map(({ attributes }) => attributes['haulgate.request.id'])).toContain(headers.get('x-request-id'));
  expect(statements.some(({ name }) => name === 'insert orders')).toBe(true);
  expect(collector.raw).not.toMatch(/quokka/i);
});

test('a mail is in the trace of the request that asked for it, without the address', async () => {
  const { user } = await tenant.person({ roles: ['dispatcher'] });
  const trace = traceId();
  expect((await call('POST', '/v1/auth/magic_link', trace, { email: user.email }, '')).status).toBe(204);
  expect((await app.emails()).mails.some(({ to }) => to === user.email)).toBe(true);
  await until(() => named(trace, 'task delivery') && named(trace, 'POST /v1/auth/magic_link'));
  expect(pathTo(span(trace, 'send mail')).slice(-2)).toEqual(['task delivery', 'send mail']);
  expect(pathTo(span(trace, 'send mail'))[0]).toBe('POST /v1/auth/magic_link');
  expect(collector.raw).not.toContain(user.email);
});

test('a batch of imports is in the trace of its request, or links to those of several', async () => {
  const orders = (name: string) => ({
    orders: [{ external_id: name, load_at: '2026-12-01T07:00', customer: { external_id: name, name } }],
  });
  const [one, two, three] = [traceId(), traceId(), traceId()];
  expect((await call('POST', '/ingest/orders', one, orders('Okapi-1'))).status).toBe(202);
  await app.settled();
  await until(() => named(one, 'import batch'));
  expect(pathTo(span(one, 'import batch'))).toEqual(['POST /ingest/orders', 'mutation PostOrders', 'import batch']);
  expect(span(one, 'import batch')).toMatchObject({
    kind: 5,
    attributes: {
      'haulgate.company.id': tenant.company.id,
      'haulgate.import.kind': 'order',
      'haulgate.import.records': 1,
      'haulgate.import.processed': 1,
    },
  });
  expect(
    collector.of(one).some(({ name, attributes }) => name === 'insert orders' && attributes['haulgate.company.id'] === tenant.company.id),
  ).toBe(true);
  // Both fail, and are due for their second try at the same time: a batch of two requests.
  const wrong = (name: string) => ({ orders: [{ external_id: name, load_at: 'someday' }] });
  for (const [trace, name] of [
    [two, 'Okapi-2'],
    [three, 'Okapi-3'],
  ] as const)
    await call('POST', '/ingest/orders', trace, wrong(name));
  await app.settled();
  await app.orm.em.getConnection().execute('update import_task set next_attempt_at = now() where company_id = ?', [tenant.company.id]);
  await app.settled();
  const together = () =>
    collector.spans.find(({ name, attributes }) => name === 'import batch' && attributes['haulgate.import.records'] === 2);
  await until(() => together() !== undefined);
  const { links, traceId: own, parentSpanId, attributes } = together()!;
  expect([links.sort(), [two, three].includes(own), parentSpanId ?? '']).toEqual([[two, three].sort(), false, '']);
  expect(attributes['haulgate.import.failed']).toBe(2);
  expect(collector.raw).not.toMatch(/okapi/i);
});

test('what the caller does not want recorded is not, to the end of the trace', async () => {
  const trace = traceId();
  const before = receiver.at('/traced').length;
  expect((await call('POST', '/v1/orders', trace, orderInput(tenant), tenant.token, '00')).status).toBe(201);
  await until(() => receiver.at('/traced').length > before);
  expect(receiver.at('/traced').at(-1)!.headers.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`));
  // A request after it has come; so this one would have.
  const next = traceId();
  await call('GET', '/v1/orders', next);
  await until(() => named(next, 'GET /v1/orders'));
  expect(collector.of(trace)).toEqual([]);
});

test('a header that is no traceparent begins a trace, probes have none, and a failure says its kind alone', async () => {
  const given = [
    '00-0000',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `ff-${traceId()}-00f067aa0ba902b7-01`,
    `00-${traceId()}-00f067aa0ba902b7-01-more`,
  ];
  for (const traceparent of given) {
    const { headers } = await app.http('GET', '/v1/orders/not-an-id-Wombat', { token: tenant.token, headers: { traceparent } });
    const id = headers.get('x-request-id');
    const found = () => collector.spans.find(({ kind, attributes }) => kind === 2 && attributes['haulgate.request.id'] === id);
    await until(() => found() !== undefined);
    expect(found()).toMatchObject({ name: 'GET /v1/orders/{id}' });
    expect([found()!.parentSpanId ?? '', given.some((one) => one.includes(found()!.traceId))]).toEqual(['', false]);
  }
  const trace = traceId();
  await call('GET', '/health', trace);
  await call('GET', '/nowhere/Wombat', trace);
  await until(() => named(trace, 'GET'));
  expect(collector.of(trace).map(({ name }) => name)).toEqual(['GET']);
  expect(collector.raw).not.toMatch(/wombat/i);
});

test('a collector that refuses, hangs or is away disturbs nothing, and is reported once', async () => {
  for (const mood of ['refuses', 'hangs'] as const) {
    reports.length = 0;
    collector.mood = mood;
    const before = collector.requests;
    for (let i = 0; i < 3; i++) expect((await tenant.http('GET', '/v1/orders')).status).toBe(200);
    await until(() => reports.includes('lost') && collector.requests > before);
    // Answers do not wait for it.
    expect((await tenant.http('GET', '/v1/orders')).status).toBe(200);
    collector.mood = 'takes';
    collector.cut();
    await until(async () => {
      await tenant.http('GET', '/v1/orders');
      return reports.includes('back');
    });
    expect(reports).toEqual(['lost', 'back']);
  }
});

test('of a statement only its own words are sent', () => {
  const sql = `select E'it\\'s', 'O''Hara', "Column 5", 12, 3.5e2, $1, $2::uuid[], t1.x -- don't
    from "app_user" /* Ada's */ where note = $x$ 'secret' $x$ and id in ('a', 'b') limit 51`;
  expect(sqlTextOf(sql)).toEqual({
    name: 'select app_user',
    operation: 'select',
    text: 'select ?, ?, "Column 5", ?, ?, $1, $2::uuid[], t1.x from "app_user" where note = ? and id in (?, ?) limit ?',
  });
});

test('without a collector nothing is traced, and no file but the one that opens traces loads OpenTelemetry', async () => {
  const log = createLog('silent');
  const url = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  for (const env of [{}, { ...url, OTEL_SDK_DISABLED: 'true' }, { ...url, OTEL_TRACES_EXPORTER: 'none' }])
    expect(await tracingOf(readConfig(env), '1', log)).toBeUndefined();
  expect(() => readConfig({ OTEL_TRACES_SAMPLER: 'jaeger_remote' })).toThrow(ConfigError);
  expect(() => readConfig({ OTEL_TRACES_SAMPLER_ARG: '1.5' })).toThrow('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.');
  const loading = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => /^import (?!type )[^;]*@opentelemetry|import\('@opentelemetry/m.test(readFileSync(`src/${name}`, 'utf8')));
  expect(loading).toEqual(['platform/tracing/open-tracing.ts']);
  expect(readFileSync('src/platform/tracing/open-tracing.ts', 'utf8')).not.toMatch(/^import (?!type )[^;]*@opentelemetry/m);
});
