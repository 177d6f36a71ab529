import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { makeReceiving } from './receiving.ts';
import { tryingOf } from './trying.ts';

const on = makeReceiving();
const { send, triedOf } = tryingOf(on);

interface Request {
  path: string;
  /** The number of the connection, from 1 on. */
  connection: number;
  id: string;
}

let server: Server;
let requests: Request[];
let sockets: Socket[];
let answer: (res: ServerResponse, request: Request) => void;

beforeAll(async () => {
  server = createServer((req, res) => {
    const request = { path: req.url!, connection: sockets.indexOf(req.socket) + 1, id: String(req.headers['webhook-id']) };
    req.resume().once('end', () => {
      requests.push(request);
      answer(res, request);
    });
  });
  // Longer than a test waits for anything: it is ours that ends connections.
  server.keepAliveTimeout = 600_000;
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterAll(() => {
  server.closeAllConnections();
  return new Promise((done) => server.close(done));
});
beforeEach(() => {
  requests = [];
  sockets = [];
  answer = (res) => res.writeHead(204).end();
});
const url = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

/** Has a delivery sent again, and returns its last try. */
// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
async function again(delivery: any, count: number): Promise<unknown> {
  await on.tenant.must('PUT', `/v1/webhook_deliveries/${delivery.id}/redeliver`);
  return triedOf(delivery, count);
}

test('a connection that the endpoint closes as something is sent is no failure', async () => {
  const delivery = await send(url('/leaves'));
  expect(await triedOf(delivery)).toMatchObject({ state: 'delivered', attempt: 1 });
  // Whatever connection is kept by then is closed without an answer.
  answer = (res, { connection }) => (connection === 1 ? res.socket!.destroy() : res.writeHead(204).end());
  expect(await again(delivery, 2)).toMatchObject({ state: 'delivered', attempt: 2, response_status: 204, error: null });
  const [first, ...others] = requests;
  expect(others.at(-1)!.connection).toBeGreaterThan(1);
  expect(new Set([first!.id, ...others.map(({ id }) => id)]).size).toBe(1);
});

test('a new connection that is closed without an answer is a failure, and nothing is sent a second time', async () => {
  answer = (res) => res.socket!.destroy();
  expect(await triedOf(await send(url('/closes')))).toMatchObject({ state: 'pending', error: 'not reached: ECONNRESET' });
  expect(requests).toHaveLength(1);
});

test('subscriptions share no connection, also to the same endpoint', async () => {
  const [one, other] = [await send(url('/shared')), await send(url('/shared'))];
  await triedOf(one);
  await triedOf(other);
  for (let count = 2; count <= 4; count++) {
    await again(one, count);
    await again(other, count);
  }
  const of = (delivery: { event_id: string }) =>
    new Set(requests.filter(({ id }) => id === delivery.event_id).map(({ connection }) => connection));
  expect(requests).toHaveLength(8);
  expect([...of(one)].filter((connection) => of(other).has(connection))).toEqual([]);
});
