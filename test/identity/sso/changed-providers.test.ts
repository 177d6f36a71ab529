import { beforeEach, expect, test } from '@jest/globals';
import { Browser, outcomeOf } from './browser.ts';
import { oidcScene } from './oidc-scene.ts';

const at = oidcScene();
beforeEach(() => {
  at.provider.meanwhile = undefined;
});
const logIn = async (sso_token: string | undefined) => (await at.app.http('POST', '/v1/auth/sso/login', { body: { sso_token } })).status;
const admin = () => at.tenant.administrator();
const path = () => `/v1/sso_connections/${at.connection.id}`;
const change = async (body: object) => at.tenant.must('PATCH', path(), body, await admin());

/** The changes by which a provider vouches for Ada no more, and the outcome of the sign-in then under way. */
const ENDS: [string, string, () => Promise<unknown>][] = [
  ['is removed', 'expired', async () => at.tenant.must('DELETE', path(), undefined, await admin())],
  ['is replaced by another client', 'expired', () => change({ client_id: 'another' })],
  ['no longer has the domain', 'refused', () => change({ domains: [`other.${at.domain}`] })],
  [
    'belongs to a company that was closed',
    'expired',
    () => at.app.orm.em.getConnection().execute('update company set discarded_at = now() where id = ?', [at.tenant.company.id], 'run'),
  ],
];

test.each(ENDS)('a sign-in is refused if its provider %s meanwhile', async (_what, outcome, end) => {
  await at.person();
  at.provider.meanwhile = async (request) => {
    if (request === 'POST /token') await end();
  };
  expect(await at.signIn()).toEqual({ sso_error: outcome });
});

test.each(ENDS)('a ticket is refused if its provider %s', async (_what, _outcome, end) => {
  await at.person();
  const { sso_token } = await at.signIn();
  expect(sso_token).toEqual(expect.any(String));
  await end();
  expect(await logIn(sso_token)).toBe(401);
});

test('so is a ticket of a provider that was replaced and came back', async () => {
  await at.person();
  const { sso_token } = await at.signIn();
  const { client_id } = await change({ client_id: 'another' });
  expect(client_id).toBe('another');
  await change({ client_id: (at.connection as unknown as { client_id: string }).client_id });
  expect(await logIn(sso_token)).toBe(401);
  expect(await logIn((await at.signIn()).sso_token)).toBe(200);
});

test('so is a ticket of an address that the person no longer has', async () => {
  const { user } = await at.person();
  const { sso_token } = await at.signIn();
  await at.tenant.must('PATCH', `/v1/users/${user.id}`, { email: `eve@${at.domain}` }, await admin());
  expect(await logIn(sso_token)).toBe(401);
});

test('a sign-in that began at a provider is over when another one replaces it', async () => {
  await at.person();
  const browser = new Browser();
  const isCallback = (url: string) => url.startsWith(at.connection.redirect_uri);
  const answer = (await browser.go(at.connection.start_url, isCallback)).next!;
  await change({ client_id: 'another' });
  await change({ client_id: (at.connection as unknown as { client_id: string }).client_id });
  expect(outcomeOf((await browser.go(answer, at.isPage)).next)).toEqual({ sso_error: 'expired' });
});

test('a new name of the provider voids nothing, and neither does a change that waits for the sign-in', async () => {
  await at.person();
  at.provider.meanwhile = async (request) => {
    if (request === 'POST /token') await change({ display_name: 'Okta of the quarry' });
  };
  const { sso_token } = await at.signIn();
  await change({ display_name: 'Okta of the bridge' });
  expect(await logIn(sso_token)).toBe(200);
});

test('concurrent sign-ins and changes end without an error, and no ticket outlives the change', async () => {
  await at.person();
  for (let round = 0; round < 5; round++) {
    const own = (at.connection as unknown as { client_id: string }).client_id;
    const ends = await Promise.all([at.signIn(), at.signIn(), change({ client_id: 'another' })]);
    const tickets = ends.slice(0, 2).flatMap(({ sso_token }) => (sso_token ? [sso_token as string] : []));
    for (const ticket of tickets) expect(await logIn(ticket)).toBe(401);
    await change({ client_id: own });
  }
});
