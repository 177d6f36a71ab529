import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import jwt, { type SignOptions } from 'jsonwebtoken';
import { contextFactory } from '../../../src/identity/access/context.ts';
import { identitySettings } from '../../../src/identity/settings.ts';
import { type Key, signingKeys } from '../../../src/identity/tokens/signing-keys.ts';
import { issueToken, verifyToken } from '../../../src/identity/tokens/tokens.ts';
import { newId } from '../../../src/platform/ids.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { runs } from '../../helpers/properties.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { lastWorked } from '../../helpers/until.ts';

let app: TestApp;
let tenant: Tenant;
let key: Key;
/** Of a person who may sign in; tokens below are this person's with one thing wrong. */
let subject: string;
let good: string;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  const { user, token } = await tenant.person({ roles: ['company_admin'] });
  subject = user.id;
  good = token;
  key = (await signingKeys(app.orm.em)).current();
});
afterAll(() => app.close());

const jwks = async () => (await app.http('GET', '/.well-known/jwks.json')).body.keys as (JsonWebKey & { kid: string })[];
const decoded = () => jwt.decode(good, { complete: true }) as { header: jwt.JwtHeader; payload: jwt.JwtPayload };
const part = (value: object | Buffer) => Buffer.from(value instanceof Buffer ? value : JSON.stringify(value)).toString('base64url');

/** The good token made anew with changed claims, header or key. */
const sign = (claims: object = {}, header: object = {}, options: SignOptions = {}, signer: KeyObject | string = key.key) => {
  const all = { ...decoded().payload, ...claims };
  const known = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return jwt.sign(known, signer as jwt.Secret, {
    algorithm: 'ES256',
    header: { alg: 'ES256', kid: key.kid, typ: 'at+jwt', ...header } as jwt.JwtHeader,
    ...options,
  });
};
const unsigned = (header: object, signature = '') => `${part({ ...decoded().header, ...header })}.${part(decoded().payload)}.${signature}`;
const now = () => Math.floor(Date.now() / 1000);
const use = (token: string, path = '/v1/orders') => app.http('GET', path, { headers: { Authorization: `Bearer ${token}` } });

test('a token can be verified here, and elsewhere by the published keys', async () => {
  expect((await use(good)).status).toBe(200);
  expect((await use(sign())).status).toBe(200);
  const { token, expiresIn } = await issueToken(app.orm.em, 'machine', subject, ['create_order'], { clientId: 'hg_1' });
  expect(expiresIn).toBe(3600);
  const keys = await jwks();
  expect(keys).toEqual([{ kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String), kid: key.kid, alg: 'ES256', use: 'sig' }]);
  const published = createPublicKey({ key: keys[0] as JsonWebKey, format: 'jwk' });
  expect(
    jwt.verify(token, published, { algorithms: ['ES256'], issuer: 'haulgate', audience: 'haulgate-api', complete: true }),
  ).toMatchObject({
    header: { alg: 'ES256', typ: 'at+jwt', kid: key.kid },
    payload: {
      iss: 'haulgate',
      aud: 'haulgate-api',
      sub: subject,
      client_id: 'hg_1',
      scope: 'create_order',
      token_use: 'machine',
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: expect.any(Number),
    },
  });
});

