import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { User } from '../../../src/directory/people/user.entity.ts';
import { Credential } from '../../../src/identity/passwords/credential.entity.ts';
import { hashPassword } from '../../../src/identity/passwords/passwords.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { sessionToken } from '../../helpers/session.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { lastWorked } from '../../helpers/until.ts';

let app: TestApp;
let tenant: Tenant;
let hash: string;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  hash = await hashPassword('gravel and sand');
});
afterAll(() => app.close());

interface Tokens {
  session_jwt: string;
  refresh_token: string;
  refresh_expires_at: string;
}

async function member(fields: object = {}): Promise<User> {
  const { user } = await tenant.person({ roles: ['dispatcher'], ...fields });
  await tenant.save(Credential, { userId: user.id, passwordHash: hash });
  // The session that `person` opens is not part of this test.
  await run('delete from user_session where user_id = ?', user.id);
  return user;
}
const run = (sql: string, ...values: unknown[]) => app.orm.em.getConnection().execute(sql, values);
const post = (path: string, body: unknown) => app.http('POST', path, { body });
async function signIn(user: User): Promise<Tokens> {
  const { status, body } = await app.http('POST', '/v1/auth/login', {
    body: { email: user.email, password: 'gravel and sand' },
    headers: { 'User-Agent': 'Cab tablet' },
  });
  expect(status).toBe(200);
  return body.data;
}
const refresh = (token: string) => post('/v1/auth/refresh', { refresh_token: token });
const me = async (token: string) => (await app.http('GET', '/v1/users/me', { token })).status;
const refused = { status: 401, body: { error: { code: 'unauthorized', error_type: 'invalid_credentials' } } };
const auditOf = async (user: User) =>
  (await run(
    'select event, object_changes, created_by_name, request_id from audit_entry where subject_id = ? order by created_at, id',
    user.id,
  )) as {
    event: string;
    object_changes: Record<string, [unknown, unknown]>;
    created_by_name: string;
  }[];

test('a person sees where they are signed in, and which session is the current one', async () => {
  const user = await member();
  const [first, second] = [await signIn(user), await signIn(user)];
  const { status, body } = await app.http('GET', `/v1/users/${user.id}/sessions`, { token: second.session_jwt });
  expect(status).toBe(200);
  expect(body.data).toEqual(
    [true, false].map((current) => ({
      id: expect.any(String),
      method: 'password',
      address: '127.0.0.1',
      user_agent: 'Cab tablet',
      created_at: expect.any(String),
      refreshed_at: expect.any(String),
      expires_at: expect.any(String),
      current,
    })),
  );
  const [, other] = body.data;
  expect((await app.http('GET', `/v1/users/${user.id}/sessions/${other.id}`, { token: first.session_jwt })).body.data).toEqual({
    ...other,
    current: true,
  });
  const { data } = (
    await app.graphql(
      'query($id: ID!) { userSessions(userId: $id, first: 1) { nodes { current } pageInfo { hasNextPage } } }',
      { id: user.id },
      { token: second.session_jwt },
    )
  ).body;
  expect(data.userSessions).toEqual({ nodes: [{ current: true }], pageInfo: { hasNextPage: true } });
});

test('no hash and no token of a session is ever returned or stored in clear', async () => {
  const user = await member();
  const { refresh_token } = await signIn(user);
  const [row] = (await run('select row_to_json(s)::text as text from user_session s where user_id = ?', user.id)) as { text: string }[];
  for (const part of refresh_token.split('.')) expect(row!.text).not.toContain(part);
  expect(
    (await app.graphql('{ __type(name: "UserSession") { fields { name } } }')).body.data.__type.fields.map((f: { name: string }) => f.name),
  ).not.toContain('refreshHash');
});

test('logging out ends the session at once, and nothing else', async () => {
  const user = await member();
  const [here, there] = [await signIn(user), await signIn(user)];
  expect(await me(here.session_jwt)).toBe(200);
  expect(await app.http('DELETE', '/v1/auth/login', { token: here.session_jwt })).toMatchObject({ status: 204, body: undefined });
  expect([await me(here.session_jwt), await me(there.session_jwt)]).toEqual([401, 200]);
  expect(await refresh(here.refresh_token)).toMatchObject(refused);
  expect((await app.graphql('mutation { logOut }', {}, { token: there.session_jwt })).body).toEqual({ data: { logOut: true } });
  expect(await me(there.session_jwt)).toBe(401);
  expect((await app.http('DELETE', '/v1/auth/login', { token: tenant.token })).status).toBe(404);
});

