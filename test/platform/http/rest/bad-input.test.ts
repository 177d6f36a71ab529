import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { logged, openPileServer, send as sendTo } from './pile-server.ts';
import { calls, PILE as pileId } from './piles.ts';

let server: Awaited<ReturnType<typeof openPileServer>>;
beforeAll(async () => {
  server = await openPileServer();
});
afterAll(() => server.close());
beforeEach(() => {
  calls.length = 0;
  logged.length = 0;
});
const send = (method: string, path: string, body?: unknown, headers?: Record<string, string | null>) =>
  sendTo(server.port, method, path, body, headers);
const post = (body: unknown, headers?: Record<string, string | null>) => send('POST', '/v1/piles', body, headers);
const good = { material_name: 'Sand', truck_count: 1 };
const text = JSON.stringify(good);

test.each([
  ['', 400],
  ['{', 400],
  ['{"material_name":"a\u0000b"}', 400],
  ['[]', 400],
  ['null', 400],
  ['"text"', 400],
  ['7', 400],
  [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400],
  [`{"raw_data":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`, 400],
  ['['.repeat(100_000), 400],
  [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400],
])('an unreadable body is refused: %#', async (body, status) => {
  const reply = body === '' ? await post('', { 'content-length': '0' }) : await post(body);
  expect(reply.status).toBe(body === '' ? 422 : status);
  expect(calls).toEqual([]);
  expect(logged).toEqual([]);
});

test('the line of a body that is not UTF-8 is reported', async () => {
  const latin = Buffer.from('{\n"raw_data": {\n"name": "Qu\u00e9bec" } }', 'latin1');
  expect((await post(latin)).body.error.errors[0].message).toBe('the body is not UTF-8: see line 3');
});

test.each([
  ['{\n  "material_name": "Sand",\n  "truck_count": 1,\n}', 4, 1],
  ['{"material_name":"Sa\tnd"}', 1, 18],
  ['{"truck_count":1} x', 1, 19],
  [' ', 1, 2],
])('the place of an error in JSON is reported: %j', async (body, line, column) => {
  const { error } = (await post(body)).body;
  expect(error.errors[0].message).toBe(`the body is not JSON: see line ${line}, character ${column}`);
});

