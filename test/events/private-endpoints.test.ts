import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { serveNames } from '../helpers/names.ts';
import { makeReceiving } from './receiving.ts';
import { selfSigned } from './self-signed.ts';
import { tryingOf } from './trying.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const on = makeReceiving();
const { send, triedOf, tried, limits } = tryingOf(on);

/** Something in the private network, such as the metadata service of a cloud: it counts who connects, whatever they say. */
let secret: Server;
let connections = 0;
const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const listen = (server: Server): Promise<void> => new Promise((done) => server.listen(0, '127.0.0.1', done));
const close = (server: Server): Promise<unknown> => new Promise((done) => server.close(done));

beforeAll(async () => {
  secret = createServer((_, res) => res.writeHead(200, { Connection: 'close' }).end('the key of the machine'));
  secret.on('connection', () => {
    connections++;
  });
  await listen(secret);
});
afterAll(() => close(secret));
beforeEach(() => {
  connections = 0;
  limits({});
});

test.each([301, 302, 303, 307, 308])('a redirect (%i) to something in the private network is not followed', async (status) => {
  const Location = `http://127.0.0.1:${portOf(secret)}/latest/meta-data`;
  on.receiver.answer = () => (res) => res.writeHead(status, { Location }).end();
  expect(await tried(on.receiver.url('/redirect'))).toMatchObject({ state: 'pending', response_status: status, error: null });
  expect(connections).toBe(0);
  // It is there for who asks it.
  expect(await (await fetch(Location)).text()).toBe('the key of the machine');
  expect(connections).toBe(1);
});

test.each([
  ['http', '127.0.0.1'],
  ['https', '127.0.0.1'],
  ['https', '[::1]'],
  ['https', '[::ffff:127.0.0.1]'],
  ['https', '[::127.0.0.1]'],
  ['https', 'localhost'],
  ['https', '2130706433'],
  ['https', '0.0.0.0'],
])('%s://%s is not called, whatever it was when it was entered', async (protocol, host) => {
  limits({ privateHosts: false });
  const url = `${protocol}://${host}:${portOf(secret)}/`;
  expect(await tried(url)).toMatchObject({ state: 'pending', response_status: null, error: expect.stringMatching(/^refused: /) });
  const { status, body } = await on.tenant.http('POST', '/v1/webhook_subscriptions', { url, triggers: ['Order::create'] });
  expect([status, body.error.errors.map(({ field }: Json) => field)]).toEqual([422, ['url']]);
  expect(connections).toBe(0);
});

test('the metadata address of a cloud is not called', async () => {
  limits({ privateHosts: false });
  expect(await tried('https://169.254.169.254/latest/meta-data')).toMatchObject({ error: expect.stringMatching(/^refused: /) });
});

/** An address of the public internet that belongs to nobody: the network of an experiment that has ended (RFC 3701). */
const NOBODY = '3ffe::1';

test('a name that leads to a public address first and to a private one afterwards, or to both, is not called there', async () => {
  limits({ privateHosts: false, timeout: 1_000 });
  const names = await serveNames(({ name, asked }) =>
    name === 'both.example' ? [NOBODY, '127.0.0.1'] : asked === 1 ? [NOBODY] : ['127.0.0.1'],
  );
  const turns = await send(`https://turns.example:${portOf(secret)}/`);
  expect(await triedOf(turns)).toMatchObject({
    response_status: null,
    error: expect.stringMatching(/^(not reached: |no complete answer)/),
  });
  await on.tenant.must('PUT', `/v1/webhook_deliveries/${turns.id}/redeliver`);
  expect(await triedOf(turns, 2)).toMatchObject({ attempt: 2, error: 'refused: turns.example is at 127.0.0.1' });
  expect(await tried(`https://both.example:${portOf(secret)}/`)).toMatchObject({ error: 'refused: both.example is at 127.0.0.1' });
  expect(connections).toBe(0);
  await names.stop();
});

test.each([
  ['that nobody vouches for', {}, false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['of another host', { address: '10.9.8.7' }, true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['that has expired', { until: '21' }, true, 'CERT_HAS_EXPIRED'],
  ['that is right', {}, true, undefined],
] as const)('an endpoint with a certificate %s', async (_, certified, isTrusted, error) => {
  const certificate = selfSigned(certified);
  const usual = tls.getCACertificates('default');
  if (isTrusted) tls.setDefaultCACertificates([...usual, certificate.cert]);
  let asked = 0;
  const server = createTlsServer(certificate, (_req, res) => {
    asked++;
    res.end();
  });
  await listen(server);
  const url = `https://127.0.0.1:${portOf(server)}/`;
  expect(await tried(url)).toMatchObject(
    error ? { state: 'pending', response_status: null, error: `not reached: ${error}` } : { state: 'delivered', response_status: 200 },
  );
  // It gets nothing of what would have been sent.
  expect(asked).toBe(error ? 0 : 1);
  await close(server);
  tls.setDefaultCACertificates(usual);
});
