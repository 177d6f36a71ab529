import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { viewerFromToken } from '../../../src/identity/access/viewer.ts';
import { M2MClient } from '../../../src/identity/machine-clients/machine-client.entity.ts';
import { makeMachineClient } from '../../../src/identity/machine-clients/machine-clients.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let id: string;
let secret: string;
beforeAll(async () => {
  app = await startTestApp({ signInsPerAddress: 1_000 });
  tenant = await makeTenant(app);
  const made = await addClient();
  id = made.client.clientId;
  secret = made.clientSecret;
});
afterAll(() => app.close());

async function addClient() {
  const em = app.orm.em.fork();
  const made = makeMachineClient(em, tenant.company, { name: 'Batch sender', permissions: ['create_order', 'edit_order'] });
  await em.flush();
  return made;
}

const FORM = 'application/x-www-form-urlencoded';
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

async function ask(body: string, headers: Record<string, string> = {}, query = '') {
  const response = await fetch(`${app.url}/v1/auth/token${query}`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': FORM, ...headers },
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, unknown> };
}
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

test('a client gets a token by HTTP Basic and uses it', async () => {
  const answer = await ask('grant_type=client_credentials', { Authorization: basic(id, secret) });
  expect([answer.status, answer.body]).toEqual([200, { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 }]);
  expect([answer.headers.get('cache-control'), answer.headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
  const viewer = await viewerFromToken(app.orm.em.fork(), String(answer.body.access_token));
  expect([viewer.type, viewer.name, viewer.companyId, viewer.companyIds]).toEqual([
    'M2MClient',
    'Batch sender',
    tenant.company.id,
    [tenant.company.id],
  ]);
  expect(['create_order', 'edit_order', 'delete_order', 'edit_job'].map((p) => viewer.can(p))).toEqual([true, true, false, false]);
});

test('a client may put its credentials into the body instead', async () => {
  const answer = await ask(form({ grant_type: 'client_credentials', client_id: id, client_secret: secret }));
  expect(answer.status).toBe(200);
  const charset = await ask(form({ grant_type: 'client_credentials', client_id: id, client_secret: secret }), {
    'Content-Type': `${FORM}; charset=UTF-8`,
  });
  expect(charset.status).toBe(200);
});

test('Basic credentials are form-encoded inside', async () => {
  const percent = (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  expect((await ask('grant_type=client_credentials', { Authorization: basic(percent(id), percent(secret)) })).status).toBe(200);
  expect(
    (await ask(`grant_type=client_credentials&client_id=${id}`, { Authorization: basic(id, secret).replace('Basic', 'bAsIc') })).status,
  ).toBe(200);
});

test("a scope narrows the token to a part of the client's permissions", async () => {
  const answer = await ask(form({ grant_type: 'client_credentials', scope: 'create_order' }), { Authorization: basic(id, secret) });
  expect([answer.status, answer.body.scope]).toEqual([200, 'create_order']);
  const viewer = await viewerFromToken(app.orm.em.fork(), String(answer.body.access_token));
  expect(['create_order', 'edit_order'].map((p) => viewer.can(p))).toEqual([true, false]);
});

const credentials = () => ({ client_id: id, client_secret: secret });
test.each<[string, () => [string, Record<string, string>?, string?], number, string]>([
  ['no grant type', () => [form(credentials())], 400, 'invalid_request'],
  ['an empty grant type', () => [form({ ...credentials(), grant_type: '' })], 400, 'invalid_request'],
  ['an empty body', () => [''], 400, 'invalid_request'],
  [
    'JSON',
    () => [JSON.stringify({ ...credentials(), grant_type: 'client_credentials' }), { 'Content-Type': 'application/json' }],
    400,
    'invalid_request',
  ],
  [
    'a repeated parameter',
    () => [`${form({ ...credentials(), grant_type: 'client_credentials' })}&grant_type=client_credentials`],
    400,
    'invalid_request',
  ],
  [
    'a repeated unknown parameter',
    () => [`${form({ ...credentials(), grant_type: 'client_credentials' })}&a=1&a=2`],
    400,
    'invalid_request',
  ],
  [
    'two ways of authentication',
    () => [form({ ...credentials(), grant_type: 'client_credentials' }), { Authorization: basic(id, secret) }],
    400,
    'invalid_request',
  ],
  [
    'two client ids',
    () => [form({ client_id: 'other', grant_type: 'client_credentials' }), { Authorization: basic(id, secret) }],
    400,
    'invalid_request',
  ],
  ['a secret in the URL', () => ['grant_type=client_credentials', {}, `?client_id=${id}&client_secret=${secret}`], 400, 'invalid_request'],
  ['a body too large', () => ['a'.repeat(20_000)], 400, 'invalid_request'],
  ['another grant', () => [form({ ...credentials(), grant_type: 'password' })], 400, 'unsupported_grant_type'],
  ['no client', () => ['grant_type=client_credentials'], 401, 'invalid_client'],
  ['a client without its secret', () => [form({ client_id: id, grant_type: 'client_credentials' })], 401, 'invalid_client'],
  ['a wrong secret', () => [form({ client_id: id, client_secret: 'x', grant_type: 'client_credentials' })], 401, 'invalid_client'],
  ['an unknown client', () => ['grant_type=client_credentials', { Authorization: basic('hg_none', secret) }], 401, 'invalid_client'],
  [
    'a client id with a NUL',
    () => [form({ client_id: 'a\0b', client_secret: secret, grant_type: 'client_credentials' })],
    401,
    'invalid_client',
  ],
  ['a Bearer token', () => ['grant_type=client_credentials', { Authorization: 'Bearer abc' }], 401, 'invalid_client'],
  [
    'Basic without a colon',
    () => ['grant_type=client_credentials', { Authorization: `Basic ${Buffer.from('abc').toString('base64')}` }],
    401,
    'invalid_client',
  ],
  ['badly encoded Basic', () => ['grant_type=client_credentials', { Authorization: basic('%zz', secret) }], 401, 'invalid_client'],
  [
    'a scope beyond the client',
    () => [form({ ...credentials(), grant_type: 'client_credentials', scope: 'create_order delete_order' })],
    400,
    'invalid_scope',
  ],
  ['a blank scope', () => [form({ ...credentials(), grant_type: 'client_credentials', scope: '  ' })], 400, 'invalid_scope'],
])('%s is refused', async (_, request, status, error) => {
  const answer = await ask(...request());
  expect([answer.status, answer.body]).toEqual([status, { error, error_description: expect.any(String) }]);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Basic realm="haulgate", charset="UTF-8"' : null);
  expect(JSON.stringify(answer.body)).not.toContain(secret);
});

test('a discarded client gets no token and its tokens end', async () => {
  const other = await addClient();
  const fields = form({ grant_type: 'client_credentials', client_id: other.client.clientId, client_secret: other.clientSecret });
  const token = String((await ask(fields)).body.access_token);
  await app.orm.em.fork().nativeUpdate(M2MClient, { id: other.client.id }, { discardedAt: new Date() }, { filters: { tenant: false } });
  expect((await ask(fields)).body.error).toBe('invalid_client');
  await expect(viewerFromToken(app.orm.em.fork(), token)).rejects.toMatchObject({ errorType: 'invalid_token' });
});
