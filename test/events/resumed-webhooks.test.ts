import { createHmac } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { makeOrder, makeTenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { makeReceiving } from './receiving.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const on = makeReceiving({ deliveries: true });
beforeEach(async () => {
  on.tenant = await makeTenant(on.app);
});

const PATH = '/v1/webhook_subscriptions';
const sql = (text: string, values: unknown[]) => on.app.orm.em.fork().getConnection().execute<Json[]>(text, values);
const log = ({ id }: Json): Promise<Json[]> => on.tenant.must('GET', `${PATH}/${id}/deliveries`);

/** Makes an order whose event the endpoint refuses, as it did for a day: it is tried again in hours, and so is what follows of the order. */
async function refused(subscription: Json): Promise<Json> {
  on.receiver.answer = () => 500;
  const order = await makeOrder(on.tenant);
  const [delivery] = (await log(subscription)).filter(({ subject_id }) => subject_id === order.id);
  await until(async () => (await on.tenant.must('GET', `/v1/webhook_deliveries/${delivery.id}`)).tries.length === 1);
  await sql(`update webhook_delivery set due_at = now() + interval '6 hours' where id = ?`, [delivery.id]);
  await on.tenant.must('PATCH', on.tenant.path(`/orders/${order.id}`), { notes: 'meanwhile' });
  on.receiver.answer = () => 204;
  return order;
}
const taken = (path: string, order: Json) =>
  on.receiver.at(path).flatMap(({ body }) => (body.payload.id === order.id ? [[body.meta.sequence, body.attempt]] : []));

test('what waits to be tried again is sent when its subscription is resumed, and when it gets another address', async () => {
  const triggers = ['Order::create', 'Order::update'];
  const subscription = await on.tenant.must('POST', PATH, { url: on.receiver.url('/mended'), triggers });
  const order = await refused(subscription);
  await sql(`update webhook_subscription set disabled_at = now(), disabled_reason = 'failing', notified_at = now() where id = ?`, [
    subscription.id,
  ]);
  await on.tenant.must('PUT', `${PATH}/${subscription.id}/resume`);
  await until(() => taken('/mended', order).length === 3);
  expect(taken('/mended', order)).toEqual([
    [1, 1],
    [1, 2],
    [2, 1],
  ]);
  const moved = await refused(subscription);
  // What changes nothing of the address hurries nothing.
  await on.tenant.must('PATCH', `${PATH}/${subscription.id}`, { name: 'Yard', url: on.receiver.url('/mended') });
  const due = (await log(subscription)).flatMap(({ due_at }) => (due_at === null ? [] : [Date.parse(due_at)]));
  expect(due.filter((at) => at > Date.now() + 1_800_000)).toHaveLength(2);
  await on.tenant.must('PATCH', `${PATH}/${subscription.id}`, { url: on.receiver.url('/elsewhere') });
  await until(() => taken('/elsewhere', moved).length === 2);
  expect(taken('/elsewhere', moved)).toEqual([
    [1, 2],
    [2, 1],
  ]);
});

test('how an address answered that was left meanwhile says nothing of the new one', async () => {
  const subscription = await on.tenant.must('POST', PATH, { url: on.receiver.url('/left'), triggers: ['Order::create'] });
  const [asked, moved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  on.receiver.answer = ({ path }) => {
    if (path !== '/left') return 204;
    asked.resolve();
    return (res) => void moved.promise.then(() => res.writeHead(410).end());
  };
  const order = await makeOrder(on.tenant);
  await asked.promise;
  await on.tenant.must('PATCH', `${PATH}/${subscription.id}`, { url: on.receiver.url('/taken-over') });
  moved.resolve();
  await until(() => taken('/taken-over', order).length > 0);
  expect(taken('/taken-over', order)).toEqual([[1, 2]]);
  expect(await on.tenant.must('GET', `${PATH}/${subscription.id}`)).toMatchObject({ disabled_at: null, failing_since: null });
});

test('a new address has all tries and all days before it is switched off', async () => {
  const subscription = await on.tenant.must('POST', PATH, { url: on.receiver.url('/weak'), triggers: ['Order::create', 'Order::update'] });
  const order = await refused(subscription);
  // As if the first one had failed for days.
  await sql(`update webhook_delivery set attempts = 6 where subscription_id = ? and attempts > 0`, [subscription.id]);
  await sql(`update webhook_subscription set failing_since = now() - interval '4 days' where id = ?`, [subscription.id]);
  on.receiver.answer = () => 500;
  await on.tenant.must('PATCH', `${PATH}/${subscription.id}`, { url: on.receiver.url('/as-weak') });
  const [delivery] = (await log(subscription)).filter(({ sequence }) => String(sequence) === '1');
  await until(async () => (await on.tenant.must('GET', `/v1/webhook_deliveries/${delivery.id}`)).tries.length === 2);
  const { disabled_at, failing_since } = await on.tenant.must('GET', `${PATH}/${subscription.id}`);
  const { tries_from, attempts } = (await sql('select tries_from, attempts from webhook_delivery where id = ?', [delivery.id]))[0];
  expect([tries_from, attempts]).toEqual([6, 7]);
  expect([disabled_at, Date.parse(failing_since) > Date.now() - 3_600_000]).toEqual([null, true]);
  expect(taken('/as-weak', order)).toEqual([[1, 7]]);
});

test('nothing waits any more for the endpoints of a company that is discarded', async () => {
  const parent = await makeTenant(on.app);
  await sql('update company set parent_company_id = ? where id = ?', [parent.company.id, on.tenant.company.id]);
  const subscription = await on.tenant.must('POST', PATH, {
    url: on.receiver.url('/closed'),
    triggers: ['Order::create', 'Order::update'],
  });
  const order = await refused(subscription);
  expect(taken('/closed', order)).toHaveLength(1);
  const token = await parent.administrator();
  expect((await parent.http('DELETE', `/v1/companies/${on.tenant.company.id}`, undefined, token)).status).toBe(204);
  await sql(`update webhook_delivery set due_at = now() where subscription_id = ?`, [subscription.id]);
  // Another endpoint gets what happens after it.
  const other = await parent.must('POST', PATH, { url: on.receiver.url('/open'), triggers: ['Order::create'] });
  const later = await makeOrder(parent);
  await until(() => taken('/open', later).length === 1);
  expect(taken('/closed', order)).toHaveLength(1);
  await parent.must('DELETE', `${PATH}/${other.id}`);
});

test('while two secrets sign, a third is refused, because it would end the only one that a receiver may know', async () => {
  on.receiver.answer = () => 204;
  const made = await on.tenant.must('POST', PATH, { url: on.receiver.url('/thrice'), triggers: ['Order::create'] });
  const rotate = (body?: object) => on.tenant.http('PUT', `${PATH}/${made.id}/rotate`, body);
  const second = (await rotate()).body.data;
  const { status, body } = await rotate();
  expect([status, body.error.errors]).toEqual([
    409,
    [{ model: 'WebhookSubscription', field: 'overlap_seconds', message: expect.stringContaining(second.previous_secret_expires_at) }],
  ]);
  await on.tenant.must('PUT', `${PATH}/${made.id}/test`);
  await until(() => on.receiver.at('/thrice').length === 1);
  const [{ headers, raw }] = on.receiver.at('/thrice') as [Json];
  const of = (key: string) => createHmac('sha256', key).update(raw).digest('hex');
  expect([headers['x-haulgate-hmac-sha256'], headers['x-haulgate-hmac-sha256-previous']]).toEqual([of(second.secret), of(made.secret)]);
  // At once, or when the oldest has ended, there is nobody who could not know.
  expect((await rotate({ overlap_seconds: 0 })).body.data.previous_secret_expires_at).toBeNull();
  expect((await rotate({ overlap_seconds: 60 })).status).toBe(200);
  await sql('update webhook_subscription set previous_secret_expires_at = now() where id = ?', [made.id]);
  expect((await rotate({ overlap_seconds: 60 })).status).toBe(200);
});
