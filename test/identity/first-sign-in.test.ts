import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { User } from '../../src/directory/people/user.entity.ts';
import { forgetViewers } from '../../src/identity/access/viewer.ts';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { poolOf, queryIn } from '../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { fieldsOf, inviteInput, makeYard, type Yard } from '../helpers/yard.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const PASSWORD = 'seven quarries in the rain';
const ISSUER = 'https://id.example.com/first';
let app: TestApp;
let keys: Server;
let signer: CryptoKey;
let roles: Record<string, string>;
/** Who manages, and its administrator. */
let yard: Yard;
let admin: string;
let boss: User;
beforeAll(async () => {
  app = await startTestApp({ deliveries: true });
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  signer = privateKey;
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }] });
  keys = createServer((_req, res) => res.writeHead(200, { 'Content-Type': 'application/json' }).end(jwks)).listen(0, '127.0.0.1');
  await new Promise((resolve) => keys.once('listening', resolve));
  const list: { id: string; name: string }[] = await (await makeYard(app)).must('GET', '/v1/iam_roles');
  roles = Object.fromEntries(list.map(({ id, name }) => [name, id]));
});
afterAll(async () => {
  app.configure({ externalIssuer: undefined });
  keys.close();
  await app.close();
});
beforeEach(async () => {
  yard = await makeYard(app);
  ({ user: boss, token: admin } = await yard.person({ roles: ['company_admin'] }));
});

interface Invited {
  id: string;
  name: string;
  owner: { id: string; email: string };
}
let numbers = 0;
/** A company that `yard` invited and manages. */
async function managed(): Promise<Invited> {
  const body = inviteInput({ send_invite: { email: true } });
  body.contact = { ...body.contact, phone: `+1201556${1000 + ++numbers}` } as never;
  const account = await yard.must('POST', '/v1/accounts/invite', body, admin);
  const { id } = account.connected_company;
  await yard.must('PUT', at(id), {}, admin);
  const [owner] = await yard.must('GET', at(id, '/users'), undefined, admin);
  await run("update company set auth_methods = '{password,magic_link,otp_sms,sso}' where id = ?", id);
  return { id, name: body.name, owner };
}
const at = (id: string, rest = '') => yard.path(`/managed_companies/${id}${rest}`);
const run = <T extends object = Json>(sql: string, ...values: unknown[]) => app.orm.em.getConnection().execute<T[]>(sql, values);
const post = (path: string, body: object) => app.http('POST', path, { body });
const mailsTo = async (email: string) => (await app.emails()).mails.filter(({ to }) => to === email);
const linkOf = async (email: string): Promise<string> => {
  const mail = (await mailsTo(email)).findLast(({ text }) => text.includes('#'))!;
  return /#[a-z_]+=([\w-]+)/.exec(mail.text)![1]!;
};
const signUp = async ({ owner }: Invited) => post('/v1/auth/signup', { magic_links_token: await linkOf(owner.email), password: PASSWORD });
const personIn = (id: string, more: object) => ({
  ...{ company_id: id, first_name: 'Mal', last_name: 'Lory', email: `mal${++numbers}.${process.pid}@example.com` },
  ...more,
});
/** What the managing company could do there. */
const attempts = ({ id, owner }: Invited): [string, string, object?][] => [
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
    { receiver_company_id: yard.company.id, company_shareable_id: owner.id, company_shareable_type: 'User' },
  ],
];
const statuses = async (company: Invited) => {
  const answers = [];
  for (const [method, path, body] of attempts(company)) answers.push((await yard.http(method, path, body, admin)).status);
  return answers;
};
const NOTHING = Array(11).fill(404);
const accountOf = async (id: string) => {
  const [account] = await yard.must('GET', yard.path('/accounts/connected'), undefined, admin);
  const query = 'query($id: ID!) { account(id: $id) { managed managedUntil } }';
  expect(account.connected_company.id).toBe(id);
  return (await yard.gql(query, { id: account.id }, admin)).data.account;
};

test('when the owner signs in, the managing company loses access to everything there', async () => {
  const company = await managed();
  const before = await run('select * from app_user where company_id = ? order by id', company.id);
  expect((await signUp(company)).status).toBe(200);
  expect(await statuses(company)).toEqual(NOTHING);
  const kept = ({ id, email, roles: held, discarded_at: gone }: Json) => ({ id, email, held, gone });
  expect((await run('select * from app_user where company_id = ? order by id', company.id)).map(kept)).toEqual(before.map(kept));
  const update =
    'mutation($c: ID!, $m: ID!, $id: ID!) { updateManagedUser(companyId: $c, managedCompanyId: $m, id: $id, input: { email: "mine@example.com" }) { id } }';
  const { errors } = await yard.gql(update, { c: yard.company.id, m: company.id, id: company.owner.id }, admin);
  expect(errors[0].extensions.code).toBe('object_not_found');
  // Nor is it taken up again.
  const again = await yard.http('PUT', at(company.id), {}, admin);
  expect([again.status, fieldsOf(again)]).toEqual([422, ['id']]);
  expect(await yard.must('GET', yard.path('/managed_companies'), undefined, admin)).toEqual([]);
});

