import { randomBytes } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createGzip } from 'node:zlib';
import { afterEach, expect, test } from '@jest/globals';
import type { RequestHandler } from 'express';
import { BadRequest } from '../../../src/platform/errors.ts';
import { type Listening, listen } from '../../../src/platform/http/listen.ts';
import { linkHeader } from '../../../src/platform/http/rest/link.ts';
import { sendAnswer } from '../../../src/platform/http/rest/send.ts';
import { type AppParts, createApp } from '../../../src/platform/http/server.ts';
import { streamText } from '../../../src/platform/http/stream-text.ts';
import { createLog, requestScope } from '../../../src/platform/log.ts';

let web: Listening;
const lines: string[] = [];
afterEach(async () => {
  await web.close();
  lines.length = 0;
});

const healthy = () => ({
  build: { version: '1', sha: 'abc', time: new Date() },
  parts: async () => ({ db: true, migrations: true, redis: true }),
  ready: async () => {},
});

async function open(part: RequestHandler, more: Partial<AppParts> = {}, level = 'info'): Promise<string> {
  const log = createLog(level, { write: (line) => void lines.push(line) });
  web = await listen(createApp({ log, health: healthy(), parts: [part], ...more }), { port: 0, host: '127.0.0.1' });
  return `http://127.0.0.1:${web.port}`;
}

test('an unexpected failure is a bare 500 whose id is in the log', async () => {
  const url = await open(async () => {
    throw new Error('the gravel is out');
  });
  const answer = await fetch(`${url}/x`, { headers: { 'X-Request-Id': 'load-7' } });
  expect([answer.status, answer.headers.get('x-client-request-id')]).toEqual([500, 'load-7']);
  expect(await answer.text()).not.toContain('gravel');
  expect(JSON.parse(lines.join(''))).toMatchObject({
    requestId: answer.headers.get('x-request-id'),
    clientRequestId: 'load-7',
    msg: 'request failed',
    err: { message: 'the gravel is out' },
  });
});

test('the log shows the path of a request without what its link opens, at any level', async () => {
  const url = await open((req, _res, next) => next(req.method === 'PUT' ? new Error('the disk is full') : undefined), undefined, 'debug');
  // As the address to which a client sends the bytes of a file.
  const token = `${'WyIwMWEyMDYz'.repeat(12)}.${'ueYg3ABgvlc'.repeat(4)}`;
  const path = (part: string) => `/v1/direct_uploads/${part}/file`;
  for (const [method, status] of [
    ['PUT', 500],
    ['GET', 404],
  ] as const)
    expect((await fetch(url + path(token), { method })).status).toBe(status);
  const id = '01a20634-36da-7024-8b2a-b473497f8d5e';
  expect((await fetch(url + path(id))).status).toBe(404);
  const logged = lines.map((line) => JSON.parse(line));
  expect(logged.map(({ msg, path: shown }) => [msg, shown])).toEqual([
    ['request failed', path('[secret]')],
    ['answered', path('[secret]')],
    ['answered', path('[secret]')],
    ['answered', path(id)],
  ]);
  expect(lines.join('')).not.toContain('ueYg3ABgvlc');
});

test('the address of the next page has TLS where clients reach the server over it, whatever its proxy says', async () => {
  const link: RequestHandler = (req, res) => {
    const info = { hasNextPage: true, hasPreviousPage: false, startCursor: 'a', endCursor: 'b' };
    res.json(linkHeader(req, info, (cursor) => cursor));
  };
  const next = async (https: boolean, headers: Record<string, string> = {}) => {
    const url = await open(link, { https, trustedProxies: ['loopback'] });
    const found = (await (await fetch(`${url}/v1/orders?sort=a`, { headers })).json()) as string;
    await web.close();
    return found.replace(/:\d+/, '');
  };
  expect(await next(true)).toBe('<https://127.0.0.1/v1/orders?sort=a&page%5Bafter%5D=b>; rel="next"');
  expect(await next(false)).toMatch(/^<http:/);
  expect(await next(false, { 'X-Forwarded-Proto': 'https' })).toMatch(/^<https:/);
});

test('an answer that takes too long is replaced by a 503', async () => {
  const url = await open((_req, res) => void setTimeout(() => res.headersSent || res.json({}), 400), { timeout: 100 });
  const answer = await fetch(`${url}/x`);
  expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
    503,
    '1',
    { error: { code: 'service_unavailable' } },
  ]);
  const line = { level: 50, requestId: answer.headers.get('x-request-id'), path: '/x', ms: 100, msg: 'request took longer than it may' };
  expect(lines.map((one) => JSON.parse(one))).toEqual([expect.objectContaining(line)]);
});