test('people end one or all of their own sessions, and those of people they may edit', async () => {
  const driver = await member({ roles: ['driver'] });
  const other = await sessionToken(app.orm, await member({ roles: ['driver'] }));
  const dispatcher = await sessionToken(app.orm, await member());
  const [a, b, c] = [await signIn(driver), await signIn(driver), await signIn(driver)];
  const path = `/v1/users/${driver.id}/sessions`;
  const ids = (await app.http('GET', path, { token: c.session_jwt })).body.data.map((one: { id: string }) => one.id);
  expect((await app.http('GET', path, { token: other })).status).toBe(403);
  expect((await app.http('DELETE', path, { token: other })).status).toBe(403);
  expect((await app.http('DELETE', `${path}/${ids[2]}`, { token: c.session_jwt })).status).toBe(204);
  expect([await me(a.session_jwt), await me(b.session_jwt)]).toEqual([401, 200]);
  expect((await app.http('DELETE', `${path}/${ids[2]}`, { token: c.session_jwt })).status).toBe(404);
  expect((await app.http('DELETE', `${path}/nonsense`, { token: c.session_jwt })).status).toBe(404);
  expect((await app.http('DELETE', path, { token: dispatcher })).status).toBe(204);
  expect([await me(b.session_jwt), await me(c.session_jwt)]).toEqual([401, 401]);
});

test('nobody sees or ends the sessions of somebody with more permissions', async () => {
  const [boss, clerk] = [await member({ roles: ['company_admin'] }), await sessionToken(app.orm, await member())];
  const { session_jwt: token } = await signIn(boss);
  const path = `/v1/users/${boss.id}/sessions`;
  const [{ id }] = (await app.http('GET', path, { token })).body.data;
  for (const method of ['GET', 'DELETE'])
    for (const one of [path, `${path}/${id}`]) expect((await app.http(method, one, { token: clerk })).status).toBe(403);
  expect(await me(token)).toBe(200);
  expect((await app.http('DELETE', path, { token })).status).toBe(204);
});

test('sessions of another company’s people are not found', async () => {
  const user = await member();
  await signIn(user);
  const stranger = await makeTenant(app);
  for (const method of ['GET', 'DELETE']) expect((await stranger.http(method, `/v1/users/${user.id}/sessions`)).status).toBe(404);
});

test('a session id of somebody else is not found in one’s own list', async () => {
  const [one, two] = [await member(), await member()];
  const mine = await signIn(one);
  const theirs = await signIn(two);
  const [{ id }] = (await app.http('GET', `/v1/users/${two.id}/sessions`, { token: theirs.session_jwt })).body.data;
  for (const method of ['GET', 'DELETE'])
    expect((await app.http(method, `/v1/users/${one.id}/sessions/${id}`, { token: mine.session_jwt })).status).toBe(404);
  expect(await me(theirs.session_jwt)).toBe(200);
});

test('a refresh token works once, over REST and GraphQL', async () => {
  const first = await signIn(await member());
  const second = (await refresh(first.refresh_token)).body.data as Tokens;
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect([await me(first.session_jwt), await me(second.session_jwt)]).toEqual([200, 200]);
  const { body } = await app.graphql('mutation($t: String!) { refreshSession(input: { refreshToken: $t }) { sessionJwt refreshToken } }', {
    t: second.refresh_token,
  });
  expect(await me(body.data.refreshSession.sessionJwt)).toBe(200);
});

test('a token that is sent twice within seconds is refused and ends nothing; later it ends the session', async () => {
  const user = await member();
  const first = await signIn(user);
  const second = (await refresh(first.refresh_token)).body.data as Tokens;
  expect(await refresh(first.refresh_token)).toMatchObject(refused);
  expect(await me(second.session_jwt)).toBe(200);
  await run("update user_session set refreshed_at = now() - interval '11 seconds' where user_id = ?", user.id);
  expect(await refresh(first.refresh_token)).toMatchObject(refused);
  expect(await me(second.session_jwt)).toBe(401);
  expect(await refresh(second.refresh_token)).toMatchObject(refused);
  expect((await auditOf(user)).at(-1)).toMatchObject({ event: 'session_revoked', object_changes: { reason: [null, 'reuse'] } });
});

test('continuous refreshing does not hide the reuse of an older token', async () => {
  const user = await member();
  const stolen = await signIn(user);
  const second = (await refresh(stolen.refresh_token)).body.data as Tokens;
  const third = (await refresh(second.refresh_token)).body.data as Tokens;
  expect(await refresh(stolen.refresh_token)).toMatchObject(refused);
  expect(await me(third.session_jwt)).toBe(401);
  expect(await refresh(third.refresh_token)).toMatchObject(refused);
});

test('of ten concurrent refreshes with one token, exactly one succeeds', async () => {
  const { refresh_token } = await signIn(await member());
  const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(refresh_token)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(401)]);
});

