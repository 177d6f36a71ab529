import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import type { User } from '../../../src/directory/people/user.entity.ts';
import { inviteLater } from '../../../src/identity/sign-in/sign-up.ts';
import { transact } from '../../../src/platform/commands/transact.ts';
import type { Context } from '../../../src/platform/context.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ deliveries: true });
  tenant = await makeTenant(app, { company: { legalName: 'Northwind Aggregates', authMethods: ['password', 'magic_link', 'otp_sms'] } });
});
afterAll(() => app.close());

const run = (sql: string, ...values: unknown[]) => app.orm.em.getConnection().execute(sql, values);
const post = (path: string, body: unknown, headers: Record<string, string> = {}) => app.http('POST', path, { body, headers });
const member = async (fields: object = {}) => (await tenant.person({ roles: ['dispatcher'], ...fields })).user;
const me = async (token: string) => (await app.http('GET', '/v1/users/me', { token })).body.data?.id;
const refused = { status: 401, body: { error: { code: 'unauthorized', error_type: 'invalid_credentials' } } };
const mailsTo = async (user: User) => (await app.emails()).mails.filter((mail) => mail.to === user.email);
const tokenIn = (text: string): string => /#[a-z_]+=([\w-]+)/.exec(text)![1]!;
const lastTokenOf = async (user: User) => tokenIn((await mailsTo(user)).at(-1)!.text);
const codeOf = async (user: User) =>
  /\b\d{6}\b/.exec((await app.emails()).texts.findLast((text) => text.startsWith(`To: ${user.phone}`))!)![0];
const ask = (user: User) => post('/v1/auth/magic_link', { email: user.email });
const SESSION = {
  session_jwt: expect.any(String),
  expires_at: expect.any(String),
  refresh_token: expect.any(String),
  refresh_expires_at: expect.any(String),
};
let phones = 0;
const phone = () => `+1201555${String(1000 + ++phones)}`;

test('a link in a mail opens a session, once', async () => {
  const user = await member();
  expect(await ask(user)).toMatchObject({ status: 204, body: undefined });
  const [mail] = await mailsTo(user);
  expect(mail).toMatchObject({
    subject: 'Your link to sign in to Haulgate',
    headers: { from: 'Haulgate <desk@haulgate.test>', 'content-language': 'en' },
  });
  expect(mail!.text).toContain(`/sign-in#magic_links_token=${await lastTokenOf(user)}`);
  // SPEC: no extra properties. The link is still good.
  const more = await post('/v1/auth/magic_link/login', { magic_links_token: await lastTokenOf(user), remember: true });
  expect([more.status, more.body.error.errors]).toEqual([422, [expect.objectContaining({ field: 'remember' })]]);
  const answer = await post('/v1/auth/magic_link/login', { magic_links_token: await lastTokenOf(user) });
  expect(answer).toMatchObject({ status: 200, body: { data: SESSION } });
  expect(await me(answer.body.data.session_jwt)).toBe(user.id);
  expect(await post('/v1/auth/magic_link/login', { magic_links_token: await lastTokenOf(user) })).toMatchObject(refused);
});

test('of two concurrent uses of one link, one succeeds; the other links are void then', async () => {
  const user = await member();
  await ask(user);
  await ask(user);
  const [first, second] = (await mailsTo(user)).map((mail) => tokenIn(mail.text));
  const answers = await Promise.all(Array.from({ length: 6 }, () => post('/v1/auth/magic_link/login', { magic_links_token: second })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401]);
  expect(await post('/v1/auth/magic_link/login', { magic_links_token: first })).toMatchObject(refused);
});

test('a link is stored as a hash, and no waiting message contains its secret', async () => {
  const user = await member();
  await ask(user);
  const token = await lastTokenOf(user);
  const rows = JSON.stringify([
    await run('select * from one_time_secret where user_id = ?', user.id),
    await run('select * from outgoing_message'),
  ]);
  expect(rows).toContain(user.id);
  expect(rows).not.toContain(token);
});

test.each<[string, (user: User) => Promise<unknown>]>([
  ['is too old', (user) => run('update one_time_secret set expires_at = now() where user_id = ?', user.id)],
  ['belongs to somebody deactivated since', (user) => run('update app_user set discarded_at = now() where id = ?', user.id)],
])('a link that %s is refused', async (_, change) => {
  const user = await member();
  await ask(user);
  const token = await lastTokenOf(user);
  await change(user);
  expect(await post('/v1/auth/magic_link/login', { magic_links_token: token })).toMatchObject(refused);
});

