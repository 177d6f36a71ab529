import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { Client } from '../../src/client/client.ts';
import { endForgottenShifts } from '../../src/dispatch/drivers/forgotten-shifts.ts';
import type { Answer } from '../helpers/app.ts';
import { until } from '../helpers/until.ts';
import { logged, made, openSandboxes, other, receiving } from './sandboxes-scene.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;
const fail = (error: unknown) => {
  throw error;
};
const DAY = 86_400;

openSandboxes();

test('its clock goes forward, and the company with it; real ones, tokens and leases keep to the time of the world', async () => {
  const { tenant, app } = receiving;
  const { sandbox, send, must, gql } = made;
  const { id } = sandbox;
  const clock = async (body: object) => (await send('PATCH', `/v1/sandboxes/${id}`, body)) as Answer;
  const days = async () => (await gql('{ dayBoard { date } }')).data.dayBoard.date as string;
  const [before, start] = [await days(), Date.now()];
  const open = 'select id from driver_day where company_id = ? and ended_shift_at is null';
  expect((await app.orm.em.execute(open, [id])).length).toBeGreaterThan(0);
  // One that is not due after the clock was moved either, so that no worker takes it.
  const later = `update ticket_chase_task set due_at = now() + interval '10 days' where id = (select id from ticket_chase_task where company_id = ? limit 1)`;
  await app.orm.em.execute(later, [id]);
  const due = 'select extract(epoch from max(due_at)) as due from ticket_chase_task where company_id = ?';
  const [{ due: dueBefore } = { due: '' }] = await app.orm.em.execute<{ due: string }[]>(due, [id]);
  for (const [body, field] of [
    [{}, 'time'],
    [{ seconds: 1, time: new Date().toISOString() }, 'time'],
    [{ seconds: -60 }, 'seconds'],
    [{ time: new Date(start - 3_600_000).toISOString() }, 'time'],
    [{ seconds: 61 * DAY }, 'seconds'],
  ] as const) {
    const refused = await clock(body);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([422, expect.stringContaining(`"${field}"`)]);
  }
  const moved = await clock({ seconds: 2 * DAY });
  expect(moved.body.data).toMatchObject({ day: 3, sandbox: true });
  expect(Math.abs(Date.parse(moved.body.data.time) - Date.now() - 2 * DAY * 1000)).toBeLessThan(60_000);
  expect(Date.parse(await days()) - Date.parse(before)).toBeGreaterThanOrEqual(2 * DAY * 1000);
  const [{ due: dueAfter } = { due: '' }] = await app.orm.em.execute<{ due: string }[]>(due, [id]);
  expect(Number(dueBefore) - Number(dueAfter)).toBeCloseTo(2 * DAY, 0);
  // A record that it makes is as old as its clock says; one that a real company makes is not.
  const label = await must('POST', '/v1/labels', { name: 'Late', color: '#112233' }).catch(() =>
    must('POST', '/v1/departments', { name: 'Late' }),
  );
  expect(Math.abs(Date.parse(label.created_at) - Date.now() - 2 * DAY * 1000)).toBeLessThan(60_000);
  const real = await tenant.must('POST', '/v1/departments', { name: 'Now' });
  expect(Math.abs(Date.parse(real.created_at) - Date.now())).toBeLessThan(60_000);
  // Shifts that lasted yesterday by its clock were forgotten; a shift of a real company that began with them was not.
  const [theirs] = await app.orm.em.execute<{ id: string }[]>(
    `insert into driver_day (id, company_id, driver_id, driver_day_date, driver_day_id, starts_at, ends_at, started_shift_at)
     values (gen_random_uuid(), ?, ?, current_date, 'D-1', now() - interval '6 hours', now() + interval '18 hours', now() - interval '3 hours') returning id`,
    [tenant.company.id, tenant.driver.id],
  );
  await app.orm.em.execute(
    `insert into driver_state_event (id, company_id, user_id, driver_day_id, state, started_at) values (gen_random_uuid(), ?, ?, ?, 'on_duty', now() - interval '3 hours')`,
    [tenant.company.id, tenant.driver.id, theirs!.id],
  );
  await endForgottenShifts(app.productOrm.em, fail);
  expect(await app.orm.em.execute(open, [id])).toEqual([]);
  expect(await app.orm.em.execute(open, [tenant.company.id])).toHaveLength(1);
  // A day is closed once it is over by its clock.
  const today = new Date(start).toISOString().slice(0, 10);
  const closed = await send('POST', '/v1/billing/periods', { ends_on: today });
  expect(JSON.stringify(closed.body)).not.toContain('not over');
  // The administrator of the company that made it moves it, too; its token would have expired long ago.
  const further = await tenant.must('PATCH', `/v1/sandboxes/${id}`, { seconds: 30 * DAY });
  expect(further.day).toBe(33);
  expect((await send('GET', '/v1/orders')).status).toBe(200);
});

