import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { makeOrder } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { makeReceiving } from './receiving.ts';

const on = makeReceiving();

test.each([
  ['Standard Webhooks', (secret: string) => new StandardWebhook(secret)],
  ['Svix', (secret: string) => new SvixWebhook(secret)],
] as const)(
  'the library of %s verifies what is sent, with either secret while one is replaced, and nothing else',
  async (name, verifierOf) => {
    const path = `/${name.split(' ')[0]}`;
    const { id, secret } = await on.tenant.must('POST', '/v1/webhook_subscriptions', {
      url: on.receiver.url(path),
      triggers: ['Order::create'],
    });
    const { id: orderId } = await makeOrder(on.tenant, { notes: 'Größe: 3/4″ – “clean” \u2028' });
    await until(() => on.receiver.at(path).length === 1);
    const [first] = on.receiver.at(path) as [(typeof on.receiver.received)[number]];
    const headers = first.headers as Record<string, string>;
    verifierOf(secret).verify(first.raw, headers);
    expect(first.body).toMatchObject({ event: 'Order::create', payload: { id: orderId } });
    expect(() => verifierOf(secret).verify(first.raw.replace('"attempt":1', '"attempt":2'), headers)).toThrow();
    expect(() => verifierOf(secret).verify(first.raw, { ...headers, 'webhook-id': 'another' })).toThrow();
    const { secret: next } = await on.tenant.must('PUT', `/v1/webhook_subscriptions/${id}/rotate`);
    await makeOrder(on.tenant);
    await until(() => on.receiver.at(path).length === 2);
    const second = on.receiver.at(path)[1]!;
    for (const key of [secret, next]) verifierOf(key).verify(second.raw, second.headers as Record<string, string>);
    expect(() => verifierOf(next).verify(first.raw, headers)).toThrow();
  },
);

test('what the guide does with the public key verifies what is sent, and nothing else', async () => {
  const [, code] = /^```js v1a\n(.*?)^```/ms.exec(readFileSync('docs/webhooks.md', 'utf8'))!;
  const of = { url: on.receiver.url('/public-key'), triggers: ['Order::create'] };
  const { public_key: key } = await on.tenant.must('POST', '/v1/webhook_subscriptions', of);
  const { public_key: another } = await on.tenant.must('POST', '/v1/webhook_subscriptions', { ...of, url: on.receiver.url('/another') });
  await makeOrder(on.tenant);
  await until(() => on.receiver.at('/public-key').length === 1);
  const [{ headers, raw }] = on.receiver.at('/public-key') as [(typeof on.receiver.received)[number]];
  const old = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 600) };
  const cases = [
    [key, headers, raw],
    [key, headers, `${raw} `],
    [another, headers, raw],
    [key, { ...headers, 'webhook-id': 'another' }, raw],
    [key, old, raw],
  ];
  const run = `${code}\nconsole.log(JSON.stringify(${JSON.stringify(cases)}.map((one) => isGenuine(...one))));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', run], { encoding: 'utf8' });
  expect([stderr, JSON.parse(stdout)]).toEqual(['', [true, false, false, false, false]]);
});
