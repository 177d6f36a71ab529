import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from '../../src/client/client.ts';

type Operations = Record<`GET /${string}` | 'POST /orders', { request: { body?: unknown }; data: unknown }>;

/** Answers each request with what its path says: `/3-0/16B3748` as the position, `/none`, `/without`; `/held` when it is let go. */
let let_go: () => void;
const sent: (string | undefined)[] = [];
const server = createServer(async (req, res) => {
  sent.push(req.headers['x-read-position'] as string | undefined);
  const [, position = '', held] = /^\/([\d\w-]+(?:\/[\dA-F]+)?)(\/held)?$/.exec(req.url!)!;
  if (held) await new Promise<void>((done) => (let_go = done));
  if (position === 'orders') return void res.writeHead(503, { 'Retry-After': '0', 'X-Read-Position': 'none' }).end();
  if (position !== 'without') res.setHeader('X-Read-Position', position);
  res.setHeader('Content-Type', 'application/json').end('{"data":[]}');
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

test('a client that reads a lot sends the greatest position that it was answered, and none after an answer without one', async () => {
  const plain = new Client<Operations>({ url, token: 't' }, {});
  for (const _ of [1, 2]) await plain.call('GET /1-0/FF');
  expect(sent.splice(0)).toEqual([undefined, undefined]);

  const client = new Client<Operations>({ url, token: 't', ownReads: true, retries: 0 }, {});
  const asked = async (...paths: `/${string}`[]) => {
    for (const path of paths) await client.call(`GET ${path}`);
    return sent.splice(0);
  };
  // Another process may answer with an older one; places are numbers, and a new history is after every place of the one before.
  expect(await asked('/1-0/FF', '/1-0/1A', '/1-0/100', '/1-1/0', '/2-0/1', '/1-9/9', '/2-0/2')).toEqual([
    undefined,
    '1-0/FF',
    '1-0/FF',
    '1-0/100',
    '1-1/0',
    '2-0/1',
    '2-0/1',
  ]);
  expect(await asked('/without', '/1-0/5', '/none', '/1-0/7', '/1-0/8')).toEqual(['2-0/2', undefined, '1-0/5', undefined, '1-0/7']);
  // A change of which nobody knows whether it was done.
  await expect(client.call('POST /orders', { body: {} })).rejects.toThrow('cannot be reached');
  expect([...sent.splice(0), ...(await asked('/1-0/9'))]).toEqual(['1-0/8', undefined]);
  // An answer to a request that began before the position was forgotten says nothing of later ones.
  const early = client.call('GET /1-0/A/held');
  while (sent.length === 0) await new Promise((done) => setTimeout(done, 5));
  await client.call('GET /none');
  let_go();
  await early;
  expect([...sent.splice(0), ...(await asked('/1-0/B'))]).toEqual(['1-0/9', '1-0/9', undefined]);
});
