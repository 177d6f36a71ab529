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
  on.receiver.answer = () => 204;
});

const PATH = '/v1/webhook_subscriptions';
const subscribe = (path: string, more: object = {}): Promise<Json> =>
  on.tenant.must('POST', PATH, { url: on.receiver.url(path), triggers: ['Order::create'], ...more });
const shown = ({ id }: Json): Promise<Json> => on.tenant.must('GET', `${PATH}/${id}`);
const log = ({ id }: Json): Promise<Json[]> => on.tenant.must('GET', `${PATH}/${id}/deliveries`);
const sql = (text: string, values: unknown[]) => on.app.orm.em.fork().getConnection().execute<Json[]>(text, values);

test('a pause keeps what happens, and the end of it sends that in its order', async () => {
  const subscription = await subscribe('/pause', { triggers: ['Order::create', 'Order::update'] });
  expect((await on.tenant.must('PUT', `${PATH}/${subscription.id}/pause`)).paused_at).not.toBeNull();
  const order = await makeOrder(on.tenant);
  await on.tenant.must('PATCH', on.tenant.path(`/orders/${order.id}`), { notes: 'meanwhile' });
  await on.app.settled();
  expect([on.receiver.at('/pause'), (await log(subscription)).map(({ state }) => state)]).toEqual([[], ['pending', 'pending']]);
  // Only a test is sent meanwhile.
  await on.tenant.must('PUT', `${PATH}/${subscription.id}/test`);
  await until(() => on.receiver.at('/pause').length === 1);
  expect(on.receiver.received.splice(-1).map(({ body }) => body.event)).toEqual(['Webhook::test']);
  await on.app.settled();
  expect(on.receiver.at('/pause')).toEqual([]);
  expect((await on.tenant.must('PUT', `${PATH}/${subscription.id}/resume`)).paused_at).toBeNull();
  await until(() => on.receiver.at('/pause').length === 2);
  expect(on.receiver.at('/pause').map(({ body }) => body.meta.sequence)).toEqual([1, 2]);
});

test('while a secret is replaced both sign, and after an overlap of 0 only the new one', async () => {
  const subscription = await subscribe('/rotate');
  const { secret } = await on.tenant.must('PUT', `${PATH}/${subscription.id}/rotate`);
  expect(secret).not.toBe(subscription.secret);
  await on.tenant.must('PUT', `${PATH}/${subscription.id}/test`);
  await until(() => on.receiver.at('/rotate').length === 1);
  const last = await on.tenant.must('PUT', `${PATH}/${subscription.id}/rotate`, { overlap_seconds: 0 });
  expect(last.previous_secret_expires_at).toBeNull();
  await on.tenant.must('PUT', `${PATH}/${subscription.id}/test`);
  await until(() => on.receiver.at('/rotate').length === 2);
  const of = (key: string, raw: string) => createHmac('sha256', key).update(raw).digest('hex');
  const [during, after] = on.receiver.at('/rotate').map(({ headers, raw }) => ({
    raw,
    hmacs: [headers['x-haulgate-hmac-sha256'], headers['x-haulgate-hmac-sha256-previous']],
    kinds: String(headers['webhook-signature'])
      .split(' ')
      .map((one) => one.split(',')[0]),
  })) as [Json, Json];
  expect(during).toMatchObject({ hmacs: [of(secret, during.raw), of(subscription.secret, during.raw)], kinds: ['v1', 'v1', 'v1a'] });
  expect(after).toMatchObject({ hmacs: [of(last.secret, after.raw), undefined], kinds: ['v1', 'v1a'] });
});

test('the log shows what was sent and answered, and not the values of added headers', async () => {
  on.receiver.answer = () => (res) => res.writeHead(503, { 'Retry-After': '7200', 'X-Reason': 'tired' }).end('not now');
  const subscription = await subscribe('/log', { headers: [{ name: 'Authorization', value: 'Bearer topsecret' }] });
  const order = await makeOrder(on.tenant);
  await until(async () => (await log(subscription))[0]?.attempts === 1 && (await tries(subscription)).length === 1);
  const [delivery] = (await log(subscription)) as [Json];
  expect(delivery).toMatchObject({ state: 'pending', trigger: 'Order::create', subject_id: order.id, sequence: '1', delivered_at: null });
  // The answer wants two hours, which is more than the 30 seconds of a first failure.
  expect(Date.parse(delivery.due_at)).toBeGreaterThan(Date.now() + 7_000_000);
  const [attempt] = (await tries(subscription)) as [Json];
  expect(on.receiver.at('/log')[0]!.headers.authorization).toBe('Bearer topsecret');
  expect(attempt).toMatchObject({
    ...{ attempt: 1, response_status: 503, response_body: 'not now', error: null, request_body: on.receiver.at('/log')[0]!.raw },
    request_headers: { Authorization: '***', 'webhook-id': delivery.event_id },
    response_headers: { 'x-reason': 'tired' },
  });
  expect((await shown(subscription)).failing_since).not.toBeNull();
  on.receiver.answer = () => 200;
  await on.tenant.must('PUT', `/v1/webhook_deliveries/${delivery.id}/redeliver`);
  await until(async () => (await log(subscription))[0]!.state === 'delivered');
  expect((await tries(subscription)).map(({ attempt, response_status }) => [attempt, response_status])).toEqual([
    [1, 503],
    [2, 200],
  ]);
  expect(await shown(subscription)).toMatchObject({ failing_since: null, last_delivered_at: expect.any(String) });
});

