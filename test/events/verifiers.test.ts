import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { Receiver } from './receiver.ts';

let app: TestApp;
let tenant: Tenant;
let receiver: Receiver;

beforeAll(async () => {
  app = await startTestApp({ shared: true, webhooks: true });
  tenant = await makeTenant(app);
  receiver = await new Receiver().start();
});
afterAll(async () => {
  await app.close();
  await receiver.stop();
});

test.each([
  ['Standard Webhooks', (secret: string) => new StandardWebhook(secret)],
  ['Svix', (secret: string) => new SvixWebhook(secret)],
] as const)(
  'the library of %s verifies what is sent, with either secret while one is replaced, and nothing else',
  async (name, verifierOf) => {
    const path = `/${name.split(' ')[0]}`;
    const { id, secret } = await tenant.must('POST', '/v1/webhook_subscriptions', { url: receiver.url(path), triggers: ['Order::create'] });
    const { id: orderId } = await makeOrder(tenant, { notes: 'Größe: 3/4″ – “clean” \u2028' });
    await until(() => receiver.at(path).length === 1);
    const [first] = receiver.at(path) as [(typeof receiver.received)[number]];
    const headers = first.headers as Record<string, string>;
    verifierOf(secret).verify(first.raw, headers);
    expect(first.body).toMatchObject({ event: 'Order::create', payload: { id: orderId } });
    expect(() => verifierOf(secret).verify(first.raw.replace('"attempt":1', '"attempt":2'), headers)).toThrow();
    expect(() => verifierOf(secret).verify(first.raw, { ...headers, 'webhook-id': 'another' })).toThrow();
    const { secret: next } = await tenant.must('PUT', `/v1/webhook_subscriptions/${id}/rotate`);
    await makeOrder(tenant);
    await until(() => receiver.at(path).length === 2);
    const second = receiver.at(path)[1]!;
    for (const key of [secret, next]) verifierOf(key).verify(second.raw, second.headers as Record<string, string>);
    expect(() => verifierOf(next).verify(first.raw, headers)).toThrow();
  },
);
