import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { type Answer, startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { countWaiting, until } from '../../helpers/until.ts';

let app: TestApp;
let tenant: Tenant;
let admin: string;
beforeAll(async () => {
  app = await startTestApp({ deliveries: true });
  tenant = await makeTenant(app, { company: { authMethods: ['password', 'magic_link', 'otp_sms'] } });
  admin = (await tenant.person({ roles: ['company_admin'] })).token;
});
afterAll(() => app.close());

const DRIVER = '8f868405-03ba-5d72-b418-caae734b38d4';
const PASSWORD = 'limestone and rain';
let made = 0;
const address = () => `spent${++made}.${process.pid}@example.com`;
const phone = () => `+1201556${String(1000 + ++made)}`;
const post = (path: string, body: unknown) => app.http('POST', path, { body });
const add = (fields: object) =>
  tenant.must('POST', '/v1/users', { first_name: 'Sven', last_name: 'Spent', iam_role_ids: [DRIVER], ...fields }, admin);
const change = (id: string, fields: object) => tenant.must('PATCH', `/v1/users/${id}`, fields, admin);
const invite = (id: string, channel: 'email' | 'sms' = 'email') => tenant.must('PUT', `/v1/users/${id}/invite/${channel}`, {}, admin);
const tokenIn = (text: string): string => /#[a-z_]+=([\w-]+)/.exec(text)![1]!;
const mailsTo = async (email: string) => (await app.emails()).mails.filter(({ to }) => to === email);
const lastTokenTo = async (email: string) => tokenIn((await mailsTo(email)).at(-1)!.text);
const signUp = (token: string, password = PASSWORD) => post('/v1/auth/signup', { magic_links_token: token, password });
const link = async (email: string, path: '/v1/auth/magic_link' | '/v1/auth/forgot_password') => {
  await post(path, { email });
  return lastTokenTo(email);
};
const byLink = (token: string) => post('/v1/auth/magic_link/login', { magic_links_token: token });
const reset = (token: string, password = 'sandstone and hail') =>
  post('/v1/auth/reset_password', { password_reset_token: token, password });
const refused = { status: 401, body: { error: { code: 'unauthorized', error_type: 'invalid_credentials' } } };

test('an invitation to a mistyped address is void once the address is corrected', async () => {
  const [wrong, right] = [address(), address()];
  const { id } = await add({ email: wrong, send_invite: { email: true } });
  const token = await lastTokenTo(wrong);
  await change(id, { email: right });
  expect(await signUp(token)).toMatchObject(refused);
  await invite(id);
  expect((await signUp(await lastTokenTo(right))).status).toBe(200);
});

test('links and codes are void once the address or telephone is changed', async () => {
  const [email, number] = [address(), phone()];
  const { id } = await add({ email, phone: number });
  const [open, forgotten] = [await link(email, '/v1/auth/magic_link'), await link(email, '/v1/auth/forgot_password')];
  await invite(id, 'sms');
  const phoneId = (await post('/v1/auth/otp_sms', { phone: number })).body.data.phone_id;
  const texts = (await app.emails()).texts.filter((text) => text.startsWith(`To: ${number}`));
  const code = texts.flatMap((text) => /\b\d{6}\b/.exec(text.slice(text.indexOf('\n'))) ?? []).at(-1);
  const invited = tokenIn(texts.find((text) => text.includes('#magic_links_token='))!);
  await change(id, { email: address(), phone: phone() });
  expect(await byLink(open)).toMatchObject(refused);
  expect(await reset(forgotten)).toMatchObject(refused);
  expect(await signUp(invited)).toMatchObject(refused);
  expect(await post('/v1/auth/otp_sms/login', { phone_id: phoneId, code })).toMatchObject(refused);
});

test('links stay valid after other changes: another name, the same address in another case', async () => {
  const email = address();
  const { id } = await add({ email, send_invite: { email: true } });
  // A mail that is sent after the change goes to the address as it is written then.
  const token = await lastTokenTo(email);
  await change(id, { first_name: 'Svend', email: email.toUpperCase() });
  expect((await signUp(token)).status).toBe(200);
});

test("no company gets the mails and codes of another one's people by naming them in a payload", async () => {
  const strict = await makeTenant(app);
  const [email, number] = [address(), phone()];
  await tenant.person({ email, phone: number, roles: ['foreman'], unclaimed: true });
  await strict.person({ email, phone: number, roles: ['dispatcher'] });
  await post('/v1/auth/magic_link', { email });
  await post('/v1/auth/otp_sms', { phone: number });
  expect(await mailsTo(email)).toEqual([]);
  expect((await app.emails()).texts.filter((text) => text.startsWith(`To: ${number}`))).toEqual([]);
  // The one who may choose a password is its owner.
  const answer = await reset(await link(email, '/v1/auth/forgot_password'));
  const { data } = (await app.http('GET', '/v1/users/me', { token: answer.body.data.session_jwt })).body;
  expect(data.company.id).toBe(strict.company.id);
});

test('a new password voids every link that was sent before it', async () => {
  const email = address();
  await add({ email, send_invite: { email: true } });
  const invited = await lastTokenTo(email);
  const open = await link(email, '/v1/auth/magic_link');
  expect((await reset(await link(email, '/v1/auth/forgot_password'))).status).toBe(200);
  expect(await signUp(invited)).toMatchObject(refused);
  expect(await byLink(open)).toMatchObject(refused);
});

test('an invitation to somebody with a password ends their sessions and informs them, like any new password', async () => {
  const email = address();
  const { id } = await add({ email, send_invite: { email: true } });
  const before = (await signUp(await lastTokenTo(email))).body.data;
  expect((await mailsTo(email)).map(({ subject }) => subject)).not.toContain('Your Haulgate password was changed');
  await invite(id);
  expect((await signUp(await lastTokenTo(email), 'sandstone and hail')).status).toBe(200);
  expect((await app.http('GET', '/v1/users/me', { token: before.session_jwt })).status).toBe(401);
  expect(await post('/v1/auth/refresh', { refresh_token: before.refresh_token })).toMatchObject(refused);
  expect((await mailsTo(email)).map(({ subject }) => subject)).toContain('Your Haulgate password was changed');
  const rows = await tenant.must('GET', `/v1/audit_entries?filter[subject_id]=${id}&filter[events][]=password_reset`, undefined, admin);
  expect(rows).toHaveLength(1);
});

test('a reactivated person signs in anew, not by earlier links', async () => {
  const email = address();
  const { id } = await add({ email });
  const open = await link(email, '/v1/auth/magic_link');
  await tenant.must('DELETE', `/v1/users/${id}`, undefined, admin);
  expect(await byLink(open)).toMatchObject(refused);
  await tenant.must('PUT', `/v1/users/${id}/reactivate`, {}, admin);
  expect(await byLink(open)).toMatchObject(refused);
  expect((await byLink(await link(email, '/v1/auth/magic_link'))).status).toBe(200);
});

/** Runs acts that all want the same person, one waiting behind the other in this order. @returns their answers */
async function atOnce<T extends unknown[]>(personId: string, ...acts: { [K in keyof T]: () => Promise<T[K]> }): Promise<T> {
  const pool = await poolOf(app.orm.em.fork());
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from app_user where id = $1 for update', [personId]);
    const answers: Promise<unknown>[] = [];
    for (const act of acts) {
      let answered = false;
      answers.push(
        act().finally(() => {
          answered = true;
        }),
      );
      await until(async () => answered || (await countWaiting(app)) >= answers.length);
    }
    await holder.query('commit');
    return (await Promise.all(answers)) as T;
  } finally {
    holder.release();
  }
}