test.each<[string, (user: User) => Promise<unknown>]>([
  ['nobody refreshed in time', (user) => run('update user_session set expires_at = now() where user_id = ?', user.id)],
  ['of a person who was deactivated', (user) => run('update app_user set discarded_at = now() where id = ?', user.id)],
])('a session %s is not refreshed', async (_, change) => {
  const user = await member();
  const { refresh_token } = await signIn(user);
  await change(user);
  expect(await refresh(refresh_token)).toMatchObject(refused);
});

test('refreshing never extends a session beyond thirty days', async () => {
  const user = await member();
  const { refresh_token } = await signIn(user);
  await run("update user_session set ends_at = now() + interval '1 hour' where user_id = ?", user.id);
  const { refresh_expires_at } = (await refresh(refresh_token)).body.data as Tokens;
  expect((Date.parse(refresh_expires_at) - Date.now()) / 60_000).toBeCloseTo(60, 0);
});

test.each(['x', 'a'.repeat(32), `${'a'.repeat(32)}.${'b'.repeat(43)}`, 'a\0b', 'x'.repeat(500)])(
  '%s is no refresh token',
  async (token) => {
    expect((await refresh(token)).status).toBeGreaterThanOrEqual(401);
    expect((await refresh(token)).status).toBeLessThan(500);
  },
);

test('a revocation, deactivation or loss of roles by another process takes effect within five seconds', async () => {
  const [revoked, gone, demoted] = [await member(), await member(), await member({ roles: ['company_admin'] })];
  const [a, b, c] = [await signIn(revoked), await signIn(gone), await signIn(demoted)];
  const may = async () => (await app.http('PATCH', `/v1/companies/${tenant.company.id}`, { token: c.session_jwt, body: {} })).status;
  expect([await me(a.session_jwt), await me(b.session_jwt), await may()]).toEqual([200, 200, 200]);
  // Directly in the database, like another process: this one is not informed.
  await run('update user_session set revoked_at = now() where user_id = ?', revoked.id);
  await run('update app_user set discarded_at = now() where id = ?', gone.id);
  await run("update app_user set roles = '{driver}' where id = ?", demoted.id);
  const lasted = [() => me(a.session_jwt), () => me(b.session_jwt), may].map((ask) => lastWorked(async () => (await ask()) === 200));
  expect(Math.max(...(await Promise.all(lasted)))).toBeLessThan(5_000);
  expect([await me(a.session_jwt), await me(b.session_jwt), await may()]).toEqual([401, 401, 403]);
});

test('sign-ins, failures and sign-outs are in the audit log of the company', async () => {
  const user = await member();
  await post('/v1/auth/login', { email: user.email, password: 'wrong' });
  const { session_jwt } = await signIn(user);
  await app.http('DELETE', '/v1/auth/login', { token: session_jwt });
  const rows = await auditOf(user);
  expect(rows.map(({ event, created_by_name }) => [event, created_by_name])).toEqual([
    ['sign_in_failed', 'System'],
    ['sign_in', 'Ada Gravel'],
    ['sign_out', 'Ada Gravel'],
  ]);
  expect(rows[0]!.object_changes).toEqual({ method: [null, 'password'], address: [null, '127.0.0.1'] });
});

test('a sign-in whose audit row cannot be written opens no session', async () => {
  const user = await member();
  await run(`create function refuse() returns trigger language plpgsql as $$ begin
    if new.subject_id = '${user.id}' then raise exception 'disk full'; end if; return new; end $$`);
  await run('create trigger refuse before insert on audit_entry for each row execute function refuse()');
  try {
    expect((await post('/v1/auth/login', { email: user.email, password: 'gravel and sand' })).status).toBe(500);
  } finally {
    await run('drop trigger refuse on audit_entry');
  }
  expect(await run('select 1 from user_session where user_id = ?', user.id)).toEqual([]);
});

test('a signed-in person may sign in as somebody else, and is refused like everybody', async () => {
  const own = await makeTenant(app);
  const { token } = await own.person({ roles: ['dispatcher'] });
  const input = { email: 'nobody@example.com', password: 'gravel and sand' };
  const { body } = await app.graphql('mutation($input: LoginInput!) { login(input: $input) { sessionJwt } }', { input }, { token });
  expect(body.errors[0].extensions).toMatchObject({ code: 'unauthorized' });
  expect(body.errors[0].message).toBe('Wrong, expired or used credentials.');
});

test('answers with a token are not cached', async () => {
  const answer = await post('/v1/auth/refresh', { refresh_token: 'x' });
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([401, 'no-store']);
  const { token } = await (await makeTenant(app)).person({ roles: ['company_admin'] });
  const made = await app.http('POST', '/v1/m2m_clients', { token, body: { name: 'Scale', scopes: ['create_ticket'] } });
  expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store']);
});
