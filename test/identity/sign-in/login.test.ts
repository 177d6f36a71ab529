import { randomBytes, scryptSync } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { User } from '../../../src/directory/people/user.entity.ts';
import { contextFactory } from '../../../src/identity/access/context.ts';
import { viewerFromToken } from '../../../src/identity/access/viewer.ts';
import { Credential } from '../../../src/identity/passwords/credential.entity.ts';
import { hashPassword, verifyPassword } from '../../../src/identity/passwords/passwords.ts';
import { logIn } from '../../../src/identity/sign-in/log-in.ts';
import type { Context } from '../../../src/platform/context.ts';
import { newId } from '../../../src/platform/ids.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let ctx: Context;
beforeAll(async () => {
  app = await startTestApp({ signInsPerAddress: 1_000 });
  tenant = await makeTenant(app);
  ctx = await contextFactory(app.orm.em, () => undefined as never)({ headers: {} });
});
afterAll(() => app.close());

/** Creates a dispatcher, with a password if one is given. */
async function addUser({ password, ...fields }: { email: string; password?: string; roles?: string[]; discardedAt?: Date }): Promise<User> {
  const { user } = await tenant.person({ roles: ['dispatcher'], ...fields });
  if (password) await tenant.save(Credential, { userId: user.id, passwordHash: await hashPassword(password) });
  return user;
}

test('e-mail and password open a session', async () => {
  const user = await addUser({ email: 'Ada@Example.com', password: 'granite 7' });
  const { sessionJwt, expiresAt, refreshExpiresAt } = await logIn(ctx, { email: ' ada@example.COM ', password: 'granite 7' });
  expect((await viewerFromToken(app.orm.em.fork(), sessionJwt)).id).toBe(user.id);
  expect((expiresAt.getTime() - Date.now()) / 60_000).toBeCloseTo(15, 0);
  expect((refreshExpiresAt.getTime() - Date.now()) / 86_400_000).toBeCloseTo(7, 1);
  const [row] = await app.orm.em
    .getConnection()
    .execute<{ last_login_at: unknown }[]>('select last_login_at from app_user where id = ?', [user.id]);
  expect(row?.last_login_at).not.toBeNull();
});

test('unknown, wrong, discarded and passwordless accounts are refused alike', async () => {
  await addUser({ email: 'known@example.com', password: 'right' });
  await addUser({ email: 'gone@example.com', password: 'right', discardedAt: new Date() });
  await addUser({ email: 'none@example.com' });
  for (const [email, password] of [
    ['known@example.com', 'wrong'],
    ['unknown@example.com', 'right'],
    ['gone@example.com', 'right'],
    ['none@example.com', ''],
    ['', ''],
    ['a\0b', 'right'],
    ['known@example.com', 'x'.repeat(100_000)],
  ] as const) {
    await expect(logIn(ctx, { email, password })).rejects.toMatchObject({ status: 401, errorType: 'invalid_credentials' });
  }
});

test('a scrypt hash of an earlier version still opens a session, and becomes an argon2id one', async () => {
  // As the version before made them.
  const scryptOf = (password: string) => {
    const salt = randomBytes(16);
    const key = scryptSync(password.normalize('NFKC'), salt, 32, { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 27 });
    return `$scrypt$ln=15,r=8,p=3$${salt.toString('base64url')}$${key.toString('base64url')}`;
  };
  const user = await addUser({ email: 'old@example.com' });
  const run = (sql: string, ...values: unknown[]) => app.orm.em.getConnection().execute<{ password_hash: string }[]>(sql, values);
  await run('insert into credential (id, user_id, password_hash) values (?, ?, ?)', newId(), user.id, scryptOf('limestone 12'));
  const kept = async () => (await run('select password_hash from credential where user_id = ?', user.id))[0]!.password_hash;
  const old = await kept();
  await expect(logIn(ctx, { email: 'old@example.com', password: 'limestone 13' })).rejects.toMatchObject({ status: 401 });
  expect(await kept()).toBe(old);
  await logIn(ctx, { email: 'old@example.com', password: 'limestone 12' });
  const renewed = await kept();
  expect(renewed).toMatch(/^\$argon2id\$/);
  await logIn(ctx, { email: 'old@example.com', password: 'limestone 12' });
  expect(await kept()).toBe(renewed);
  expect(await verifyPassword('x', '$scrypt$ln=1,r=1,p=1$broken')).toBe(false);
});

