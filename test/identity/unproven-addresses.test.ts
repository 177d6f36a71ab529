import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PERMISSIONS } from '../../src/identity/access/permissions.ts';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { issueToken } from '../../src/identity/tokens/tokens.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { inviteInput, makeTenant, type Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const PASSWORD = 'seven quarries in the rain';
const METHODS = ['password', 'magic_link', 'otp_sms'];
let app: TestApp;
/** The company that invites and manages, and its administrator. */
let tenant: Tenant;
let admin: string;
beforeAll(async () => {
  app = await startTestApp({ deliveries: true });
  tenant = await makeTenant(app, { company: { authMethods: METHODS } });
  admin = await tenant.administrator();
});
afterAll(() => app.close());

let made = 0;
const newPhone = () => `+1201558${1000 + ++made}`;
const post = (path: string, body: object) => app.http('POST', path, { body });
const tokenIn = (text: string) => /#[a-z_]+=([\w-]+)/.exec(text)![1]!;
const mailsTo = async (email: string) => (await app.emails()).mails.filter(({ to }) => to === email).map(({ text }) => text);
const textsTo = async (phone: string) => (await app.emails()).texts.filter((text) => text.includes(phone.slice(1)));
const run = (sql: string, values: unknown[] = []) => app.orm.em.getConnection().execute<Json[]>(sql, values);
/** The mails that an address gets when somebody asks for a link there, or for a new password. */
const newMailsTo = async (email: string) => {
  const before = (await mailsTo(email)).length;
  for (const path of ['/v1/auth/magic_link', '/v1/auth/forgot_password']) expect((await post(path, { email })).status).toBeLessThan(300);
  return (await mailsTo(email)).slice(before);
};
/** The same of a number and codes. */
const newTextsTo = async (phone: string) => {
  const before = (await textsTo(phone)).length;
  const asked = await post('/v1/auth/otp_sms', { phone });
  expect(asked.status).toBe(201);
  return { texts: (await textsTo(phone)).slice(before), phoneId: asked.body.data.phone_id as string };
};

interface Invited {
  companyId: string;
  ownerId: string;
  email: string;
  phone: string;
}
/** An invited company whose people may sign in by everything. */
async function invite(sendInvite: object, more: object = {}): Promise<Invited> {
  const phone = newPhone();
  const body = inviteInput({ send_invite: sendInvite });
  const contact = { ...body.contact, phone, ...more };
  const account = await tenant.must('POST', '/v1/accounts/invite', { ...body, contact }, admin);
  const companyId = account.connected_company.id;
  await run('update company set auth_methods = ? where id = ?', [`{${METHODS}}`, companyId]);
  const [owner] = await run('select id from app_user where company_id = ?', [companyId]);
  return { companyId, ownerId: owner.id, email: contact.email, phone };
}
const signUp = (token: string) => post('/v1/auth/signup', { magic_links_token: token, password: PASSWORD });
async function signUpBySms(phone: string): Promise<string> {
  const { status, body } = await signUp(tokenIn((await textsTo(phone)).at(-1)!));
  expect(status).toBe(200);
  return body.data.session_jwt;
}
async function signUpByMail(email: string): Promise<string> {
  const { status, body } = await signUp(tokenIn((await mailsTo(email)).at(-1)!));
  expect(status).toBe(200);
  return body.data.session_jwt;
}
const READ = 'query ($id: ID!) { user(id: $id) { email phone emailProven phoneProven } }';
const read = async (id: string, token: string) => (await tenant.gql(READ, { id }, token)).data.user;

test('an e-mail address that the inviter entered signs in nobody once the owner has signed in by SMS', async () => {
  const { ownerId, email, phone } = await invite({ sms: true });
  const token = await signUpBySms(phone);
  expect(await newMailsTo(email)).toEqual([]);
  expect(await read(ownerId, token)).toMatchObject({ email, emailProven: false, phoneProven: true });
  // As a name for the password it goes on.
  expect((await post('/v1/auth/login', { email, password: PASSWORD })).status).toBe(200);
  expect((await read(ownerId, token)).emailProven).toBe(false);
  expect(await newMailsTo(email)).toEqual([]);
  expect((await newTextsTo(phone)).texts).toHaveLength(1);
});

