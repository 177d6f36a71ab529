import type { ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { webhookSettings } from '../../src/events/webhooks/settings.ts';
import { until } from '../helpers/until.ts';
import { makeReceiving } from './receiving.ts';
import { selfSigned } from './self-signed.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const on = makeReceiving();

/** Has a test sent to an address. */
async function send(url: string): Promise<Json> {
  const of = { url: 'https://hooks.example', triggers: ['Order::create'] };
  const { id } = await on.tenant.must('POST', '/v1/webhook_subscriptions', of);
  // As if the address had been a good one when it was entered.
  await on.app.orm.em.fork().getConnection().execute('update webhook_subscription set url = ? where id = ?', [url, id]);
  return on.tenant.must('PUT', `/v1/webhook_subscriptions/${id}/test`);
}
const shownOf = ({ id }: Json): Promise<Json> => on.tenant.must('GET', `/v1/webhook_deliveries/${id}`);

/** Sends a test to an address, and returns its first try. */
async function tried(url: string): Promise<Json> {
  const delivery = await send(url);
  let shown: Json;
  await until(async () => {
    shown = await shownOf(delivery);
    return shown.tries.length > 0;
  });
  return { state: shown.state, ...shown.tries[0] };
}
const limits = (changes: object) => on.app.application.provide(webhookSettings, { privateHosts: true, timeout: 10_000, ...changes });

test('a redirect, also one to the metadata address of a cloud, is not followed', async () => {
  on.receiver.answer = () => (res) => res.writeHead(307, { Location: on.receiver.url('/metadata') }).end();
  expect(await tried(on.receiver.url('/redirect'))).toMatchObject({ state: 'pending', response_status: 307, error: null });
  expect(on.receiver.at('/metadata')).toEqual([]);
});

test.each([
  'http://127.0.0.1',
  'https://127.0.0.1',
  'https://169.254.169.254/latest/meta-data',
  'https://[::1]',
  'https://[::ffff:10.0.0.1]',
  'https://localhost',
  'https://2130706433',
])('%s is not called, whatever it was when it was entered', async (url) => {
  limits({ privateHosts: false });
  expect(await tried(url)).toMatchObject({ state: 'pending', response_status: null, error: expect.stringMatching(/^refused: /) });
  const { status, body } = await on.tenant.http('POST', '/v1/webhook_subscriptions', { url, triggers: ['Order::create'] });
  expect([status, body.error.errors.map(({ field }: Json) => field)]).toEqual([422, ['url']]);
  limits({});
});

test('a slow answer is no answer, and holds up nobody else', async () => {
  const drip = (res: ServerResponse) => {
    res.writeHead(200);
    const drops = setInterval(() => res.write('.'), 50);
    res.once('close', () => clearInterval(drops));
  };
  on.receiver.answer = ({ path }) => (path === '/quick' ? 204 : drip);
  // Longer than this test waits for anything.
  limits({ timeout: 120_000 });
  const endless = await send(on.receiver.url('/drip'));
  await until(() => on.receiver.at('/drip').length === 1);
  expect(await tried(on.receiver.url('/quick'))).toMatchObject({ state: 'delivered', response_status: 204 });
  expect((await shownOf(endless)).tries).toEqual([]);
  limits({ timeout: 300 });
  expect(await tried(on.receiver.url('/slow'))).toMatchObject({
    state: 'pending',
    response_status: null,
    error: 'no complete answer in time',
  });
  limits({});
});

test.each([
  [
    'a status that HTTP does not have',
    (res: ServerResponse) => res.writeHead(999).end(),
    'it answers 999, which is no status of an answer',
  ],
  [
    'another protocol',
    (res: ServerResponse) => res.writeHead(101, { Connection: 'Upgrade', Upgrade: 'other' }).end(),
    'it answers 101 and speaks another protocol',
  ],
  ['a closed connection', (res: ServerResponse) => res.destroy(), 'ECONNRESET'],
])('%s is no answer, and the next delivery is sent', async (_, answer, error) => {
  on.receiver.answer = () => answer;
  expect(await tried(on.receiver.url('/odd'))).toMatchObject({ state: 'pending', response_status: null, error: `not reached: ${error}` });
  on.receiver.answer = () => (res) => res.writeHead(204).end();
  expect(await tried(on.receiver.url('/next'))).toMatchObject({ state: 'delivered', response_status: 204 });
});

test('of an endless answer 64 KB are read', async () => {
  on.receiver.answer = () => (res) => {
    res.writeHead(200);
    const more = () => {
      while (res.write('x'.repeat(10_000)));
      res.once('drain', more);
    };
    res.once('close', () => res.removeAllListeners('drain'));
    more();
  };
  const { state, response_status, response_body } = await tried(on.receiver.url('/endless'));
  expect([state, response_status, response_body.length]).toEqual(['delivered', 200, 65_536]);
});

test('an endpoint with a certificate that nobody vouches for gets nothing', async () => {
  const server = createTlsServer(selfSigned(), (_, res) => res.end());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  expect(await tried(`https://127.0.0.1:${port}/`)).toMatchObject({
    ...{ state: 'pending', response_status: null, error: 'not reached: DEPTH_ZERO_SELF_SIGNED_CERT' },
  });
  await new Promise((done) => server.close(done));
});

test('bytes that are no text are kept as far as they are one', async () => {
  on.receiver.answer = () => (res) => res.writeHead(500).end(Buffer.from([0x61, 0, 0xff, 0x62]));
  expect(await tried(on.receiver.url('/bytes'))).toMatchObject({ response_status: 500, response_body: 'a\uFFFD\uFFFDb' });
});
