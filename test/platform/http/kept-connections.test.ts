import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { guardedFetch } from '../../../src/platform/http/calls/guarded-fetch.ts';
import { until } from '../../helpers/until.ts';

/** The requests that came over each connection, as their paths. */
let paths: string[][];
let sockets: Socket[];
const all: Socket[] = [];
/** What the server sends when the head of a request has come. */
let answer: (socket: Socket, path: string) => void;
let server: Server;
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK';

beforeAll(async () => {
  server = createServer((socket) => {
    const own: string[] = [];
    paths.push(own);
    sockets.push(socket);
    all.push(socket);
    let head = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1');
      for (let end = head.indexOf('\r\n\r\n'); end >= 0; end = head.indexOf('\r\n\r\n')) {
        const path = /^\w+ (\S+)/.exec(head)![1]!;
        own.push(path);
        head = head.slice(end + 4);
        answer(socket, path);
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterAll(() => {
  for (const socket of all) socket.destroy();
  return new Promise<void>((done) => server.close(() => done()));
});
beforeEach(() => {
  paths = [];
  sockets = [];
  answer = (socket) => socket.write(OK);
});

const call = async (path: string, kept?: string, timeout?: number, body?: string): Promise<string> => {
  const { port } = server.address() as { port: number };
  const how = body === undefined ? {} : { method: 'POST', body };
  const answered = await guardedFetch({ allowPrivate: true, kept, timeout })(`http://127.0.0.1:${port}${path}`, how);
  return `${answered.status} ${await answered.text()}`;
};

test('calls of one name share a connection, and those of others and without a name have their own', async () => {
  for (const [path, kept] of [
    ['/a1', 'a'],
    ['/b1', 'b'],
    ['/none1', undefined],
    ['/a2', 'a'],
    ['/b2', 'b'],
    ['/none2', undefined],
  ] as const)
    expect(await call(path, kept)).toBe('200 OK');
  expect(paths).toEqual([['/a1', '/a2'], ['/b1', '/b2'], ['/none1'], ['/none2']]);
});

test('calls at the same time share none', async () => {
  const waiting: Socket[] = [];
  answer = (socket) => void waiting.push(socket);
  const calls = [call('/one', 'at once'), call('/two', 'at once')];
  await until(() => waiting.length === 2);
  for (const socket of waiting) socket.write(OK);
  expect(await Promise.all(calls)).toEqual(['200 OK', '200 OK']);
  expect(paths.map(({ length }) => length)).toEqual([1, 1]);
});

test.each([
  ['another answer', `${OK}HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nNO`],
  ['what is no answer', `${OK}${'x'.repeat(200)}`],
])('after an answer with %s behind it a connection is used no more', async (_what, sent) => {
  answer = (socket, path) => socket.write(path === '/first' ? sent : OK);
  const name = `behind ${sent.length}`;
  await call('/first', name).catch((error) => expect(error).toMatchObject({ code: expect.stringMatching(/^HPE_/) }));
  expect(await call('/second', name)).toBe('200 OK');
  expect(paths).toEqual([['/first'], ['/second']]);
});

test('an answer that comes unasked on a kept connection reaches at most those who share it', async () => {
  expect(await call('/first', 'unasked')).toBe('200 OK');
  sockets[0]!.write('HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nNO');
  expect(await call('/other', 'asks by itself')).toBe('200 OK');
  expect(paths).toEqual([['/first'], ['/other']]);
});

test('an answer before all was sent is an answer, and its connection is used for nothing else until that is done', async () => {
  answer = (socket, path) => {
    if (path === '/large') socket.pause();
    socket.write(OK);
  };
  // More than the buffers of both ends.
  expect(await call('/large', 'early', undefined, 'x'.repeat(64 * 1024 * 1024))).toBe('200 OK');
  expect(await call('/small', 'early')).toBe('200 OK');
  expect(paths).toEqual([['/large'], ['/small']]);
});

test('headers that never end, or are too many, are the end of the connection', async () => {
  answer = (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'X-More: more\r\n'.repeat(10_000)}`);
  await expect(call('/many', 'endless')).rejects.toThrow(/Header overflow/);
  answer = (socket) => socket.write('HTTP/1.1 200 OK\r\nX-More');
  await expect(call('/slow', 'endless', 500)).rejects.toThrow(/aborted/);
  answer = (socket) => socket.write(OK);
  expect(await call('/last', 'endless')).toBe('200 OK');
  expect(paths.at(-1)).toEqual(['/last']);
  expect(paths[0]).toEqual(['/many']);
});

test('a connection of which the other end closed its half is used no more, or the call is sent again', async () => {
  expect(await call('/first', 'half')).toBe('200 OK');
  sockets[0]!.end();
  expect(await call('/second', 'half')).toBe('200 OK');
  expect(paths.at(-1)).toEqual(['/second']);
});