test('answers and refusals after that have no effect', async () => {
  let late: Promise<unknown> | undefined;
  const complaints: unknown[] = [];
  const { error } = console;
  console.error = (...what) => void complaints.push(what);
  const url = await open(
    (req, res, next) => {
      late = new Promise((resolve) => setTimeout(resolve, 400))
        .then(() => sendAnswer(req, res, { status: 201, headers: { 'X-Late': 'yes' }, body: {} }))
        .then(() => next(new BadRequest()));
    },
    { timeout: 100 },
  );
  expect((await fetch(`${url}/x`)).status).toBe(503);
  await expect(late).resolves.toBeUndefined();
  expect(complaints).toEqual([]);
  console.error = error;
});

test('a request that arrives in drops is cut off when its time is over, not long after', async () => {
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const reads: RequestHandler = (req, res) => void req.resume().once('end', () => res.json({}));
  web = await listen(createApp({ log, health: healthy(), parts: [reads] }), { port: 0, host: '127.0.0.1', arrival: 1_000 });
  const started = performance.now();
  const socket = connect(web.port, '127.0.0.1');
  socket.write('POST /x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{');
  const drops = setInterval(() => socket.writable && socket.write(' '), 50);
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes;
  });
  // A drop that falls on the closed connection resets it.
  socket.on('error', () => {});
  await new Promise((closed) => socket.once('close', closed));
  clearInterval(drops);
  expect(answer).toMatch(/^HTTP\/1.1 408 .*\{"error":\{"code":"request_timeout"\}\}$/s);
  const took = performance.now() - started;
  expect(took).toBeGreaterThan(900);
  // Node looks every half minute by itself.
  expect(took).toBeLessThan(20_000);
});

/** Resolves when the server has closed the connection, with the milliseconds that it took. @param every 20 ms, until then */
async function untilClosed(socket: Socket, every: () => void): Promise<number> {
  const started = performance.now();
  const drops = setInterval(every, 20);
  // A drop that falls on the closed connection resets it.
  socket.on('error', () => {});
  const closed = new Promise<void>((done) => socket.once('close', () => done()));
  const late = new Promise<never>((_, fail) => setTimeout(() => fail(new Error('still open')), 30_000).unref());
  await Promise.race([closed, late]).finally(() => {
    clearInterval(drops);
    socket.destroy();
  });
  return performance.now() - started;
}

test('a client that goes on sending while it waits gets its 503 all the same', async () => {
  await open(() => {}, { timeout: 300 });
  const socket = connect(web.port, '127.0.0.1');
  socket.write('GET /x HTTP/1.1\r\nHost: x\r\n\r\nGET /y HTTP/1.1\r\nHost: x\r\nX-Drops: ');
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes;
  });
  await untilClosed(socket, () => socket.writable && socket.write('.'));
  expect(answer).toMatch(/^HTTP\/1.1 503 .*\{"error":\{"code":"service_unavailable"\}\}$/s);
});

test('a client that takes its answer in drops is cut off, and what still runs for it ends', async () => {
  let left = false;
  const answers: RequestHandler = (_req, res) =>
    void res.once('close', () => (left = !res.writableFinished)).send(Buffer.alloc(64_000_000));
  await open(answers, { timeout: 200, leastRate: 128_000_000 });
  const socket = connect(web.port, '127.0.0.1');
  socket.write('GET /x HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\n\r\n');
  socket.pause();
  let taken = 0;
  await untilClosed(socket, () => {
    taken += socket.read(1)?.length ?? 0;
    if (left) socket.destroy();
  });
  expect([left, taken > 0]).toEqual([true, true]);
});

test('an answer that is made over a longer time than a request has comes whole', async () => {
  const url = await open(
    async (_req, res) => {
      for (let line = 0; line < 6; line++) {
        res.write(`${line}\n`);
        await new Promise((wake) => setTimeout(wake, 100));
      }
      res.end('end');
    },
    { timeout: 150 },
  );
  expect(await (await fetch(`${url}/x`)).text()).toBe('0\n1\n2\n3\n4\n5\nend');
});

