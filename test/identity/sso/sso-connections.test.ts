import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { ResourceScope } from '../../../src/identity/access/resource-scope.entity.ts';
import { forgetViewers } from '../../../src/identity/access/viewer.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { certificate } from './certificates.ts';

let app: TestApp;
let tenant: Tenant;
let admin: string;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  admin = (await tenant.person({ roles: ['company_admin'] })).token;
});
afterAll(() => app.close());

let made = 0;
const domain = () => `company${++made}.example`;
const oidc = (more: object = {}) => ({
  kind: 'oidc',
  display_name: 'Gravel Okta',
  identity_provider: 'okta',
  domains: [domain()],
  issuer: 'https://gravel.okta.example',
  client_id: 'haulgate',
  client_secret: 'hush',
  ...more,
});
const saml = (more: object = {}) => ({
  kind: 'saml',
  display_name: 'Gravel SAML',
  domains: [domain()],
  saml_entry_point: 'https://idp.gravel.example/sso',
  saml_entity_id: 'https://idp.gravel.example',
  saml_certificates: [certificate()],
  ...more,
});
const create = (body: object, as = admin, of = tenant) => of.http('POST', of.path('/sso_connections'), body, as);
const problems = (answer: { body: { error: { errors: { field: string; message: string }[] } } }) =>
  answer.body.error.errors.map(({ field, message }) => `${field} ${message}`);
const rows = <T>(sql: string, params: unknown[]) => app.orm.em.getConnection().execute<T[]>(sql, params);

