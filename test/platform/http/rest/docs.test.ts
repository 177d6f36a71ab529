import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import { docsRouter, graphiqlPage } from '../../../../src/platform/http/docs.ts';

let base: string;
let close: () => void;
beforeAll(async () => {
  const app = express();
  app.use(docsRouter({ openapi: 'schema/openapi.json', asyncapi: 'schema/asyncapi.json' }));
  app.all('/graphql', graphiqlPage, (_req, res) => void res.json({ data: {} }));
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = () => server.close();
});
afterAll(() => close());

test.each(['/docs', '/graphql'])('%s loads nothing from outside, and everything it loads exists', async (path) => {
  const page = await fetch(base + path, { headers: { accept: 'text/html' } });
  const html = await page.text();
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((m) => m[1] as string).filter((link) => !link.startsWith('data:'));
  expect(links.length).toBeGreaterThan(2);
  expect(links.filter((link) => !link.startsWith('/docs/assets/'))).toEqual([]);
  for (const link of links) expect((await fetch(base + link)).status).toBe(200);
  const styles = await Promise.all(links.filter((l) => l.endsWith('.css')).map(async (l) => (await fetch(base + l)).text()));
  for (const css of styles) expect(css).not.toMatch(/@import|url\(["']?(https?:|\/\/)/);
});

test('the reference reads the committed OpenAPI file', async () => {
  expect(await (await fetch(`${base}/docs/openapi.json`)).json()).toEqual(JSON.parse(readFileSync('schema/openapi.json', 'utf8')));
});

test('the catalogue of what webhooks send is the committed one', async () => {
  const answer = await fetch(`${base}/docs/asyncapi.json`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  expect(await answer.json()).toEqual(JSON.parse(readFileSync('schema/asyncapi.json', 'utf8')));
});

test('a parameter of a path is of the type of what it names', async () => {
  const { paths } = (await (await fetch(`${base}/docs/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { parameters?: { name: string; in: string; schema: object }[] }>>;
  };
  const given = Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ parameters = [] }) => parameters));
  const others = given.filter((one) => one.in === 'path' && !('format' in one.schema && one.schema.format === 'uuid'));
  const schemas = Object.fromEntries(others.map(({ name, schema }) => [name, schema]));
  expect(schemas).toMatchObject({
    date: { type: 'string', format: 'date' },
    'waypoint-type': { $ref: '#/components/schemas/WaypointType' },
    'platform-id': { type: 'string' },
  });
  for (const { name, schema } of given)
    if (/(^|-)id$/.test(name) && name !== 'platform-id') expect([name, schema]).toEqual([name, { type: 'string', format: 'uuid' }]);
});

test('every operation of a caller has the headers of replicas and sandboxes, and lists say what of them is archived', () => {
  const { paths, components } = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));
  type Operation = {
    security?: object[];
    parameters: { $ref?: string }[];
    responses: Record<string, { headers?: object; content?: never }>;
  };
  const of = (path: string, method = 'get') => paths[path][method] as Operation;
  const takes = ({ parameters }: Operation) => parameters.flatMap(({ $ref = '' }) => /(ReadPosition|SandboxFault)$/.exec($ref)?.[1] ?? []);
  for (const [path, method, status] of [
    ['/v1/orders', 'get', 200],
    ['/v1/orders', 'post', 201],
    ['/v1/companies/{company-id}/changes', 'get', 200],
  ] as const) {
    expect([path, takes(of(path, method))]).toEqual([path, ['ReadPosition', 'SandboxFault']]);
    expect(Object.keys(of(path, method).responses[status]!.headers!)).toEqual(expect.arrayContaining(['X-Read-Position', 'X-Sandbox']));
  }
  expect(takes(of('/v1/auth/login', 'post'))).toEqual([]);
  expect(components.parameters.SandboxFault.schema.enum).toEqual(['503', 'timeout', 'duplicate-webhook']);
  // As answers have it.
  const position = new RegExp(components.headers.ReadPosition.schema.pattern);
  expect(['3-0/16B3748', 'none', '3-0', ''].map((text) => position.test(text))).toEqual([true, true, false, false]);
  const saying = Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      JSON.stringify(responses).includes('/Archived"') ? [`${method} ${path.replace('/v1/companies/{company-id}', '')}`] : [],
    ),
  );
  expect(saying).toEqual(
    expect.arrayContaining([
      ...['get /audit_entries', 'get /orders/{order-id}/timeline', 'get /v1/jobs/{job-id}/timeline', 'get /metrics'],
      ...['get /ingest/batches', 'get /ingest/batches/{id}/records', 'get /imported_records'],
      ...['get /webhook_subscriptions/{webhook-subscription-id}/deliveries', 'post /drivers/geofence_triggers'],
      ...['get /jobs/{job-id}/location_histories', 'get /users/{user-id}/location_histories'],
    ]),
  );
  expect(saying).not.toContain('get /orders');
});

test('operations say what becomes of what they do not know, and guides name each preference for words of ours', () => {
  const { paths, components } = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));
  for (const [path, method, status] of [
    ['/v1/orders', 'get', 200],
    ['/v1/orders', 'post', 201],
    ['/v1/sites/{id}', 'delete', 204],
  ] as const) {
    const { parameters, responses } = paths[path][method];
    expect([path, parameters.filter(({ $ref }: { $ref?: string }) => $ref === '#/components/parameters/Prefer').length]).toEqual([path, 1]);
    expect(responses[status].headers.Warning).toEqual({ $ref: '#/components/headers/Warning' });
  }
  // An import has preferences of its own.
  const named = (paths['/ingest/orders'].post.parameters as { name?: string; $ref?: string }[]).filter(
    ({ name, $ref }) => name === 'Prefer' || $ref?.endsWith('/Prefer'),
  );
  expect(named).toHaveLength(1);
  const documents = (readdirSync('schema/rest', { recursive: true }) as string[]).filter((file) => file.endsWith('.graphql'));
  const preferences = documents.flatMap((file) =>
    [...readFileSync(`schema/rest/${file}`, 'utf8').matchAll(/unless: "([^"]+)"/g)].map(([, name]) => name!),
  );
  expect(preferences).toContain('waypoints=all');
  const texts = [
    components.parameters.Prefer.description,
    ...['docs/api.md', 'docs/migrating.md'].map((file) => readFileSync(file, 'utf8')),
  ];
  for (const text of texts) for (const name of [...preferences, 'handling=strict']) expect(text).toContain(name);
});

test('GraphiQL is for browsers only', async () => {
  for (const init of [{ headers: { accept: 'application/json' } }, { method: 'POST', headers: { accept: 'text/html' } }, {}]) {
    expect((await fetch(`${base}/graphql`, init)).headers.get('content-type')).toContain('json');
  }
  expect((await fetch(`${base}/graphql?query={x}`, { headers: { accept: 'text/html' } })).headers.get('content-type')).toContain('json');
});
