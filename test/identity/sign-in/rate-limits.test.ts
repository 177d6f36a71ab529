import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Credential } from '../../../src/identity/passwords/credential.entity.ts';
import { hashPassword } from '../../../src/identity/passwords/passwords.ts';
import { networkOf } from '../../../src/platform/http/attempt-limits.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let email: string;
beforeAll(async () => {
  app = await startTestApp({ deliveries: true, signInsPerAddress: 30, trustedProxies: ['loopback'] });
  tenant = await makeTenant(app, { company: { authMethods: ['password', 'magic_link', 'otp_sms'] } });
  const { user } = await tenant.person({ roles: ['dispatcher'] });
  email = user.email!;
  await tenant.save(Credential, { userId: user.id, passwordHash: await hashPassword('limestone and rain') });
});
afterAll(() => app.close());
const run = (sql: string) => app.orm.em.getConnection().execute(sql) as Promise<Record<string, unknown>[]>;
beforeEach(() => run('delete from rate_limit'));

let places = 0;
/** An address that nobody has called from yet. */
const place = () => `198.51.${Math.floor(++places / 250)}.${places % 250}`;
const post = (path: string, body: unknown, from = place()) => app.http('POST', path, { body, headers: { 'X-Forwarded-For': from } });
const login = (password: string, from?: string, as = email) => post('/v1/auth/login', { email: as, password }, from);
const statuses = async (times: number, call: () => Promise<{ status: number }>) => {
  const all: number[] = [];
  for (let i = 0; i < times; i++) all.push((await call()).status);
  return all;
};

test('every answer says how many attempts are left, and a 429 when to come back', async () => {
  const from = place();
  const first = await login('wrong', from);
  expect(Object.fromEntries(['limit', 'remaining', 'policy'].map((name) => [name, first.headers.get(`ratelimit-${name}`)]))).toEqual({
    limit: '10',
    remaining: '9',
    policy: '10;w=300',
  });
  expect(Number(first.headers.get('ratelimit-reset'))).toBeGreaterThan(290);
  await statuses(9, () => login('wrong', from));
  const refused = await login('limestone and rain', from);
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'too_many_requests' } } });
  expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(280);
});

test('a stranger who guesses does not lock the owner out elsewhere, but is stopped in the end', async () => {
  const stranger = place();
  await statuses(10, () => login('wrong', stranger));
  expect((await login('limestone and rain')).status).toBe(200);
  for (let i = 0; i < 4; i++) {
    const from = place();
    await statuses(10, () => login('wrong', from));
  }
  expect((await login('limestone and rain')).status).toBe(429);
});

test('successful sign-ins are not counted: a hundred are possible', async () => {
  const from = place();
  expect(new Set(await statuses(40, () => login('limestone and rain', from)))).toEqual(new Set([200]));
});

test('refreshes are not counted: many telephones share the address of their carrier', async () => {
  const from = place();
  let refreshToken = (await login('limestone and rain', from)).body.data.refresh_token;
  const goOn = async () => {
    const answer = await post('/v1/auth/refresh', { refresh_token: refreshToken }, from);
    refreshToken = answer.body.data?.refresh_token;
    return answer;
  };
  expect(new Set(await statuses(40, goOn))).toEqual(new Set([200]));
});

