import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import { docsRouter, graphiqlPage } from '../../../../src/platform/http/docs.ts';

let base: string;
let close: () => void;
beforeAll(async () => {
  const app = express();
  app.use(docsRouter('schema/openapi.json'));
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

test('GraphiQL is for browsers only', async () => {
  for (const init of [{ headers: { accept: 'application/json' } }, { method: 'POST', headers: { accept: 'text/html' } }, {}]) {
    expect((await fetch(`${base}/graphql`, init)).headers.get('content-type')).toContain('json');
  }
  expect((await fetch(`${base}/graphql?query={x}`, { headers: { accept: 'text/html' } })).headers.get('content-type')).toContain('json');
});