test.each([['before'], ['after']])(
  'a sign-in with the old password is refused if its turn comes just %s another one is stored',
  async (turn) => {
    const email = address();
    const { id } = await add({ email, send_invite: { email: true } });
    await signUp(await lastTokenTo(email));
    const token = await link(email, '/v1/auth/forgot_password');
    const old = () => post('/v1/auth/login', { email, password: PASSWORD });
    const fresh = () => reset(token);
    const [first, second] = await atOnce<[Answer, Answer]>(
      id,
      ...((turn === 'before' ? [old, fresh] : [fresh, old]) as [typeof old, typeof fresh]),
    );
    const [late, kept] = turn === 'before' ? [first, second] : [second, first];
    expect([late.status, kept.status]).toEqual([turn === 'before' ? 200 : 401, 200]);
    const { session_jwt, refresh_token } = late.body.data ?? {};
    expect((await app.http('GET', '/v1/users/me', { token: session_jwt ?? 'none' })).status).toBe(401);
    expect((await post('/v1/auth/refresh', { refresh_token: refresh_token ?? 'none' })).status).not.toBe(200);
    expect((await app.http('GET', '/v1/users/me', { token: kept.body.data.session_jwt })).status).toBe(200);
  },
);

test('a sign-in whose turn comes after a deactivation is refused, even after a reactivation', async () => {
  const email = address();
  const { id } = await add({ email, send_invite: { email: true } });
  await signUp(await lastTokenTo(email));
  const [left, late] = await atOnce<[Answer, Answer]>(
    id,
    () => tenant.http('DELETE', `/v1/users/${id}`, undefined, admin),
    () => post('/v1/auth/login', { email, password: PASSWORD }),
  );
  expect([left.status, late]).toEqual([204, expect.objectContaining(refused)]);
  await tenant.gql('mutation($id: ID!) { reactivateUser(id: $id) { id } }', { id }, admin);
  expect((await post('/v1/auth/login', { email, password: PASSWORD })).status).toBe(200);
});