const tries = async (subscription: Json): Promise<Json[]> =>
  (await on.tenant.must('GET', `/v1/webhook_deliveries/${(await log(subscription))[0]!.id}`)).tries;

test('all events of a time are sent again, and none before it', async () => {
  const subscription = await subscribe('/replay');
  const [first, second] = [await makeOrder(on.tenant), await makeOrder(on.tenant)];
  await until(() => on.receiver.at('/replay').length === 2);
  await until(async () => (await log(subscription)).every(({ state }) => state === 'delivered'));
  const since = (await log(subscription)).find(({ subject_id }) => subject_id === second.id)!.event_time;
  const wrong = await on.tenant.http('PUT', `${PATH}/${subscription.id}/replay`, { from: since, to: since });
  expect([wrong.status, wrong.body.error.errors[0].field]).toEqual([422, 'to']);
  await on.tenant.must('PUT', `${PATH}/${subscription.id}/replay`, { from: since });
  await until(() => on.receiver.at('/replay').length === 3);
  const sent = on.receiver.at('/replay').map(({ body, headers }) => [body.payload.id, body.attempt, headers['webhook-id']]);
  expect(sent[2]).toEqual([second.id, 2, sent.find(([id]) => id === second.id)![2]]);
  expect(sent.filter(([id]) => id === first.id)).toHaveLength(1);
});

test('a replay sends no tests again, and one that begins in the future says so', async () => {
  const subscription = await subscribe('/untested');
  await on.tenant.must('PUT', `${PATH}/${subscription.id}/test`);
  const order = await makeOrder(on.tenant);
  await until(async () => (await log(subscription)).length === 2 && (await log(subscription)).every(({ state }) => state === 'delivered'));
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  for (const to of [{}, { to: inHours(2) }]) {
    const future = await on.tenant.http('PUT', `${PATH}/${subscription.id}/replay`, { from: inHours(1), ...to });
    expect([future.status, future.body.error.errors.map(({ field }: Json) => field)]).toEqual([422, ['from']]);
  }
  await on.tenant.must('PUT', `${PATH}/${subscription.id}/replay`, { from: '2020-01-01T00:00:00Z' });
  await until(async () => (await sql('select from webhook_replay where subscription_id = ?', [subscription.id])).length === 0);
  await until(async () => (await log(subscription)).every(({ state }) => state === 'delivered'));
  const sent = on.receiver.at('/untested').map(({ body }) => [body.event, body.payload.id, body.attempt]);
  expect(sent.slice(2)).toEqual([['Order::create', order.id, 2]]);
});

test('a long time is sent again in batches, those of a record in their order, and nothing else', async () => {
  const subscription = await subscribe('/long', { triggers: ['Order::create', 'Order::update'] });
  const order = await makeOrder(on.tenant);
  await on.tenant.must('PATCH', on.tenant.path(`/orders/${order.id}`), { notes: 'second' });
  await until(() => on.receiver.at('/long').length === 2);
  await until(async () => (await log(subscription)).every(({ state }) => state === 'delivered'));
  const own = (await log(subscription)).map(({ id }) => id);
  // The second was written first: its transaction began before that of the first. Between them in the log are more events than one batch looks through.
  const [first] = await sql('select id, company_id from webhook_delivery where subscription_id = ? and sequence = 1', [subscription.id]);
  await sql(`update webhook_delivery set created_at = now() - interval '3 minutes' where subscription_id = ? and sequence = 2`, [
    subscription.id,
  ]);
  await sql(`update webhook_delivery set created_at = now() - interval '1 minute' where id = ?`, [first.id]);
  const many = `insert into webhook_delivery (id, created_at, updated_at, company_id, subscription_id, event_id, event_time, trigger, source_company_id, subject_id, sequence,
      payload, state, attempts, due_at, delivered_at)
    select gen_random_uuid(), now() - interval '2 minutes', now() - interval '2 minutes', ?, ?, gen_random_uuid(), now() - ?::interval, 'Order::create', company_id, gen_random_uuid(), 1, payload,
      'delivered', 1, null, now() from webhook_delivery, generate_series(1, ?) where id = ?`;
  await sql(many, [on.tenant.company.id, subscription.id, '2 days', 7_000, first.id]);
  await sql(many, [on.tenant.company.id, subscription.id, '2 minutes', 20, first.id]);
  await on.tenant.must('PUT', `${PATH}/${subscription.id}/replay`, { from: new Date(Date.now() - 3_600_000).toISOString() });
  await until(() => on.receiver.at('/long').length === 24);
  await until(async () => (await sql('select from webhook_replay where subscription_id = ?', [subscription.id])).length === 0);
  await until(
    async () =>
      (await sql('select from webhook_delivery where subscription_id = ? and due_at is not null', [subscription.id])).length === 0,
  );
  const sent = on.receiver.at('/long').slice(2);
  expect(sent).toHaveLength(22);
  expect(sent.filter(({ body }) => own.includes(body.delivery_id)).map(({ body }) => body.meta.sequence)).toEqual([1, 2]);
});

