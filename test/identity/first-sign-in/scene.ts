import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import type { User } from '../../../src/directory/people/user.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { inviteInput, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
export type Json = any;

export const PASSWORD = 'seven quarries in the rain';
export let app: TestApp;
/** Ids of the built-in roles, by name. */
export let roles: Record<string, string>;
/** The company that manages others; each test has one of its own. */
export let tenant: Tenant;
export let admin: string;
/** The administrator, whose token is `admin`. */
export let boss: User;

/** Registers what each file about first sign-ins needs. */
export function openScene(): void {
  beforeAll(async () => {
    app = await startTestApp({ deliveries: true });
    const list: { id: string; name: string }[] = await (await makeTenant(app)).must('GET', '/v1/iam_roles');
    roles = Object.fromEntries(list.map(({ id, name }) => [name, id]));
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    tenant = await makeTenant(app);
    ({ user: boss, token: admin } = await tenant.person({ roles: ['company_admin'] }));
  });
}

export interface Invited {
  id: string;
  name: string;
  owner: { id: string; email: string };
}
let numbers = 0;
/** A number that no call before has had. */
export const nextNumber = (): number => ++numbers;
/** A company that `tenant` invited and manages. */
export async function managed(): Promise<Invited> {
  const body = inviteInput({ send_invite: { email: true } });
  body.contact = { ...body.contact, phone: `+1201556${1000 + ++numbers}` } as never;
  const account = await tenant.must('POST', '/v1/accounts/invite', body, admin);
  const { id } = account.connected_company;
  await tenant.must('PUT', at(id), {}, admin);
  const [owner] = await tenant.must('GET', at(id, '/users'), undefined, admin);
  await run("update company set auth_methods = '{password,magic_link,otp_sms,sso}' where id = ?", id);
  return { id, name: body.name, owner };
}
export const at = (id: string, rest = '') => tenant.path(`/managed_companies/${id}${rest}`);
export const run = <T extends object = Json>(sql: string, ...values: unknown[]) => app.orm.em.getConnection().execute<T[]>(sql, values);
export const post = (path: string, body: object) => app.http('POST', path, { body });
export const mailsTo = async (email: string) => (await app.emails()).mails.filter(({ to }) => to === email);
export const linkOf = async (email: string): Promise<string> => {
  const mail = (await mailsTo(email)).findLast(({ text }) => text.includes('#'))!;
  return /#[a-z_]+=([\w-]+)/.exec(mail.text)![1]!;
};
export const signUp = async ({ owner }: Invited) =>
  post('/v1/auth/signup', { magic_links_token: await linkOf(owner.email), password: PASSWORD });
export const personIn = (id: string, more: object) => ({
  ...{ company_id: id, first_name: 'Mal', last_name: 'Lory', email: `mal${++numbers}.${process.pid}@example.com` },
  ...more,
});
/** The attempts of the managing company there. */
export const attempts = ({ id, owner }: Invited): [string, string, object?][] => [
  ['GET', at(id)],
  ['GET', at(id, '/users')],
  ['GET', at(id, `/users/${owner.id}`)],
  ['PATCH', at(id, `/users/${owner.id}`), { email: `mine${++numbers}@example.com` }],
  ['POST', at(id, '/users'), personIn(id, { iam_role_ids: [roles['Company Admin']] })],
  ['POST', at(id, '/users'), personIn(id, { iam_role_ids: [roles.Driver] })],
  ['DELETE', at(id, `/users/${owner.id}`)],
  ['PUT', at(id, `/users/${owner.id}/invite/email`), {}],
  ['GET', at(id, '/connected_companies')],
  ['GET', at(id, '/equipment')],
  [
    'POST',
    at(id, '/company_shares'),
    { receiver_company_id: tenant.company.id, company_shareable_id: owner.id, company_shareable_type: 'User' },
  ],
];
export const statuses = async (company: Invited) => {
  const answers = [];
  for (const [method, path, body] of attempts(company)) answers.push((await tenant.http(method, path, body, admin)).status);
  return answers;
};
export const NOTHING = Array(11).fill(404);
export const accountOf = async (id: string) => {
  const [account] = await tenant.must('GET', tenant.path('/accounts/connected'), undefined, admin);
  const query = 'query($id: ID!) { account(id: $id) { managed managedUntil } }';
  expect(account.connected_company.id).toBe(id);
  return (await tenant.gql(query, { id: account.id }, admin)).data.account;
};
