import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Invitation } from '../../../src/identity/people/invitation.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let admin: string;
beforeAll(async () => {
  app = await startTestApp({ deliveries: true, worker: true });
  tenant = await makeTenant(app, { company: { authMethods: ['password', 'magic_link', 'otp_sms'] } });
  admin = (await tenant.person({ roles: ['company_admin'] })).token;
});
afterAll(() => app.close());

const DRIVER = '8f868405-03ba-5d72-b418-caae734b38d4';
let made = 0;
const input = (more: object = {}) => ({ first_name: 'Ivy', last_name: 'Invited', iam_role_ids: [DRIVER], ...more });
const mailsTo = async (address: string) => (await app.emails()).mails.filter(({ to }) => to === address);

test('a person who is created with an invitation signs up by its link', async () => {
  const email = `ivy${++made}@example.com`;
  const user = await tenant.must('POST', '/v1/users', input({ email, send_invite: { email: true } }), admin);
  expect([user.idp_member_status, user.idp_user_status, user.idp_member_id]).toEqual(['invited', 'invited', null]);
  const [mail] = await mailsTo(email);
  const token = /#magic_links_token=([\w-]+)/.exec(mail!.text)![1];
  const answer = await app.http('POST', '/v1/auth/signup', { body: { magic_links_token: token, password: 'seven quarries in the rain' } });
  const session = answer.body.data.session_jwt;
  expect((await app.http('GET', '/v1/users/me', { token: session })).body.data.id).toBe(user.id);
});

test('an invitation is sent again by mail or text message, and stored', async () => {
  const email = `ivy${++made}@example.com`;
  const user = await tenant.must('POST', '/v1/users', input({ email, phone: '+12015550177' }), admin);
  expect(await mailsTo(email)).toEqual([]);
  for (const path of [`/v1/users/${user.id}/invite/email`, tenant.path(`/users/${user.id}/invite/sms`)]) {
    const { status, body } = await tenant.http('PUT', path, {}, admin);
    expect([status, body]).toEqual([202, { data: 'invited' }]);
  }
  const again = await tenant.gql(`mutation { inviteUser(userId: "${user.id}", channel: email) }`, {}, admin);
  expect(again.data).toEqual({ inviteUser: 'invited' });
  expect(await mailsTo(email)).toHaveLength(2);
  expect((await app.emails()).texts.filter((text) => text.startsWith('To: +12015550177'))).toHaveLength(1);
  const kept = await app.orm.em.fork().find(Invitation, { user: user.id }, { filters: { tenant: false }, orderBy: { createdAt: 1 } });
  expect(kept.map(({ channel }) => channel)).toEqual(['email', 'sms', 'email']);
});

test('an unreachable or deactivated person, or a missing permission, is reported, and nothing is sent', async () => {
  const email = `ivy${++made}@example.com`;
  const none = await tenant.http('POST', '/v1/users', input({ email, send_invite: { sms: true } }), admin);
  expect([none.status, fieldsOf(none)]).toEqual([422, ['phone']]);
  const user = await tenant.must('POST', '/v1/users', input({ email }), admin);
  expect(fieldsOf(await tenant.http('PUT', `/v1/users/${user.id}/invite/sms`, {}, admin))).toEqual(['phone']);
  expect((await tenant.http('PUT', `/v1/users/${user.id}/invite/email`, {}, tenant.driver.token)).status).toBe(403);
  await tenant.must('DELETE', `/v1/users/${user.id}`, undefined, admin);
  expect(fieldsOf(await tenant.http('PUT', `/v1/users/${user.id}/invite/email`, {}, admin))).toEqual(['user_id']);
  expect(await mailsTo(email)).toEqual([]);
});

test('a person from an import cannot sign in and holds no address until somebody who may add people invites them', async () => {
  const email = `ivy${++made}@example.com`;
  const phone = '+12015550178';
  const foreman = { email, phone, first_name: 'Ivy', last_name: 'Imported' };
  await tenant.must('POST', '/ingest/orders', {
    orders: [{ external_id: 'I-1', load_at: '2026-12-01T07:00:00Z', customer: { external_id: 'C' }, foremen: [foreman] }],
  });
  await app.settled();
  const user = (await tenant.must('GET', '/v1/users', undefined, admin)).find((one: { email: string }) => one.email === email);
  expect([user.last_name, user.idp_member_status]).toEqual(['Imported', 'needs_invite']);
  const other = await makeTenant(app);
  const { token } = await other.person({ roles: ['company_admin'] });
  const ask = async () => {
    const answers = [
      await app.http('POST', '/v1/auth/forgot_password', { body: { email } }),
      await app.http('POST', '/v1/auth/magic_link', { body: { email } }),
      await app.http('POST', '/v1/auth/otp_sms', { body: { phone } }),
    ];
    return answers.map(({ status, body }) => [status, Object.keys(body?.data ?? {})]);
  };
  const before = await ask();
  expect(await mailsTo(email)).toEqual([]);
  expect((await app.emails()).texts.filter((text) => text.startsWith(`To: ${phone}`))).toEqual([]);
  // The text of a payload is no claim against the company that does employ them.
  const theirs = await other.must('POST', '/v1/users', input({ email }), token);
  await other.must('DELETE', `/v1/users/${theirs.id}`, undefined, token);
  await tenant.must('PUT', `/v1/users/${user.id}/invite/email`, {}, admin);
  expect(await ask()).toEqual(before);
  expect((await mailsTo(email)).length).toBeGreaterThan(2);
  expect(fieldsOf(await other.http('POST', '/v1/users', input({ email }), token))).toEqual(['email']);
});

test('of two companies that imported one person, the one that invites gets the address', async () => {
  const email = `ivy${++made}@example.com`;
  const other = await makeTenant(app);
  const theirs = await other.person({ email, roles: ['foreman'], unclaimed: true });
  const ours = await tenant.person({ email, roles: ['foreman'], unclaimed: true });
  await tenant.must('PUT', `/v1/users/${ours.user.id}/invite/email`, {}, admin);
  const { token } = await other.person({ roles: ['company_admin'] });
  const late = await other.http('PUT', `/v1/users/${theirs.user.id}/invite/email`, {}, token);
  expect([late.status, late.body.error.errors]).toEqual([422, [{ model: 'User', field: 'email', message: 'has already been taken' }]]);
  expect(await mailsTo(email)).toHaveLength(1);
});