test('an unknown address costs as much as a wrong password', async () => {
  await addUser({ email: 'timed@example.com', password: 'right' });
  // The processor's time, not the clock's: what else a machine has to do is no cost of a password.
  const cost = async (email: string) => {
    const start = process.cpuUsage();
    await logIn(ctx, { email, password: 'wrong' }).catch(() => undefined);
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  // In turns. What was counted is forgotten, for after ten failures an address would wait.
  let [unknown, known] = [0, 0];
  for (let i = 0; i < 20; i++) {
    await app.orm.em.getConnection().execute('delete from rate_limit');
    unknown += await cost('nobody@example.com');
    known += await cost('timed@example.com');
  }
  const ratio = unknown / known;
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
});

test('after ten failures an address has to wait, existing or not', async () => {
  await addUser({ email: 'guessed@example.com', password: 'right' });
  for (const email of ['guessed@example.com', 'absent@example.com']) {
    for (let i = 0; i < 10; i++) await expect(logIn(ctx, { email, password: 'wrong' })).rejects.toMatchObject({ status: 401 });
    await expect(logIn(ctx, { email: email.toUpperCase(), password: 'right' })).rejects.toMatchObject({
      status: 429,
      retryAfter: expect.any(Number),
    });
  }
});

test('hashes contain their parameters and differ for the same password', async () => {
  const [a, b] = [await hashPassword('same'), await hashPassword('same')];
  expect(a).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]+\$[\w+/]+$/);
  expect(a).not.toBe(b);
  expect([
    await verifyPassword('same', a),
    await verifyPassword('other', a),
    await verifyPassword('same', 'nonsense'),
    await verifyPassword('same', undefined),
  ]).toEqual([true, false, false, false]);
  // Composed and decomposed e-acute.
  expect(await verifyPassword('caf\u0065\u0301', await hashPassword('caf\u00e9'))).toBe(true);
});

async function call(path: string, init: RequestInit = {}) {
  const response = await fetch(`${app.url}${path}`, init);
  return { status: response.status, body: (await response.json()) as { data?: unknown; error?: unknown } };
}
const post = (path: string, body: unknown) =>
  call(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });

test('over REST a login returns a session, and the session has its permissions', async () => {
  await addUser({ email: 'rest@example.com', password: 'right', roles: ['driver'] });
  const login = await post('/v1/auth/login', { email: 'rest@example.com', password: 'right' });
  expect(login).toEqual({
    status: 200,
    body: {
      data: {
        session_jwt: expect.any(String),
        expires_at: expect.stringMatching(/T.*\.\d{3}Z$/),
        refresh_token: expect.any(String),
        refresh_expires_at: expect.stringMatching(/T.*\.\d{3}Z$/),
      },
    },
  });
  const { session_jwt: token } = login.body.data as { session_jwt: string };
  const permissions = await call('/v1/users/me/iam_permissions', { headers: { Authorization: `Bearer ${token}` } });
  expect(permissions.status).toBe(200);
  expect(permissions.body.data).toEqual(expect.arrayContaining([{ name: 'create_driver_day_attachments' }, { name: 'create_ticket' }]));
});

test('over REST wrong credentials, missing fields and missing tokens are distinguished', async () => {
  const wrong = await post('/v1/auth/login', { email: 'rest@example.com', password: 'wrong' });
  expect(wrong).toEqual({ status: 401, body: { error: { code: 'unauthorized', error_type: 'invalid_credentials' } } });
  expect(await post('/v1/auth/login', {})).toMatchObject({
    status: 400,
    body: { error: { errors: [{ field: 'email' }, { field: 'password' }] } },
  });
  expect(await call('/v1/users/me/iam_permissions')).toEqual({
    status: 401,
    body: { error: { code: 'unauthorized', error_type: 'missing_token' } },
  });
  expect(await call('/v1/users/me', { headers: { Authorization: 'Bearer nonsense' } })).toMatchObject({
    status: 401,
    body: { error: { error_type: 'invalid_token' } },
  });
});
