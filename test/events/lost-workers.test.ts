import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { webhookSettings } from '../../src/events/webhooks/settings.ts';
import { startWebhookWorker } from '../../src/events/webhooks/webhook-worker.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { Receiver } from './receiver.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
let receiver: Receiver;
const log = { warn: () => {} };

beforeAll(async () => {
  app = await startTestApp();
  app.application.provide(webhookSettings, { privateHosts: true, timeout: 10_000 });
  tenant = await makeTenant(app);
  receiver = await new Receiver().start();
});
afterAll(async () => {
  await app.close();
  await receiver.stop();
  expect(receiver.misfits).toEqual([]);
});

const subscribe = (path: string, triggers: string[]): Promise<Json> =>
  tenant.must('POST', '/v1/webhook_subscriptions', { url: receiver.url(path), triggers });
const sql = (text: string, values: unknown[] = []) => app.orm.em.fork().getConnection().execute<Json[]>(text, values);
const start = () => startWebhookWorker({ em: app.productOrm.em, log, sweepEvery: 50 });

test('what a worker was sending when it stopped or died is sent by the next one, and nothing else twice', async () => {
  const { id: lost } = await subscribe('/lost', ['Order::create']);
  const orders = [];
  for (let i = 0; i < 3; i++) orders.push((await makeOrder(tenant)).id);
  // The first worker gets no answers.
  receiver.answer = () => () => {};
  const first = start();
  await until(() => receiver.at('/lost').length === 3);
  await first.stop();
  // One of the three was taken by a worker that died: nobody has given it back.
  await sql(`update webhook_delivery set attempts = 2, due_at = now() + interval '2 seconds' where subject_id = ?`, [orders[0]]);
  receiver.answer = () => 204;
  const second = start();
  await until(() => receiver.at('/lost').length === 6);
  await until(async () => (await sql(`select from webhook_delivery where state <> 'delivered'`)).length === 0);
  await second.stop();
  const again = receiver.at('/lost').slice(3);
  expect(again.map(({ body }) => [body.payload.id, body.attempt]).sort()).toEqual(
    [[orders[0], 3], ...orders.slice(1).map((id) => [id, 2])].sort(),
  );
  await tenant.must('DELETE', `/v1/webhook_subscriptions/${lost}`);
});

test('endpoints that take long, each with much to take, leave slots to one that is quick', async () => {
  // Longer than this test waits for anything.
  app.application.provide(webhookSettings, { privateHosts: true, timeout: 120_000 });
  let held: ServerResponse[] = [];
  receiver.answer = ({ path }) => (path.startsWith('/slow') ? (res) => void held.push(res) : 204);
  for (let i = 0; i < 30; i++) await subscribe(`/slow${i}`, ['Order::create']);
  await subscribe('/quick', ['Order::update']);
  const orders: Json[] = [];
  for (let i = 0; i < 10; i++) orders.push(await makeOrder(tenant));
  const worker = start();
  /** Ten changes of an order come to the quick one, each after the one before, while what the others have is held. */
  const comes = async (notes: string) => {
    const before = receiver.at('/quick').length;
    for (let i = 0; i < 10; i++) await tenant.must('PATCH', tenant.path(`/orders/${orders[0].id}`), { notes: `${notes} ${i}` });
    await until(() => receiver.at('/quick').length === before + 10);
  };
  // They begin together: nobody knows of them yet that they are slow.
  await until(() => held.length === 150);
  const begun = Date.now();
  await comes('first');
  expect(held).toHaveLength(150);
  await until(() => Date.now() - begun > 1_200);
  const some = held;
  held = [];
  for (const res of some) res.writeHead(204).end();
  // Now it is known.
  await until(() => held.length === 100);
  await comes('second');
  expect(held).toHaveLength(100);
  receiver.answer = () => 204;
  for (const res of held) res.writeHead(204).end();
  await until(async () => (await sql('select from webhook_delivery where due_at is not null')).length === 0);
  expect(receiver.at('/quick')).toHaveLength(20);
  await worker.stop();
  for (const { id } of await tenant.must('GET', '/v1/webhook_subscriptions?page[limit]=100'))
    await tenant.must('DELETE', `/v1/webhook_subscriptions/${id}`);
});

test('endpoints that hang delay no other one, and several workers send nothing twice', async () => {
  // Longer than this test waits for anything.
  app.application.provide(webhookSettings, { privateHosts: true, timeout: 120_000 });
  receiver.answer = ({ path }) => (path.startsWith('/hang') ? () => {} : 204);
  // More than there are places for one endpoint.
  for (let i = 0; i < 12; i++) await subscribe(`/hang${i}`, ['Order::update']);
  const fast = await subscribe('/fast', ['Order::update']);
  const order = await makeOrder(tenant);
  const count = 20;
  for (let i = 0; i < count; i++) await tenant.must('PATCH', tenant.path(`/orders/${order.id}`), { notes: `change ${i}` });
  const workers = [start(), start()];
  await until(() => receiver.at('/fast').length === count);
  // None of the others has ended.
  const ended = 'select from webhook_attempt a join webhook_delivery d on d.id = a.delivery_id where d.subscription_id <> ?';
  expect(await sql(`${ended} and d.trigger = 'Order::update'`, [fast.id])).toEqual([]);
  expect(receiver.at('/fast').map(({ body }) => body.payload.notes)).toEqual(Array.from({ length: count }, (_, i) => `change ${i}`));
  await until(
    async () => (await sql('select from webhook_delivery where subscription_id = ? and due_at is not null', [fast.id])).length === 0,
  );
  expect(receiver.at('/fast')).toHaveLength(count);
  await Promise.all(workers.map((worker) => worker.stop()));
});