test('both sides learn it by mail, in their records and in their audit logs', async () => {
  const company = await managed();
  expect(await accountOf(company.id)).toEqual({ managed: true, managedUntil: null });
  const session = (await signUp(company)).body.data.session_jwt;
  const manager = yard.company.legalName;
  const [ours] = await mailsTo(boss.email!);
  expect(ours).toMatchObject({
    subject: `${manager} no longer manages ${company.name}`,
    text: expect.stringContaining('Ina Vited was the first'),
  });
  const theirs = (await mailsTo(company.owner.email)).at(-1)!;
  expect(theirs.subject).toBe(`${company.name} is in your own hands now`);
  expect(theirs.text).toContain(`Ina Vited <${company.owner.email}>`);
  expect(theirs.text).toContain(manager);
  expect(await accountOf(company.id)).toEqual({ managed: false, managedUntil: expect.any(String) });
  const own = await yard.gql('query($id: ID!) { company(id: $id) { firstSignInAt } }', { id: company.id }, session);
  expect(own.data.company).toEqual({ firstSignInAt: expect.any(String) });
  const log = async (token: string, type: string) =>
    (await yard.must('GET', `/v1/audit_entries?filter[subject_type]=${type}&page[limit]=5`, undefined, token)).map(
      (one: Json) => one.object_changes,
    );
  expect(await log(admin, 'Account')).toContainEqual({ managed: [true, false] });
  expect(await log(session, 'Company')).toContainEqual({
    managed_by_company_id: [yard.company.id, null],
    managed_by_company: [manager, null],
  });
  const events = await run("select name from outbox_event where company_id = ? and name = 'account.unmanaged'", yard.company.id);
  expect(events).toHaveLength(1);
  // Once: the second sign-in says nothing.
  await post('/v1/auth/login', { email: company.owner.email, password: PASSWORD });
  expect((await mailsTo(boss.email!)).length).toBe(1);
});

