import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { IamRole } from '../../../src/directory/people/iam-role.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { grantsOf } from '../../../src/identity/access/matrix.ts';
import { PERMISSIONS, type Permission } from '../../../src/identity/access/permissions.ts';
import { forgetViewers } from '../../../src/identity/access/viewer.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { certificate } from './certificates.ts';
import { type NameServer, startNameServer } from './name-server.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let names: NameServer;
let tenant: Tenant;
let domain: string;
/** Of a company administrator, and of somebody who may only edit the company and its people. */
let admin: string;
let it: string;
let made = 0;
beforeAll(async () => {
  names = await startNameServer();
  app = await startTestApp({ deliveries: true });
});
afterAll(async () => {
  app.configure({ dnsServers: [] });
  await app.close();
  await names.close();
});
beforeEach(async () => {
  app.configure({ ssoDomainProof: true, dnsServers: [names.address] });
  tenant = await makeTenant(app);
  domain = `vouches${++made}.example`;
  admin = await tenant.administrator();
  it = (await tenant.person({ roles: ['it_admin'] })).token;
});
afterEach(() => app.configure({ ssoDomainProof: false }));

const OIDC = { issuer: 'https://idp.example', client_id: 'haulgate', client_secret: 'hush' };
const saml = () => ({ saml_entry_point: 'https://idp.example/sso', saml_entity_id: 'idp', saml_certificates: [certificate()] });
const body = (more: object = OIDC) => ({ kind: 'issuer' in more ? 'oidc' : 'saml', display_name: 'Gravel', domains: [domain], ...more });
const change = (id: string, to: object, as = admin) => tenant.http('PATCH', `/v1/sso_connections/${id}`, to, as);
const read = (id: string) => tenant.must('GET', `/v1/sso_connections/${id}`);
const verify = (id: string, as = admin) => tenant.http('PUT', `/v1/sso_connections/${id}/verify_domains`, {}, as);
const leads = async () => (await app.http('POST', '/v1/sso_connections', { body: { email: `ada@${domain}` } })).body.data.length;
/** A connection that signs in the company's people. */
async function serving(more: object = OIDC): Promise<Json> {
  const connection = await tenant.must('POST', tenant.path('/sso_connections'), body(more), admin);
  names.texts.set(domain, [connection.verification_record]);
  const { body: answer } = await verify(connection.id);
  expect(answer.data).toMatchObject({ ready: true, proven_domains: [domain] });
  return answer.data;
}
/** Every act that says who vouches for people, over both interfaces. */
const acts = (id: string, as: string) => [
  () => tenant.http('POST', tenant.path('/sso_connections'), body({ ...OIDC, domains: [`new.${domain}`] }), as),
  () => change(id, { issuer: 'https://mine.example' }, as),
  () => change(id, { client_secret: 'mine' }, as),
  () => change(id, { domains: [domain, `more.${domain}`] }, as),
  () => verify(id, as),
  () => tenant.http('DELETE', `/v1/sso_connections/${id}`, undefined, as),
];
const GRAPHQL = [
  'mutation($id: ID!) { updateSsoConnection(id: $id, input: { issuer: "https://mine.example" }) { id } }',
  'mutation($id: ID!) { verifySsoDomains(id: $id) { id } }',
  'mutation($id: ID!) { deleteSsoConnection(id: $id) }',
];
const denials = async (asked: (() => Promise<{ status: number; body: Json }>)[]) => {
  const answers = [];
  for (const ask of asked) {
    const { status, body: answer } = await ask();
    answers.push([status, answer?.error?.errors[0].message]);
  }
  return answers;
};
const mailsTo = async (user: User) => (await app.emails()).mails.filter(({ to }) => to === user.email);

test("a person with edit_company but without the administrators' permissions cannot change providers", async () => {
  const connection = await serving();
  const before = await read(connection.id);
  const lacks = expect.stringContaining('is a permission that people who would sign in this way have and you do not');
  expect(await denials(acts(connection.id, it))).toEqual(acts('', '').map(() => [403, lacks]));
  for (const query of GRAPHQL) expect((await tenant.gql(query, { id: connection.id }, it)).errors[0].extensions.code).toBe('forbidden');
  expect([await read(connection.id), await leads()]).toEqual([before, 1]);
  expect((await tenant.http('GET', `/v1/sso_connections/${connection.id}`, undefined, it)).status).toBe(200);
});

test('no machine client changes providers, whatever its permissions, nor by acting as somebody', async () => {
  const connection = await serving();
  const before = await read(connection.id);
  const only = expect.stringContaining('is a permission that a machine client cannot use for this');
  const boss = await tenant.person({ roles: ['company_admin'] });
  const { session_jwt: token } = await tenant.must('POST', `/v1/users/${boss.user.id}/impersonations`, {});
  expect((await tenant.http('GET', '/v1/users/me', undefined, token)).status).toBe(200);
  for (const as of [tenant.token, token]) {
    expect(await denials(acts(connection.id, as))).toEqual(acts('', '').map(() => [403, only]));
    for (const query of GRAPHQL) expect((await tenant.gql(query, { id: connection.id }, as)).errors[0].extensions.code).toBe('forbidden');
  }
  expect(await read(connection.id)).toEqual(before);
});