test('neither does a telephone, once the owner has signed in by mail', async () => {
  const { ownerId, email, phone } = await invite({ email: true });
  const token = await signUpByMail(email);
  const { texts, phoneId } = await newTextsTo(phone);
  expect(texts).toEqual([]);
  expect((await post('/v1/auth/otp_sms/login', { phone_id: phoneId, code: '123456' })).status).toBe(401);
  expect(await read(ownerId, token)).toMatchObject({ phone, emailProven: true, phoneProven: false });
  expect(await newMailsTo(email)).toHaveLength(2);
});

test('neither does an address that a manager entered, for the owner and for people it added', async () => {
  const { companyId, ownerId, phone } = await invite({ sms: true });
  const managed = tenant.path(`/managed_companies/${companyId}`);
  await tenant.must('PUT', managed, {}, admin);
  const planted = `planted${++made}.${process.pid}@example.com`;
  await tenant.must('PATCH', `${managed}/users/${ownerId}`, { email: planted }, admin);
  const roles = await run("select id from iam_role where key = 'driver' and company_id is null");
  const driver = { first_name: 'Dee', last_name: 'Planted', phone: newPhone(), email: `dee${made}.${process.pid}@example.com` };
  const { id } = await tenant.must(
    'POST',
    `${managed}/users`,
    { ...driver, iam_role_ids: [roles[0].id], send_invite: { sms: true } },
    admin,
  );
  await signUpBySms(phone);
  expect(await newMailsTo(planted)).toEqual([]);
  // Before their first sign-in both addresses work, whoever entered them.
  expect(await newMailsTo(driver.email)).toHaveLength(2);
  const theirs = await signUpBySms(driver.phone);
  expect(await newMailsTo(driver.email)).toEqual([]);
  expect(await read(id, theirs)).toMatchObject({ emailProven: false, phoneProven: true });
});

test('a person confirms an address by saving it, and so does an administrator of their company', async () => {
  const { ownerId, email, phone } = await invite({ sms: true });
  const token = await signUpBySms(phone);
  expect((await app.http('PATCH', `/v1/users/${ownerId}`, { token, body: { first_name: 'Ina' } })).status).toBe(200);
  expect(await newMailsTo(email)).toEqual([]);
  expect((await app.http('PATCH', `/v1/users/${ownerId}`, { token, body: { email } })).status).toBe(200);
  expect(await read(ownerId, token)).toMatchObject({ emailProven: true, phoneProven: true });
  expect(await newMailsTo(email)).toHaveLength(2);
  const [row] = await run(
    "select object_changes from audit_entry where subject_id = ? and jsonb_exists(object_changes, 'email_proven') and event = 'update'",
    [ownerId],
  );
  expect(row.object_changes).toEqual({ email_proven: [false, true] });
});

test('a person with fewer permissions cannot confirm an address of the owner, and no program can', async () => {
  const { companyId, ownerId, email, phone } = await invite({ sms: true });
  const token = await signUpBySms(phone);
  const [dispatcher] = await run("select id from iam_role where key = 'manager' and company_id is null");
  const named = {
    first_name: 'Dis',
    last_name: 'Patcher',
    email: `dis${++made}.${process.pid}@example.com`,
    iam_role_ids: [dispatcher.id],
  };
  const { status, body } = await app.http('POST', '/v1/users', { token, body: { ...named, send_invite: { email: true } } });
  expect([status, companyId]).toEqual([201, body.data.company.id]);
  const theirs = await signUpByMail(named.email);
  await app.http('PATCH', `/v1/users/${ownerId}`, { token: theirs, body: { email } });
  const em = app.orm.em.fork();
  const { client } = makeMachineClient(em, { id: companyId } as never, { name: 'Sync', permissions: PERMISSIONS });
  await em.flush();
  const machine = await issueToken(em, 'machine', client.id);
  expect((await app.http('PATCH', `/v1/users/${ownerId}`, { token: machine.token, body: { email } })).status).toBe(200);
  expect((await read(ownerId, token)).emailProven).toBe(false);
  expect(await newMailsTo(email)).toEqual([]);
  // Another value is the company's own.
  const other = `own${made}.${process.pid}@example.com`;
  expect((await app.http('PATCH', `/v1/users/${ownerId}`, { token, body: { email: other } })).status).toBe(200);
  expect(await newMailsTo(other)).toHaveLength(2);
});