test('a link for one purpose is refused for another', async () => {
  const user = await member();
  await ask(user);
  const token = await lastTokenOf(user);
  expect(await post('/v1/auth/reset_password', { password_reset_token: token, password: 'limestone and rain' })).toMatchObject(refused);
  expect(await post('/v1/auth/signup', { magic_links_token: token, password: 'limestone and rain' })).toMatchObject(refused);
  expect((await post('/v1/auth/magic_link/login', { magic_links_token: token })).status).toBe(200);
});

test('known and unknown addresses and numbers get one answer with the same statements', async () => {
  const user = await member({ phone: phone() });
  const reported = async (path: string, body: object) => {
    const { value, statements } = await app.countStatements(() => post(path, body));
    const names = [...value.headers.keys()].sort();
    return {
      status: value.status,
      names,
      body: JSON.stringify(value.body)?.replace(/[0-9a-f-]{36}/, 'ID'),
      statements: statements.map((sql) => sql.replace(/\s+/g, ' ').replaceAll(/'[^']*@[^']*'/g, 'ADDRESS')),
    };
  };
  for (const path of ['/v1/auth/magic_link', '/v1/auth/forgot_password'])
    expect(await reported(path, { email: user.email })).toEqual(await reported(path, { email: `not-${user.email}` }));
  expect(await reported('/v1/auth/otp_sms', { phone: user.phone })).toEqual(await reported('/v1/auth/otp_sms', { phone: '+12015550199' }));
  const login = (email: string) => reported('/v1/auth/login', { email, password: 'wrong password' });
  expect(await login(user.email!)).toEqual(await login(`not-${user.email}`));
  const before = (await app.emails()).mails.length;
  await post('/v1/auth/magic_link', { email: `not-${user.email}` });
  expect((await app.emails()).mails).toHaveLength(before);
  expect(await run('select 1 from outgoing_message')).toEqual([]);
});

test.each([
  'an empty text',
  'nobody',
  'a@b@c',
  '" or 1=1',
  'x'.repeat(500),
  'a@example.com\r\nBcc: all@example.com',
  'a@example.com, b@example.com',
])('an address such as %s gets the usual answer and no mail', async (email) => {
  const before = (await app.emails()).mails.length;
  expect((await post('/v1/auth/magic_link', { email })).status).toBe(204);
  expect((await app.emails()).mails).toHaveLength(before);
});

test('mails are in the language of the request', async () => {
  const user = await member({ lastName: 'Gravière' });
  for (const language of ['es-US', 'fr-CA', 'en-CA'])
    await post('/v1/auth/magic_link', { email: user.email }, { 'Accept-Language': language });
  expect((await mailsTo(user)).map((mail) => [mail.headers['content-language'], mail.subject])).toEqual([
    ['es-us', 'Su enlace para entrar en Haulgate'],
    ['fr-ca', 'Votre lien pour ouvrir une session dans Haulgate'],
    ['en-ca', 'Your link to sign in to Haulgate'],
  ]);
  expect((await mailsTo(user))[1]!.text).toMatch(/^Bonjour Ada Gravière,/);
});

test('a code by SMS opens a session, once', async () => {
  const user = await member({ phone: phone() });
  const { status, body } = await post('/v1/auth/otp_sms', { phone: `(${user.phone!.slice(2, 5)}) ${user.phone!.slice(5)}` });
  expect([status, body]).toEqual([201, { data: { phone_id: expect.any(String) } }]);
  const { phone_id } = body.data;
  const code = await codeOf(user);
  expect(await post('/v1/auth/otp_sms/login', { phone_id, code: code === '000000' ? '000001' : '000000' })).toMatchObject(refused);
  const answer = await post('/v1/auth/otp_sms/login', { phone_id, code: ` ${code} ` });
  expect(answer).toMatchObject({ status: 200, body: { data: SESSION } });
  expect(await me(answer.body.data.session_jwt)).toBe(user.id);
  expect(await post('/v1/auth/otp_sms/login', { phone_id, code })).toMatchObject(refused);
});

