import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { User } from '../../src/directory/user.entity.ts';
import { Credential } from '../../src/identity/credential.entity.ts';
import { hashPassword } from '../../src/identity/passwords.ts';
import { configureIdentity } from '../../src/identity/settings.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeYard, type Yard } from '../helpers/yard.ts';
import { Browser, outcomeOf } from './browser.ts';
import { connectTo, type OpenIdProvider, startOpenIdProvider } from './openid-provider.ts';

let app: TestApp;
let provider: OpenIdProvider;
let yard: Yard;
let connection: { id: string; start_url: string; redirect_uri: string };
let domain: string;
beforeAll(async () => {
  provider = await startOpenIdProvider();
  app = await startTestApp();
  configureIdentity({ ssoPrivateHosts: true });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

let made = 0;
beforeEach(async () => {
  yard = await makeYard(app);
  domain = `oidc${++made}.example`;
  connection = await connect(yard, domain);
  provider.tamper = undefined;
  provider.someone = { email: `ada@${domain}`, email_verified: true };
});

const connect = (of: Yard, name: string, more: object = {}) => connectTo(provider, of, name, more);
const isCallback = (url: string) => url.startsWith(connection.redirect_uri);
const isPage = (url: string) => url.startsWith(`${app.url}/console`);
/** A whole sign-in. @returns what the page is told */
async function signIn(browser = new Browser()): Promise<Record<string, string>> {
  return outcomeOf((await browser.go(connection.start_url, isPage)).next);
}
const logIn = (sso_token: string | undefined) => app.http('POST', '/v1/auth/sso/login', { body: { sso_token } });
const me = async (token: string) => (await app.http('GET', '/v1/users/me', { token })).body.data;
const person = (fields: object = {}) => yard.person({ email: `ada@${domain}`, roles: ['dispatcher'], ...fields });
const REFUSED = { sso_error: 'refused' };

test('somebody whose address leads to a provider signs in there and works here', async () => {
  const { user } = await person({ email: `Ada@${domain}` });
  const found = await app.http('POST', '/v1/sso_connections', { body: { email: `ada@${domain}` } });
  const { next } = await new Browser().go(`${found.body.data[0].start_url}?login_hint=ada@${domain}`, isPage);
  expect(next).toMatch(new RegExp(`^${app.url}/console#sso_token=[\\w-]{43}$`));
  const answer = await logIn(outcomeOf(next).sso_token);
  expect(answer).toMatchObject({ status: 200, body: { data: { session_jwt: expect.any(String) } } });
  const told = await me(answer.body.data.session_jwt);
  expect(told).toMatchObject({ id: user.id, company: { id: yard.company.id } });
  expect(new Date(told.last_login_at).getTime()).toBeGreaterThan(Date.now() - 60_000);
  const rows = await app.orm.em
    .getConnection()
    .execute<{ object_changes: object }[]>("select object_changes from audit_entry where subject_id = ? and event = 'sign_in'", [user.id]);
  expect(rows).toEqual([{ object_changes: expect.objectContaining({ method: [null, 'sso'] }) }]);
});

test('the provider is asked for a code with state, nonce and PKCE, and nothing is kept in clear', async () => {
  const { next } = await new Browser().go(`${connection.start_url}?login_hint=ada@${domain}`, (url) => url.startsWith(provider.issuer));
  const asked = Object.fromEntries(new URL(next!).searchParams);
  expect(asked).toEqual({
    client_id: expect.any(String),
    redirect_uri: connection.redirect_uri,
    response_type: 'code',
    scope: 'openid email',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
    login_hint: `ada@${domain}`,
  });
  const rows = await app.orm.em.getConnection().execute('select * from sso_attempt where connection_id = ?', [connection.id]);
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(asked.state);
  const again = await new Browser().visit(connection.start_url);
  expect(again.headers.get('set-cookie')).toMatch(
    /^haulgate_sso_oidc=[\w-]{43}; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
  );
  expect(again.headers.get('cache-control')).toBe('no-store');
});

test('a ticket opens one session, and not of somebody who was let go meanwhile', async () => {
  const { user } = await person();
  const { sso_token } = await signIn();
  expect(await logIn(sso_token)).toMatchObject({ status: 200 });
  const refused = { status: 401, body: { error: { code: 'unauthorized', error_type: 'invalid_credentials' } } };
  expect(await logIn(sso_token)).toMatchObject(refused);
  for (const token of ['', 'nonsense', 'a\0b', 'x'.repeat(10_000)]) expect([401, 422]).toContain((await logIn(token)).status);
  const late = await signIn();
  await app.orm.em.getConnection().execute("update sso_ticket set expires_at = now() - interval '1 second'", [], 'run');
  expect(await logIn(late.sso_token)).toMatchObject(refused);
  const gone = await signIn();
  await app.orm.em.fork().nativeUpdate(User, { id: user.id }, { discardedAt: new Date() }, { filters: { tenant: false } });
  expect(await logIn(gone.sso_token)).toMatchObject(refused);
  expect(await signIn()).toEqual({ sso_error: 'no_account' });
});

test('a secret over the form, no secret at all, and claims in the token serve as well', async () => {
  for (const more of [{ token_endpoint_auth_method: 'none' }, {}]) {
    domain = `oidc${++made}.example`;
    provider.tellInToken = 'token_endpoint_auth_method' in more;
    connection = await connect(yard, domain, more);
    provider.someone = { email: `ada@${domain}`, email_verified: true };
    await person();
    provider.asked.length = 0;
    expect(await signIn()).toEqual({ sso_token: expect.any(String) });
    expect(provider.asked.includes('GET /me')).toBe(!provider.tellInToken);
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
  await person();
  provider.tellInToken = false;
  provider.tamper = tamper;
  expect(await signIn()).toEqual(REFUSED);
  provider.tamper = (claims) => claims;
  expect(await signIn()).toEqual({ sso_token: expect.any(String) });
});

test('an ID token that the secret of the client signs, or a key of somebody else, is refused', async () => {
  await person();
  const other = await startOpenIdProvider();
  const stolen = other.currentKey();
  await other.close();
  provider.tamper = (claims) => ({ header: {}, claims, key: stolen });
  expect(await signIn()).toEqual(REFUSED);
  const { n } = provider.currentKey();
  provider.tamper = (claims) => ({ header: { alg: 'HS256' }, claims, key: { kty: 'oct', k: n } });
  expect(await signIn()).toEqual(REFUSED);
});

test('a new key of the provider signs in at once, and the withdrawn one no longer', async () => {
  await person();
  expect(await signIn()).toEqual({ sso_token: expect.any(String) });
  const old = provider.currentKey();
  await provider.rotate();
  expect(await signIn()).toEqual({ sso_token: expect.any(String) });
  provider.tamper = (claims) => ({ header: { kid: old.kid }, claims, key: old });
  expect(await signIn()).toEqual(REFUSED);
});

test('an answer counts once, in the browser that asked, for the connection that was asked, in time', async () => {
  await person();
  const expired = { sso_error: 'expired' };
  const browser = new Browser();
  const finish = async (by: Browser, url: string) => outcomeOf((await by.go(url, isPage)).next);
  const answer = async () => (await browser.go(connection.start_url, isCallback)).next!;
  const first = await answer();
  expect(await finish(new Browser(), first)).toEqual(expired);
  const elsewhere = await connect(yard, `oidc${++made}.example`);
  expect(await finish(browser, first.replace(connection.id, elsewhere.id))).toEqual(expired);
  expect(await finish(browser, first)).toEqual({ sso_token: expect.any(String) });
  expect(await finish(browser, first)).toEqual(expired);
  const changed = new URL(await answer());
  changed.searchParams.set('state', 'x'.repeat(43));
  expect(await finish(browser, changed.href)).toEqual(expired);
  changed.searchParams.delete('state');
  expect(await finish(browser, changed.href)).toEqual(expired);
  const late = await answer();
  await app.orm.em.getConnection().execute("update sso_attempt set expires_at = now() - interval '1 second'", [], 'run');
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

test('why a sign-in did not hold is in the audit log of the company, whose admins can mend it', async () => {
  await person();
  provider.someone = { email: `ada@${domain}`, email_verified: false };
  await signIn();
  provider.someone = { email: `nobody@${domain}`, email_verified: true };
  await signIn();
  await app.http('GET', `/v1/auth/sso/${connection.id}/callback?state=made-up&code=x`);
  const rows = await app.orm.em
    .getConnection()
    .execute<{ company_id: string; object_changes: Record<string, unknown> }[]>(
      "select company_id, object_changes from audit_entry where subject_id = ? and event = 'sign_in_failed' order by id",
      [connection.id],
    );
  const told = (reason: string, detail: string) => ({
    company_id: yard.company.id,
    object_changes: { method: [null, 'sso'], reason: [null, reason], detail: [null, detail], address: [null, expect.any(String)] },
  });
  expect(rows).toEqual([
    told('refused', 'the provider has not verified the e-mail address'),
    told('no_account', 'nobody active has this e-mail address here'),
  ]);
});

test('a company that allows its provider alone is entered by no password', async () => {
  const { user } = await person();
  await yard.save(Credential, { userId: user.id, passwordHash: await hashPassword('gravel and sand') });
  const byPassword = () => app.http('POST', '/v1/auth/login', { body: { email: user.email, password: 'gravel and sand' } });
  expect((await byPassword()).status).toBe(200);
  await yard.must('PATCH', `/v1/companies/${yard.company.id}`, { auth_methods: ['sso'] });
  expect((await byPassword()).status).toBe(401);
  expect((await app.http('POST', '/v1/auth_methods', { body: { email: user.email } })).body).toEqual({ data: { auth_methods: ['sso'] } });
  expect(await signIn()).toEqual({ sso_token: expect.any(String) });
});

test('two tabs of one browser sign in side by side', async () => {
  await person();
  const browser = new Browser();
  const answers = [await browser.go(connection.start_url, isCallback), await browser.go(connection.start_url, isCallback)];
  for (const { next } of answers) expect(outcomeOf((await browser.go(next!, isPage)).next)).toEqual({ sso_token: expect.any(String) });
});

test.each([
  ['of another domain', { email: 'ada@elsewhere.example', email_verified: true }],
  ['of a subdomain', { email: 'ada@mail.DOMAIN', email_verified: true }],
  ['that is not verified', { email: 'ada@DOMAIN', email_verified: false }],
  ['whose verification is not told', { email: 'ada@DOMAIN' }],
  ['whose verification is a text', { email: 'ada@DOMAIN', email_verified: 'true' }],
  ['that is no address', { email: 'x@y@DOMAIN', email_verified: true }],
  ['that is missing', { email_verified: true }],
])('an address %s signs nobody in', async (_what, someone) => {
  const told = JSON.parse(JSON.stringify(someone).replaceAll('DOMAIN', domain));
  for (const email of new Set([told.email ?? `ada@${domain}`, `ada@${domain}`])) await person({ email });
  provider.someone = told;
  expect(await signIn()).toEqual(REFUSED);
});

test('whom somebody entered comes before whom a payload named, in whichever company of the family', async () => {
  const child = await makeYard(app, { company: { parentCompany: ref(yard.company) } });
  await yard.person({ email: `ada@${domain}`, roles: ['foreman'], unclaimed: true });
  const { user } = await child.person({ email: `ada@${domain}`, roles: ['dispatcher'] });
  const answer = await logIn((await signIn()).sso_token);
  expect((await me(answer.body.data.session_jwt)).id).toBe(user.id);
});

test('a provider signs in people of its company and those below, and nobody else', async () => {
  const child = await makeYard(app, { company: { parentCompany: yard.company } });
  const grandchild = await makeYard(app, { company: { parentCompany: child.company } });
  const stranger = await makeYard(app);
  const closed = await makeYard(app, { company: { parentCompany: yard.company, discardedAt: new Date() } });
  const as = async (of: Yard, name: string, more: object = {}) => {
    provider.someone = { email: `${name}@${domain}`, email_verified: true };
    await of.person({ email: `${name}@${domain}`, roles: ['driver'], ...more });
    return signIn();
  };
  const token = { sso_token: expect.any(String) };
  const nobody = { sso_error: 'no_account' };
  expect(await as(child, 'child')).toEqual(token);
  expect(await as(grandchild, 'grandchild')).toEqual(token);
  expect(await as(stranger, 'stranger')).toEqual(nobody);
  expect(await as(closed, 'closed')).toEqual(nobody);
  expect(await as(yard, 'gone', { discardedAt: new Date() })).toEqual(nobody);
  // Who sees every company is no employee of one: its provider must not vouch for them.
  expect(await as(yard, 'operator', { roles: ['platform_admin', 'dispatcher'] })).toEqual(nobody);
  const own = await connect(child, `oidc${++made}.example`);
  domain = own.domains[0];
  connection = own;
  expect(await as(child, 'below')).toEqual(token);
  expect(await as(yard, 'above')).toEqual(nobody);
  provider.someone = { email: `new@${domain}`, email_verified: true };
  expect(await signIn()).toEqual(nobody);
  expect(await app.orm.em.fork().count(User, { email: `new@${domain}` }, { filters: { tenant: false } })).toBe(0);
});