test('an answer of many parts that is compressed keeps no listener of each', async () => {
  const { prototype } = createGzip().constructor as unknown as { prototype: EventEmitter };
  const made = new Set<EventEmitter>();
  const on = prototype.on;
  prototype.on = function (this: EventEmitter, ...heard) {
    made.add(this);
    return on.apply(this, heard);
  };
  const waiting: number[] = [];
  async function* parts() {
    for (let i = 0; i < 60; i++) {
      yield `${randomBytes(60_000).toString('base64')}\n`;
      waiting.push([...made][0]!.listenerCount('drain'));
    }
  }
  const url = await open(async (_req, res) => void (await streamText(res.type('application/x-ndjson'), parts())));
  const answer = await fetch(url, { headers: { 'Accept-Encoding': 'gzip' } });
  expect([answer.headers.get('content-encoding'), (await answer.text()).split('\n').length]).toEqual(['gzip', 61]);
  Reflect.deleteProperty(prototype, 'on');
  expect([made.size, waiting.length, Math.max(...waiting) < 5]).toEqual([1, 60, true]);
});

test.each([
  [`GET /x?${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'request_header_fields_too_large'],
  ['gravel\r\n\r\n', 400, 'bad_request'],
])('an invalid request is answered like any error: %#', async (said, status, code) => {
  await open((_req, res) => void res.json({}));
  const socket = connect(web.port, '127.0.0.1').setEncoding('utf8');
  socket.write(said);
  let answer = '';
  for await (const text of socket) answer += text;
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toContain(`HTTP/1.1 ${status} `);
  expect([JSON.parse(body), /Content-Length: (\d+)/.exec(head)?.[1]]).toEqual([{ error: { code } }, String(body.length)]);
});

test('code that works for a request knows its id', async () => {
  const url = await open((_req, res) => void setTimeout(() => res.json(requestScope.getStore()), 5));
  const answer = await fetch(`${url}/x`, { headers: { 'X-Request-Id': 'load-8' } });
  expect(await answer.json()).toEqual({ requestId: answer.headers.get('x-request-id'), clientRequestId: 'load-8' });
});

test('a request id is never chosen by the client, and a harmful client id is not repeated', async () => {
  const url = await open((_req, res) => void res.json({}));
  const first = await fetch(`${url}/x`);
  const ours = first.headers.get('x-request-id')!;
  for (const [sent, echoed] of [
    [ours, ours],
    ['a'.repeat(128), 'a'.repeat(128)],
    ['a'.repeat(129), null],
    ['two words', null],
    ['"quoted"', null],
  ] as const) {
    const { headers } = await fetch(`${url}/x`, { headers: { 'X-Request-Id': sent } });
    expect([headers.get('x-request-id'), headers.get('x-client-request-id')]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), echoed]);
    expect(headers.get('x-request-id')).not.toBe(ours);
  }
});

test('over TLS, every answer demands TLS for the future, including errors', async () => {
  const url = await open((_req, res) => void res.json({}), { https: true });
  for (const path of ['/x', '/health', '/version', '/%'])
    expect([path, (await fetch(url + path)).headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000']);
  await web.close();
  const plain = await open((_req, res) => void res.json({}));
  expect((await fetch(`${plain}/x`)).headers.get('strict-transport-security')).toBeNull();
});

test('while it stops, the server is not ready and asks clients to reconnect, but answers', async () => {
  let stopping = false;
  const ready = async () => {
    if (stopping) throw new Error('stopping');
  };
  const url = await open((_req, res) => void res.json({}), { health: { ...healthy(), ready }, isStopping: () => stopping });
  expect([(await fetch(`${url}/ready`)).status, (await fetch(`${url}/x`)).headers.get('connection')]).toEqual([200, 'keep-alive']);
  stopping = true;
  expect((await fetch(`${url}/ready`)).status).toBe(503);
  const answer = await fetch(`${url}/x`);
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
});

test('health reports what is missing; only a missing database makes it a 503', async () => {
  const parts = { db: true, migrations: true, redis: false };
  const url = await open((_req, res) => void res.json({}), { health: { ...healthy(), parts: async () => parts } });
  const lost = await fetch(`${url}/health`);
  expect([lost.status, await lost.json()]).toMatchObject([200, { data: { db: true, redis: false, sidekiq_redis: false } }]);
  Object.assign(parts, { db: false, migrations: false });
  const away = await fetch(`${url}/health`);
  expect([away.status, away.headers.get('retry-after'), ((await away.json()) as { data: object }).data]).toMatchObject([
    503,
    '1',
    { db: false, geo_db_ro: false, migrations: false },
  ]);
});
