import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { ExternalIssuer } from '../../../src/identity/settings.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

const ISSUER = 'https://id.example.com/tenant';
/** A provider that publishes keys; `answer` replaces what it says. */
interface Provider {
  url: string;
  keys: JWK[];
  asked: number;
  answer?: () => { status: number; body: string };
  server: Server;
}
interface Pair {
  kid: string;
  privateKey: CryptoKey;
}

let app: TestApp;
let tenant: Tenant;
let provider: Provider;
let pair: Pair;
let email: string;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  email = `ext-${Date.now()}@example.com`;
  await tenant.person({ roles: ['dispatcher'], email });
  provider = await startProvider();
  pair = await addKey('k1');
  trust();
  const admin = (await tenant.person({ roles: ['company_admin'] })).token;
  await tenant.must(
    'POST',
    '/v1/m2m_clients',
    { name: 'Theirs', scopes: ['create_order', 'edit_order'], external_client_id: 'erp' },
    admin,
  );
});
afterAll(async () => {
  provider.server.close();
  await app.close();
});

async function startProvider(): Promise<Provider> {
  const self = { keys: [], asked: 0 } as unknown as Provider;
  self.server = createServer((_req, res) => {
    self.asked++;
    const { status, body } = self.answer?.() ?? { status: 200, body: JSON.stringify({ keys: self.keys }) };
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => self.server.once('listening', resolve));
  self.url = `http://127.0.0.1:${(self.server.address() as AddressInfo).port}`;
  return self;
}
async function addKey(kid: string, algorithm = 'RS256'): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  provider.keys = [{ ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' }, ...provider.keys];
  return { kid, privateKey };
}
/** A fresh path, so that the keys are asked for anew. */
let trusted = 0;
function trust(changes: Partial<ExternalIssuer> = {}) {
  const externalIssuer = {
    issuer: ISSUER,
    jwksUrl: `${provider.url}/keys/${++trusted}`,
    audience: 'haulgate-api',
    userClaim: 'email',
    clientClaim: 'client_id',
    ...changes,
  };
  app.configure({ externalIssuer });
}
const sign = (claims: object, header: object = {}, by: Pair = pair, algorithm = 'RS256') => {
  const all: Record<string, unknown> = {
    iss: ISSUER,
    aud: 'haulgate-api',
    exp: Math.floor(Date.now() / 1000) + 60,
    jti: Math.random(),
    ...claims,
  };
  return new SignJWT(JSON.parse(JSON.stringify(all))).setProtectedHeader({ alg: algorithm, kid: by.kid, ...header }).sign(by.privateKey);
};
const permissions = (token: string) => app.http('GET', '/v1/users/me/iam_permissions', { token });
const names = async (token: string) => (await permissions(token)).body.data?.map((one: { name: string }) => one.name);

test("a person is found by the provider's e-mail address, and has their roles here", async () => {
  const me = await app.http('GET', '/v1/users/me', { token: await sign({ email: email.toUpperCase() }) });
  expect([me.status, me.body.data.email]).toEqual([200, email]);
  expect(await names(await sign({ email }))).toContain('assign_job');
});

test('a machine client is found by its external id, and has its scopes here', async () => {
  expect(await names(await sign({ client_id: 'erp' }))).toEqual(['create_order', 'edit_order']);
  expect(await names(await sign({ azp: 'erp', scope: 'openid profile' }))).toEqual(['create_order', 'edit_order']);
  expect(await names(await sign({ client_id: 'erp', scope: 'openid edit_order delete_order' }))).toEqual(['edit_order']);
});

test('an address that another company entered works for the first request, and not after a sign-in by other means', async () => {
  const fields = { roles: ['dispatcher'], emailProven: false, phoneProven: false };
  const address = `planted-${Date.now()}@example.com`;
  const { user } = await tenant.person({ ...fields, email: address, phone: '+12015580001' });
  const proven = async () =>
    (await app.orm.em.getConnection().execute('select email_proven, phone_proven from app_user where id = ?', [user.id]))[0];
  expect((await permissions(await sign({ email: address }))).status).toBe(200);
  expect(await proven()).toEqual({ email_proven: true, phone_proven: false });
  expect((await permissions(await sign({ email: address }))).status).toBe(200);
  await tenant.person({ ...fields, email: `x${address}`, lastLoginAt: new Date() });
  expect((await permissions(await sign({ email: `x${address}` }))).status).toBe(401);
});

test('the claims that name people and clients are configurable', async () => {
  trust({ userClaim: 'upn', clientClaim: 'appid' });
  expect((await permissions(await sign({ upn: email }))).status).toBe(200);
  expect((await permissions(await sign({ appid: 'erp' }))).status).toBe(200);
  expect((await permissions(await sign({ email }))).status).toBe(401);
  trust();
});

test.each<[string, () => Promise<string>]>([
  ['of nobody we know', () => sign({ email: 'nobody@example.com' })],
  ['of a client we do not know', () => sign({ client_id: 'other' })],
  ['with an address that is not verified', () => sign({ email, email_verified: false })],
  ['that names nobody', () => sign({ sub: 'x' })],
  ['with a NUL in the address', () => sign({ email: 'a\0b' })],
  ['for another audience', () => sign({ email, aud: 'other' })],
  ['of another issuer', () => sign({ email, iss: 'https://id.example.com/other' })],
  ['of our own issuer, signed by them', () => sign({ email, iss: 'haulgate' })],
  ['that has expired', () => sign({ email, exp: Math.floor(Date.now() / 1000) - 60 })],
  ['that never expires', () => sign({ email, exp: undefined })],
  ['that is not valid yet', () => sign({ email, nbf: Math.floor(Date.now() / 1000) + 120 })],
  [
    'of a key they do not publish',
    async () => sign({ email }, {}, { kid: pair.kid, privateKey: (await generateKeyPair('RS256')).privateKey }),
  ],
  [
    'signed with a shared secret',
    async () =>
      new SignJWT({ email, iss: ISSUER, aud: 'haulgate-api' })
        .setExpirationTime('1m')
        .setProtectedHeader({ alg: 'HS256', kid: pair.kid })
        .sign(Buffer.from(JSON.stringify(provider.keys[0]))),
  ],
  [
    'without a signature',
    async () => (await sign({ email })).replace(/^[^.]+/, Buffer.from('{"alg":"none"}').toString('base64url')).replace(/[^.]+$/, ''),
  ],
])('a token %s is refused like any other', async (_, make) => {
  const answer = await permissions(await make());
  expect([answer.status, answer.body]).toEqual([401, { error: { code: 'unauthorized', error_type: 'invalid_token' } }]);
});

test('their key may be rotated: the new one is fetched with its first token', async () => {
  const before = await sign({ email });
  expect((await permissions(before)).status).toBe(200);
  // They are not asked for every unknown key id.
  await new Promise((resolve) => setTimeout(resolve, 5_100));
  const next = await addKey('k2', 'ES256');
  const from = performance.now();
  expect((await permissions(await sign({ email }, {}, next, 'ES256'))).status).toBe(200);
  expect((await permissions(before)).status).toBe(200);
  const asked = provider.asked;
  for (let i = 0; i < 10; i++) expect((await permissions(await sign({ email }, { kid: `unknown${i}` }))).status).toBe(401);
  // But for a machine that takes longer than that for the ten.
  expect(provider.asked - asked).toBeLessThanOrEqual(Math.floor((performance.now() - from) / 5_000));
});

test('while they are not reachable, known keys work and unknown ones give 503, over REST and GraphQL', async () => {
  provider.answer = () => ({ status: 500, body: 'down' });
  expect((await permissions(await sign({ email }))).status).toBe(200);
  trust();
  const token = await sign({ email });
  const rest = await permissions(token);
  expect([rest.status, rest.headers.get('retry-after'), rest.body.error.code]).toEqual([503, '5', 'service_unavailable']);
  const graphql = await app.graphql('{ myPermissions { name } }', {}, { token });
  expect([graphql.status, graphql.headers.get('retry-after'), graphql.body.errors[0].extensions.code]).toEqual([
    503,
    '5',
    'service_unavailable',
  ]);
  provider.answer = () => ({ status: 200, body: 'no keys' });
  expect((await permissions(token)).status).toBe(503);
  // Our own tokens do not depend on them.
  expect((await permissions(tenant.token)).status).toBe(200);
  provider.answer = undefined;
  expect((await permissions(token)).status).toBe(200);
  trust({ jwksUrl: 'http://127.0.0.1:1/keys' });
  expect((await permissions(await sign({ email }))).status).toBe(503);
  trust();
});

test('two clients cannot share an external id, and a revoked one frees it', async () => {
  const admin = (await tenant.person({ roles: ['company_admin'] })).token;
  const make = () => tenant.http('POST', '/v1/m2m_clients', { name: 'Second', scopes: ['create_order'], external_client_id: 'crm' }, admin);
  const first = await make();
  const second = await make();
  expect([first.status, second.status, second.body.error.errors[0].field]).toEqual([201, 422, 'external_client_id']);
  const token = await sign({ client_id: 'crm' });
  expect((await permissions(token)).status).toBe(200);
  await tenant.must('DELETE', `/v1/m2m_clients/${first.body.data.id}`, undefined, admin);
  expect((await permissions(token)).status).toBe(401);
  expect((await make()).status).toBe(201);
});

test('nobody takes over a client with more permissions by linking it to an id of theirs', async () => {
  const admin = (await tenant.person({ roles: ['company_admin'] })).token;
  const lesser = (await tenant.person({ roles: ['it_admin'] })).token;
  const { id } = await tenant.must('POST', '/v1/m2m_clients', { name: 'Mighty', scopes: ['edit_order'] }, admin);
  const claim = (token: string) => tenant.http('PATCH', `/v1/m2m_clients/${id}`, { external_client_id: 'mine' }, token);
  const refused = await claim(lesser);
  expect([refused.status, refused.body.error.errors[0].field]).toEqual([403, 'edit_order']);
  expect((await permissions(await sign({ client_id: 'mine' }))).status).toBe(401);
  // Its name is no way in.
  expect((await tenant.http('PATCH', `/v1/m2m_clients/${id}`, { name: 'Renamed' }, lesser)).status).toBe(200);
  expect((await claim(admin)).status).toBe(200);
  expect((await tenant.http('PATCH', `/v1/m2m_clients/${id}`, { external_client_id: 'mine', name: 'Again' }, lesser)).status).toBe(200);
  expect((await permissions(await sign({ client_id: 'mine' }))).status).toBe(200);
});

test('without a configured issuer their tokens are refused', async () => {
  app.configure({ externalIssuer: undefined });
  expect((await permissions(await sign({ email }))).status).toBe(401);
  trust();
});