test('an admin adds an OpenID Connect provider, and its secret is never returned', async () => {
  const answer = await create(oidc({ domains: ['Gravel-One.Example', 'bücher.example'] }));
  expect(answer).toMatchObject({ status: 201 });
  const { id, ...reported } = answer.body.data;
  expect(reported).toEqual({
    company: { id: tenant.company.id, legal_name: tenant.company.legalName },
    kind: 'oidc',
    display_name: 'Gravel Okta',
    identity_provider: 'okta',
    domains: ['gravel-one.example', 'xn--bcher-kva.example'],
    proven_domains: ['gravel-one.example', 'xn--bcher-kva.example'],
    verification_record: expect.stringMatching(/^haulgate-verification=[\da-f]{64}$/),
    ready: true,
    start_url: `${app.url}/v1/auth/sso/${id}/start`,
    issuer: 'https://gravel.okta.example',
    client_id: 'haulgate',
    client_secret_changed_at: expect.any(String),
    redirect_uri: `${app.url}/v1/auth/sso/${id}/callback`,
    saml_entry_point: null,
    saml_entity_id: null,
    saml_certificates: [],
    metadata_url: null,
    acs_url: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const [row] = await rows<{ sealed: string }>('select sealed from sso_secret where connection_id = ?', [id]);
  expect(row?.sealed).toMatch(/^v1\.[\da-f]{8}\.[\w-]+\.[\w-]+\.[\w-]+$/);
  const everywhere = JSON.stringify([answer.body, row, await rows('select * from audit_entry where subject_id = ?', [id])]);
  expect(everywhere).not.toContain('hush');
});

test('a SAML provider shows the addresses of its metadata and assertions', async () => {
  const pem = certificate();
  const { id, ...reported } = (await create(saml({ saml_certificates: [`\n${pem}\n`] }))).body.data;
  expect(reported).toMatchObject({
    kind: 'saml',
    identity_provider: 'generic',
    saml_certificates: [pem.trim()],
    metadata_url: `${app.url}/v1/auth/sso/${id}/metadata`,
    acs_url: `${app.url}/v1/auth/sso/${id}/acs`,
    redirect_uri: null,
    client_secret_changed_at: null,
  });
});

test('a connection is created before its provider knows it, and is used once it is complete', async () => {
  const pem = certificate();
  const kinds = [
    { kind: 'oidc', all: { issuer: 'https://idp.example', client_id: 'haulgate' } },
    { kind: 'saml', all: { saml_entry_point: 'https://idp.example/sso', saml_entity_id: 'idp', saml_certificates: [pem] } },
  ];
  for (const { kind, all } of kinds) {
    const name = domain();
    const made = (await create({ kind, display_name: 'Begun', domains: [name] })).body.data;
    expect(made).toMatchObject({ ready: false, [kind === 'oidc' ? 'redirect_uri' : 'acs_url']: expect.stringContaining(made.id) });
    const served = async () => ({
      found: (await app.http('POST', '/v1/sso_connections', { body: { email: `a@${name}` } })).body.data.length,
      methods: (await app.http('POST', '/v1/auth_methods', { body: { email: `a@${name}` } })).body.data.auth_methods,
      start: (await app.http('GET', new URL(made.start_url).pathname)).status,
    });
    const unready = { found: 0, methods: ['password', 'magic_link'], start: 404 };
    const change = (body: object) => tenant.must('PATCH', `/v1/sso_connections/${made.id}`, body, admin);
    for (const [field, value] of Object.entries(all)) {
      expect(await served()).toEqual(unready);
      await change({ [field]: value });
    }
    expect(await served()).toMatchObject({ found: 1, methods: ['sso', 'password'], start: kind === 'oidc' ? 303 : 302 });
    if (kind === 'saml') expect((await app.http('GET', new URL(made.metadata_url).pathname)).status).toBe(200);
    expect(await change({ [Object.keys(all)[0]!]: null })).toMatchObject({ ready: false });
    expect(await served()).toEqual(unready);
  }
});

test('every change has its audit row, even a change of the secret only', async () => {
  const { id } = (await create(oidc())).body.data;
  const change = (body: object) => tenant.http('PATCH', `/v1/sso_connections/${id}`, body, admin);
  expect(await change({ display_name: 'New name', client_secret: undefined })).toMatchObject({ status: 200 });
  expect(await change({ client_secret: 'louder' })).toMatchObject({ status: 200 });
  expect(await change({ client_secret: null })).toMatchObject({ status: 200, body: { data: { client_secret_changed_at: null } } });
  expect(await tenant.http('DELETE', `/v1/sso_connections/${id}`, undefined, admin)).toMatchObject({ status: 204 });
  const reported = await rows<{ event: string; object_changes: object; created_by_type: string }>(
    'select event, object_changes, created_by_type from audit_entry where subject_id = ? order by created_at, id',
    [id],
  );
  expect(reported.map(({ event, object_changes }) => [event, Object.keys(object_changes)])).toEqual([
    ['create', expect.arrayContaining(['display_name', 'domains', 'issuer', 'client_id', 'company_id'])],
    ['update', ['display_name']],
    ['update', ['client_secret_changed_at']],
    ['update', ['client_secret_changed_at']],
    ['destroy', expect.arrayContaining(['display_name', 'domains'])],
  ]);
  expect(JSON.stringify(reported)).not.toMatch(/sealed|hush|louder/);
});

test('wrong fields are reported all at once and change nothing', async () => {
  const { id } = (await create(oidc())).body.data;
  const before = (await tenant.must('GET', `/v1/sso_connections/${id}`, undefined, admin)) as object;
  const answer = await tenant.http(
    'PATCH',
    `/v1/sso_connections/${id}`,
    {
      issuer: 'http://10.0.0.1',
      domains: ['gmail.com', 'no domain', '127.0.0.1'],
      identity_provider: 'acme',
      saml_entity_id: 'x',
    },
    admin,
  );
  expect(answer.status).toBe(422);
  expect(problems(answer)).toEqual([
    'saml_entity_id belongs to connections of kind saml',
    'issuer must be a URL that starts with https:// and names no user or fragment',
    expect.stringMatching(/^identity_provider must be one of classlink, .*shibboleth$/),
    'domains.0 gmail.com belongs to a mail provider, not to a company',
    'domains.1 no domain is not a domain name',
    'domains.2 127.0.0.1 is not a domain name',
  ]);
  expect(await tenant.must('GET', `/v1/sso_connections/${id}`, undefined, admin)).toEqual(before);
  expect(problems(await create(oidc({ domains: [] })))).toEqual(['domains is required']);
  expect(problems(await create(saml({ saml_certificates: ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'] })))).toEqual([
    expect.stringMatching(/^saml_certificates.0 is not an X.509 certificate/),
  ]);
  expect(problems(await create(saml({ saml_certificates: [certificate(1024)] })))).toHaveLength(1);
  for (const issuer of ['https://user:pass@idp.example', 'https://idp.example/#a', 'javascript:alert(1)', 'file:///etc/passwd'])
    expect(problems(await create(oidc({ issuer })))).toHaveLength(1);
});

test('a domain leads to one connection, even if two companies claim it concurrently', async () => {
  const other = await makeTenant(app);
  const claimed = domain();
  const answers = await Promise.all(
    [tenant, other, tenant, other].map(async (one) => create(oidc({ domains: [claimed] }), await one.administrator(), one)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
  const lost = answers.find(({ status }) => status === 422)!;
  expect(problems(lost)).toEqual(['domains has already been taken']);
  const winner = answers.findIndex(({ status }) => status === 201) % 2 === 0 ? tenant : other;
  const { id } = answers.find(({ status }) => status === 201)!.body.data;
  const moved = domain();
  await winner.must('PATCH', `/v1/sso_connections/${id}`, { domains: [moved] }, await winner.administrator());
  expect(await create(oidc({ domains: [claimed] }), await other.administrator(), other)).toMatchObject({ status: 201 });
  expect(await create(oidc({ domains: [moved] }), await other.administrator(), other)).toMatchObject({ status: 422 });
});

test('without edit_company, connections are not visible, and a foreign one does not exist', async () => {
  const { id } = (await create(oidc())).body.data;
  const stranger = await makeTenant(app);
  for (const role of ['dispatcher', 'manager', 'biller', 'foreman', 'driver']) {
    const { token } = await tenant.person({ roles: [role] });
    for (const [method, path, body] of [
      ['GET', '/v1/sso_connections', undefined],
      ['GET', `/v1/sso_connections/${id}`, undefined],
      ['POST', tenant.path('/sso_connections'), oidc()],
      ['PATCH', `/v1/sso_connections/${id}`, { display_name: 'Mine' }],
      ['DELETE', `/v1/sso_connections/${id}`, undefined],
    ] as const)
      expect({ role, method, ...(await tenant.http(method, path, body, token)) }).toMatchObject({ role, method, status: 403 });
  }
  for (const method of ['GET', 'PATCH', 'DELETE'])
    expect(await stranger.http(method, `/v1/sso_connections/${id}`, method === 'PATCH' ? {} : undefined)).toMatchObject({ status: 404 });
  expect(await create(oidc(), stranger.token)).toMatchObject({ status: 404 });
});

test('a person who is limited to sites cannot change providers: they could sign in somebody without limits', async () => {
  const { user, token } = await tenant.person({ roles: ['company_admin'] });
  const { id } = (await create(oidc(), token)).body.data;
  await tenant.save(ResourceScope, { company: ref(tenant.company), user: ref(user), site: ref(tenant.pickup) });
  forgetViewers(app.application);
  const tried = [
    await create(oidc(), token),
    await tenant.http('PATCH', `/v1/sso_connections/${id}`, { issuer: 'https://mine.okta.example' }, token),
    await tenant.http('PUT', `/v1/sso_connections/${id}/verify_domains`, {}, token),
  ];
  expect(tried.map(({ status, body }) => [status, body.error.errors[0].field])).toEqual(tried.map(() => [403, 'edit_company']));
});

test("a list shows the company's own connections in a fixed number of statements", async () => {
  const own = await makeTenant(app);
  for (let i = 0; i < 3; i++) await create(oidc(), await own.administrator(), own);
  const list = () => own.http('GET', '/v1/sso_connections?page[limit]=2');
  const { value, statements } = await app.countStatements(list);
  expect(value.body.data).toHaveLength(2);
  expect(value.headers.get('link')).toContain('rel="next"');
  expect(statements).toHaveLength(1);
  const scoped = await own.must('GET', own.path('/sso_connections'));
  expect(scoped.map((one: { company: { id: string } }) => one.company.id)).toEqual(Array(3).fill(own.company.id));
});

test('an e-mail address leads to the provider of its domain, whoever owns it', async () => {
  const name = domain();
  const { id } = (await create(oidc({ domains: [name] }))).body.data;
  await tenant.person({ email: `known@${name}` });
  const find = (email: string) => app.http('POST', '/v1/sso_connections', { body: { email } });
  const expected = {
    status: 200,
    body: {
      data: [
        {
          display_name: 'Gravel Okta',
          idp_connection_id: id,
          start_url: `${app.url}/v1/auth/sso/${id}/start`,
          idp_identity_provider: 'okta',
        },
      ],
    },
  };
  for (const email of [`known@${name}`, `unknown@${name.toUpperCase()}`, ` known@${name} `])
    expect(await find(email)).toMatchObject(expected);
  expect((await find('known@elsewhere.example')).body).toEqual({ data: [] });
  // A subdomain is another domain.
  expect((await find(`known@mail.${name}`)).body).toEqual({ data: [] });
  for (const email of ['', 'nobody', '@a.example', 'a@b@c.example', 'a@localhost', 'a b@c.example'])
    expect(problems(await find(email))).toEqual(['email is not an e-mail address']);
  expect(await app.http('POST', '/v1/sso_connections', { body: {} })).toMatchObject({ status: 422 });
});

test('the sign-in methods do not reveal who exists', async () => {
  const name = domain();
  await create(oidc({ domains: [name] }));
  await tenant.person({ email: `known@${name}` });
  await tenant.person({ email: 'known@nowhere.example' });
  const methods = async (email: string) => (await app.http('POST', '/v1/auth_methods', { body: { email } })).body;
  expect(await methods(`known@${name}`)).toEqual({ data: { auth_methods: ['sso', 'password'] } });
  expect(await methods(`unknown@${name}`)).toEqual(await methods(`known@${name}`));
  expect(await methods('known@nowhere.example')).toEqual({ data: { auth_methods: ['password', 'magic_link'] } });
  expect(await methods('unknown@nowhere.example')).toEqual(await methods('known@nowhere.example'));
  const other = await makeTenant(app);
  await other.must('PATCH', `/v1/companies/${other.company.id}`, { auth_methods: ['otp_sms', 'google_auth'] });
  const theirs = domain();
  await create(oidc({ domains: [theirs] }), await other.administrator(), other);
  // Google leads nowhere here.
  expect(await methods(`a@${theirs}`)).toEqual({ data: { auth_methods: ['sso', 'otp_sms'] } });
  const statements = async (email: string) => (await app.countStatements(() => methods(email))).statements;
  expect(await statements(`unknown@${name}`)).toEqual((await statements(`known@${name}`)).map((sql) => sql.replace('known@', 'unknown@')));
});
