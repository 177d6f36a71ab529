import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { User } from '../../../src/directory/people/user.entity.ts';
import { queryIn } from '../../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { companyInput, fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { countWaiting, until, untilWaiting } from '../../helpers/until.ts';

let app: TestApp;
let tenant: Tenant;
let child: Tenant;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
  child = await makeTenant(app, { company: { parentCompany: ref(tenant.company) } });
});
afterEach(() => app.configure({ ssoDomainProof: false }));

let made = 0;
const domain = () => `only${++made}.example`;
const described = { issuer: 'https://idp.example', client_id: 'haulgate' };
const connect = async (of: Tenant, more: object = described) =>
  of.must(
    'POST',
    of.path('/sso_connections'),
    { kind: 'oidc', display_name: 'Okta', domains: [domain()], ...more },
    await of.administrator(),
  );
const allowOnly = (of: Tenant, methods: string[] = ['sso']) =>
  of.http('PATCH', `/v1/companies/${of.company.id}`, { auth_methods: methods });
const change = async (id: string, body: object) => tenant.http('PATCH', `/v1/sso_connections/${id}`, body, await tenant.administrator());
const end = async (id: string) => tenant.http('DELETE', `/v1/sso_connections/${id}`, undefined, await tenant.administrator());
const methodsOf = async (of: Tenant) => (await of.must('GET', `/v1/companies/${of.company.id}`)).auth_methods;
const refusal = async (answer: ReturnType<typeof end>) => [(await answer).status, fieldsOf(await answer)];

test('a company can allow only its provider once there is one that is ready', async () => {
  expect(await refusal(allowOnly(tenant))).toEqual([422, ['auth_methods']]);
  // Methods that do not work here are no alternative.
  expect(await refusal(allowOnly(tenant, ['sso', 'google_auth']))).toEqual([422, ['auth_methods']]);
  const { id } = await connect(tenant, {});
  expect(await refusal(allowOnly(tenant))).toEqual([422, ['auth_methods']]);
  expect(await methodsOf(tenant)).toEqual(['password']);
  expect((await allowOnly(tenant, ['sso', 'password'])).status).toBe(200);
  await change(id, described);
  expect((await allowOnly(tenant)).status).toBe(200);
  expect((await allowOnly(tenant)).status).toBe(200);
});

test('a provider without proven domains signs in nobody', async () => {
  app.configure({ ssoDomainProof: true });
  expect(await connect(tenant)).toMatchObject({ ready: true, proven_domains: [] });
  expect(await refusal(allowOnly(tenant))).toEqual([422, ['auth_methods']]);
});

test('platform administrators, whom no provider signs in, keep another method', async () => {
  await connect(tenant);
  const { user } = await tenant.person({ roles: ['platform_admin'] });
  expect(await refusal(allowOnly(tenant))).toEqual([422, ['auth_methods']]);
  expect((await allowOnly(child)).status).toBe(200);
  await app.orm.em.fork().nativeUpdate(User, { id: user.id }, { roles: ['company_admin'] }, { filters: { tenant: false } });
  expect((await allowOnly(tenant)).status).toBe(200);
});

/** Changes somebody of a company whose provider is the only way in, as a platform administrator of another company. */
async function operating() {
  await connect(tenant);
  await allowOnly(tenant);
  const { token } = await (await makeTenant(app)).person({ roles: ['platform_admin'] });
  const as = (method: string, path: string, body?: object) => tenant.http(method, tenant.path(path), body, token);
  return { token, as, roles: idsByName((await as('GET', '/iam_roles')).body.data) };
}
const idsByName = (roles: { id: string; name: string }[]) => Object.fromEntries(roles.map(({ id, name }) => [name, id]));

test('a person whom only the provider signs in cannot become platform administrator', async () => {
  const { token, as, roles } = await operating();
  const { user } = await tenant.person({ roles: ['dispatcher'] });
  const both = { iam_role_ids: [roles.Dispatcher, roles['Platform Admin']] };
  const refused = await as('PATCH', `/users/${user.id}`, both);
  expect([refused.status, refused.body.error.errors]).toEqual([
    422,
    [
      {
        model: 'User',
        field: 'iam_role_ids.1',
        message: 'needs another sign-in method: the company allows only sso, and no identity provider can sign in a platform administrator',
      },
    ],
  ]);
  const people = { first_name: 'Ada', last_name: 'Stone', email: `ada@${domain()}` };
  expect(await refusal(as('POST', '/users', { ...people, ...both }))).toEqual([422, ['iam_role_ids.1']]);
  const update = 'mutation($id: ID!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id } }';
  const { errors } = await tenant.gql(update, { id: user.id, input: { iamRoleIds: both.iam_role_ids } }, token);
  expect(errors[0].extensions.errors).toMatchObject([{ field: 'iamRoleIds.1' }]);
  expect((await tenant.must('GET', `/v1/users/${user.id}`)).iam_roles).toMatchObject([{ name: 'Dispatcher' }]);

  await allowOnly(tenant, ['sso', 'password']);
  expect((await as('PATCH', `/users/${user.id}`, both)).status).toBe(200);
  expect(await refusal(allowOnly(tenant))).toEqual([422, ['auth_methods']]);
});