test('what failed for good is sent again when somebody asks for it, and has all of its tries again', async () => {
  const subscription = await subscribe('/anew');
  const orders = [await makeOrder(on.tenant), await makeOrder(on.tenant), await makeOrder(on.tenant)];
  const isDone = async (state: string) => (await log(subscription)).every((one) => one.state === state);
  await until(() => isDone('delivered'));
  const fail = () =>
    sql(`update webhook_delivery set state = 'failed', attempts = 9, due_at = null, delivered_at = null where subscription_id = ?`, [
      subscription.id,
    ]);
  await fail();
  const [first] = (await log(subscription)) as [Json];
  on.receiver.answer = () => 500;
  await on.tenant.must('PUT', `/v1/webhook_deliveries/${first.id}/redeliver`);
  const again = () => on.tenant.must('GET', `/v1/webhook_deliveries/${first.id}`);
  await until(async () => (await again()).tries.length === 2);
  // The tenth try in all is the first one of this series, after which there are eight more.
  expect(await again()).toMatchObject({ state: 'pending', attempts: 10 });
  expect(Date.parse((await again()).due_at)).toBeLessThan(Date.now() + 40_000);
  await fail();
  on.receiver.answer = () => 204;
  const before = on.receiver.at('/anew').length;
  await on.tenant.must('PUT', `${PATH}/${subscription.id}/replay`, { from: '2020-01-01T00:00:00Z' });
  await until(() => isDone('delivered'));
  const sent = on.receiver.at('/anew').slice(before);
  expect(sent.map(({ body }) => [body.payload.id, body.attempt]).sort()).toEqual(orders.map(({ id }) => [id, 10]).sort());
});

test('an endpoint that is gone, or fails for three days, is switched off, and its administrators get one mail', async () => {
  const { user } = await on.tenant.person({ firstName: 'Alma', roles: ['company_admin'], emailProven: true });
  on.receiver.answer = ({ path }) => (path === '/gone' ? 410 : 500);
  const gone = await subscribe('/gone');
  const failing = await subscribe('/failing');
  await makeOrder(on.tenant);
  await until(async () => (await shown(failing)).failing_since !== null);
  // Its next try is the fifth.
  await sql(`update webhook_subscription set failing_since = now() - interval '73 hours' where id = ?`, [failing.id]);
  await sql('update webhook_delivery set attempts = 4, due_at = now() where subscription_id = ?', [failing.id]);
  await until(async () => (await shown(gone)).disabled_reason === 'gone' && (await shown(failing)).disabled_reason === 'failing');
  const subjectsOfMails = async () => {
    const { mails } = await on.app.emails();
    return mails.filter(({ to }) => to.includes(user.email!)).map(({ subject }) => subject);
  };
  await until(async () => (await subjectsOfMails()).length === 2);
  expect((await subjectsOfMails()).sort()).toEqual(
    [`The webhook ${on.receiver.url('/failing')} is switched off`, `The webhook ${on.receiver.url('/gone')} is switched off`].sort(),
  );
  // Events of the meantime wait.
  on.receiver.answer = () => 204;
  const count = on.receiver.at('/failing').length;
  const order = await makeOrder(on.tenant);
  await on.app.settled();
  expect(on.receiver.at('/failing')).toHaveLength(count);
  expect(await on.tenant.must('PUT', `${PATH}/${failing.id}/resume`)).toMatchObject({ disabled_at: null, disabled_reason: null });
  await until(() => on.receiver.at('/failing').some(({ body }) => body.payload.id === order.id));
  // A delivery that was answered with 410 waits as well.
  const [lost] = await log(gone);
  expect([(await shown(gone)).disabled_at === null, lost!.state, on.receiver.at('/gone').length]).toEqual([false, 'pending', 1]);
  await on.tenant.must('PUT', `${PATH}/${gone.id}/resume`);
  await until(async () => (await log(gone)).every(({ state }) => state === 'delivered'));
  expect(on.receiver.at('/gone')).toHaveLength(3);
});

