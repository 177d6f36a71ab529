import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { User } from '../../../src/directory/people/user.entity.ts';
import { Credential } from '../../../src/identity/passwords/credential.entity.ts';
import { hashPassword } from '../../../src/identity/passwords/passwords.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { Browser, outcomeOf } from './browser.ts';
import { oidcScene } from './oidc-scene.ts';
import { type OpenIdProvider, startOpenIdProvider } from './openid-provider.ts';

const at = oidcScene();
const isCallback = (url: string) => url.startsWith(at.connection.redirect_uri);
const logIn = (sso_token: string | undefined) => at.app.http('POST', '/v1/auth/sso/login', { body: { sso_token } });
const me = async (token: string) => (await at.app.http('GET', '/v1/users/me', { token })).body.data;
const REFUSED = { sso_error: 'refused' };

test('a person whose address leads to a provider signs in there and works here', async () => {
  const { user } = await at.person({ email: `Ada@${at.domain}` });
  const found = await at.app.http('POST', '/v1/sso_connections', { body: { email: `ada@${at.domain}` } });
  const { next } = await new Browser().go(`${found.body.data[0].start_url}?login_hint=ada@${at.domain}`, at.isPage);
  expect(next).toMatch(new RegExp(`^${at.app.url}/console#sso_token=[\\w-]{43}$`));
  const answer = await logIn(outcomeOf(next).sso_token);
  expect(answer).toMatchObject({ status: 200, body: { data: { session_jwt: expect.any(String) } } });
  const reported = await me(answer.body.data.session_jwt);
  expect(reported).toMatchObject({ id: user.id, company: { id: at.tenant.company.id } });
  expect(new Date(reported.last_login_at).getTime()).toBeGreaterThan(Date.now() - 60_000);
  const rows = await at.app.orm.em
    .getConnection()
    .execute<{ object_changes: object }[]>("select object_changes from audit_entry where subject_id = ? and event = 'sign_in'", [user.id]);
  expect(rows).toEqual([{ object_changes: expect.objectContaining({ method: [null, 'sso'] }) }]);
});

test('an address that the provider confirms is proven, even if another company entered it and the person has signed in otherwise', async () => {
  const unproven = { emailProven: false, phoneProven: false, phone: `+1201559${1000 + Math.floor(Math.random() * 9000)}` };
  const { user } = await at.person({ ...unproven, lastLoginAt: new Date() });
  expect((await logIn((await at.signIn()).sso_token)).status).toBe(200);
  const [row] = await at.app.orm.em.getConnection().execute('select email_proven, phone_proven from app_user where id = ?', [user.id]);
  expect(row).toEqual({ email_proven: true, phone_proven: false });
});

test('the code is requested with state, nonce and PKCE, and nothing is stored in clear', async () => {
  const { next } = await new Browser().go(`${at.connection.start_url}?login_hint=ada@${at.domain}`, (url) =>
    url.startsWith(at.provider.issuer),
  );
  const asked = Object.fromEntries(new URL(next!).searchParams);
  expect(asked).toEqual({
    client_id: expect.any(String),
    redirect_uri: at.connection.redirect_uri,
    response_type: 'code',
    scope: 'openid email',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
    login_hint: `ada@${at.domain}`,
  });
  const rows = await at.app.orm.em.getConnection().execute('select * from sso_attempt where connection_id = ?', [at.connection.id]);
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(asked.state);
  const again = await new Browser().visit(at.connection.start_url);
  expect(again.headers.get('set-cookie')).toMatch(
    /^haulgate_sso_oidc=[\w-]{43}; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
  );
  expect(again.headers.get('cache-control')).toBe('no-store');
});

test('a ticket opens one session, and none for a person who was deactivated meanwhile', async () => {
  const { user } = await at.person();
  const { sso_token } = await at.signIn();
  expect(await logIn(sso_token)).toMatchObject({ status: 200 });
  const refused = { status: 401, body: { error: { code: 'unauthorized', error_type: 'invalid_credentials' } } };
  expect(await logIn(sso_token)).toMatchObject(refused);
  for (const token of ['', 'nonsense', 'a\0b', 'x'.repeat(10_000)]) expect([401, 422]).toContain((await logIn(token)).status);
  const late = await at.signIn();
  await at.app.orm.em.getConnection().execute("update sso_ticket set expires_at = now() - interval '1 second'", [], 'run');
  expect(await logIn(late.sso_token)).toMatchObject(refused);
  const gone = await at.signIn();
  await at.app.orm.em.fork().nativeUpdate(User, { id: user.id }, { discardedAt: new Date() }, { filters: { tenant: false } });
  expect(await logIn(gone.sso_token)).toMatchObject(refused);
  expect(await at.signIn()).toEqual({ sso_error: 'no_account' });
});

test('a secret in the form, no secret at all, and claims in the token work as well', async () => {
  for (const more of [{ token_endpoint_auth_method: 'none' }, {}]) {
    at.provider.putInToken = 'token_endpoint_auth_method' in more;
    at.use(await at.connect(at.tenant, more));
    await at.person();
    at.provider.asked.length = 0;
    expect(await at.signIn()).toEqual({ sso_token: expect.any(String) });
    expect(at.provider.asked.includes('GET /me')).toBe(!at.provider.putInToken);
  }
});