test('a driver without any permission may confirm their address, but change none', async () => {
  const { companyId } = await invite({ email: true });
  const managed = tenant.path(`/managed_companies/${companyId}`);
  await tenant.must('PUT', managed, {}, admin);
  const [driver] = await run("select id from iam_role where key = 'driver' and company_id is null");
  const named = { first_name: 'Dee', last_name: 'Wheel', phone: newPhone(), email: `dee${made}.${process.pid}@example.com` };
  const { id } = await tenant.must('POST', `${managed}/users`, { ...named, iam_role_ids: [driver.id], send_invite: { sms: true } }, admin);
  const token = await signUpBySms(named.phone);
  const change = (body: object) => app.http('PATCH', `/v1/users/${id}`, { token, body });
  expect((await change({ email: `x${named.email}` })).status).toBe(403);
  expect((await change({ email: named.email, first_name: 'Eve' })).status).toBe(403);
  expect((await change({ email: named.email })).status).toBe(200);
  expect(await newMailsTo(named.email)).toHaveLength(2);
  expect((await change({ email: named.email })).status).toBe(403);
});

test('an invitation to an address that the person has not confirmed is refused with the reason', async () => {
  const { ownerId, phone } = await invite({ sms: true });
  const token = await signUpBySms(phone);
  const { status, body } = await app.http('PUT', `/v1/users/${ownerId}/invite/email`, { token, body: {} });
  expect([status, body.error.errors.map(({ field }: Json) => field)]).toEqual([422, ['email']]);
  expect((await app.http('PUT', `/v1/users/${ownerId}/invite/sms`, { token, body: {} })).status).toBe(202);
});

test('of concurrent first sign-ins by both addresses, one succeeds and proves its address alone', async () => {
  for (let round = 0; round < 4; round++) {
    const { ownerId, email, phone } = await invite({ email: true, sms: true });
    const links = [tokenIn((await mailsTo(email)).at(-1)!), tokenIn((await textsTo(phone)).at(-1)!)];
    const answers = await Promise.all(links.map(signUp));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const byMail = answers[0]!.status === 200;
    const [row] = await run('select email_proven as email, phone_proven as phone from app_user where id = ?', [ownerId]);
    expect(row).toEqual({ email: byMail, phone: !byMail });
    expect(await newMailsTo(email)).toHaveLength(byMail ? 2 : 0);
    expect((await newTextsTo(phone)).texts).toHaveLength(byMail ? 0 : 1);
  }
});

test('a code that was sent before the first sign-in by mail is void after it', async () => {
  const { email, phone } = await invite({ email: true });
  const { texts, phoneId } = await newTextsTo(phone);
  await signUpByMail(email);
  const code = /\b\d{6}\b/.exec(texts[0]!)![0];
  expect((await post('/v1/auth/otp_sms/login', { phone_id: phoneId, code })).status).toBe(401);
});

test('a message to the proven address says that another company entered the other one', async () => {
  const bySms = await invite({ sms: true });
  const managed = tenant.path(`/managed_companies/${bySms.companyId}`);
  await tenant.must('PUT', managed, {}, admin);
  await signUpBySms(bySms.phone);
  expect((await textsTo(bySms.phone)).at(-1)).toContain(bySms.email);
  // Nor does the address get the mail to the administrators.
  expect(await mailsTo(bySms.email)).toEqual([]);
  const byMail = await invite({ email: true });
  await tenant.must('PUT', tenant.path(`/managed_companies/${byMail.companyId}`), {}, admin);
  await signUpByMail(byMail.email);
  const mails = await mailsTo(byMail.email);
  expect(mails.filter((text) => text.includes(byMail.phone))).toHaveLength(2);
  expect(mails.find((text) => text.includes(`<${byMail.email}>`))).toMatch(
    new RegExp(`\\${byMail.phone} \\(entered by ${tenant.company.legalName}, not used for signing in until it is saved again\\)`),
  );
});

test('people whom their own company or one above entered sign in by both', async () => {
  const phone = newPhone();
  const { user } = await tenant.person({ phone });
  expect(await newMailsTo(user.email!)).toHaveLength(2);
  expect((await newTextsTo(phone)).texts).toHaveLength(1);
  expect(await read(user.id, admin)).toMatchObject({ emailProven: true, phoneProven: true });
});