test('a platform administrator who left can be reactivated once they have a sign-in method', async () => {
  const { user } = await tenant.person({ roles: ['platform_admin'] });
  await app.orm.em.fork().nativeUpdate(User, { id: user.id }, { discardedAt: new Date() }, { filters: { tenant: false } });
  const { as } = await operating();
  const back = () => as('PUT', `/users/${user.id}/reactivate`);
  expect(await refusal(back())).toEqual([422, ['id']]);
  await allowOnly(tenant, ['sso', 'magic_link']);
  expect((await back()).status).toBe(200);
});

test('a company that restricts itself to its provider while somebody gets the role waits, and is refused', async () => {
  const { as, roles } = await operating();
  await allowOnly(tenant, ['sso', 'password']);
  const { user } = await tenant.person({ roles: ['dispatcher'] });
  const other = await tenant.person({ roles: ['dispatcher'] });
  const email = `ada@${domain()}`;
  const em = app.orm.em.fork();
  await em.begin();
  try {
    // Somebody who is about to have the same address holds the change of roles up, once its questions are asked.
    await queryIn(em, 'update app_user set email = $1 where id = $2', [email, other.user.id]);
    const given = as('PATCH', `/users/${user.id}`, { email, iam_role_ids: [roles['Platform Admin']] });
    await untilWaiting(app, 1);
    let answered = false;
    const allowed = allowOnly(tenant).finally(() => {
      answered = true;
    });
    await until(async () => answered || (await countWaiting(app)) >= 2);
    await em.rollback();
    expect([(await given).status, (await allowed).status]).toEqual([200, 422]);
  } finally {
    if (em.isInTransaction()) await em.rollback();
  }
});

test('a company may use the provider of one above it, and is not created without any', async () => {
  const create = (auth_methods: string[]) => tenant.http('POST', '/v1/companies', companyInput({ auth_methods }));
  expect(await refusal(create(['sso']))).toEqual([422, ['auth_methods']]);
  expect(await refusal(allowOnly(child))).toEqual([422, ['auth_methods']]);
  await connect(tenant);
  expect((await create(['sso'])).status).toBe(201);
  expect((await allowOnly(child)).status).toBe(200);
});

test('a provider of the child signs in nobody above it', async () => {
  await connect(child);
  expect(await refusal(allowOnly(tenant))).toEqual([422, ['auth_methods']]);
});

test.each([
  ['the company', () => tenant],
  ['a company below', () => child],
])('the last provider of %s that allows nothing else cannot be removed', async (_whose, of) => {
  const { id } = await connect(tenant);
  await allowOnly(of());
  const refused = await end(id);
  expect([refused.status, refused.body.error.errors]).toEqual([
    422,
    [
      {
        model: 'SsoConnection',
        field: '',
        message: `is the only way for the people of ${of().company.legalName} to sign in, because the company allows only sso`,
      },
    ],
  ]);
  expect(await refusal(change(id, { issuer: null }))).toEqual([422, ['issuer']]);
  app.configure({ ssoDomainProof: true });
  expect(await refusal(change(id, { domains: [domain()] }))).toEqual([422, ['domains']]);
  expect(await tenant.must('GET', `/v1/sso_connections/${id}`)).toMatchObject({ ready: true, issuer: described.issuer });
  expect((await change(id, { display_name: 'Other' })).status).toBe(200);
  // Another way in frees it.
  await allowOnly(of(), ['sso', 'password']);
  expect((await end(id)).status).toBe(204);
});

test('one of two providers can be removed, and of two concurrent removals one succeeds', async () => {
  const first = await connect(tenant);
  await allowOnly(child);
  const second = await connect(child);
  expect((await end(first.id)).status).toBe(204);
  const third = await connect(tenant);
  const statuses = await Promise.all([end(second.id), end(third.id)]);
  expect(statuses.map(({ status }) => status).sort()).toEqual([204, 422]);
});

test('of a restriction to a provider and its concurrent removal, one is refused', async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await connect(tenant);
    const [allowed, ended] = await Promise.all([allowOnly(child), end(id)]);
    expect([allowed.status, ended.status]).not.toEqual([200, 204]);
    await allowOnly(child, ['password']);
    await end(id);
  }
});

test('a company that depends on a provider above it cannot move away from it, nor can one below it', async () => {
  const other = await makeTenant(app, { company: { parentCompany: ref(tenant.company) } });
  const below = await makeTenant(app, { company: { parentCompany: ref(child.company) } });
  await connect(child);
  await allowOnly(below);
  const move = (of: Tenant, to: Tenant) =>
    tenant.gql('mutation($id: ID!, $to: ID!) { moveCompany(id: $id, parentCompanyId: $to) { id } }', {
      id: of.company.id,
      to: to.company.id,
    });
  expect((await move(below, other)).errors[0].extensions.errors).toMatchObject([{ field: 'parentCompanyId' }]);
  expect((await move(child, other)).errors).toBeUndefined();
});
