import { createHmac, createPublicKey, verify } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { makeOrder, makeTenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { makeReceiving } from './receiving.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const on = makeReceiving({ worker: true });

const subscribe = (path: string, triggers: string[], more: object = {}, at = on.tenant): Promise<Json> =>
  at.must('POST', at.path('/webhook_subscriptions'), { url: on.receiver.url(path), triggers, ...more });
const unsubscribe = ({ id }: Json) => on.tenant.must('DELETE', on.tenant.path(`/webhook_subscriptions/${id}`));
const sql = (text: string, values: unknown[]) => on.app.orm.em.fork().getConnection().execute<Json[]>(text, values);

test('an order that is made is posted as REST shows it, and signed in three ways', async () => {
  const subscription = await subscribe('/signed', ['Order::create'], { headers: [{ name: 'X-Tenant', value: 'seven' }] });
  expect(subscription).toMatchObject({ secret: expect.stringMatching(/^whsec_/), header_names: ['X-Tenant'], failing_since: null });
  const order = await makeOrder(on.tenant);
  await until(() => on.receiver.at('/signed').length > 0);
  const [{ headers, raw, body }] = on.receiver.at('/signed') as [Json];
  const shown = await on.tenant.must('GET', on.tenant.path(`/orders/${order.id}`));
  expect(body).toEqual({
    subscription_id: subscription.id,
    trigger_id: subscription.triggers[0].id,
    event_id: headers['webhook-id'],
    delivery_id: expect.any(String),
    attempt: 1,
    event_time: expect.any(String),
    event: 'Order::create',
    payload: shown,
    meta: { company_id: on.tenant.company.id, sequence: 1 },
  });
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-tenant': 'seven' });
  expect(headers['x-haulgate-hmac-sha256']).toBe(createHmac('sha256', subscription.secret).update(raw).digest('hex'));
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${raw}`;
  const [v1, v1a] = headers['webhook-signature'].split(' ') as [string, string];
  const key = Buffer.from(subscription.secret.slice('whsec_'.length), 'base64');
  expect(v1).toBe(`v1,${createHmac('sha256', key).update(content).digest('base64')}`);
  const x = Buffer.from(subscription.public_key.slice('whpk_'.length), 'base64').toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  expect(verify(null, Buffer.from(content), publicKey, Buffer.from(v1a.slice('v1a,'.length), 'base64'))).toBe(true);
  // Shown once.
  const again = await on.tenant.must('GET', on.tenant.path(`/webhook_subscriptions/${subscription.id}`));
  expect(again).toMatchObject({ secret: null, url: on.receiver.url('/signed') });
  await unsubscribe(subscription);
});

test('a change of a state is no update, and each event has the record as its own transaction left it', async () => {
  const triggers = ['Order::create', 'Order::update', 'Order::state_change'];
  const subscription = await subscribe('/life', triggers);
  const order = await makeOrder(on.tenant, { notes: 'first' });
  await on.tenant.must('PATCH', on.tenant.path(`/orders/${order.id}`), { notes: 'second' });
  await on.tenant.must('PUT', on.tenant.path(`/orders/${order.id}/accept`));
  await until(() => on.receiver.at('/life').length === 3);
  expect(on.receiver.at('/life').map(({ body: { event, payload, meta } }) => [event, payload.notes, payload.state, meta])).toEqual([
    ['Order::create', 'first', order.state, { company_id: on.tenant.company.id, sequence: 1 }],
    ['Order::update', 'second', order.state, { company_id: on.tenant.company.id, sequence: 2 }],
    [
      'Order::state_change',
      'second',
      'accepted',
      { company_id: on.tenant.company.id, sequence: 3, previous_state: order.state, state: 'accepted', state_event: 'accept' },
    ],
  ]);
  await unsubscribe(subscription);
});

test('what an endpoint does not take is sent again, and what happened later waits for it', async () => {
  const subscription = await subscribe('/again', ['Order::create', 'Order::update']);
  on.receiver.answer = ({ path, body }) => (path === '/again' && body.attempt < 3 ? 500 : 204);
  const order = await makeOrder(on.tenant);
  await on.tenant.must('PATCH', on.tenant.path(`/orders/${order.id}`), { notes: 'later' });
  const attemptsOf = ({ id }: Json) =>
    sql('select a.* from webhook_attempt a join webhook_delivery d on d.id = a.delivery_id where d.subscription_id = ?', [id]);
  const waiting = () => sql('select due_at, attempts from webhook_delivery where subscription_id = ? order by sequence', [subscription.id]);
  for (const attempts of [1, 2]) {
    await until(async () => (await attemptsOf(subscription)).length === attempts);
    const [first, later] = (await waiting()) as [Json, Json];
    expect([first.attempts, later.attempts]).toEqual([attempts, 0]);
    expect(new Date(first.due_at).getTime()).toBeGreaterThan(Date.now() + (attempts === 1 ? 20_000 : 90_000));
    await sql('update webhook_delivery set due_at = now() where subscription_id = ?', [subscription.id]);
  }
  await until(() => on.receiver.at('/again').length === 4);
  expect(on.receiver.at('/again').map(({ body }) => [body.event, body.attempt])).toEqual([
    ['Order::create', 1],
    ['Order::create', 2],
    ['Order::create', 3],
    ['Order::update', 1],
  ]);
  const ids = on.receiver.at('/again').map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(2);
  on.receiver.answer = () => 204;
  await unsubscribe(subscription);
});

test('addresses, triggers and headers that may not be are refused with all of their mistakes', async () => {
  const { status, body } = await on.tenant.http('POST', on.tenant.path('/webhook_subscriptions'), {
    url: 'ftp://files.example',
    triggers: ['Order::create', 'Order::explode'],
    headers: [
      { name: 'Content-Length', value: '1' },
      { name: 'webhook-signature', value: 'x' },
      { name: 'X-Good', value: 'a\nb' },
      { name: 'x-good', value: 'c' },
      { name: 'Haulgate-Sandbox', value: 'true' },
    ],
  });
  expect([status, body.error.errors.map(({ field }: Json) => field)]).toEqual([
    422,
    ['url', 'triggers.1', 'headers.0.name', 'headers.1.name', 'headers.2.value', 'headers.3.name', 'headers.4.name'],
  ]);
  // What is a name is kept, whatever else it is the name of.
  const odd = await subscribe('/odd', ['Ticket::create'], { headers: [{ name: '__proto__', value: 'x' }] });
  expect(odd.header_names).toEqual(['__proto__']);
  await unsubscribe(odd);
});

test('a subscription has a name that people can read, or none', async () => {
  const fieldsOf = async (method: string, path: string, more: object): Promise<Json> => {
    const { status, body } = await on.tenant.http(method, on.tenant.path(path), more);
    return [status, body.error?.errors.map(({ field }: Json) => field)];
  };
  const asked = { url: on.receiver.url('/named'), triggers: ['Ticket::create'] };
  const count = async () => (await on.tenant.must('GET', on.tenant.path('/webhook_subscriptions?page[limit]=100'))).length;
  const before = await count();
  for (const name of [' ', '\t\n', '\u00a0'])
    expect([name, await fieldsOf('POST', '/webhook_subscriptions', { ...asked, name })]).toEqual([name, [422, ['name']]]);
  expect(await fieldsOf('POST', '/webhook_subscriptions', { url: 'ftp://files', triggers: [], name: '  ' })).toEqual([
    422,
    ['name', 'url', 'triggers'],
  ]);
  expect(await count()).toBe(before);
  const one = await subscribe('/named', ['Ticket::create'], { name: '  Scale house ' });
  expect(one.name).toBe('Scale house');
  const path = `/webhook_subscriptions/${one.id}`;
  expect(await fieldsOf('PATCH', path, { name: '   ' })).toEqual([422, ['name']]);
  expect((await on.tenant.must('GET', on.tenant.path(path))).name).toBe('Scale house');
  expect((await on.tenant.must('PATCH', on.tenant.path(path), { name: null })).name).toBeNull();
  await unsubscribe(one);
});

test('a company has at most fifty subscriptions', async () => {
  const own = await makeTenant(on.app);
  for (let i = 0; i < 50; i++) await subscribe(`/many${i}`, ['Ticket::create'], {}, own);
  const asked = { url: on.receiver.url('/one-more'), triggers: ['Ticket::create'] };
  const { status, body } = await own.http('POST', own.path('/webhook_subscriptions'), asked);
  expect([status, body.error.errors[0]]).toEqual([
    409,
    { model: 'WebhookSubscription', field: '', message: 'are 50 already: delete one first' },
  ]);
  const [one] = await own.must('GET', own.path('/webhook_subscriptions'));
  await own.must('DELETE', own.path(`/webhook_subscriptions/${one.id}`));
  await own.must('POST', own.path('/webhook_subscriptions'), asked);
});

test('another company is informed of nothing, and one above of its children on wish', async () => {
  const other = await makeTenant(on.app);
  const parent = await makeTenant(on.app);
  await sql('update company set parent_company_id = ? where id = ?', [parent.company.id, on.tenant.company.id]);
  await subscribe('/other', ['Order::create'], { include_children: true }, other);
  await subscribe('/own', ['Order::create'], {}, parent);
  const family = await subscribe('/family', ['Order::create'], { include_children: true }, parent);
  const order = await makeOrder(on.tenant);
  await until(() => on.receiver.at('/family').length === 1);
  expect(on.receiver.at('/family')[0]!.body).toMatchObject({
    ...{ subscription_id: family.id, payload: { id: order.id }, meta: { company_id: on.tenant.company.id } },
  });
  await on.app.settled();
  expect([...on.receiver.at('/other'), ...on.receiver.at('/own')]).toEqual([]);
  await sql('update company set parent_company_id = null where id = ?', [on.tenant.company.id]);
});

test('imported records are sent when they arrive and when they have their outcome', async () => {
  const triggers = ['create', 'state_change', 'skip', 'error'].map((event) => `ImportedOrder::${event}`);
  const subscription = await subscribe('/imports', triggers);
  const { records } = await on.tenant.must('POST', '/ingest/orders', { orders: [{ external_id: 'W-1' }] });
  await until(() => on.receiver.at('/imports').length === 3);
  const sent = on.receiver
    .at('/imports')
    .map(({ body: { event, payload, meta } }) => [event, payload.state, meta.previous_state, meta.state]);
  expect(sent).toEqual([
    ['ImportedOrder::create', 'created', undefined, undefined],
    ['ImportedOrder::state_change', 'failed', 'created', 'failed'],
    ['ImportedOrder::error', 'failed', 'created', 'failed'],
  ]);
  expect(on.receiver.at('/imports')[2]!.body.payload).toMatchObject({ id: records[0].id, last_error: expect.any(String) });
  // The first of two of a key is superseded by the other one.
  const both = await on.tenant.must('POST', '/ingest/orders', {
    orders: [{ external_id: 'W-2' }, { external_id: 'W-2', notes: 'Newer' }],
  });
  await until(() => on.receiver.at('/imports').length === 9);
  const reported = on.receiver
    .at('/imports')
    .flatMap(({ body: { event, payload, meta } }) =>
      payload.id === both.records[0].id
        ? [[event, payload.last_error, payload.superseded_by, meta.previous_state, meta.state, meta.sequence]]
        : [],
    );
  expect(reported).toEqual([
    ['ImportedOrder::create', null, null, undefined, undefined, 1],
    ['ImportedOrder::state_change', 'superseded', both.records[1].id, 'created', 'skipped', 2],
    ['ImportedOrder::skip', 'superseded', both.records[1].id, 'created', 'skipped', 3],
  ]);
  await unsubscribe(subscription);
});

test('jobs and loads that an order makes, and those that follow it, are sent as well; an approval is an update', async () => {
  const triggers = ['Job', 'Load'].flatMap((topic) => ['create', 'update'].map((event) => `${topic}::${event}`));
  const subscription = await subscribe('/carried', triggers);
  const order = await makeOrder(on.tenant, { truck_count: 2 });
  const jobs: Json[] = await on.tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const sent = (event: string) =>
    on.receiver
      .at('/carried')
      .filter(({ body }) => body.event === event)
      .map(({ body: { payload, meta } }) => [payload.id, meta.sequence]);
  await until(() => on.receiver.at('/carried').length === 4);
  expect(sent('Job::create').sort()).toEqual(jobs.map(({ id }) => [id, 1]).sort());
  expect(sent('Load::create').map(([, sequence]) => sequence)).toEqual([1, 1]);
  await on.tenant.must('PATCH', on.tenant.path(`/orders/${order.id}`), { material_id: on.tenant.material.id });
  await until(() => sent('Job::update').length === 2 && sent('Load::update').length === 2);
  expect(sent('Job::update').sort()).toEqual(jobs.map(({ id }) => [id, 2]).sort());
  const before = on.receiver.at('/carried').length;
  const [[load]] = sent('Load::create') as [[string]];
  await sql(`update load set state = 'completed', quantity = 1 where id = ?`, [load]);
  await on.tenant.must('PUT', `/v1/loads/${load}/approve`, {}, await on.tenant.administrator());
  await until(() => on.receiver.at('/carried').length === before + 1);
  expect(on.receiver.at('/carried').at(-1)!.body).toMatchObject({ event: 'Load::update', payload: { id: load, approved: true } });
  await unsubscribe(subscription);
});