test('a person with more permissions in a company below counts, even without an address of the domain', async () => {
  const connection = await serving();
  const child = await makeTenant(app, { company: { parentCompany: ref(tenant.company) } });
  forgetViewers(app.application);
  const watcher = await child.save(IamRole, { company: ref(child.company), name: 'Watcher', grants: ['impersonate'] });
  expect((await change(connection.id, { display_name: 'Other' })).status).toBe(200);
  const { user } = await child.person({ customRoleIds: [watcher.id] });
  const refused = await change(connection.id, { issuer: 'https://mine.example' });
  expect([refused.status, refused.body.error.errors[0].field]).toEqual([403, 'impersonate']);
  // A person who left is signed in by nobody.
  await app.orm.em.fork().nativeUpdate(User, { id: user.id }, { discardedAt: new Date() }, { filters: { tenant: false } });
  expect((await change(connection.id, { display_name: 'Gravel' })).status).toBe(200);
});

test('changing providers requires the permissions of everybody who could be signed in, for any set of permissions', async () => {
  const connection = await serving();
  const { user, token } = await tenant.person({ roles: ['company_admin'] });
  const role = await tenant.save(IamRole, { company: ref(tenant.company), name: 'Clerk', grants: [...PERMISSIONS] });
  await app.orm.em.fork().nativeUpdate(User, { id: user.id }, { roles: [], customRoleIds: [role.id] }, { filters: { tenant: false } });
  const permitted = grantsOf(['company_admin']);
  await fc.assert(
    fc.asyncProperty(fc.subarray([...PERMISSIONS] as Permission[], { maxLength: 2 }), async (without) => {
      const grants = PERMISSIONS.filter((name) => !without.includes(name));
      await tenant.app.orm.em.execute('update iam_role set grants = ? where id = ?', [`{${grants.join()}}`, role.id]);
      forgetViewers(app.application);
      const { status } = await change(connection.id, { display_name: 'Same' }, token);
      expect([without, status]).toEqual([without, without.some((name) => permitted.has(name)) ? 403 : 200]);
    }),
    { numRuns: 15 },
  );
});

test.each([
  ['issuer', OIDC, () => ({ issuer: 'https://mine.example' })],
  ['client id', OIDC, () => ({ client_id: 'mine' })],
  ['entry point', saml(), () => ({ saml_entry_point: 'https://mine.example/sso' })],
  ['entity id', saml(), () => ({ saml_entity_id: 'mine' })],
  ['certificate', saml(), () => ({ saml_certificates: [certificate()] })],
])('another %s leaves no domain proven, and every administrator gets a mail', async (_what, provider, another) => {
  const { user: other } = await tenant.person({ roles: ['company_admin'] });
  const { user: dispatcher } = await tenant.person({ roles: ['dispatcher'] });
  const connection = await serving(provider);
  const start = new URL(connection.start_url).pathname;
  expect((await change(connection.id, another())).body.data).toMatchObject({ ready: false, proven_domains: [], domains: [domain] });
  expect([await leads(), (await app.http('GET', start)).status]).toEqual([0, 404]);
  // Nothing else makes it ready again.
  expect((await change(connection.id, { display_name: 'Other' })).body.data).toMatchObject({ ready: false, proven_domains: [] });
  const subjects = (await mailsTo(other)).map(({ subject }) => subject);
  const company = tenant.company.legalName;
  expect(subjects).toEqual([`Gravel now signs in people of ${company}`, `The identity provider Gravel of ${company} was changed`]);
  const [, mail] = await mailsTo(other);
  expect([mail!.text.includes(domain), mail!.text.includes('Alma Gravel')]).toEqual([true, true]);
  expect(await mailsTo(dispatcher)).toEqual([]);
  // Proven anew it serves again.
  expect((await verify(connection.id)).body.data).toMatchObject({ ready: true, proven_domains: [domain] });
  expect(await leads()).toBe(1);
  const [row] = await app.orm.em.execute<{ object_changes: object }[]>(
    "select object_changes from audit_entry where subject_id = ? and event = 'update' and object_changes ? 'ready' order by created_at limit 1".replace(
      "? 'ready'",
      "-> 'ready' is not null",
    ),
    [connection.id],
  );
  expect(row!.object_changes).toMatchObject({ ready: [true, false], proven_domains: [[domain], []] });
});