test('the use of links and codes that were sent is not counted either', async () => {
  const { user } = await tenant.person({ roles: ['dispatcher'], phone: '+12015550171' });
  const from = place();
  const used = async (path: string, body: object) => expect((await post(path, body, from)).status).toBe(200);
  const sent = async () =>
    (await app.emails()).mails.filter((mail) => mail.to === user.email).map((mail) => /#[a-z_]+=([\w-]+)/.exec(mail.text)?.[1]);
  await post('/v1/auth/magic_link', { email: user.email });
  await used('/v1/auth/magic_link/login', { magic_links_token: (await sent()).at(-1) });
  await tenant.must('PUT', `/v1/users/${user.id}/invite/email`, {});
  await used('/v1/auth/signup', { magic_links_token: (await sent()).at(-1), password: 'limestone and rain' });
  await post('/v1/auth/forgot_password', { email: user.email });
  await used('/v1/auth/reset_password', { password_reset_token: (await sent()).at(-1), password: 'dolomite and rain' });
  const { phone_id: phoneId } = (await post('/v1/auth/otp_sms', { phone: user.phone })).body.data;
  const text = (await app.emails()).texts.findLast((one) => one.startsWith(`To: ${user.phone}`))!;
  await used('/v1/auth/otp_sms/login', { phone_id: phoneId, code: /\b\d{6}\b/.exec(text)![0] });
  expect((await post('/v1/auth/refresh', { refresh_token: 'x' }, from)).headers.get('ratelimit-remaining')).toBe('29');
});

test('concurrent guesses are all counted', async () => {
  const from = place();
  const answers = await Promise.all(Array.from({ length: 25 }, () => login('wrong', from)));
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
});

test('unknown accounts are limited like known ones', async () => {
  const from = place();
  expect(await statuses(11, () => login('wrong', from, 'nobody@example.com'))).toEqual([...Array(10).fill(401), 429]);
});

test('another spelling of an account does not help', async () => {
  const from = place();
  await statuses(10, () => login('wrong', from));
  expect((await login('wrong', from, ` ${email.toUpperCase()}`)).status).toBe(429);
});

test('a network that tries many accounts is stopped, over REST and GraphQL together, and with aliases', async () => {
  const from = place();
  await Promise.all(Array.from({ length: 20 }, (_, i) => login('wrong', from, `p${i}@example.com`)));
  const guess = (name: string) => `${name}: login(input: { email: "${name}@example.com", password: "wrong" }) { sessionJwt }`;
  const ask = (names: string[]) =>
    app.http('POST', '/graphql', { body: { query: `mutation { ${names.map(guess).join(' ')} }` }, headers: { 'X-Forwarded-For': from } });
  // Guesses in one document are counted one by one.
  expect((await ask(Array.from({ length: 10 }, (_, i) => `q${i}`))).body.errors[0].extensions.code).toBe('unauthorized');
  const refused = await ask(['s']);
  expect(refused.body.errors[0].extensions.code).toBe('too_many_requests');
  expect([refused.headers.get('ratelimit-remaining'), Number(refused.headers.get('retry-after')) > 280]).toEqual(['0', true]);
  expect((await login('wrong', from, 'r@example.com')).status).toBe(429);
});

test.each<[string, string, object, number]>([
  ['links to one address', '/v1/auth/magic_link', { email: 'many@example.com' }, 5],
  ['new passwords of one address', '/v1/auth/forgot_password', { email: 'lost@example.com' }, 5],
  ['codes to one telephone', '/v1/auth/otp_sms', { phone: '(201) 555-0144' }, 5],
  ['guesses of one code', '/v1/auth/otp_sms/login', { phone_id: '00000000-0000-7000-8000-000000000000', code: '000000' }, 10],
  ['guesses of links', '/v1/auth/magic_link/login', { magic_links_token: 'x' }, 30],
  ['guesses of reset tokens', '/v1/auth/reset_password', { password_reset_token: 'x', password: 'limestone and rain' }, 30],
  ['guesses of invitations', '/v1/auth/signup', { magic_links_token: 'x', password: 'limestone and rain' }, 30],
  ['guesses of refresh tokens', '/v1/auth/refresh', { refresh_token: 'x' }, 30],
  ['guesses of tickets', '/v1/auth/sso/login', { sso_token: 'x' }, 30],
  ['questions for providers', '/v1/sso_connections', { email: 'a@example.com' }, 30],
  ['questions for ways in', '/v1/auth_methods', { email: 'a@example.com' }, 30],
])('%s are limited', async (_, path, body, most) => {
  const from = place();
  const all = await statuses(most + 1, () => post(path, body, from));
  expect(all.slice(0, most)).not.toContain(429);
  expect(all.at(-1)).toBe(429);
});

/** Has a code sent to a number. @returns what to sign in with, and the code where somebody has the number */
async function codeFor(phone: string): Promise<{ id: string; code?: string; status: number }> {
  // How many codes one number gets in an hour is another limit.
  await run(`delete from rate_limit where key like 'request%'`);
  const { status, body } = await post('/v1/auth/otp_sms', { phone });
  const text = (await app.emails()).texts.findLast((one) => one.startsWith(`To: ${phone}`));
  return { id: body.data?.phone_id, code: /\b\d{6}\b/.exec(text ?? '')?.[0], status };
}
const use = (id: string, code: string, from?: string) => post('/v1/auth/otp_sms/login', { phone_id: id, code }, from);
const wrong = (code = '000000') => (code === '000001' ? '000002' : '000001');

test.each([
  ['somebody has', true],
  ['nobody has', false],
])('a number that %s accepts twenty wrong codes a day, over all codes and networks', async (_, known) => {
  const phone = known ? '+12015550172' : '+12015550173';
  if (known) await tenant.person({ roles: ['dispatcher'], phone });
  const codes = [];
  for (let sent = 0; sent < 5; sent++) codes.push(await codeFor(phone));
  const all: number[] = [];
  for (const { id, code } of codes.slice(0, 4)) for (let tries = 0; tries < 5; tries++) all.push((await use(id, wrong(code))).status);
  expect(all).toEqual(Array(20).fill(401));
  // A code that is there already opens nothing, and none is sent any more, in whatever spelling it is asked for.
  const { id, code } = codes[4]!;
  const late = await use(id, code ?? '000000');
  expect([late.status, Number(late.headers.get('retry-after')) > 80_000]).toEqual([429, true]);
  expect([(await codeFor(phone)).status, (await codeFor(phone.replace('+1201', '(201) '))).status]).toEqual([429, 429]);
});

test('a network that tries codes of many accounts is stopped for the day, and others are not', async () => {
  const stranger = place();
  const { user } = await tenant.person({ roles: ['dispatcher'], phone: '+12015550174' });
  const theirs = await codeFor(user.phone!);
  const all: number[] = [];
  for (let i = 0; i < 22; i++) {
    const { id, code } = await codeFor(`+1201555${String(2000 + i)}`);
    all.push((await use(id, wrong(code), stranger)).status);
    // The limit of all kinds of signing in is over in five minutes.
    await run(`delete from rate_limit where key like 'sign_in%'`);
  }
  expect(all).toEqual([...Array(20).fill(401), 429, 429]);
  const refused = await use(theirs.id, theirs.code!, stranger);
  expect([refused.status, Number(refused.headers.get('retry-after')) > 80_000]).toEqual([429, true]);
  expect((await use(theirs.id, theirs.code!)).status).toBe(200);
});

test('people with the right code are never stopped by it', async () => {
  const from = place();
  const { user } = await tenant.person({ roles: ['dispatcher'], phone: '+12015550175' });
  const all: number[] = [];
  for (let i = 0; i < 25; i++) {
    const { id, code } = await codeFor(user.phone!);
    all.push((await use(id, code!, from)).status);
  }
  expect(all).toEqual(Array(25).fill(200));
});

test('mails to one address stop after ten an hour, from all networks', async () => {
  const all = await statuses(11, () => post('/v1/auth/magic_link', { email }));
  expect(all).toEqual([...Array(10).fill(204), 429]);
});

test('a forwarded address is trusted only from configured proxies', async () => {
  const other = await startTestApp({ signInsPerAddress: 30 });
  try {
    const tried = (from: string) =>
      other.http('POST', '/v1/auth/magic_link/login', {
        body: { magic_links_token: 'x' },
        headers: { 'X-Forwarded-For': from, Forwarded: `for=${from}` },
      });
    expect(await statuses(31, () => tried(place()))).toEqual([...Array(30).fill(401), 429]);
  } finally {
    await other.close();
  }
});

test('no address and no name is stored in the table', async () => {
  await login('wrong', '198.51.100.77');
  const rows = JSON.stringify(await run("select key from rate_limit where key like 'login%' or key like 'sign_in%'"));
  expect(rows).not.toContain('198.51.100.77');
  expect(rows).not.toContain(email);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
