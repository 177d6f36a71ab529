import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { inviteInput, makeTenant, type Tenant } from '../helpers/tenant.ts';

const PASSWORD = 'seven quarries in the rain';
let app: TestApp;
/** The company that invites and manages, and its administrator. */
let tenant: Tenant;
let admin: string;
beforeAll(async () => {
  app = await startTestApp({ deliveries: true });
  tenant = await makeTenant(app, { company: { authMethods: ['password', 'magic_link'] } });
  ({ token: admin } = await tenant.person({ roles: ['company_admin'] }));
});
afterAll(() => app.close());

let numbers = 0;
const number = () => `+1201557${1000 + ++numbers}`;
const post = (path: string, body: object) => app.http('POST', path, { body });
const tokenIn = (text: string) => /#[a-z_]+=([\w-]+)/.exec(text)![1]!;
const lastMailTo = async (email: string) => (await app.emails()).mails.findLast(({ to }) => to === email)!.text;
const lastTextTo = async (phone: string) => (await app.emails()).texts.findLast((text) => text.includes(phone.slice(1)))!;

/** The owner of an invited company signs in with a link that was mailed to them, and chooses no password. */
async function signInByMail(email: string): Promise<string> {
  await post('/v1/auth/magic_link', { email });
  const { status, body } = await post('/v1/auth/magic_link/login', { magic_links_token: tokenIn(await lastMailTo(email)) });
  expect(status).toBe(200);
  return body.data.session_jwt;
}

test('an invitation that a manager had sent to its own telephone is void once the owner has signed in', async () => {
  const { name: _, ...body } = inviteInput({ send_invite: { email: true } });
  const account = await tenant.must('POST', '/v1/accounts/invite', { ...body, name: `Planted ${process.pid}` }, admin);
  const managed = tenant.path(`/managed_companies/${account.connected_company.id}`);
  await tenant.must('PUT', managed, {}, admin);
  const [owner] = await tenant.must('GET', `${managed}/users`, undefined, admin);
  const phone = number();
  await tenant.must('PATCH', `${managed}/users/${owner.id}`, { phone }, admin);
  await tenant.must('PUT', `${managed}/users/${owner.id}/invite/sms`, {}, admin);
  const planted = tokenIn(await lastTextTo(phone));
  await signInByMail(owner.email);
  const taken = await post('/v1/auth/signup', { magic_links_token: planted, password: PASSWORD });
  expect([taken.status, taken.body.data]).toEqual([401, undefined]);
  // The owner reads of the telephone, too, by which somebody else might sign in one day.
  expect(await lastMailTo(owner.email)).toContain(`<${owner.email}>, ${phone}`);
});

test('so is one that was sent with the invitation of the company', async () => {
  const phone = number();
  const body = inviteInput({ send_invite: { email: true, sms: true } });
  const { email } = body.contact;
  await tenant.must('POST', '/v1/accounts/invite', { ...body, contact: { ...body.contact, phone } }, admin);
  const planted = tokenIn(await lastTextTo(phone));
  await signInByMail(email);
  expect((await post('/v1/auth/signup', { magic_links_token: planted, password: PASSWORD })).status).toBe(401);
});

test('a person who has signed in before keeps later links and codes', async () => {
  const { user } = await tenant.person({ roles: ['dispatcher'] });
  await signInByMail(user.email!);
  await tenant.must('PUT', `/v1/users/${user.id}/invite/email`, {}, admin);
  const invited = tokenIn(await lastMailTo(user.email!));
  await signInByMail(user.email!);
  expect((await post('/v1/auth/signup', { magic_links_token: invited, password: PASSWORD })).status).toBe(200);
});
