import { expect, test } from '@jest/globals';
import { TRIGGERS } from '../../src/events/webhooks/triggers.ts';
import { makeOrder } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { catalogue, misfitsOf } from './messages.ts';
import { makeReceiving } from './receiving.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON Schema is whatever it is
type Json = any;

const { messages } = catalogue.components;

const on = makeReceiving();

test('every trigger has a message, and every reference leads somewhere', () => {
  expect(Object.values(messages).map(({ name }: Json) => name)).toEqual([...TRIGGERS, 'Webhook::test']);
  const references = [...JSON.stringify(catalogue).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!.split('/'));
  expect(references.length).toBeGreaterThan(100);
  const lost = references.filter((path) => path.reduce((at: Json, key) => at?.[key], catalogue) === undefined);
  expect(lost).toEqual([]);
});

test('what is sent of orders, jobs and loads fits its message to the last field', async () => {
  const triggers = ['Order::create', 'Order::update', 'Order::state_change', 'Job::create', 'Load::create'];
  const { id } = await on.tenant.must('POST', '/v1/webhook_subscriptions', { url: on.receiver.url(), triggers });
  await on.tenant.must('PUT', `/v1/webhook_subscriptions/${id}/test`);
  const order = await makeOrder(on.tenant);
  await on.tenant.must('PATCH', on.tenant.path(`/orders/${order.id}`), { notes: 'new' });
  await on.tenant.must('PUT', on.tenant.path(`/orders/${order.id}/accept`));
  await until(() => new Set(on.receiver.received.map(({ body }) => body.event)).size === triggers.length + 1);
  expect(on.receiver.received.flatMap(({ body }) => misfitsOf(body))).toEqual([]);
  // A misfit is found.
  const { body } = on.receiver.received.find((one) => one.body.event === 'Order::create') as Json;
  const wrong = { ...body, payload: { ...body.payload, surprise: 1, state: null } };
  const said = misfitsOf(wrong);
  expect(said).toContain('Order::create: /payload/surprise is unknown');
  expect(said.filter((one) => one.startsWith('Order::create: /payload/state ')).length).toBeGreaterThan(0);
  const { state: _, ...without } = body.payload;
  expect(misfitsOf({ ...body, payload: without })).toEqual(["Order::create: /payload must have required property 'state'"]);
});
