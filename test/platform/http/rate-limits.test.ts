import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { entities } from '../../../src/app/rooms.ts';
import { makeMachineClient } from '../../../src/identity/machine-clients/machine-clients.ts';
import { createOrm } from '../../../src/platform/database/orm.ts';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { RateLimits } from '../../../src/platform/http/rate-limits.ts';
import { sendForm } from '../../files/form.ts';
import { type Answer, startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { png } from '../../ingest/files/sample-files.ts';

const LIMIT = 20;
let app: TestApp;
let tenant: Tenant;
/** Where requests are not limited, only secrets and tokens are. */
let open: Tenant;
beforeAll(async () => {
  app = await startTestApp({ limits: { perCaller: LIMIT, perAddress: 30 }, trustedProxies: ['loopback'] });
  tenant = await makeTenant(app);
  open = await makeTenant(await startTestApp({ trustedProxies: ['loopback'] }));
});
afterAll(async () => {
  await open.app.close();
  await app.close();
});

/** Runs `work`, and again if it fails and a minute ended meanwhile: counts begin anew with each. Each run has callers and addresses of its own. */
async function inOneMinute(work: (run: number) => Promise<void>): Promise<void> {
  const minute = () => Math.floor(Date.now() / 60_000);
  for (let run = 0; ; run++) {
    const began = minute();
    try {
      return await work(run);
    } catch (error) {
      if (minute() === began) throw error;
    }
  }
}
const limitsOf = ({ headers }: Answer) => ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`)));
/** Another client of the same company. */
async function client(of = tenant): Promise<{ id: string; secret: string; token: string }> {
  const em = of.app.orm.em.fork();
  const { client: made, clientSecret: secret } = makeMachineClient(em, of.company, { name: 'Sender', permissions: ['create_order'] });
  await em.flush();
  const { body } = await token(made.clientId, secret, undefined, of);
  return { id: made.clientId, secret, token: body.access_token };
}
const token = (id: string, secret: string, from?: string, of = tenant) =>
  of.app.http('POST', '/v1/auth/token', {
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...(from ? { 'X-Forwarded-For': from } : {}) },
  });
const poolFor = async (limits: { perCaller: number; perAddress: number }) => {
  const orm = await createOrm({ url: String(app.orm.config.get('clientUrl')), entities: [...entities] });
  const errors: unknown[] = [];
  return { orm, errors, limits: new RateLimits({ ...limits, pool: () => poolOf(orm.em), onError: (error) => errors.push(error) }) };
};

test('a stream says with its first bytes how many requests are left, and comes to its end', async () => {
  const answer = await app.http('GET', '/v1/audit_entries', { token: tenant.token, headers: { Accept: 'application/x-ndjson' } });
  expect([answer.status, answer.headers.get('content-type'), limitsOf(answer)[0]]).toEqual([
    200,
    expect.stringContaining('x-ndjson'),
    LIMIT,
  ]);
  expect(answer.headers.get('content-language')).toBe('en');
  // The connection goes on after it.
  expect((await app.http('GET', '/v1/audit_entries', { token: tenant.token })).status).toBe(200);
});

test('every answer says how many requests are left, and one too many is a 429 until the minute is over', async () => {
  await inOneMinute(async () => {
    const { token: mine } = await client();
    for (let i = 1; i <= LIMIT; i++) {
      const answer =
        i % 2 ? await app.http('GET', '/v1/orders', { token: mine }) : await app.graphql('{ myPermissions { name } }', {}, { token: mine });
      const [limit, remaining, reset = 0] = limitsOf(answer);
      expect([answer.status, limit, remaining, reset > 0 && reset <= 60]).toEqual([200, LIMIT, LIMIT - i, true]);
    }
    const rest = await app.http('GET', '/v1/orders', { token: mine });
    expect([rest.status, rest.body, limitsOf(rest).slice(0, 2)]).toEqual([429, { error: { code: 'too_many_requests' } }, [LIMIT, 0]]);
    expect(rest.headers.get('retry-after')).toBe(rest.headers.get('ratelimit-reset'));
    const graphql = await app.graphql('{ myPermissions { name } }', {}, { token: mine });
    expect([graphql.status, graphql.body.errors[0].extensions.code, graphql.headers.has('retry-after')]).toEqual([
      429,
      'too_many_requests',
      true,
    ]);
    // Others are not concerned.
    expect((await app.http('GET', '/v1/orders', { token: (await client()).token })).status).toBe(200);
  });
});

test('no statement is added to a request', async () => {
  // With a limit of which nobody uses a tenth, counts are not exchanged with other processes either, which happens at times of its own.
  const calm = await startTestApp({ limits: { perCaller: 10_000, perAddress: 10_000 } });
  const { token: mine } = await makeTenant(calm);
  await calm.http('GET', '/v1/orders', { token: mine });
  const { statements } = await calm.countStatements(() => calm.http('GET', '/v1/orders', { token: mine }));
  expect([statements.length > 0, statements.filter((sql) => sql.includes('rate_limit'))]).toEqual([true, []]);
  await calm.close();
});

test('invalid tokens count against the address, which only trusted proxies may forward', async () => {
  const from = async (address: string) =>
    (await app.http('GET', '/v1/orders', { headers: { Authorization: 'Bearer guess', 'X-Forwarded-For': address } })).status;
  await inOneMinute(async (run) => {
    const statuses: number[] = [];
    for (let i = 0; i < 31; i++) statuses.push(await from(`192.0.${run}.1`));
    expect([new Set(statuses.slice(0, 30)), statuses[30]]).toEqual([new Set([401]), 429]);
    expect(await from(`192.0.${run}.2`)).toBe(401);
    // The part that a client writes itself is left of the one that the proxy saw.
    expect(await from(`198.51.100.7, 192.0.${run}.1`)).toBe(429);
  });
  // Whoever has one address of an IPv6 network has all of it.
  await inOneMinute(async (run) => {
    const network = `2001:db8:1:${run}`;
    const sixes: number[] = [];
    for (let i = 0; i < 31; i++) sixes.push(await from(`${network}2::${i.toString(16)}`));
    expect([new Set(sixes.slice(0, 30)), sixes[30], await from(`${network}3::1`)]).toEqual([new Set([401]), 429, 401]);
  });
  await inOneMinute(async () => {
    const direct = await startTestApp({ limits: { perCaller: LIMIT, perAddress: 3 } });
    const answers: number[] = [];
    for (let i = 0; i < 4; i++)
      answers.push((await direct.http('GET', '/v1/orders', { headers: { 'X-Forwarded-For': `192.0.2.${i}` } })).status);
    await direct.close();
    expect(answers).toEqual([401, 401, 401, 429]);
  });
});

test('a signed address of a file counts towards those of its company, and a wrong one towards who sent it', async () => {
  const own = await makeTenant(app);
  const { id } = await makeOrder(own);
  const made = await sendForm(app, 'POST', `/v1/orders/${id}/file_attachments`, [['file', png(), 'gate.png']], own.token);
  const { pathname, search } = new URL(made.body.data.file_url);
  const limitOf = async (path: string) => {
    const answer = await fetch(app.url + path, { headers: { 'X-Forwarded-For': '192.0.2.77' } });
    await answer.arrayBuffer();
    return [answer.status, Number(answer.headers.get('ratelimit-limit'))];
  };
  expect(await limitOf(pathname + search)).toEqual([200, LIMIT]);
  expect(await limitOf(`${pathname}?signature=wrong`)).toEqual([404, 30]);
});

test('processes count together: a caller over the limit in all is over it in each', async () => {
  const [one, two] = await Promise.all([poolFor({ perCaller: 100, perAddress: 0 }), poolFor({ perCaller: 100, perAddress: 0 })]);
  await inOneMinute(async (run) => {
    const caller = { principal: `User:busy${run}`, address: '' };
    for (let i = 0; i < 60; i++) {
      await one.limits.take(caller);
      await two.limits.take(caller);
    }
    await one.limits.exchange();
    await two.limits.exchange();
    await one.limits.exchange();
    await expect(two.limits.take(caller)).rejects.toMatchObject({ status: 429, retryAfter: expect.any(Number) });
    for (let i = 0; i < 3; i++)
      await one.limits
        .exchange()
        .then(() => one.limits.take(caller))
        .catch(() => undefined);
    await one.limits.exchange();
    await expect(one.limits.take(caller)).rejects.toMatchObject({ status: 429 });
  });
  // Callers who ask little are nobody's business.
  await one.limits.take({ principal: 'User:quiet', address: '' });
  await one.limits.exchange();
  const [{ n }] = (await app.orm.em
    .fork()
    .getConnection()
    .execute("select count(*)::int as n from rate_limit where key like '%quiet%'")) as [{ n: number }];
  expect([n, one.errors, two.errors]).toEqual([0, [], []]);
  await Promise.all([one.limits.stop(), two.limits.stop()]);
  await Promise.all([one.orm.close(true), two.orm.close(true)]);
});

test('wrong secrets are limited by address over all processes, before they are compared', async () => {
  const mine = await client(open);
  const statuses: number[] = [];
  for (let i = 0; i < 61; i++) statuses.push((await token(mine.id, `wrong${i}`, `2001:db8:5::${i.toString(16)}`, open)).status);
  expect([new Set(statuses.slice(0, 60)), statuses[60]]).toEqual([new Set([401]), 429]);
  const refused = await token(mine.id, mine.secret, '2001:db8:5::5', open);
  expect([refused.status, refused.body.error, Number(refused.headers.get('retry-after')) > 0]).toEqual([
    429,
    'temporarily_unavailable',
    true,
  ]);
  expect((await token(mine.id, mine.secret, '203.0.113.6', open)).status).toBe(200);
});

test('requests without a token are counted by address, too, and the token endpoint says how many are left', async () => {
  await inOneMinute(async () => {
    const few = await startTestApp({ limits: { perCaller: 0, perAddress: 40 } });
    try {
      const paths = ['/.well-known/jwks.json', '/.well-known/oauth-authorization-server', '/docs', '/v1/company_logos/none', '/nothing'];
      for (const path of paths) expect([path, limitsOf(await few.http('GET', path))[0]]).toEqual([path, 40]);
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const ask = (body: string) => few.http('POST', '/v1/auth/token', { body, headers: form });
      const wrong = await ask('grant_type=client_credentials&client_id=nobody&client_secret=guess');
      expect([wrong.status, ...limitsOf(wrong).slice(0, 2)]).toEqual([401, 60, 59]);
      const statuses: number[] = [];
      for (let i = 0; i < 41; i++) statuses.push((await ask('grant_type=')).status);
      expect([new Set(statuses.slice(0, 30)), statuses.at(-1)]).toEqual([new Set([400]), 429]);
      const refused = await ask('grant_type=');
      expect([refused.body.error, Number(refused.headers.get('retry-after')) > 0]).toEqual(['temporarily_unavailable', true]);
      expect((await few.http('GET', '/.well-known/jwks.json')).status).toBe(429);
      // Whoever watches the process is not kept from it.
      expect((await few.http('GET', '/ready')).status).toBe(200);
    } finally {
      await few.close();
    }
  });
});

test('a client that gets a token for every request is advised to keep one', async () => {
  const mine = await client(open);
  let last = await token(mine.id, mine.secret, '203.0.113.9', open);
  for (let i = 0; i < 125 && last.status === 200; i++) last = await token(mine.id, mine.secret, '203.0.113.9', open);
  expect([last.status, last.body.error, Number(last.headers.get('retry-after')) > 0]).toEqual([429, 'temporarily_unavailable', true]);
});

test('counting a request takes less than 20 microseconds', async () => {
  const { limits, orm } = await poolFor({ perCaller: 1_000_000_000, perAddress: 0 });
  const callers = Array.from({ length: 1_000 }, (_, i) => ({ principal: `User:${i}`, address: '' }));
  for (const caller of callers) await limits.take(caller);
  const started = process.cpuUsage();
  for (let i = 0; i < 100_000; i++) await limits.take(callers[i % 1_000]!);
  const { user, system } = process.cpuUsage(started);
  const each = (user + system) / 100_000;
  expect(each).toBeLessThan(20);
  await limits.stop();
  await orm.close(true);
});