test('a test that is answered with 410 has failed, and is not sent again and again to an endpoint that is switched off', async () => {
  on.receiver.answer = () => 410;
  const subscription = await subscribe('/tested');
  const tested = async (count: number): Promise<Json> => {
    const { id } = await on.tenant.must('PUT', `${PATH}/${subscription.id}/test`);
    await until(async () => (await on.tenant.must('GET', `/v1/webhook_deliveries/${id}`)).tries.length > 0);
    await on.app.settled();
    expect(on.receiver.at('/tested')).toHaveLength(count);
    return on.tenant.must('GET', `/v1/webhook_deliveries/${id}`);
  };
  const failed = { state: 'failed', due_at: null, attempts: 1 };
  expect(await tested(1)).toMatchObject(failed);
  expect((await shown(subscription)).disabled_reason).toBe('gone');
  expect(await tested(2)).toMatchObject(failed);
});

test('a failure when nothing waits any more is the first one, and one failure of what is sent again switches nothing off', async () => {
  on.receiver.answer = () => 500;
  const quiet = await subscribe('/quiet');
  await makeOrder(on.tenant);
  await until(async () => (await shown(quiet)).failing_since !== null);
  const [lost] = (await log(quiet)) as [Json];
  const longAgo = async () => {
    await sql(`update webhook_delivery set state = 'failed', due_at = null where subscription_id = ?`, [quiet.id]);
    await sql(`update webhook_subscription set failing_since = now() - interval '80 hours' where id = ?`, [quiet.id]);
  };
  await longAgo();
  await makeOrder(on.tenant);
  await until(async () => Date.parse((await shown(quiet)).failing_since) > Date.now() - 3_600_000);
  expect((await shown(quiet)).disabled_at).toBeNull();
  await longAgo();
  await on.tenant.must('PUT', `/v1/webhook_deliveries/${lost.id}/redeliver`);
  await until(async () => (await on.tenant.must('GET', `/v1/webhook_deliveries/${lost.id}`)).tries.length === 2);
  expect((await shown(quiet)).disabled_at).toBeNull();
});

test('a change of the address, the triggers and the headers holds for what is sent from then on', async () => {
  const subscription = await subscribe('/before', { name: 'Yard', headers: [{ name: 'X-Old', value: '1' }] });
  const changes = { name: null, url: on.receiver.url('/after'), triggers: ['Order::update'], headers: [{ name: 'X-New', value: '2' }] };
  const changed = await on.tenant.must('PATCH', `${PATH}/${subscription.id}`, changes);
  expect(changed).toMatchObject({ name: null, url: on.receiver.url('/after'), header_names: ['X-New'], secret: null });
  expect(changed.triggers.map(({ name }: Json) => name)).toEqual(['Order::update']);
  const order = await makeOrder(on.tenant);
  await on.tenant.must('PATCH', on.tenant.path(`/orders/${order.id}`), { notes: 'new' });
  await until(() => on.receiver.at('/after').length === 1);
  const [{ headers, body }] = on.receiver.at('/after') as [Json];
  expect([headers['x-new'], headers['x-old'], body.event, on.receiver.at('/before')]).toEqual(['2', undefined, 'Order::update', []]);
  const { status } = await on.tenant.http('PATCH', `${PATH}/${subscription.id}`, { triggers: [] });
  expect(status).toBe(422);
});

test('only who manages webhooks of all of the company reads and changes them', async () => {
  const subscription = await subscribe('/closed');
  const dispatcher = await on.tenant.person({ roles: ['dispatcher'] });
  const limited = await on.tenant.person({ roles: ['company_admin'] });
  await on.tenant.must('POST', `/v1/users/${limited.id}/resource_scopes`, { resource_id: on.tenant.pickup.id, resource_type: 'Site' });
  const other = await makeTenant(on.app);
  for (const [who, status] of [[dispatcher.token, 403] as const, [limited.token, 403] as const, [other.token, 404] as const]) {
    const answers = [
      await on.tenant.http('GET', `${PATH}/${subscription.id}`, undefined, who),
      await on.tenant.http('GET', `${PATH}/${subscription.id}/deliveries`, undefined, who),
      await on.tenant.http('PUT', `${PATH}/${subscription.id}/test`, undefined, who),
      await on.tenant.http('DELETE', `${PATH}/${subscription.id}`, undefined, who),
    ];
    expect(answers.map((one) => one.status)).toEqual(answers.map(() => status));
  }
});
