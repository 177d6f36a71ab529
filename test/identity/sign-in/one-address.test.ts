import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Credential } from '../../../src/identity/passwords/credential.entity.ts';
import { hashPassword } from '../../../src/identity/passwords/passwords.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { ordering, payload } from '../../ingest/orders/ordering.ts';

const PASSWORD = 'limestone and rain';
let app: TestApp;
let tenant: Tenant;
let admin: string;
let driver: string;
beforeAll(async () => {
  app = await startTestApp({ deliveries: true, worker: true });
  tenant = await makeTenant(app, { company: { authMethods: ['password', 'magic_link'] } });
  admin = (await tenant.person({ roles: ['company_admin'] })).token;
  driver = (await tenant.must('GET', '/v1/iam_roles')).find(({ name }: { name: string }) => name === 'Driver').id;
});
afterAll(() => app.close());

let made = 0;
const { send } = ordering(() => ({ app, tenant }));
const input = (email: string) => ({ first_name: 'Nia', last_name: 'New', email, iam_role_ids: [driver] });
const add = (email: string) => tenant.http('POST', '/v1/users', input(email), admin);
const logIn = async (email: string) => (await app.http('POST', '/v1/auth/login', { body: { email, password: PASSWORD } })).status;
const takesPassword = async (userId: string) => tenant.save(Credential, { userId, passwordHash: await hashPassword(PASSWORD) });

/** Ways to write one address, and the one in which it is kept. */
const forms: [string, (name: string) => { kept: string; others: string[] }][] = [
  [
    'an accent in the name',
    (name) => ({ kept: `ren\u00e9${name}@example.com`, others: [`ren\u00e9${name}@example.com`.normalize('NFD')] }),
  ],
  [
    'a domain with letters beyond ASCII',
    (name) => ({
      kept: `${name}@xn--mnchen-3ya.example`,
      others: [
        `${name}@m\u00fcnchen.example`,
        `${name}@M\u00dcNCHEN.example`,
        `${name}@mu\u0308nchen\u3002example`,
        `${name}@XN--MNCHEN-3YA.example`,
      ],
    }),
  ],
];

test.each(forms)('an address with %s is one address in every spelling, and signs in with each', async (_what, formsOf) => {
  const { kept, others } = formsOf(`nia${++made}`);
  const user = await add(others[0]!);
  expect([user.status, user.body.data.email]).toEqual([201, kept]);
  for (const email of [kept, ...others]) expect(fieldsOf(await add(email))).toEqual(['email']);
  await takesPassword(user.body.data.id);
  for (const email of [kept, ...others]) expect(await logIn(email)).toBe(200);
});

test('a search finds somebody by either form', async () => {
  const name = `nia${++made}`;
  const { id } = (await add(`${name}@m\u00fcnchen.example`)).body.data;
  const found = async (path: string, email: string) =>
    (await tenant.must('GET', path + encodeURIComponent(email), undefined, admin)).map((one: { id: string }) => one.id);
  for (const path of ['/v1/users?search[datagrid]=', '/v1/users/typeahead?search[query]='])
    for (const domain of ['M\u00fcnchen.example', 'xn--mnchen-3ya.example']) expect(await found(path, `${name}@${domain}`)).toEqual([id]);
});

test('a link is sent to an address in either form', async () => {
  const name = `nia${++made}`;
  await add(`${name}@m\u00fcnchen.example`);
  for (const email of [`${name}@xn--mnchen-3ya.example`, `${name}@m\u00fcnchen.example`]) {
    const before = (await app.emails()).mails.length;
    expect((await app.http('POST', '/v1/auth/magic_link', { body: { email } })).status).toBe(204);
    const { mails } = await app.emails();
    expect(mails.slice(before).map(({ to }) => to)).toEqual([`${name}@xn--mnchen-3ya.example`]);
  }
});

test('an import finds a person by either form, and stores contacts in one', async () => {
  const name = `nia${++made}`;
  const { user } = await tenant.person({ roles: ['foreman'], email: `${name}@xn--mnchen-3ya.example` });
  const email = `${name}@M\u00fcnchen.example`;
  const contact = { name: 'Nia', email };
  const { result_id: id } = await send(payload({ external_id: name, foremen: [{ email }], foreman_contact: contact }));
  expect(await tenant.must('GET', `/v1/orders/${id}`)).toMatchObject({
    foremen: [{ id: user.id }],
    foreman_contact: { email: `${name}@xn--mnchen-3ya.example` },
  });
});

test.each(['nia@xn--\u00fc.example', 'nia@m\u00fc%nchen.example'])('%j is no e-mail address', async (email) => {
  const refused = await add(email);
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['email']]);
});