test('five wrong codes, even concurrent ones, void the right one', async () => {
  const user = await member({ phone: phone() });
  const { phone_id } = (await post('/v1/auth/otp_sms', { phone: user.phone })).body.data;
  const code = await codeOf(user);
  const wrong = Array.from({ length: 5 }, (_, i) => String((Number(code) + 1 + i) % 1_000_000).padStart(6, '0'));
  await Promise.all(wrong.map((guess) => post('/v1/auth/otp_sms/login', { phone_id, code: guess })));
  expect(await post('/v1/auth/otp_sms/login', { phone_id, code })).toMatchObject(refused);
});

test('a code works only for the request for which it was sent', async () => {
  const [one, two] = [await member({ phone: phone() }), await member({ phone: phone() })];
  await post('/v1/auth/otp_sms', { phone: one.phone });
  const { phone_id } = (await post('/v1/auth/otp_sms', { phone: two.phone })).body.data;
  const [code, other] = [await codeOf(one), await codeOf(two)];
  if (code !== other) expect(await post('/v1/auth/otp_sms/login', { phone_id, code })).toMatchObject(refused);
  for (const id of ['', 'nonsense', tenant.company.id])
    expect(await post('/v1/auth/otp_sms/login', { phone_id: id, code })).toMatchObject(refused);
});

test('a forgotten password is replaced by a link, and all sessions with the old one end', async () => {
  const user = await member();
  const set = async (password: string) => {
    expect((await post('/v1/auth/forgot_password', { email: user.email })).status).toBe(204);
    const answer = await post('/v1/auth/reset_password', { password_reset_token: await lastTokenOf(user), password });
    expect(answer).toMatchObject({ status: 200, body: { data: SESSION } });
    return answer.body.data.session_jwt as string;
  };
  const first = await set('limestone and rain');
  const second = await set('sandstone and hail');
  expect([await me(first), await me(second)]).toEqual([undefined, user.id]);
  const login = async (password: string) => (await post('/v1/auth/login', { email: user.email, password })).status;
  expect([await login('limestone and rain'), await login('sandstone and hail')]).toEqual([401, 200]);
  expect((await mailsTo(user)).map((mail) => mail.subject)).toEqual([
    'Choose a new Haulgate password',
    'Your Haulgate password was changed',
    'Choose a new Haulgate password',
    'Your Haulgate password was changed',
  ]);
  expect((await mailsTo(user)).at(-1)!.text).toContain('Northwind Aggregates');
  const events = (await run('select event from audit_entry where subject_id = ? order by created_at, id', user.id)) as { event: string }[];
  expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['password_reset', 'session_revoked', 'sign_in']));
});

test('a weak password is a 400 that names the field, in the caller’s language, and the link stays valid', async () => {
  const user = await member();
  await post('/v1/auth/forgot_password', { email: user.email });
  const token = await lastTokenOf(user);
  for (const password of ['short', 'Password2026', 'Northwind1', '']) {
    const answer = await post('/v1/auth/reset_password', { password_reset_token: token, password }, { 'Accept-Language': 'es-US' });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: 'bad_request', errors: [{ model: 'Credential', field: 'password' }] } },
    });
  }
  expect((await post('/v1/auth/reset_password', { password_reset_token: token, password: 'limestone and rain' })).status).toBe(200);
});

async function invite(user: User, channel: 'mail' | 'sms', to: string): Promise<void> {
  const em = app.orm.em.fork();
  await transact({ em, requestId: 'test', language: 'en', memo: new Map() } as unknown as Context, (tx) =>
    inviteLater(tx, user.id, channel, to),
  );
}

test('an invited person chooses a password and is signed in', async () => {
  const user = await member();
  await invite(user, 'mail', user.email!);
  const [mail] = await mailsTo(user);
  expect(mail!.subject).toBe('Northwind Aggregates invites you to Haulgate');
  const token = tokenIn(mail!.text);
  expect((await post('/v1/auth/signup', { magic_links_token: token, password: 'gravel' })).status).toBe(400);
  const answer = await post('/v1/auth/signup', { magic_links_token: token, password: 'limestone and rain' });
  expect(answer).toMatchObject({ status: 200, body: { data: SESSION } });
  expect(await me(answer.body.data.session_jwt)).toBe(user.id);
  expect((await post('/v1/auth/login', { email: user.email, password: 'limestone and rain' })).status).toBe(200);
  expect(await post('/v1/auth/signup', { magic_links_token: token, password: 'sandstone and hail' })).toMatchObject(refused);
});