const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const foreignJwk = { ...foreign.publicKey.export({ format: 'jwk' }), kid: 'theirs', alg: 'ES256' };
const pem = async () => createPublicKey({ key: (await jwks())[0] as JsonWebKey, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
/** HS256 with something public as its secret. */
const hmac = (secret: string) => {
  const signed = `${part({ ...decoded().header, alg: 'HS256' })}.${part(decoded().payload)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
};
const tampered = (change: (parts: string[]) => void) => {
  const parts = good.split('.');
  change(parts);
  return parts.join('.');
};

const BAD: [string, () => string | Promise<string>][] = [
  ['no token', () => ''],
  ['nonsense', () => 'a.b.c'],
  ['alg none', () => unsigned({ alg: 'none' })],
  ['alg None', () => unsigned({ alg: 'None' })],
  ['alg none with our signature', () => unsigned({ alg: 'none' }, good.split('.')[2])],
  ['no signature', () => unsigned({})],
  ['an empty algorithm', () => unsigned({ alg: '' }, good.split('.')[2])],
  ['our public key as a shared secret, as JWK', async () => hmac(JSON.stringify((await jwks())[0]))],
  ['our public key as a shared secret, as PEM', async () => hmac(String(await pem()))],
  ['an empty shared secret', () => hmac('')],
  ['another algorithm of the same family', () => unsigned({ alg: 'ES384' }, good.split('.')[2])],
  ['RS256 with a foreign key', () => sign({}, { alg: 'RS256' }, { algorithm: 'RS256' }, rsa.privateKey)],
  ['a foreign key under our key id', () => sign({}, {}, {}, foreign.privateKey)],
  ['a foreign key that comes along as jwk', () => sign({}, { jwk: foreignJwk }, {}, foreign.privateKey)],
  ['a foreign key that comes along under its own id', () => sign({}, { jwk: foreignJwk, kid: 'theirs' }, {}, foreign.privateKey)],
  [
    'a foreign certificate that comes along',
    () => sign({}, { x5c: [part(foreign.publicKey.export({ type: 'spki', format: 'der' }))] }, {}, foreign.privateKey),
  ],
  ['an unknown key id', () => sign({}, { kid: 'other' })],
  ['a key id that is a path', () => sign({}, { kid: '../../../dev/null' }, {}, foreign.privateKey)],
  ['a key id that is SQL', () => sign({}, { kid: "' or '1'='1" })],
  ['no key id', () => sign({}, { kid: undefined })],
  ['another issuer', () => sign({ iss: 'somebody' })],
  ['no issuer', () => sign({ iss: undefined })],
  ['another audience', () => sign({ aud: 'somebody' })],
  ['no audience', () => sign({ aud: undefined })],
  ['another type', () => sign({}, { typ: 'JWT' })],
  ['the type of a logout token', () => sign({}, { typ: 'logout+jwt' })],
  ['no type', () => sign({}, { typ: undefined })],
  ['an expired one', () => sign({ exp: now() - 1 })],
  ['one that never expires', () => sign({ exp: undefined })],
  [
    'an expiry that is no number',
    () => unsigned({}, good.split('.')[2]).replace(/\.[^.]+\./, `.${part({ ...decoded().payload, exp: 'never' })}.`),
  ],
  ['one not valid yet', () => sign({ nbf: now() + 60 })],
  ['a critical extension', () => sign({}, { crit: ['exp'], exp: 1 })],
  ['a token for another purpose', () => sign({ token_use: 'magic_link' })],
  ['a token without a purpose', () => sign({ token_use: undefined })],
  ['the kind of a machine for a person', () => sign({ token_use: 'machine' })],
  ['a subject that is no id', () => sign({ sub: 'admin' })],
  ['a subject that nobody is', () => sign({ sub: newId() })],
  ['a changed payload', () => tampered((parts) => (parts[1] = part({ ...decoded().payload, sub: tenant.driver.id })))],
  ['a changed header', () => tampered((parts) => (parts[0] = part({ ...decoded().header, cty: 'x' })))],
  ['a signature cut short', () => tampered((parts) => (parts[2] = parts[2]!.slice(0, -4)))],
  ['a signature of zeros', () => tampered((parts) => (parts[2] = part(Buffer.alloc(64))))],
  ['a signature in DER', () => unsigned({}, part(Buffer.from('3006020101020101', 'hex')))],
  ['four parts', () => `${good}.x`],
  ['an encrypted shape', () => `${good}.x.y`],
  ['a huge one', () => sign({ padding: 'x'.repeat(5000) })],
];

test.each(BAD)('%s is refused like all others', async (_, make) => {
  const token = await make();
  const refused = { error: { code: 'unauthorized', error_type: 'invalid_token' } };
  const rest = await use(token);
  expect([rest.status, rest.body]).toEqual([401, refused]);
  const graphql = await app.graphql('{ myPermissions { name } }', {}, { headers: { Authorization: `Bearer ${token}` } });
  expect(graphql.body.errors[0].extensions).toMatchObject({ code: 'unauthorized' });
  expect((await app.http('POST', '/ingest/orders', { headers: { Authorization: `Bearer ${token}` }, body: { orders: [] } })).body).toEqual(
    refused,
  );
});

test.each(['jku', 'x5u'])('an address of keys in %s is not called', async (name) => {
  let asked = 0;
  const server = createServer((_req, res) => {
    asked++;
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: [foreignJwk] }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  for (const kid of ['theirs', key.kid]) {
    const answer = await use(sign({}, { [name]: address, kid }, {}, foreign.privateKey));
    expect([answer.status, answer.body.error.error_type]).toEqual([401, 'invalid_token']);
  }
  expect(asked).toBe(0);
  server.close();
});

test('a token with any one character changed is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.constantFrom(...'AZaz09_-.'), async (where, character) => {
      const at = where % good.length;
      // The last character of a base64url text has bits that count for nothing.
      fc.pre(good[at] !== character && at !== good.length - 1 && good[at + 1] !== '.');
      const answer = await use(good.slice(0, at) + character + good.slice(at + 1));
      expect([answer.status, answer.body.error]).toEqual([401, { code: 'unauthorized', error_type: 'invalid_token' }]);
    }),
    { numRuns: runs(100) },
  );
});

test('any text in place of a token is refused, and never causes an internal error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: fc.constantFrom(...'abcAB01-_.=~+/{}"'), maxLength: 200 }), async (token) => {
      expect((await use(token)).status).toBe(401);
    }),
    { numRuns: runs(100) },
  );
});

test('a cached token still expires', async () => {
  const { viewerCacheMs } = identitySettings.of(app.application);
  app.configure({ viewerCacheMs: 60_000 });
  const works = (token: string) => use(token).then(({ status }) => status === 200);
  // On a busy machine a token may have expired before its first use, and is not cached then.
  let [exp, token] = [0, ''];
  do {
    exp = now() + 2;
    token = sign({ exp });
  } while (!(await works(token)) && now() >= exp);
  const left = exp * 1000 - Date.now();
  expect(await lastWorked(() => works(token))).toBeLessThanOrEqual(Math.max(left, 0));
  app.configure({ viewerCacheMs });
});

test('the context of a request has the viewer of its token, or the reason why not', async () => {
  const contextFor = contextFactory(app.orm.em, () => undefined as never);
  const anonymous = await contextFor({ headers: {} });
  expect([anonymous.viewer, anonymous.authError, anonymous.language]).toEqual([undefined, undefined, 'en']);
  for (const authorization of [`Bearer ${good}`, `bearer ${good}`, `BEARER  ${good} `]) {
    const ctx = await contextFor({ headers: { authorization, 'accept-language': 'fr-CA', 'x-request-id': 'r-7' } });
    expect([ctx.viewer?.id, ctx.language, ctx.requestId]).toEqual([subject, 'fr-ca', expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  }
  for (const authorization of ['Bearer', `Bearer ${good} extra`, 'Bearer x', `Bearer ${sign({ exp: 1 })}`]) {
    const ctx = await contextFor({ headers: { authorization } });
    expect([ctx.viewer, ctx.authError]).toEqual([undefined, 'invalid_token']);
  }
  // No token was given: RFC 6750 has no error code for another scheme.
  for (const authorization of ['', `Basic ${good}`, good, `Bearers ${good}`]) {
    const ctx = await contextFor({ headers: { authorization } });
    expect([ctx.viewer, ctx.authError]).toEqual([undefined, undefined]);
  }
});

test('a token for another audience or of another issuer is refused even after the configuration changes', async () => {
  expect((await verifyToken(app.orm.em, good)).subject).toBe(subject);
  app.configure({ audience: 'elsewhere' });
  const { token } = await issueToken(app.orm.em, 'session', subject);
  app.configure({ audience: 'haulgate-api' });
  await expect(verifyToken(app.orm.em, token)).rejects.toMatchObject({ status: 401, errorType: 'invalid_token' });
});