test('changes that let nobody new sign people in keep the domains proven: equal values, another secret or name, a certificate less', async () => {
  const [first, second] = [certificate(), certificate()];
  const { id } = await serving({ ...saml(), saml_certificates: [first, second] });
  for (const to of [{ saml_certificates: [second] }, { saml_entry_point: 'https://idp.example/sso' }, { display_name: 'Other' }])
    expect((await change(id, to)).body.data).toMatchObject({ ready: true, proven_domains: [domain] });
  expect((await change(id, { saml_certificates: [second, first] })).body.data).toMatchObject({ ready: false, proven_domains: [] });
  domain = `secret.${domain}`;
  const oidc = await serving();
  expect((await change(oidc.id, { client_secret: 'other' })).body.data).toMatchObject({ ready: true, proven_domains: [domain] });
});

test('the removal of a provider is mailed to the administrators, but not the first description of one', async () => {
  const { user } = await tenant.person({ roles: ['company_admin'] });
  const connection = await tenant.must(
    'POST',
    tenant.path('/sso_connections'),
    { kind: 'oidc', display_name: 'Gravel', domains: [domain] },
    admin,
  );
  await change(connection.id, OIDC);
  expect(await mailsTo(user)).toEqual([]);
  expect((await tenant.http('DELETE', `/v1/sso_connections/${connection.id}`, undefined, admin)).status).toBe(204);
  expect((await mailsTo(user)).map(({ subject }) => subject)).toEqual([
    `The identity provider Gravel of ${tenant.company.legalName} was removed`,
  ]);
});

test('a proof for the previous provider does not count for another one', async () => {
  const connection = await tenant.must('POST', tenant.path('/sso_connections'), body(), admin);
  names.texts.set(domain, [connection.verification_record]);
  let changed: Promise<Json> | undefined;
  names.meanwhile = () => (changed ??= change(connection.id, { issuer: 'https://mine.example' }));
  const verified = await verify(connection.id);
  names.meanwhile = undefined;
  expect([(await changed).status, verified.status]).toEqual([200, 200]);
  expect([verified.body.data.proven_domains, await leads()]).toEqual([[], 0]);
  expect((await verify(connection.id)).body.data.proven_domains).toEqual([domain]);
});

test('sign-in methods are changed by people with all permissions of those affected', async () => {
  const path = `/v1/companies/${tenant.company.id}`;
  const methods = async (auth_methods: string[], as: string) => tenant.http('PATCH', path, { auth_methods }, as);
  const refused = await methods(['password', 'magic_link'], it);
  expect([refused.status, refused.body.error.errors[0].field, refused.body.error.errors[0].message]).toEqual([
    422,
    'auth_methods',
    expect.stringContaining('decides how people sign in, and some of them have permissions that you lack:'),
  ]);
  expect((await methods(['password'], it)).status).toBe(200);
  expect((await tenant.http('PATCH', path, { dba_name: 'Little' }, it)).status).toBe(200);
  expect((await methods(['password', 'magic_link'], admin)).status).toBe(200);
  // A platform administrator of the company may more than its administrators.
  await tenant.person({ roles: ['platform_admin'] });
  expect((await methods(['password', 'otp_sms'], admin)).status).toBe(422);
});

test('nobody limits a person with more permissions to sites, or lifts their limits', async () => {
  const boss = await tenant.person({ roles: ['company_admin'] });
  const site = { resource_type: 'Site', resource_id: tenant.pickup.id };
  const path = `/v1/users/${boss.user.id}/resource_scopes`;
  expect((await tenant.http('POST', path, site, it)).status).toBe(403);
  const scope = await tenant.must('POST', path, site, admin);
  expect((await tenant.http('DELETE', `/v1/resource_scopes/${scope.id}`, undefined, it)).status).toBe(403);
  expect((await tenant.http('DELETE', `/v1/resource_scopes/${scope.id}`, undefined, admin)).status).toBe(204);
});

test('an external issuer signs in a machine client only if somebody with its permissions links it', async () => {
  app.configure({
    externalIssuer: {
      issuer: 'https://idp.example',
      jwksUrl: 'https://idp.example/jwks',
      audience: 'a',
      userClaim: 'email',
      clientClaim: 'client_id',
    } as never,
  });
  try {
    const client = await tenant.must('POST', '/v1/m2m_clients', { name: 'Books', scopes: ['pay_settlement', 'edit_company'] }, admin);
    const name = (as: string, more: object = {}) =>
      tenant.http('PATCH', `/v1/m2m_clients/${client.id}`, { external_client_id: `mine${made}`, ...more }, as);
    expect((await name(it)).status).toBe(403);
    // Its permissions are not taken from it for the moment.
    expect((await name(it, { scopes: ['edit_company', 'pay_settlement'] })).status).toBe(403);
    expect((await name(admin)).status).toBe(200);
  } finally {
    app.configure({ externalIssuer: undefined });
  }
});