test('a fault that is asked for comes in a sandbox alone, and an unknown one is a 400', async () => {
  const { tenant, receiver } = receiving;
  const { send, must } = made;
  const faulty = (fault: string, method = 'GET', path = '/v1/departments', body?: unknown) =>
    send(method, path, body, { 'X-Sandbox-Fault': fault });
  const busy = await faulty('503', 'POST', '/v1/departments', { name: 'Never' });
  expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '5']);
  expect(JSON.stringify(await must('GET', '/v1/departments'))).not.toContain('Never');
  const unknown = await faulty('504');
  expect([unknown.status, JSON.stringify(unknown.body)]).toEqual([400, expect.stringContaining('503, timeout, duplicate-webhook')]);
  await expect(faulty('timeout')).rejects.toThrow('fetch failed');
  // Nobody else has them.
  const plain = await receiving.app.http('GET', '/v1/departments', { token: tenant.token, headers: { 'X-Sandbox-Fault': '503' } });
  expect(plain.status).toBe(200);

  await must('POST', '/v1/webhook_subscriptions', {
    name: 'Ours',
    url: receiver.url('/sandbox'),
    triggers: ['Order::update', 'Department::create', 'Order::create'],
  }).catch(() => must('POST', '/v1/webhook_subscriptions', { name: 'Ours', url: receiver.url('/sandbox'), triggers: ['Order::update'] }));
  const [order] = await must('GET', '/v1/orders?page[limit]=1');
  const path = `/v1/orders/${order.id}`;
  expect((await faulty('duplicate-webhook', 'PATCH', path, { notes: 'Twice' })).status).toBe(200);
  await receiving.app.settled();
  await until(() => receiver.at('/sandbox').length >= 2);
  const [first, second] = receiver.at('/sandbox');
  expect(first!.headers['webhook-id']).toBe(second!.headers['webhook-id']);
  expect(first!.headers['haulgate-sandbox']).toBe('true');
  await must('PATCH', path, { notes: 'Once' });
  await receiving.app.settled();
  const sentOnce = () => receiver.at('/sandbox').filter(({ body }) => JSON.stringify(body).includes('Once'));
  await until(() => sentOnce().length > 0);
  expect(sentOnce()).toHaveLength(1);
});

test('a fault comes where a client of a sandbox gets its token, too, once its secret is right', async () => {
  const { client_id, client_secret } = made.sandbox;
  const exchange = (secret: string, fault?: string) =>
    receiving.app.http('POST', '/v1/auth/token', {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...(fault ? { 'X-Sandbox-Fault': fault } : {}) },
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret: secret }).toString(),
    });
  const busy = await exchange(client_secret, '503');
  expect([busy.status, busy.headers.get('retry-after'), busy.body.access_token]).toEqual([503, '5', undefined]);
  expect((await exchange(client_secret, '504')).status).toBe(400);
  await expect(exchange(client_secret, 'timeout')).rejects.toThrow('fetch failed');
  // Whoever has no secret does not learn that there is a sandbox.
  expect((await exchange('wrong', '503')).status).toBe(401);
  const given = await exchange(client_secret);
  expect([given.status, given.headers.get('x-sandbox')]).toEqual([200, 'true']);
  const of = await receiving.tenant.must('POST', '/v1/m2m_clients', { name: 'Real', scopes: ['view_imports'] });
  const real = await receiving.app.http('POST', '/v1/auth/token', {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Sandbox-Fault': '503' },
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: of.client_id, client_secret: of.client_secret }).toString(),
  });
  expect([real.status, real.headers.get('x-sandbox')]).toEqual([200, null]);
});

test('the client package asks for faults, over REST and GraphQL', async () => {
  const { client_id: clientId, client_secret: clientSecret } = made.sandbox;
  type Departments = Record<'POST /v1/departments' | 'GET /v1/departments', { request: { body?: object }; data: Json }>;
  const client = new Client<Departments>({ url: receiving.app.url, clientId, clientSecret, retries: 0 }, {});
  const body = { name: 'Refused' };
  await expect(client.call('POST /v1/departments', { body, sandboxFault: '503' })).rejects.toThrow('It answers 503');
  await expect(client.graphql('{ company { id } }', {}, { sandboxFault: '503' })).rejects.toThrow('It answers 503');
  await expect(client.graphql('{ company { id } }', {}, { sandboxFault: 'timeout' })).rejects.toThrow('cannot be reached');
  expect(JSON.stringify(await client.call('GET /v1/departments'))).not.toContain('Refused');
  expect((await client.call('POST /v1/departments', { body, sandboxFault: 'duplicate-webhook' })).name).toBe('Refused');
});

