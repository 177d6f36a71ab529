import { beforeAll, expect, test } from '@jest/globals';
import { endForgottenShifts } from '../../src/dispatch/drivers/forgotten-shifts.ts';
import { isSandbox } from '../../src/platform/worlds/sandbox-ids.ts';
import { deleteSandboxes } from '../../src/sandbox/delete-sandboxes.ts';
import { freePhones } from '../../src/sandbox/sandboxes.ts';
import { makeReceiving } from '../events/receiving.ts';
import type { Answer } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';

const receiving = makeReceiving({ worker: true, deliveries: true });
const fail = (error: unknown) => {
  throw error;
};
const DAY = 86_400;

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;
type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** A sandbox, and the calls of its machine client. */
interface Made {
  sandbox: Json;
  send: Send;
  must(method: string, path: string, body?: unknown): Promise<Json>;
  gql(query: string, variables?: Record<string, unknown>): Promise<Json>;
}

async function enter(made: Json): Promise<Made> {
  const { app } = receiving;
  const { body } = await app.http('POST', '/v1/auth/token', {
    headers: {
      Authorization: `Basic ${Buffer.from(`${made.client_id}:${made.client_secret}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  const token = body.access_token as string;
  const send: Send = (method, path, sent, headers) => app.http(method, path, { body: sent, token, headers });
  return {
    sandbox: made,
    send,
    async must(method, path, sent) {
      const answer = await send(method, path, sent);
      if (answer.status >= 300) throw new Error(`${method} ${path} -> ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body?.data;
    },
    gql: async (query, variables) => (await app.graphql(query, variables, { token })).body,
  };
}

const makeSandbox = async (tenant: Tenant, name = 'Trial'): Promise<Made> => enter(await tenant.must('POST', '/v1/sandboxes', { name }));

/** Seeded once: the tests leave to each other what they need. */
let made: Made;
let other: Tenant;
beforeAll(async () => {
  made = await makeSandbox(receiving.tenant);
  other = await makeTenant(receiving.app);
});

test('one call makes a company with work in it; its keys are shown once, and say what is not real', async () => {
  const { tenant, app } = receiving;
  const { sandbox, send, must, gql } = made;
  expect(sandbox).toMatchObject({
    sandbox: true,
    name: 'Trial',
    day: 1,
    client_id: expect.stringMatching(/^hg_/),
    client_secret: expect.any(String),
  });
  expect(Math.abs(Date.parse(sandbox.ends_at) - Date.now() - 30 * DAY * 1000)).toBeLessThan(600_000);
  expect(isSandbox(sandbox.id)).toBe(true);
  expect(await tenant.must('GET', `/v1/sandboxes/${sandbox.id}`)).toMatchObject({ id: sandbox.id, password: null, client_secret: null });
  // Some of the work is billed, by the commands of the product.
  const billed = (await gql('{ settlements(first: 50) { nodes { side state totalAmount } } fuelSurchargeSchedules { nodes { name } } }'))
    .data;
  expect(billed.settlements.nodes.map((one: Json) => `${one.side} ${one.state}`).sort()).toEqual([
    ...['payable pending', 'receivable approved', 'receivable pending'],
  ]);
  expect(billed.settlements.nodes.filter(({ totalAmount }: Json) => !(Number(totalAmount) > 0))).toEqual([]);
  expect(billed.fuelSurchargeSchedules.nodes).toEqual([{ name: 'Standard surcharge' }]);
  const { invoices } = (await gql('{ invoices(first: 100) { nodes { state } } }')).data;
  expect(new Set(invoices.nodes.map(({ state }: Json) => state))).toContain('approved');
  const { nodes } = (await gql('{ orders(first: 30) { nodes { state } } }')).data.orders;
  expect(nodes.length).toBeGreaterThan(20);
  expect((await send('GET', '/v1/orders')).headers.get('x-sandbox')).toBe('true');
  expect((await tenant.http('GET', '/v1/orders')).headers.get('x-sandbox')).toBeNull();
  expect(await gql('{ currentSandbox { id day sandbox } company { legalName sandbox } }')).toEqual({
    data: { currentSandbox: { id: sandbox.id, day: 1, sandbox: true }, company: { legalName: 'Trial', sandbox: true } },
  });
  expect((await tenant.gql('{ currentSandbox { id } company { sandbox } }')).data).toEqual({
    currentSandbox: null,
    company: { sandbox: false },
  });
  const signedIn = await app.http('POST', '/v1/auth/login', { body: { email: sandbox.administrator, password: sandbox.password } });
  expect(signedIn.status).toBeLessThan(300);
  expect((await must('GET', '/v1/sandboxes')).map(({ id }: Json) => id)).toEqual([sandbox.id]);
  // Telephone numbers that somebody has are drawn no second time.
  const [{ phone } = { phone: '' }] = await app.orm.em.execute<{ phone: string }[]>(
    "select min(phone) as phone from app_user where company_id = ? and phone like '+1999%'",
    [sandbox.id],
  );
  const draws = [phone.slice(5, 10), '99999'].map(Number);
  expect(await app.productOrm.em.fork().transactional((em) => freePhones({ em: em as never }, () => draws.shift()!))).toBe('+199999999');
});

test('whatever is written for a company does not wait for the work of its sandbox', async () => {
  const { app } = receiving;
  let over = false;
  const making = makeSandbox(other, 'Slow').finally(() => (over = true));
  const held = `select exists (select from pg_locks where locktype = 'advisory' and objsubid = 1
      and (classid::bigint << 32 | objid::bigint) = hashtextextended('haulgate:sandboxes:' || id, 0)) as held
    from company where id = ? for key share nowait`;
  await until(async () => {
    // As every row does that refers to it.
    const [row] = await app.orm.em.execute<{ held: boolean }[]>(held, [other.company.id]);
    expect(over).toBe(false);
    return row!.held;
  });
  await making;
});

test('it is nobody else’s, and not beside real companies', async () => {
  const { tenant, app } = receiving;
  const { sandbox, send, gql } = made;
  for (const [method, path, body] of [
    ['GET', `/v1/sandboxes/${sandbox.id}`],
    ['PATCH', `/v1/sandboxes/${sandbox.id}`, { seconds: 1 }],
    ['DELETE', `/v1/sandboxes/${sandbox.id}`],
  ] as const)
    expect([method, (await other.http(method, path, body)).status]).toEqual([method, 404]);
  const driver = await tenant.driver.http('GET', `/v1/sandboxes/${sandbox.id}`);
  expect(driver.status).toBe(403);
  expect((await tenant.gql('query ($id: ID!) { order(id: $id) { id } }', { id: sandbox.id })).errors[0].extensions.code).toBe(
    'object_not_found',
  );
  expect((await tenant.http('GET', `/v1/companies/${sandbox.id}/orders`)).status).toBe(404);
  // Neither finds the other.
  const [{ platform_id: itsId } = { platform_id: '' }] = await app.orm.em.execute<{ platform_id: string }[]>(
    'select platform_id from company where id = ?',
    [sandbox.id],
  );
  const find = 'query ($id: String!) { companyByPlatformId(platformId: $id) { id } }';
  expect((await tenant.gql(find, { id: itsId })).errors[0].extensions.code).toBe('object_not_found');
  expect((await gql(find, { id: tenant.company.platformId })).errors[0].extensions.code).toBe('object_not_found');
  // The database refuses it, whoever tries.
  await expect(
    app.orm.em.execute('update account set connected_company_id = ? where id = ?', [sandbox.id, tenant.account.id]),
  ).rejects.toThrow('account_world_check');
  await expect(
    app.orm.em.execute('update company set parent_company_id = ? where id = ?', [tenant.company.id, sandbox.id]),
  ).rejects.toThrow('company_world_check');
  // Whoever administers the platform sees real companies only, and nobody does from within.
  const platform = await tenant.person({ roles: ['platform_admin'] });
  expect((await platform.gql('query ($id: ID!) { company(id: $id) { id } }', { id: sandbox.id })).errors[0].extensions.code).toBe(
    'object_not_found',
  );
  await app.orm.em.execute("update app_user set roles = '{company_admin,platform_admin}' where match_email = fold_text(?)", [
    sandbox.administrator,
  ]);
  const { body } = await app.http('POST', '/v1/auth/login', { body: { email: sandbox.administrator, password: sandbox.password } });
  const seen = await app.graphql('{ companies(first: 50) { nodes { id } } }', {}, { token: body.data.session_jwt });
  const companies: string[] = seen.body.data.companies.nodes.map(({ id }: Json) => id);
  expect(companies).toContain(sandbox.id);
  expect(companies.filter((id) => !isSandbox(id))).toEqual([]);
  const within = await send('POST', '/v1/sandboxes', { name: 'Within' });
  expect([within.status, within.body.error.items?.[0]?.key ?? JSON.stringify(within.body)]).toEqual([
    422,
    expect.stringContaining('sandbox'),
  ]);
});

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
  // What it makes is as old as its clock says; what a real company makes is not.
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

test('a company has three at a time; one that ends is gone without a row', async () => {
  const { tenant, app } = receiving;
  const mine = await makeTenant(app);
  const first = await makeSandbox(mine, 'One');
  await app.settled();
  const ids = (
    await app.orm.em.execute<{ id: string }[]>('select id from company where world_of(id) = world_of(?::uuid)', [first.sandbox.id])
  ).map(({ id }) => id);
  expect(ids).toHaveLength(3);
  const rows = async () => {
    const tables = await app.orm.em.execute<{ name: string }[]>(
      "select c.relname as name from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace",
    );
    const left: Record<string, number> = {};
    for (const { name } of tables) {
      const [{ count } = { count: 0 }] = await app.orm.em.execute<{ count: number }[]>(
        `select count(*)::int as count from "${name}" t where t::text ~ '${ids.join('|')}|${first.sandbox.id.slice(26)}'`,
      );
      if (count > 0) left[name] = count;
    }
    return left;
  };
  const [driver] = await app.orm.em.execute<{ id: string }[]>(`select user_id as id from location_history where company_id = ? limit 1`, [
    first.sandbox.id,
  ]);
  const before = await rows();
  expect(Object.keys(before).length).toBeGreaterThan(30);
  await app.orm.em.execute(
    `insert into sandbox (id, company_id, name, administrator, client_id, ends_at)
     select overlay(gen_random_uuid()::text placing '8' from 15)::uuid, ?, 'More', 'a@b.example', 'hg', now() + interval '1 day' from generate_series(1, 2)`,
    [mine.company.id],
  );
  const fourth = await mine.http('POST', '/v1/sandboxes', { name: 'Four' });
  expect([fourth.status, JSON.stringify(fourth.body)]).toEqual([409, expect.stringContaining('3')]);
  expect((await mine.http('DELETE', `/v1/sandboxes/${first.sandbox.id}`)).status).toBe(204);
  expect((await first.send('GET', '/v1/orders')).status).toBe(401);
  // Nothing of others goes with it, and its batches are small.
  const counts = async () =>
    (await app.orm.em.execute<{ n: number }[]>('select count(*)::int as n from orders where not is_sandbox(company_id)'))[0]!.n;
  const real = await counts();
  expect(await deleteSandboxes(app.productOrm.em, fail, 500)).toBe(0);
  expect(await mine.must('GET', '/v1/sandboxes')).toHaveLength(2);
  // A request that was still running writes a row that no foreign key refuses. An hour later it is deleted, too.
  await app.orm.em.execute(`insert into company_counter (company_id, kind, value) values (?, 'order', 1)`, [first.sandbox.id]);
  expect(await deleteSandboxes(app.productOrm.em, fail)).toBe(0);
  // Also a position of somebody who is deleted already.
  await app.orm.em.execute(
    `insert into location_history (id, company_id, user_id, device_id, occurred_at, lat, lon) values (gen_random_uuid(), ?, ?, 'late', now(), 30, -97)`,
    [first.sandbox.id, driver!.id],
  );
  await app.orm.em.execute(`update sandbox set emptied_at = now() - interval '1 hour' where id = ?`, [first.sandbox.id]);
  expect(await deleteSandboxes(app.productOrm.em, fail)).toBe(1);
  expect(await counts()).toBe(real);
  const left = await rows();
  // The company that made it remembers that it did.
  expect(Object.keys(left).filter((name) => !['audit_entry', 'outbox_event', 'change_entry', 'change_pending'].includes(name))).toEqual([]);
  expect(await mine.must('GET', '/v1/sandboxes')).toHaveLength(2);
  expect((await made.send('GET', '/v1/orders')).status).toBe(200);
  expect((await tenant.http('GET', '/v1/orders')).status).toBe(200);
});

/** Tables of which every row is looked at: master data, some rows for an order or a day, and queues that are empty soon. None grows with loads and positions. */
const READ_WHOLE = [
  ...['accounting_setup', 'add_on_charge', 'address', 'auto_add_on_assignment', 'bulk_download', 'change_pending', 'company_settings'],
  ...['compliance_document', 'compliance_document_type', 'contact', 'default_site', 'fence_progress', 'fuel_price'],
  ...['fuel_surcharge_schedule_price', 'geofence', 'one_time_secret', 'outgoing_message', 'phase', 'photo_link', 'position_task'],
  ...['project_material', 'resource_usage_log', 'routing_geofence', 'scheduled_time_off', 'signature', 'sso_ticket'],
  ...['ticket_chase_reminder', 'travelled_distance'],
];

test('what is deleted is found without reading the work of everybody else', async () => {
  const { app } = receiving;
  const parts = await app.orm.em.execute<{ name: string; condition: string }[]>(
    'select name, condition from parts_of_sandbox() where not named',
  );
  const { id } = made.sandbox;
  const whole: string[] = [];
  await app.orm.em.fork().transactional(async (em) => {
    // What has an index that can find it uses it, however few rows there are.
    await em.execute('set local enable_seqscan = off');
    for (const { name, condition } of parts) {
      const sql = condition.replaceAll('$1', `array['${id}']::uuid[]`).replaceAll('$2', `array['${id}']::uuid[]`);
      const plan = await em.execute<Record<string, string>[]>(`explain select ctid from only ${name} where ${sql} limit 500`);
      if (plan.some((line) => new RegExp(`Seq Scan on ${name}\\b`).test(line['QUERY PLAN']!))) whole.push(name);
    }
  });
  expect(parts.map(({ name }) => name)).toEqual(expect.arrayContaining(['outbox_event', 'job_event', 'credential']));
  expect(whole.sort()).toEqual(READ_WHOLE);
});
