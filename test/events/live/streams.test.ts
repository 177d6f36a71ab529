import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { createClient as createStreams } from 'graphql-sse';
import { makeTenant } from '../../helpers/tenant.ts';
import { until } from '../../helpers/until.ts';
import { app, follow, sql, tenant, untilSaid } from './following.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

test('subscriptions are answered as server-sent events, too, and nothing else is answered there', async () => {
  const streams = createStreams({
    url: `${app.url}/graphql/stream`,
    headers: { Authorization: `Bearer ${tenant.token}` },
    retryAttempts: 0,
  });
  const got: Json[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const sink = { next: (value: Json) => void got.push(value), error: resolve, complete: resolve };
  const stop = streams.subscribe({ query: 'subscription { recordChanged(types: [Material]) { type event } }' }, sink as never);
  await untilSaid({ got, ended, stop }, (time) => tenant.must('POST', '/v1/materials', { name: `Sand ${time}` }));
  expect(got[0]).toEqual({ data: { recordChanged: { type: 'Material', event: 'create' } } });
  stop();
  const query = await app.http('POST', '/graphql/stream', {
    token: tenant.token,
    body: { query: '{ __typename }' },
    headers: { Accept: 'text/event-stream' },
  });
  expect(query.body).toContain('Only subscriptions are answered here');
  const wrong = await app.graphql('subscription { recordChanged(types: [Order]) { id } }', {}, { token: tenant.token });
  expect([wrong.status >= 400 || Boolean(wrong.body.errors)]).toEqual([true]);
  streams.dispose();
});

test('what is wrong with a subscription, its variables or its caller is said with a code', async () => {
  const board = 'subscription ($date: Date) { dayBoardChanged(date: $date) { date } }';
  const types = 'subscription ($types: [RecordType!] = [Order]) { recordChanged(types: $types) { id } }';
  const ids = 'subscription ($ids: [ID!]) { recordChanged(types: [Order], ids: $ids) { id } }';
  const deep = `subscription { recordChanged(types: [Order]) { record { ... on Order { ${'jobs { nodes { order { '.repeat(8)}id${' } } }'.repeat(8)} } } } }`;
  const wrong: [string, object, string, string?][] = [
    [board, { date: '2026-02-30' }, 'bad_request', 'date'],
    ['subscription ($date: Date!) { dayBoardChanged(date: $date) { date } }', {}, 'bad_request', 'date'],
    [types, { types: null }, 'bad_request'],
    [ids, { ids: ['\0'] }, 'unprocessable_content'],
    [ids, { ids: [tenant.company.id, 'ORD-7'] }, 'unprocessable_content'],
    [ids, { ids: Array.from({ length: 101 }, () => tenant.company.id) }, 'unprocessable_content'],
    [deep, {}, 'bad_request'],
    [
      'subscription ($also: Boolean = true) { recordChanged(types: [Order]) { id event @include(if: $also) } }',
      { also: null },
      'bad_request',
    ],
    ['subscription { recordChanged(', {}, 'graphql_parse_failed'],
    ['subscription { recordChanged(types: [Order]) { idd } }', {}, 'graphql_validation_failed'],
    ['{ __typename }', {}, 'bad_request'],
  ];
  const stream = (token: string | undefined, query: string, variables: object) =>
    app.http('POST', '/graphql/stream', { token, body: { query, variables }, headers: { Accept: 'text/event-stream' } });
  for (const [query, variables, code, variable] of wrong) {
    const socket = await follow(query, variables);
    await socket.ended;
    const said = socket.got[0].errors ?? socket.got[0].error;
    expect([query, said.map(({ extensions }: Json) => extensions)]).toEqual([query, [expect.objectContaining({ code })]]);
    expect(said[0].extensions).toEqual(
      variable ? expect.objectContaining({ variable }) : expect.not.objectContaining({ http: expect.anything() }),
    );
    const streamed = await stream(tenant.token, query, variables);
    expect([query, streamed.body]).toEqual([query, expect.stringContaining(`"code":"${code}"`)]);
  }
  const named = await app.http('POST', '/graphql/stream', {
    token: tenant.token,
    body: { query: 'subscription Orders { recordChanged(types: [Order]) { id } }', operationName: 'Jobs' },
    headers: { Accept: 'text/event-stream' },
  });
  expect(named.body).toContain('Unknown operation named \\"Jobs\\".');
  for (const token of [undefined, 'unknown']) {
    const { status, body, headers } = await stream(token, board, {});
    expect([status, body.errors[0].extensions.code, headers.get('www-authenticate')]).toEqual([
      401,
      'unauthorized',
      expect.stringContaining('Bearer realm="haulgate"'),
    ]);
  }
});

test('what is no stream and no socket of ours is answered as what it is', async () => {
  for (const method of ['PUT', 'DELETE', 'PATCH']) {
    const { status, headers } = await app.http(method, '/graphql/stream', { token: tenant.token });
    expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET, POST']);
  }
  const { hostname, port } = new URL(app.url);
  const firstLine = (path: string, upgrade: string, more = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.once('error', reject).once('data', (bytes) => {
        resolve(String(bytes).split('\r\n')[0]!);
        socket.destroy();
      });
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: ${upgrade}\r\n${more}\r\n`);
    });
  expect(await firstLine('/health', 'h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__\r\n')).toBe('HTTP/1.1 200 OK');
  const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  for (const path of ['/elsewhere', '/graphql/stream', '/v1/orders'])
    expect(await firstLine(path, 'websocket', key)).toBe('HTTP/1.1 404 Not Found');
  expect(await firstLine('/graphql', 'websocket', key)).toBe('HTTP/1.1 101 Switching Protocols');
});

test('nothing is read ahead for a stream whose client takes nothing, and nothing is lost when it goes on', async () => {
  const own = await makeTenant(app);
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  let [begun, many, rest] = [false, 0, ''];
  // Thirty megabytes come: none of it is kept, nor looked at again.
  socket.setEncoding('utf8').on('data', (part) => {
    const text = rest + part;
    begun ||= text.includes('"first ');
    many += text.split('"many ').length - 1;
    rest = text.slice(-'"many'.length);
  });
  const body = JSON.stringify({ query: 'subscription { recordChanged(types: [Material]) { record { ... on Material { name } } } }' });
  const head = `Host: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${own.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  socket.write(`POST /graphql/stream HTTP/1.1\r\n${head}\r\n\r\n${body}`);
  const insert = (name: string, count: number) =>
    sql(
      `insert into material (id, company_id, name, created_at, updated_at)
       select gen_random_uuid(), ?, ? || n || repeat(md5(n::text), 300), now(), now() from generate_series(1, ${count}) n`,
      [own.company.id, name],
    );
  let tries = 0;
  await until(async () => {
    await insert(`first ${tries++} `, 1);
    return begun;
  });
  socket.pause();
  // More than the network keeps.
  const { statements } = await app.countStatements(async () => {
    await insert('many ', 3_000);
    // Time enough to read all of it.
    await new Promise((next) => setTimeout(next, 4_000));
  });
  const pages = statements.filter((one) => one.includes('from change_entry')).length;
  expect([pages > 0, pages < 30]).toEqual([true, true]);
  socket.resume();
  await until(() => many === 3_000);
  socket.destroy();
});
