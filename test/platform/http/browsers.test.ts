import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

const ORIGIN = 'https://board.example.com';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ corsOrigins: [ORIGIN, 'http://localhost:5173'] });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

/** Every interface, by one address of it. */
const INTERFACES = ['/v1/orders', '/graphql', '/ingest/orders', '/v1/auth/token', '/docs/openapi.json', '/health'];

const preflight = (path: string, origin: string) =>
  fetch(app.url + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization, content-type, if-match',
    },
  });

test.each(INTERFACES)('a page of an allowed origin may use %s', async (path) => {
  const asked = await preflight(path, ORIGIN);
  expect([asked.status, Object.fromEntries(asked.headers)]).toMatchObject([
    204,
    {
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'GET,HEAD,POST,PUT,PATCH,DELETE',
      'access-control-allow-headers': 'authorization, content-type, if-match',
      'access-control-max-age': '600',
    },
  ]);
  const answer = await app.http('GET', path, { headers: { origin: ORIGIN } });
  expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  for (const name of ['ETag', 'Server-Timing']) expect(answer.headers.get('access-control-expose-headers')).toContain(name);
  expect(answer.headers.get('vary')).toContain('Origin');
  // With this header, browsers would send the cookies of people who are signed in here.
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
});

test.each(INTERFACES)('a page of another origin may not use %s', async (path) => {
  for (const origin of ['https://evil.example', 'https://board.example.com.evil.example', 'http://board.example.com', 'null']) {
    expect((await preflight(path, origin)).headers.get('access-control-allow-origin')).toBeNull();
    const answer = await app.http('GET', path, { headers: { origin } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  }
});

test('a page may read every header that the description names, and the moment of an answer', async () => {
  const { headers } = await app.http('GET', '/health', { headers: { origin: ORIGIN } });
  const exposed = headers.get('access-control-expose-headers')!.split(',');
  const { paths, components } = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));
  type Described = { headers?: object };
  const operations = Object.values(paths).flatMap((path) => Object.values(path as Record<string, { responses: object }>));
  const answers: Described[] = [...operations.map(({ responses }) => responses), components.responses].flatMap(Object.values);
  const named = new Set(answers.flatMap((answer) => Object.keys(answer.headers ?? {})));
  expect(named.size).toBeGreaterThan(5);
  expect(exposed).toEqual(expect.arrayContaining([...named, 'Date', 'WWW-Authenticate', 'X-Request-Id', 'X-Client-Request-Id']));
});

test('without configured origins no page of another origin may use the API', async () => {
  const closed = await startTestApp();
  const answer = await fetch(`${closed.url}/v1/orders`, { headers: { origin: ORIGIN } });
  const asked = await fetch(`${closed.url}/v1/orders`, { method: 'OPTIONS', headers: { origin: ORIGIN } });
  await closed.close();
  expect([...answer.headers, ...asked.headers].filter(([name]) => name.startsWith('access-control'))).toEqual([]);
});

/** The bytes of an answer as they travel: `fetch` would decompress them. */
function raw(path: string, { body, ...options }: { method?: string; headers: Record<string, string>; body?: string }) {
  return new Promise<{ status?: number; encoding?: string; bytes: number }>((resolve, reject) => {
    const asked = request(app.url + path, options, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer
        .on('error', reject)
        .on('end', () => resolve({ status: answer.statusCode, encoding: answer.headers['content-encoding'], bytes }));
    });
    asked.on('error', reject).end(body);
  });
}

const QUERY = '{ __schema { types { name description } } }';

test.each([
  ['GraphQL', '/graphql', { method: 'POST', body: JSON.stringify({ query: QUERY }), headers: { 'content-type': 'application/json' } }],
  ['the OpenAPI document', '/docs/openapi.json', {}],
  ['the script of the reference', '/docs/assets/swagger-ui.js', {}],
] as const)('%s is compressed with Brotli or gzip', async (_what, path, request) => {
  const sizes: Record<string, number> = {};
  for (const encoding of ['identity', 'gzip', 'br']) {
    const answer = await raw(path, {
      ...request,
      headers: { ...('headers' in request ? request.headers : {}), 'accept-encoding': encoding },
    });
    expect([answer.status, answer.encoding]).toEqual([200, encoding === 'identity' ? undefined : encoding]);
    sizes[encoding] = answer.bytes;
  }
  expect(sizes.gzip).toBeLessThan(sizes.identity! / 2);
  expect(sizes.br).toBeLessThan(sizes.identity! / 2);
});

