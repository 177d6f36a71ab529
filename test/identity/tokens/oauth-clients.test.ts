import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { ClientCredentials } from 'simple-oauth2';
import { PERMISSIONS } from '../../../src/identity/access/permissions.ts';
import { makeMachineClient } from '../../../src/identity/machine-clients/machine-clients.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let id: string;
let secret: string;
beforeAll(async () => {
  app = await startTestApp();
  app.configure({ issuer: app.url });
  tenant = await makeTenant(app);
  const em = app.orm.em.fork();
  const made = makeMachineClient(em, tenant.company, { name: 'Sender', permissions: ['create_order', 'edit_order'] });
  await em.flush();
  id = made.client.clientId;
  secret = made.clientSecret;
});
afterAll(() => app.close());

/** Returns the permissions of the bearer of a token by the API. */
async function permissionsWith(token: string): Promise<string[]> {
  const { status, body } = await app.http('GET', '/v1/users/me/iam_permissions', { token });
  expect(status).toBe(200);
  return body.data.map((one: { name: string }) => one.name);
}

test('the metadata name where tokens are issued and verified', async () => {
  const { status, headers, body } = await app.http('GET', '/.well-known/oauth-authorization-server');
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('application/json')]);
  expect(body).toEqual({
    issuer: app.url,
    token_endpoint: `${app.url}/v1/auth/token`,
    jwks_uri: `${app.url}/.well-known/jwks.json`,
    service_documentation: `${app.url}/docs`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    scopes_supported: [...PERMISSIONS],
  });
  expect((await app.http('GET', '/docs')).status).toBeLessThan(400);
});

test.each([
  ['Basic', () => openid.ClientSecretBasic(secret)],
  ['post', () => openid.ClientSecretPost(secret)],
])('openid-client gets a token with %s authentication', async (_, method) => {
  const config = await openid.discovery(new URL(app.url), id, undefined, method(), {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
  });
  const all = await openid.clientCredentialsGrant(config);
  expect(await permissionsWith(all.access_token)).toEqual(['create_order', 'edit_order']);
  const narrowed = await openid.clientCredentialsGrant(config, { scope: 'edit_order' });
  expect([narrowed.scope, narrowed.expires_in, await permissionsWith(narrowed.access_token)]).toEqual(['edit_order', 3600, ['edit_order']]);
  await expect(openid.clientCredentialsGrant(config, { scope: 'delete_order' })).rejects.toMatchObject({ error: 'invalid_scope' });
});

test.each([
  ['Basic', () => oauth.ClientSecretBasic(secret)],
  ['post', () => oauth.ClientSecretPost(secret)],
])('oauth4webapi gets a token with %s authentication', async (_, method) => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(app.url);
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }));
  const client = { client_id: id };
  const response = await oauth.clientCredentialsGrantRequest(server, client, method(), { scope: 'create_order' }, insecure);
  const result = await oauth.processClientCredentialsResponse(server, client, response);
  expect([result.scope, await permissionsWith(result.access_token)]).toEqual(['create_order', ['create_order']]);
  const wrong = await oauth.clientCredentialsGrantRequest(server, client, oauth.ClientSecretPost('wrong'), {}, insecure);
  await expect(oauth.processClientCredentialsResponse(server, client, wrong)).rejects.toMatchObject({ status: 401 });
});

test.each(['header', 'body'] as const)('simple-oauth2 gets a token with its credentials in the %s', async (authorizationMethod) => {
  const client = new ClientCredentials({
    client: { id, secret },
    auth: { tokenHost: app.url, tokenPath: '/v1/auth/token' },
    options: { authorizationMethod },
  });
  const { token } = await client.getToken({ scope: 'create_order' });
  expect(await permissionsWith(String(token.access_token))).toEqual(['create_order']);
  const thief = new ClientCredentials({
    client: { id, secret: 'wrong' },
    auth: { tokenHost: app.url, tokenPath: '/v1/auth/token' },
    options: { authorizationMethod },
  });
  await expect(thief.getToken({})).rejects.toMatchObject({ output: { statusCode: 401 } });
});
test('oauth4webapi verifies the tokens for another service, by the published keys', async () => {
  app.configure({ serviceAudiences: ['scale-house'] });
  const em = app.orm.em.fork();
  const made = makeMachineClient(em, tenant.company, { name: 'Scale', permissions: ['create_ticket'] });
  made.client.namedAudiences = ['scale-house'];
  await em.flush();
  const insecure = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(app.url);
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }));
  const client = { client_id: made.client.clientId };
  const auth = oauth.ClientSecretBasic(made.clientSecret);
  const { access_token } = await oauth.processClientCredentialsResponse(
    server,
    client,
    await oauth.clientCredentialsGrantRequest(server, client, auth, {}, insecure),
  );
  const request = new Request(`${app.url}/weigh`, { headers: { Authorization: `Bearer ${access_token}` } });
  const claims = await oauth.validateJwtAccessToken(server, request, 'scale-house', insecure);
  expect(claims).toMatchObject({ iss: app.url, aud: 'scale-house', sub: made.client.id, client_id: made.client.clientId });
  await expect(oauth.validateJwtAccessToken(server, request, 'haulgate-api', insecure)).rejects.toThrow();
});