test.each<[string, NonNullable<OpenIdProvider['tamper']>]>([
  ['another nonce', (claims) => ({ ...claims, nonce: 'another' })],
  ['no nonce', ({ nonce, ...claims }) => claims],
  ['another audience', (claims) => ({ ...claims, aud: 'another' })],
  ['a second audience without ours', (claims) => ({ ...claims, aud: ['x', 'y'] })],
  ['another issuer', (claims) => ({ ...claims, iss: 'https://evil.example' })],
  ['an end in the past', (claims) => ({ ...claims, iat: 1, exp: 2 })],
  ['no end', ({ exp, ...claims }) => claims],
  ['no subject', ({ sub, ...claims }) => claims],
  ['another subject than userinfo', (claims) => ({ ...claims, sub: 'another' })],
  ['no signature', (claims) => ({ header: { alg: 'none' }, claims })],
  ['an unknown key', (claims) => ({ header: { kid: 'unknown' }, claims })],
])('an ID token with %s is refused', async (_what, tamper) => {
  await at.person();
  at.provider.putInToken = false;
  at.provider.tamper = tamper;
  expect(await at.signIn()).toEqual(REFUSED);
  at.provider.tamper = (claims) => claims;
  expect(await at.signIn()).toEqual({ sso_token: expect.any(String) });
});

test("an ID token signed with the client's secret or another key is refused", async () => {
  await at.person();
  const other = await startOpenIdProvider();
  const stolen = other.currentKey();
  await other.close();
  at.provider.tamper = (claims) => ({ header: {}, claims, key: stolen });
  expect(await at.signIn()).toEqual(REFUSED);
  const { n } = at.provider.currentKey();
  at.provider.tamper = (claims) => ({ header: { alg: 'HS256' }, claims, key: { kty: 'oct', k: n } });
  expect(await at.signIn()).toEqual(REFUSED);
});

test('a new key of the provider works at once, and a withdrawn one no longer', async () => {
  await at.person();
  expect(await at.signIn()).toEqual({ sso_token: expect.any(String) });
  const old = at.provider.currentKey();
  await at.provider.rotate();
  expect(await at.signIn()).toEqual({ sso_token: expect.any(String) });
  at.provider.tamper = (claims) => ({ header: { kid: old.kid }, claims, key: old });
  expect(await at.signIn()).toEqual(REFUSED);
});

test('an answer counts once, in the browser and for the connection of the request, and in time', async () => {
  await at.person();
  const expired = { sso_error: 'expired' };
  const browser = new Browser();
  const finish = async (by: Browser, url: string) => outcomeOf((await by.go(url, at.isPage)).next);
  const answer = async () => (await browser.go(at.connection.start_url, isCallback)).next!;
  const first = await answer();
  expect(await finish(new Browser(), first)).toEqual(expired);
  const elsewhere = await at.connect();
  expect(await finish(browser, first.replace(at.connection.id, elsewhere.id))).toEqual(expired);
  expect(await finish(browser, first)).toEqual({ sso_token: expect.any(String) });
  expect(await finish(browser, first)).toEqual(expired);
  const changed = new URL(await answer());
  changed.searchParams.set('state', 'x'.repeat(43));
  expect(await finish(browser, changed.href)).toEqual(expired);
  changed.searchParams.delete('state');
  expect(await finish(browser, changed.href)).toEqual(expired);
  const late = await answer();
  await at.app.orm.em.getConnection().execute("update sso_attempt set expires_at = now() - interval '1 second'", [], 'run');
  expect(await finish(browser, late)).toEqual(expired);
  const wrongCode = new URL(await answer());
  wrongCode.searchParams.set('code', 'guessed');
  expect(await finish(browser, wrongCode.href)).toEqual(REFUSED);
  const wrongIssuer = new URL(await answer());
  wrongIssuer.searchParams.set('iss', 'https://evil.example');
  expect(await finish(browser, wrongIssuer.href)).toEqual(REFUSED);
  const denied = new URL(await answer());
  denied.searchParams.delete('code');
  denied.searchParams.set('error', 'access_denied');
  expect(await finish(browser, denied.href)).toEqual(REFUSED);
});

test('the reason of a failed sign-in is in the audit log of the company, whose admins can solve it', async () => {
  await at.person();
  at.provider.someone = { email: `ada@${at.domain}`, email_verified: false };
  await at.signIn();
  at.provider.someone = { email: `nobody@${at.domain}`, email_verified: true };
  await at.signIn();
  await at.app.http('GET', `/v1/auth/sso/${at.connection.id}/callback?state=made-up&code=x`);
  const rows = await at.app.orm.em
    .getConnection()
    .execute<{ company_id: string; object_changes: Record<string, unknown> }[]>(
      "select company_id, object_changes from audit_entry where subject_id = ? and event = 'sign_in_failed' order by id",
      [at.connection.id],
    );
  const reported = (reason: string, detail: string) => ({
    company_id: at.tenant.company.id,
    object_changes: { method: [null, 'sso'], reason: [null, reason], detail: [null, detail], address: [null, expect.any(String)] },
  });
  expect(rows).toEqual([
    reported('refused', 'the provider has not verified the e-mail address'),
    reported('no_account', 'nobody active has this e-mail address here'),
  ]);
});