/** Every way of signing in, for the first time in the company. */
const WAYS: [string, (company: Invited) => Promise<number>][] = [
  ['an invitation', async (company) => (await signUp(company)).status],
  [
    'a password',
    async ({ id, owner }) => {
      // Of somebody who chose one when they were of another company.
      const other = await yard.person({ email: `pw${++numbers}@example.com` });
      await run("update company set auth_methods = '{password}' where id = ?", yard.company.id);
      await post('/v1/auth/forgot_password', { email: other.user.email });
      await post('/v1/auth/reset_password', { password_reset_token: await linkOf(other.user.email!), password: PASSWORD });
      await run('update credential set user_id = ? where user_id = ?', owner.id, other.user.id);
      expect((await run('select first_sign_in_at from company where id = ?', id))[0]).toEqual({ first_sign_in_at: null });
      return (await post('/v1/auth/login', { email: owner.email, password: PASSWORD })).status;
    },
  ],
  [
    'a new password',
    async ({ owner }) => {
      await post('/v1/auth/forgot_password', { email: owner.email });
      return (await post('/v1/auth/reset_password', { password_reset_token: await linkOf(owner.email), password: PASSWORD })).status;
    },
  ],
  [
    'a link',
    async ({ owner }) => {
      await post('/v1/auth/magic_link', { email: owner.email });
      return (await post('/v1/auth/magic_link/login', { magic_links_token: await linkOf(owner.email) })).status;
    },
  ],
  [
    'a code',
    async ({ owner }) => {
      const [{ phone }] = await run('select phone from app_user where id = ?', owner.id);
      const { phone_id } = (await post('/v1/auth/otp_sms', { phone })).body.data;
      const text = (await app.emails()).texts.findLast((one) => one.startsWith(`To: ${phone}`))!;
      return (await post('/v1/auth/otp_sms/login', { phone_id, code: /\b\d{6,8}\b/.exec(text.replace(phone, ''))![0] })).status;
    },
  ],
  [
    'a provider',
    async ({ id, owner }) => {
      const { token } = await (await makeYard(app)).person({ roles: ['platform_admin'] });
      const domain = `first${++numbers}.example`;
      const body = {
        kind: 'oidc',
        display_name: 'Okta',
        domains: [domain],
        issuer: 'https://idp.example',
        client_id: 'h',
      };
      const connection = await yard.must('POST', `/v1/companies/${id}/sso_connections`, body, token);
      // What a sign-in at the provider ends with.
      await run('update app_user set email = ? where id = ?', `owner@${domain}`, owner.id);
      const ticket = createHash('sha256').update('a ticket').digest('base64url');
      await run(
        "insert into sso_ticket (token_hash, connection_id, user_id, email, expires_at) values (?, ?, ?, ?, now() + interval '1 minute')",
        ticket,
        connection.id,
        owner.id,
        `owner@${domain}`,
      );
      return (await post('/v1/auth/sso/login', { sso_token: 'a ticket' })).status;
    },
  ],
  [
    'a program of its own',
    async ({ id }) => {
      const em = app.orm.em.fork();
      const { client, clientSecret } = makeMachineClient(em, { id } as never, { name: 'Books', permissions: ['edit_order'] });
      await em.flush();
      const headers = {
        Authorization: `Basic ${Buffer.from(`${client.clientId}:${clientSecret}`).toString('base64')}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      };
      return (await app.http('POST', '/v1/auth/token', { body: 'grant_type=client_credentials', headers })).status;
    },
  ],
  [
    "the deployment's own provider",
    async ({ owner }) => {
      const jwksUrl = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/`;
      app.configure({
        externalIssuer: { issuer: ISSUER, jwksUrl, audience: 'haulgate-api', userClaim: 'email', clientClaim: 'client_id' },
      });
      const claims = { iss: ISSUER, aud: 'haulgate-api', sub: 's', email: owner.email, exp: Math.floor(Date.now() / 1000) + 300 };
      const token = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k' }).sign(signer);
      return (await app.http('GET', '/v1/users/me', { token })).status;
    },
  ],
];

test.each(WAYS)('%s counts as a first sign-in', async (_way, signIn) => {
  const company = await managed();
  expect((await yard.http('GET', at(company.id, '/users'), undefined, admin)).status).toBe(200);
  expect(await signIn(company)).toBe(200);
  expect(await statuses(company)).toEqual(NOTHING);
  expect(await accountOf(company.id)).toMatchObject({ managed: false });
  expect((await mailsTo(boss.email!)).map(({ subject }) => subject)).toEqual([
    `${yard.company.legalName} no longer manages ${company.name}`,
  ]);
});

test('a driver who signs in counts like the owner, who gets the mail', async () => {
  const company = await managed();
  const driver = await yard.must('POST', at(company.id, '/users'), personIn(company.id, { iam_role_ids: [roles.Driver] }), admin);
  await post('/v1/auth/magic_link', { email: driver.email });
  expect((await post('/v1/auth/magic_link/login', { magic_links_token: await linkOf(driver.email) })).status).toBe(200);
  expect(await statuses(company)).toEqual(NOTHING);
  expect((await mailsTo(company.owner.email)).at(-1)!.text).toContain('Mal Lory was the first');
});

test('a failed sign-in does not end managing', async () => {
  const company = await managed();
  await post('/v1/auth/login', { email: company.owner.email, password: 'not it at all' });
  await post('/v1/auth/signup', { magic_links_token: 'wrong', password: PASSWORD });
  const weak = { magic_links_token: await linkOf(company.owner.email), password: 'password1' };
  expect((await post('/v1/auth/signup', weak)).status).toBe(400);
  expect((await yard.http('GET', at(company.id, '/users'), undefined, admin)).status).toBe(200);
  expect(await accountOf(company.id)).toMatchObject({ managed: true });
});

test('the manager leaves nobody behind in the managed company with a role that runs it', async () => {
  const { id, owner } = await managed();
  const body = (role: string) => personIn(id, { iam_role_ids: [roles[role]] });
  for (const role of ['Company Admin', 'IT Admin']) {
    const refused = await yard.http('POST', at(id, '/users'), body(role), admin);
    expect([role, refused.status, fieldsOf(refused)]).toEqual([role, 422, ['iam_role_ids.0']]);
  }
  const dispatcher = await yard.must('POST', at(id, '/users'), body('Dispatcher'), admin);
  const patch = (user: string, to: object) => yard.http('PATCH', at(id, `/users/${user}`), to, admin);
  expect((await patch(dispatcher.id, { iam_role_ids: [roles.Dispatcher, roles['Company Admin']] })).status).toBe(422);
  // An address that was mistyped can be mended, the owner's role stays and so does the owner.
  expect(
    (await patch(owner.id, { email: `right${++numbers}.${process.pid}@example.com`, iam_role_ids: [roles['Company Admin']] })).status,
  ).toBe(200);
  expect((await yard.http('DELETE', at(id, `/users/${owner.id}`), undefined, admin)).status).toBe(422);
});

/** Resolves when that many statements of this database wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  const pool = await poolOf(app.orm.em.fork());
  for (const end = Date.now() + 20_000; (await pool.query(waiting)).rows.length < count; )
    if (Date.now() > end) throw new Error(`nobody waits for a lock, or fewer than ${count}`);
}
/** Does `first` while a statement holds it up, then `second`, and lets both go on. */
async function heldUp<A, B>(lock: string, id: string, first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  const em = app.orm.em.fork();
  await em.begin();
  try {
    await queryIn(em, lock, [id]);
    const one = first();
    await untilWaiting(1);
    const two = second();
    await untilWaiting(2);
    await em.rollback();
    return [await one, await two];
  } finally {
    if (em.isInTransaction()) await em.rollback();
  }
}
const LOCK = 'select 1 from app_user where id = $1 for update';

test('a command of the manager at the moment of the first sign-in comes before it, or fails', async () => {
  const company = await managed();
  const { owner } = company;
  const token = await linkOf(owner.email);
  const take = () =>
    yard.http('PATCH', at(company.id, `/users/${owner.id}`), { email: `taken${++numbers}.${process.pid}@example.com` }, admin);
  const signIn = () => post('/v1/auth/signup', { magic_links_token: token, password: PASSWORD });
  const [session, refused] = await heldUp(LOCK, owner.id, signIn, take);
  expect([session.status, refused.status]).toEqual([200, 404]);
  expect((await run('select email from app_user where id = ?', owner.id))[0]).toEqual({ email: owner.email });

  const other = await managed();
  const late = await linkOf(other.owner.email);
  const mend = () => yard.http('PATCH', at(other.id, `/users/${other.owner.id}`), { external_id: 'before' }, admin);
  const [before, after] = await heldUp(LOCK, other.owner.id, mend, () =>
    post('/v1/auth/signup', { magic_links_token: late, password: PASSWORD }),
  );
  expect([before.status, after.status]).toEqual([200, 200]);
  expect(await statuses(other)).toEqual(NOTHING);
});

test('a first sign-in and a concurrent start of managing see each other', async () => {
  const company = await managed();
  expect((await yard.http('DELETE', at(company.id), undefined, admin)).status).toBe(204);
  const token = await linkOf(company.owner.email);
  const signIn = () => post('/v1/auth/signup', { magic_links_token: token, password: PASSWORD });
  const [session, begun] = await heldUp(LOCK, company.owner.id, signIn, () => yard.http('PUT', at(company.id), {}, admin));
  expect([session.status, begun.status, fieldsOf(begun)]).toEqual([200, 422, ['id']]);
  for (let round = 0; round < 4; round++) {
    const another = await managed();
    await yard.must('DELETE', at(another.id), undefined, admin);
    await Promise.all([signUp(another), yard.http('PUT', at(another.id), {}, admin)]);
    expect(await statuses(another)).toEqual(NOTHING);
  }
});

test('concurrent commands and sign-ins leave nobody managed, and fail for no other reason', async () => {
  for (let round = 0; round < 3; round++) {
    const company = await managed();
    const act = (n: number) =>
      n % 2 === 0
        ? yard.http('PATCH', at(company.id, `/users/${company.owner.id}`), { external_id: `E${n}` }, admin)
        : yard.http('POST', at(company.id, '/users'), personIn(company.id, { iam_role_ids: [roles.Driver] }), admin);
    const answers = await Promise.all([signUp(company), ...Array.from({ length: 6 }, (_, n) => act(n))]);
    expect(answers[0]!.status).toBe(200);
    expect(answers.slice(1).filter(({ status }) => ![200, 201, 404].includes(status))).toEqual([]);
    expect(await statuses(company)).toEqual(NOTHING);
  }
});

test('within a family, managing is granted by somebody with all permissions of those who gain access', async () => {
  const [north, south] = await Promise.all(
    [0, 1].map(() => makeYard(app, { company: { parentCompany: ref(yard.company), platformCustomer: false } })),
  );
  forgetViewers(app.application);
  await north!.person({ roles: ['company_admin'] });
  const { token: it } = await yard.person({ roles: ['it_admin'] });
  await north!.must('POST', north!.path('/accounts/connected'), { platform_id: south!.company.platformId, account_types: ['vendor'] });
  const path = north!.path(`/managed_companies/${south!.company.id}`);
  const refused = await yard.http('PUT', path, {}, it);
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['id']]);
  // Its machine client may act as others, which an administrator may not.
  expect((await yard.http('PUT', path, {}, admin)).status).toBe(422);
  expect((await yard.http('PUT', path, {})).status).toBe(200);
});