test('a list of lines is compressed as it is sent, and outcomes that come one by one are not', async () => {
  for (let i = 0; i < 3; i++) await tenant.must('POST', '/v1/materials', { name: `Sand ${i}` });
  const exported = { authorization: `Bearer ${tenant.token}`, accept: 'application/x-ndjson' };
  const linesOf = async (encoding: string) => {
    const answer = await fetch(`${app.url}/v1/materials`, { headers: { ...exported, 'accept-encoding': encoding } });
    return [answer.headers.get('content-encoding'), await answer.text()];
  };
  const [, lines] = await linesOf('identity');
  expect(lines?.trim().split('\n')).toHaveLength(4);
  for (const encoding of ['gzip', 'br']) expect(await linesOf(encoding)).toEqual([encoding, lines]);
  const left = new AbortController();
  const sent = await fetch(`${app.url}/ingest/orders`, {
    method: 'POST',
    headers: { ...exported, 'content-type': 'application/json', 'accept-encoding': 'gzip' },
    body: JSON.stringify({ orders: [{ external_id: 'LINE-1' }] }),
    signal: left.signal,
  });
  left.abort();
  expect([sent.status, sent.headers.get('content-type'), sent.headers.get('content-encoding')]).toEqual([
    202,
    'application/x-ndjson; charset=utf-8',
    null,
  ]);
});

test.each(['/docs/openapi.json', '/docs', '/docs/assets/reference-start.js'])('%s is not sent again to whoever has it', async (path) => {
  const etag = (await app.http('GET', path)).headers.get('etag')!;
  expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
  // `fetch` would ask for a new copy.
  expect(await raw(path, { headers: { 'if-none-match': etag } })).toMatchObject({ status: 304, bytes: 0 });
  expect(await raw(path, { headers: { 'if-none-match': 'W/"other"' } })).toMatchObject({ status: 200 });
});

test.each([
  ['fr-CA, en;q=0.5', 'fr-ca'],
  ['es', 'es-us'],
  ['de', 'en'],
])('an answer to a client that accepts %s says that it is in %s', async (accepted, language) => {
  const call = { token: tenant.token, headers: { 'Accept-Language': accepted } };
  const answers = [
    await app.http('GET', '/v1/orders', call),
    await app.http('POST', '/v1/orders', { ...call, body: {} }),
    await app.http('GET', '/nowhere', call),
    await app.graphql('{ orders(first: 1) { count { value } } }', {}, call),
  ];
  for (const { headers } of answers)
    expect([headers.get('content-language'), headers.get('vary')]).toEqual([language, expect.stringContaining('Accept-Language')]);
});

test('a refusal says in WWW-Authenticate what is wrong (RFC 6750)', async () => {
  const reader = await makeTenant(app, { permissions: [] });
  const challenges = async (token: string | undefined, headers: Record<string, string> = {}) => {
    const rest = await app.http('POST', '/v1/orders', { token, headers, body: {} });
    const graphql = await app.graphql(
      'mutation { acceptOrder(id: "018f0000-0000-7000-8000-0000000000c0") { id } }',
      {},
      { token, headers },
    );
    return [rest.status, rest.headers.get('www-authenticate'), graphql.headers.get('www-authenticate')];
  };
  const missing = [401, 'Bearer realm="haulgate"', 'Bearer realm="haulgate"'];
  expect(await challenges(undefined)).toEqual(missing);
  expect(await challenges(undefined, { Authorization: 'Basic YTpi' })).toEqual(missing);
  const invalid = 'Bearer realm="haulgate", error="invalid_token"';
  expect(await challenges('nonsense')).toEqual([401, invalid, invalid]);
  expect((await challenges(reader.token)).slice(0, 2)).toEqual([
    403,
    'Bearer realm="haulgate", error="insufficient_scope", scope="create_order"',
  ]);
});