test('a company that allows only its provider accepts no password', async () => {
  const { user } = await at.person();
  await at.tenant.save(Credential, { userId: user.id, passwordHash: await hashPassword('gravel and sand') });
  const byPassword = () => at.app.http('POST', '/v1/auth/login', { body: { email: user.email, password: 'gravel and sand' } });
  expect((await byPassword()).status).toBe(200);
  await at.tenant.must('PATCH', `/v1/companies/${at.tenant.company.id}`, { auth_methods: ['sso'] });
  expect((await byPassword()).status).toBe(401);
  expect((await at.app.http('POST', '/v1/auth_methods', { body: { email: user.email } })).body).toEqual({
    data: { auth_methods: ['sso'] },
  });
  expect(await at.signIn()).toEqual({ sso_token: expect.any(String) });
});

test('two tabs of one browser can sign in concurrently', async () => {
  await at.person();
  const browser = new Browser();
  const answers = [await browser.go(at.connection.start_url, isCallback), await browser.go(at.connection.start_url, isCallback)];
  for (const { next } of answers) expect(outcomeOf((await browser.go(next!, at.isPage)).next)).toEqual({ sso_token: expect.any(String) });
});

test.each([
  ['of another domain', { email: 'ada@elsewhere.example', email_verified: true }],
  ['of a subdomain', { email: 'ada@mail.DOMAIN', email_verified: true }],
  ['that is not verified', { email: 'ada@DOMAIN', email_verified: false }],
  ['whose verification is not stated', { email: 'ada@DOMAIN' }],
  ['whose verification is a text', { email: 'ada@DOMAIN', email_verified: 'true' }],
  ['that is no address', { email: 'x@y@DOMAIN', email_verified: true }],
  ['that is missing', { email_verified: true }],
])('an address %s signs nobody in', async (_what, someone) => {
  const reported = JSON.parse(JSON.stringify(someone).replaceAll('DOMAIN', at.domain));
  for (const email of new Set([reported.email ?? `ada@${at.domain}`, `ada@${at.domain}`])) await at.person({ email });
  at.provider.someone = reported;
  expect(await at.signIn()).toEqual(REFUSED);
});

test('a person whom somebody entered precedes one from a payload, in all companies of the family', async () => {
  const child = await makeTenant(at.app, { company: { parentCompany: ref(at.tenant.company) } });
  await at.tenant.person({ email: `ada@${at.domain}`, roles: ['foreman'], unclaimed: true });
  const { user } = await child.person({ email: `ada@${at.domain}`, roles: ['dispatcher'] });
  const answer = await logIn((await at.signIn()).sso_token);
  expect((await me(answer.body.data.session_jwt)).id).toBe(user.id);
});

test("a person from a payload signs in when the company's provider confirms them, and holds the address from then on", async () => {
  const { user } = await at.tenant.person({ email: `ada@${at.domain}`, roles: ['foreman'], unclaimed: true });
  const answer = await logIn((await at.signIn()).sso_token);
  expect(await me(answer.body.data.session_jwt)).toMatchObject({ id: user.id, idp_member_status: 'active' });
});

test('a provider signs in people of its company and those below, and nobody else', async () => {
  const child = await makeTenant(at.app, { company: { parentCompany: at.tenant.company } });
  const grandchild = await makeTenant(at.app, { company: { parentCompany: child.company } });
  const stranger = await makeTenant(at.app);
  const closed = await makeTenant(at.app, { company: { parentCompany: at.tenant.company, discardedAt: new Date() } });
  const as = async (of: Tenant, name: string, more: object = {}) => {
    at.provider.someone = { email: `${name}@${at.domain}`, email_verified: true };
    await of.person({ email: `${name}@${at.domain}`, roles: ['driver'], ...more });
    return at.signIn();
  };
  const token = { sso_token: expect.any(String) };
  const nobody = { sso_error: 'no_account' };
  expect(await as(child, 'child')).toEqual(token);
  expect(await as(grandchild, 'grandchild')).toEqual(token);
  expect(await as(stranger, 'stranger')).toEqual(nobody);
  expect(await as(closed, 'closed')).toEqual(nobody);
  expect(await as(at.tenant, 'gone', { discardedAt: new Date() })).toEqual(nobody);
  // A person who sees every company is no employee of one: its provider must not vouch for them.
  expect(await as(at.tenant, 'operator', { roles: ['platform_admin', 'dispatcher'] })).toEqual(nobody);
  at.use(await at.connect(child));
  expect(await as(child, 'below')).toEqual(token);
  expect(await as(at.tenant, 'above')).toEqual(nobody);
  at.provider.someone = { email: `new@${at.domain}`, email_verified: true };
  expect(await at.signIn()).toEqual(nobody);
  expect(await at.app.orm.em.fork().count(User, { email: `new@${at.domain}` }, { filters: { tenant: false } })).toBe(0);
});