test('an invitation by SMS contains the link', async () => {
  const user = await member({ phone: phone() });
  await invite(user, 'sms', user.phone!);
  const text = (await app.emails()).texts.findLast((one) => one.startsWith(`To: ${user.phone}`))!;
  expect((await post('/v1/auth/signup', { magic_links_token: tokenIn(text), password: 'limestone and rain' })).status).toBe(200);
});

test.each([
  [['magic_link'], '/console/sign-in'],
  [['sso'], '/console'],
])('people of a company that allows only %j are invited to sign in so, and choose no password', async (authMethods, page) => {
  const strict = await makeTenant(app, { company: { legalName: 'Strict Aggregates', authMethods } });
  const { user } = await strict.person({ roles: ['dispatcher'], phone: phone() });
  for (const channel of ['email', 'sms']) await strict.must('PUT', `/v1/users/${user.id}/invite/${channel}`, {});
  const [mail] = await mailsTo(user);
  expect(mail!.subject).toBe('Strict Aggregates invites you to Haulgate');
  const text = (await app.emails()).texts.findLast((one) => one.startsWith(`To: ${user.phone}`))!;
  for (const one of [mail!.text, text]) expect(one.trim().endsWith(page)).toBe(true);
  expect(await run('select 1 from one_time_secret where user_id = ?', user.id)).toEqual([]);
});

test('a company that allows only its identity provider sends no links or codes and accepts no passwords', async () => {
  const strict = await makeTenant(app, { company: { authMethods: ['sso'] } });
  const { user } = await strict.person({ roles: ['dispatcher'], phone: phone() });
  const before = await app.emails();
  await post('/v1/auth/magic_link', { email: user.email });
  await post('/v1/auth/forgot_password', { email: user.email });
  await post('/v1/auth/otp_sms', { phone: user.phone });
  const after = await app.emails();
  expect([after.mails.length, after.texts.length]).toEqual([before.mails.length, before.texts.length]);
  // One that was sent before the company changed its mind is void as well.
  await app.orm.em.fork().nativeUpdate(Company, { id: strict.company.id }, { authMethods: ['magic_link'] }, { filters: { tenant: false } });
  await post('/v1/auth/magic_link', { email: user.email });
  const token = await lastTokenOf(user);
  await app.orm.em.fork().nativeUpdate(Company, { id: strict.company.id }, { authMethods: ['sso'] }, { filters: { tenant: false } });
  expect(await post('/v1/auth/magic_link/login', { magic_links_token: token })).toMatchObject(refused);
});

test('all of it works over GraphQL', async () => {
  const user = await member({ phone: phone() });
  const gql = async (query: string, variables: object) => (await app.graphql(query, variables as Record<string, unknown>)).body.data;
  expect(await gql('mutation($e: String!) { requestMagicLink(input: { email: $e }) }', { e: user.email })).toEqual({
    requestMagicLink: true,
  });
  const link = await gql('mutation($t: String!) { logInByMagicLink(input: { magicLinksToken: $t }) { sessionJwt } }', {
    t: await lastTokenOf(user),
  });
  expect(await me(link.logInByMagicLink.sessionJwt)).toBe(user.id);
  const { requestOtpSms } = await gql('mutation($p: String!) { requestOtpSms(input: { phone: $p }) { phoneId } }', { p: user.phone });
  const code = await gql('mutation($i: String!, $c: String!) { logInByOtpSms(input: { phoneId: $i, code: $c }) { sessionJwt } }', {
    i: requestOtpSms.phoneId,
    c: await codeOf(user),
  });
  expect(await me(code.logInByOtpSms.sessionJwt)).toBe(user.id);
  expect(await gql('mutation($e: String!) { forgotPassword(input: { email: $e }) }', { e: user.email })).toEqual({ forgotPassword: true });
  const reset = await gql(
    'mutation($t: String!) { resetPassword(input: { passwordResetToken: $t, password: "limestone and rain" }) { sessionJwt } }',
    {
      t: await lastTokenOf(user),
    },
  );
  expect(await me(reset.resetPassword.sessionJwt)).toBe(user.id);
});
