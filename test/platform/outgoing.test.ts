import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AddressRefused, guardedFetch, isPrivate } from '../../src/platform/http/outgoing.ts';

const server = createServer((req, res) => {
  if (req.url === '/long') return res.end(Buffer.alloc(2 << 20));
  if (req.url === '/slow') return undefined;
  if (req.url === '/away') return res.writeHead(302, { location: '/' }).end();
  if (req.url === '/nothing') return res.writeHead(204).end();
  const parts: Buffer[] = [];
  req.on('data', (part) => parts.push(part));
  return req.on('end', () => res.setHeader('x-method', req.method!).end(Buffer.concat(parts)));
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close().closeAllConnections());

const open = guardedFetch({ allowPrivate: true, timeout: 300 });
const guarded = guardedFetch({ allowPrivate: false, timeout: 5_000 });

test('an answer has its status, headers and body', async () => {
  const answer = await open(url, { method: 'POST', body: new URLSearchParams({ a: 'ü' }), headers: { 'x-a': '1' } });
  expect([answer.status, answer.headers.get('x-method'), await answer.text()]).toEqual([200, 'POST', 'a=%C3%BC']);
  expect((await open(`${url}/nothing`)).status).toBe(204);
  expect((await open(`${url}/away`)).status).toBe(302);
});

test('answers that are too long or too late are given up', async () => {
  await expect(open(`${url}/long`)).rejects.toThrow(/longer than/);
  await expect(open(`${url}/slow`)).rejects.toThrow(/abort|timeout/i);
});

test('addresses of private networks and other protocols are not called, by number or by name', async () => {
  for (const address of [url, 'http://example.com', 'ftp://example.com', 'file:///etc/passwd', 'data:,x'])
    await expect(guarded(address)).rejects.toThrow(AddressRefused);
  for (const host of [
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '[::1]',
    '[fd00::1]',
    '[::ffff:127.0.0.1]',
    '0x7f.1',
    '2130706433',
    'localhost',
  ])
    await expect(guarded(`https://${host}/`)).rejects.toThrow(AddressRefused);
});

test('private ranges are known by their edges', () => {
  const kept = [
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    'fe80::1',
    'fc00::',
    '64:ff9b::a00:1',
    '::ffff:10.0.0.1',
  ];
  const free = ['9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0', '100.128.0.0', '8.8.8.8', '::ffff:8.8.8.8', '2606:4700::1111'];
  expect(kept.filter((one) => !isPrivate(one))).toEqual([]);
  expect(free.filter(isPrivate)).toEqual([]);
});
