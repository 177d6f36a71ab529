import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { until } from '../helpers/until.ts';
import { makeReceiving } from './receiving.ts';
import { tryingOf } from './trying.ts';

const on = makeReceiving();

const { send, shownOf, tried, limits } = tryingOf(on);

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

test('bytes that are no text are kept as far as they are one', async () => {
  on.receiver.answer = () => (res) => res.writeHead(500).end(Buffer.from([0x61, 0, 0xff, 0x62]));
  expect(await tried(on.receiver.url('/bytes'))).toMatchObject({ response_status: 500, response_body: 'a\uFFFD\uFFFDb' });
});
