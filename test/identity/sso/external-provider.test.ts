import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { Browser } from './browser.ts';
import { API, type OpenIdProvider, startOpenIdProvider } from './openid-provider.ts';

/** Where the provider sends browsers back; nobody listens there. */
const RETURN = 'https://app.haulgate.test/back';

let app: TestApp;
let tenant: Tenant;
let provider: OpenIdProvider;
/** The provider's own description of itself. */
let known: Record<'issuer' | 'jwks_uri' | 'authorization_endpoint' | 'token_endpoint', string>;
let admin: string;
beforeAll(async () => {
  provider = await startOpenIdProvider();
  known = (await (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).json()) as typeof known;
  app = await startTestApp();
  app.configure({
    externalIssuer: {
      issuer: known.issuer,
      jwksUrl: known.jwks_uri,
      audience: 'haulgate-api',
      userClaim: 'email',
      clientClaim: 'client_id',
    },
  });
  tenant = await makeTenant(app);
  admin = (await tenant.person({ roles: ['company_admin'] })).token;
});
afterAll(async () => {
  app.configure({ externalIssuer: undefined });
  await app.close();
  await provider.close();
});

const post = { token_endpoint_auth_method: 'client_secret_post' };
const machine = { ...post, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] };

async function tokens(body: Record<string, string>): Promise<{ access_token: string; id_token?: string }> {
  const answer = await fetch(known.token_endpoint, { method: 'POST', body: new URLSearchParams(body) });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as { access_token: string };
}
const permissions = async (token: string) => {
  const { status, body } = await app.http('GET', '/v1/users/me/iam_permissions', { token });
  return status === 200 ? body.data.map(({ name }: { name: string }) => name) : status;
};

test('a machine signs in at the provider of the deployment', async () => {
  const client = await provider.register('', machine);
  const ask = () => tokens({ grant_type: 'client_credentials', ...client, resource: API });
  expect(await permissions((await ask()).access_token)).toBe(401);
  const body = { name: 'Theirs', scopes: ['create_order', 'edit_order'], external_client_id: client.client_id };
  await tenant.must('POST', '/v1/m2m_clients', body, admin);
  const { access_token: first } = await ask();
  expect(await permissions(first)).toEqual(['create_order', 'edit_order']);
  const narrow = await tokens({ grant_type: 'client_credentials', ...client, resource: API, scope: 'edit_order' });
  expect(await permissions(narrow.access_token)).toEqual(['edit_order']);
  // One that is not for our API is no token of ours.
  expect(await permissions((await tokens({ grant_type: 'client_credentials', ...client })).access_token)).toBe(401);
});

test('a person signs in there in a browser, and is the same person here', async () => {
  const { user } = await tenant.person({ roles: ['dispatcher'] });
  provider.someone = { sub: 'u7', email: user.email!, email_verified: true };
  const client = await provider.register(RETURN, post);
  const verifier = randomBytes(32).toString('base64url');
  const question = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: RETURN,
    response_type: 'code',
    scope: 'openid email edit_order',
    resource: API,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const { next } = await new Browser().go(`${known.authorization_endpoint}?${question}`, (url) => url.startsWith(RETURN));
  const { access_token, id_token } = await tokens({
    grant_type: 'authorization_code',
    ...client,
    redirect_uri: RETURN,
    code_verifier: verifier,
    code: new URL(next!).searchParams.get('code') ?? '',
  });
  const me = await app.http('GET', '/v1/users/me', { token: access_token });
  expect([me.status, me.body.data.id]).toEqual([200, user.id]);
  // A token that says to a page who somebody is is no key to the API.
  expect(await permissions(id_token!)).toBe(401);
  const { status } = await tenant.http('DELETE', `/v1/users/${user.id}`, undefined, admin);
  expect([status, await permissions(access_token)]).toEqual([204, 401]);
});