test('a stream and a socket of a sandbox have faults, too', async () => {
  const { token } = made;
  const stream = (fault?: string) =>
    fetch(`${receiving.app.url}/graphql/stream`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'text/event-stream',
        ...(fault ? { 'X-Sandbox-Fault': fault } : {}),
      },
      body: JSON.stringify({ query: 'subscription { dayBoardChanged { date } }' }),
      signal: AbortSignal.timeout(20_000),
    });
  const busy = await stream('503');
  expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '5']);
  // What is wrong with a request is said in the stream, as its protocol has it.
  expect(await (await stream('504')).text()).toContain('503, timeout, duplicate-webhook');
  await expect(stream('timeout')).rejects.toThrow('fetch failed');
  const open = await stream();
  expect([open.status, open.headers.get('x-sandbox')]).toEqual([200, 'true']);
  await open.body?.cancel();
  // A client of sockets says so in the request by which it opens one.
  const socket = async (fault: string) => {
    const headers = { 'X-Sandbox-Fault': fault };
    const opened = new WebSocket(`${receiving.app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
    opened.on('open', () => opened.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } })));
    const [code, reason] = (await once(opened, 'close')) as [number, Buffer];
    return [code, String(reason)];
  };
  expect(await socket('503')).toEqual([1013, expect.stringContaining('try again in 5 s')]);
  expect(await socket('504')).toEqual([4400, expect.stringContaining('503, timeout, duplicate-webhook')]);
  // Nobody says anything: the line is cut.
  expect(await socket('timeout')).toEqual([1006, '']);
});

test('what a sandbox asks for is no failure of ours: no line of the log, and no answer that an alarm counts', async () => {
  const { app } = receiving;
  const { token, sandbox, send } = made;
  const counts = async () => {
    const figures = (await app.http<string>('GET', '/metrics')).body;
    const of = (status: string) =>
      [...figures.matchAll(/^haulgate_http_seconds_count\{(.*)\} (\d+)$/gm)]
        .filter(([, labels]) => labels!.includes(`status="${status}"`))
        .reduce((sum, [, , count]) => sum + Number(count), 0);
    return { asked: of('asked'), failed: of('5xx') };
  };
  const before = await counts();
  logged.length = 0;
  const headers = { 'X-Sandbox-Fault': '503' };
  const form = { grant_type: 'client_credentials', client_id: sandbox.client_id, client_secret: sandbox.client_secret };
  const stream = {
    method: 'POST',
    headers: { ...headers, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: 'text/event-stream' },
  };
  const answers = [
    await send('GET', '/v1/departments', undefined, headers),
    await app.graphql('{ company { id } }', {}, { token, headers }),
    await app.http('POST', '/v1/auth/token', {
      headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    }),
    await app.http('GET', `/v1/companies/${sandbox.id}/changes`, { token, headers }),
    await fetch(`${app.url}/graphql/stream`, { ...stream, body: JSON.stringify({ query: 'subscription { dayBoardChanged { date } }' }) }),
  ];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503));
  await until(async () => (await counts()).asked === before.asked + answers.length);
  expect((await counts()).failed).toBe(before.failed);
  expect(logged.filter((line) => /(request|resolver) failed/.test(line))).toEqual([]);
});

test('a sandbox has no more than twenty requests held at a time', async () => {
  const waited = async () => {
    const start = performance.now();
    await expect(made.send('GET', '/v1/departments', undefined, { 'X-Sandbox-Fault': 'timeout' })).rejects.toThrow('fetch failed');
    return performance.now() - start;
  };
  // Those that are held take longer; where the machine is busy, the others may.
  await until(async () => {
    const all = await Promise.all(Array.from({ length: 40 }, waited));
    expect(all.filter((ms) => ms >= 290).length).toBeGreaterThanOrEqual(20);
    return all.some((ms) => ms < 290);
  });
});

test('mails and texts are kept, and not sent', async () => {
  const { app } = receiving;
  const { sandbox, must, send, gql } = made;
  await app.http('POST', '/v1/auth/magic_link', { body: { email: sandbox.administrator } });
  await app.emails();
  await until(async () => (await must('GET', '/v1/sandbox_messages')).length > 0);
  const { mails } = await app.emails();
  expect(mails.filter((mail) => JSON.stringify(mail).includes('sandbox.haulgate.example'))).toEqual([]);
  const kept = await must('GET', '/v1/sandbox_messages');
  expect(kept).toContainEqual(
    expect.objectContaining({
      channel: 'mail',
      kind: 'magic_link',
      recipient: sandbox.administrator,
      text: expect.stringContaining('http'),
    }),
  );
  expect(JSON.stringify((await other.must('GET', '/v1/sandbox_messages')) as Json)).toBe('[]');
  // Nobody real has an address there.
  const [person] = (await gql('{ users(first: 1) { nodes { id } } }')).data.users.nodes;
  const taken = await send('PATCH', `/v1/users/${person.id}`, { email: 'somebody@haulier.com' });
  expect([taken.status, JSON.stringify(taken.body)]).toEqual([422, expect.stringContaining('.example')]);
});