test('a byte order mark is tolerated', async () => {
  expect((await post(`\uFEFF${text}`)).status).toBe(201);
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', 'json', 'application/jsonx', null])(
  'content type %s is 415',
  async (type) => {
    const reply = await post(text, { 'content-type': type });
    expect([reply.status, reply.body]).toEqual([415, { error: { code: 'unsupported_media_type' } }]);
  },
);

test.each(['application/json', 'application/json; charset=UTF-8', 'APPLICATION/JSON;charset="utf-8"', 'application/merge-patch+json'])(
  'content type %s is accepted',
  async (type) => expect((await post(text, { 'content-type': type })).status).toBe(201),
);

test('compressed bodies are 415', async () => {
  expect((await post(gzipSync(text), { 'content-encoding': 'gzip' })).status).toBe(415);
  expect((await post(text, { 'content-encoding': 'identity' })).status).toBe(201);
});

test.each([
  'text/html',
  'application/json;q=0',
  'application/json;version=1;q=0',
  'application/json;q=0, */*',
  'image/*',
  'nonsense',
  '*/*;q=0',
  'application/xml, text/*',
])('accept %s is 406', async (accept) => {
  const reply = await post(text, { accept });
  expect([reply.status, reply.body]).toEqual([406, { error: { code: 'not_acceptable' } }]);
  expect(calls).toEqual([]);
});

test.each([
  '*/*',
  'application/*',
  'application/json;q=0.1',
  'text/html, application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf8, text/plain',
  'application/json; version=1; q=0.5, text/html',
  '',
  'text/html, */*;q=0.5',
])('accept %j is accepted', async (accept) => expect((await post(text, { accept })).status).toBe(201));

test('a body over 5 MB is 413, declared or streamed, and the connection stays open', async () => {
  const big = JSON.stringify({ ...good, raw_data: 'x'.repeat(5 * 1024 * 1024) });
  expect((await post(big)).body).toEqual({ error: { code: 'payload_too_large' } });
  expect((await post(big, { 'transfer-encoding': 'chunked' })).status).toBe(413);
  expect((await post(JSON.stringify({ ...good, raw_data: 'x'.repeat(5 * 1024 * 1024 - 100) }))).status).toBe(201);
});

test.each([
  [401, 'Bearer none'],
  [413, 'Bearer ok'],
])('a client that closes the connection after a large unread body still gets the %s', async (status, token) => {
  const body = Buffer.alloc(12 * 1024 * 1024, 'x');
  const socket = connect(server.port, '127.0.0.1');
  const answer = new Promise<string>((resolve, reject) => {
    let read = '';
    socket.on('data', (chunk: Buffer) => {
      read += chunk.toString();
    });
    socket.on('end', () => resolve(read)).on('error', reject);
  });
  const head = [
    'POST /v1/piles HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    'Connection: close',
    `Authorization: ${token}`,
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(body);
  expect(await answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

test('a list of more than 1,000 elements is 422, 1,000 are accepted, and a value that is no list is reported', async () => {
  const piles = (count: number) => send('POST', '/ingest/piles', { piles: Array.from({ length: count }, () => ({})) });
  expect((await piles(1_000)).status).toBe(202);
  const reply = await piles(1_001);
  expect([reply.status, reply.body.error.errors]).toEqual([
    422,
    [{ model: 'Request', field: 'piles', message: 'has more than 1000 elements' }],
  ]);
  for (const body of [{}, { piles: null }, undefined]) {
    expect((await send('POST', '/ingest/piles', body)).body.error.errors).toEqual([
      { model: 'Request', field: 'piles', message: 'is required' },
    ]);
  }
  expect((await send('POST', '/ingest/piles', { piles: {} })).body.error.errors[0].message).toBe('is not a list');
  expect((await send('POST', '/ingest/piles', { piles: [null] })).body.error.errors[0].field).toBe('piles.0');
});

test('NUL and lone surrogates are 422 with the field, in texts, keys, parameters and opaque payloads', async () => {
  const fields = async (body: string, path = '/v1/piles') =>
    (await send('POST', path, body)).body.error.errors.map((e: { field: string }) => e.field);
  expect(await fields('{"material_name":"a\\u0000","truck_count":1,"steps":[{"site_id":"x","contact_name":"\\ud800"}]}')).toEqual([
    'material_name',
    'steps.0.site_id',
    'steps.0.contact_name',
  ]);
  expect(await fields('{"piles":[{"deep":[{"note":"\\udc00"}],"k\\u0000":1}]}', '/ingest/piles')).toEqual([
    'piles.0.deep.0.note',
    'piles.0.k\\u0000',
  ]);
  expect((await send('GET', '/v1/piles?search[datagrid]=a%00b')).body.error.errors[0].field).toBe('search[datagrid]');
  expect((await post('{"material_name":"\\ud83d\\ude00","truck_count":1}')).status).toBe(201);
});

test('__proto__ and constructor keys have no effect', async () => {
  const reply = await post(
    '{"material_name":"Sand","truck_count":1,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"raw_data":{"__proto__":{"polluted":1},"n":12345678901234567890}}',
  );
  expect(reply.status).toBe(201);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
  await send('GET', '/v1/piles?filter[__proto__][polluted]=1&__proto__[polluted]=1&constructor[prototype][polluted]=1');
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('hostile numbers are reported, not processed', async () => {
  const fields = async (body: string) => (await post(body)).body.error?.errors?.map((e: { field: string }) => e.field);
  expect(await fields('{"material_name":"Sand","truck_count":1e400}')).toEqual(['truck_count']);
  expect(await fields('{"material_name":"Sand","truck_count":2147483648}')).toEqual(['truck_count']);
  expect(await fields('{"material_name":"Sand","truck_count":1.5}')).toEqual(['truck_count']);
  expect(await fields('{"material_name":"Sand","truck_count":1,"per_hour":1e400,"quantity":1e400}')).toEqual(['quantity', 'per_hour']);
  expect(await fields(`{"material_name":"Sand","truck_count":1,"quantity":${'9'.repeat(400)}}`)).toEqual(['quantity']);
  expect(await fields('{"material_name":"Sand","truck_count":1.0}')).toBeUndefined();
});

test('thousands of parameters, odd brackets and broken escapes are harmless', async () => {
  const many = Array.from({ length: 5_000 }, (_, i) => `filter[x${i}]=${i}`).join('&');
  expect((await send('GET', `/v1/piles?${many.slice(0, 10_000)}`)).status).toBe(200);
  for (const query of [
    '[]=1',
    'filter[=1',
    'filter]=1',
    'filter[[states]]=1',
    '&&==&',
    'filter[states]]=open',
    `filter${'[a]'.repeat(500)}=1`,
    '%ZZ=%ZZ',
  ]) {
    expect((await send('GET', `/v1/piles?${query}`)).status).toBe(200);
  }
});

test('a client that disconnects in the middle of a body does no harm', async () => {
  await new Promise<void>((resolve) => {
    const socket = connect(server.port, '127.0.0.1', () => {
      socket.write(
        'POST /v1/piles HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ok\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"mat',
      );
      setTimeout(() => socket.destroy(), 50);
    });
    socket.on('close', () => setTimeout(resolve, 50));
  });
  expect(calls).toEqual([]);
  expect((await send('GET', `/v1/piles/${pileId}`)).status).toBe(200);
});
