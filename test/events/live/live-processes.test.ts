import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { migratedDatabase } from '../../helpers/database.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { until } from '../../helpers/until.ts';
import { Receiver } from '../receiver.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** Two processes of the product on one database: what is written at the first is followed at the second. */
let writing: TestApp;
let following: TestApp;
let tenant: Tenant;
const receiver = new Receiver();
beforeAll(async () => {
  const server = { url: await migratedDatabase(), readUrls: [], mostLag: 0 };
  writing = await startTestApp({ server });
  following = await startTestApp({ server, webhooks: true });
  tenant = await makeTenant(writing);
  await receiver.start();
}, 120_000);
afterAll(async () => {
  await receiver.stop();
  await following.close();
  await writing.close();
});

const change = (id: string, notes: string): Promise<Json> => tenant.must('PATCH', tenant.path(`/orders/${id}`), { notes });

test('what one process writes is at the subscribers, in the feeds and at the endpoints of another one', async () => {
  const { id } = await makeOrder(tenant);
  const client = createClient({
    url: `${following.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${tenant.token}` },
    retryAttempts: 0,
  });
  const said: Json[] = [];
  const failed: unknown[] = [];
  const query = 'subscription ($ids: [ID!]) { recordChanged(types: [Order], ids: $ids) { record { ... on Order { notes } } } }';
  client.subscribe<Json>(
    { query, variables: { ids: [id] } },
    { next: ({ data }) => void said.push(data.recordChanged.record.notes), error: (error) => void failed.push(error), complete: () => {} },
  );
  // Nobody knows when it began to follow.
  let times = 0;
  await until(async () => {
    if (said.length + failed.length === 0) await change(id, `time ${times++}`);
    return said.length + failed.length > 0;
  });
  expect(failed).toEqual([]);

  // Kept at the one, where the other one learns of it.
  const endpoint = { url: receiver.url('/other'), triggers: ['Order::update'] };
  const { status, body: kept } = await following.http('POST', '/v1/webhook_subscriptions', { token: tenant.token, body: endpoint });
  expect(status).toBe(201);
  const ask = (more: string) => following.http('GET', `${tenant.path('/changes')}?types=Order${more}`, { token: tenant.token });
  const from: string = (await ask('')).body.meta.position;
  const waiting = ask(`&wait=20&after=${from}`);
  await change(id, 'from there');
  let { body: next } = await waiting;
  // Where the change took longer than anybody waits.
  while (next.data.length === 0) next = (await ask(`&wait=20&after=${next.meta.position}`)).body;
  expect(next.data.map((one: Json) => [one.id, one.record.notes])).toEqual([[id, 'from there']]);
  await until(() => said.at(-1) === 'from there');
  await until(() => receiver.at('/other').length > 0);
  expect(receiver.at('/other').map(({ body }) => body.payload.notes)).toEqual(['from there']);
  await tenant.must('DELETE', `/v1/webhook_subscriptions/${kept.data.id}`);
  await client.dispose();
}, 120_000);
