import { createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import jwt, { type SignOptions } from 'jsonwebtoken';
import type { User } from '../../src/directory/user.entity.ts';
import { contextFactory } from '../../src/identity/context.ts';
import { rotateSigningKey, signingKeys } from '../../src/identity/signing-keys.ts';
import { issueToken, verifyToken } from '../../src/identity/tokens.ts';
import { newId } from '../../src/platform/ids.ts';
import { sessionToken } from '../helpers/session.ts';
import { addCompany, addUser, openTown, type Town } from './town.ts';

let town: Town;
let key: { kid: string; key: KeyObject };
let userId: string;
beforeAll(async () => {
  town = await openTown();
  userId = (await addUser(town, await addCompany(town))).id;
  key = (await signingKeys(town.orm.em)).current;
});
afterAll(() => town.close());

const jwks = async () => ((await (await fetch(`${town.url}/.well-known/jwks.json`)).json()) as { keys: JsonWebKey[] }).keys;
const sign = (claims: object = {}, options: SignOptions = {}, signer: jwt.Secret | KeyObject = key.key) =>
  jwt.sign({ token_use: 'session', ...claims }, signer as jwt.Secret, {
    algorithm: 'ES256',
    keyid: key.kid,
    issuer: 'haulgate',
    audience: 'haulgate-api',
    subject: userId,
    expiresIn: 60,
    ...options,
  });
const verify = (token: string) => verifyToken(town.orm.em.fork(), token);

test('a token verifies here, and anywhere by the published keys', async () => {
  const { token, expiresIn } = await issueToken(town.orm.em, 'session', userId);
  expect([await verify(token), expiresIn]).toEqual([
    { tokenUse: 'session', subject: userId, scope: undefined, sessionId: undefined, expiresAt: expect.any(Date) },
    900,
  ]);
  const keys = await jwks();
  expect(keys).toEqual([{ kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String), kid: key.kid, alg: 'ES256', use: 'sig' }]);
  expect(JSON.stringify(keys)).not.toContain('"d"');
  const published = createPublicKey({ key: keys[0] as JsonWebKey, format: 'jwk' });
  expect(jwt.verify(token, published, { algorithms: ['ES256'], issuer: 'haulgate', audience: 'haulgate-api' })).toMatchObject({
    sub: userId,
    token_use: 'session',
  });
});

const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const unsigned = (header: object, claims: object) =>
  `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;
const claims = () => ({ token_use: 'session', iss: 'haulgate', aud: 'haulgate-api', sub: userId, exp: Math.floor(Date.now() / 1000) + 60 });

test.each<[string, () => string | Promise<string>, string]>([
  ['an expired one', () => sign({}, { expiresIn: -1 }), 'expired_token'],
  ['no token', () => '', 'invalid_token'],
  ['nonsense', () => 'a.b.c', 'invalid_token'],
  ['a foreign key under our key id', () => sign({}, {}, foreign), 'invalid_token'],
  ['an unknown key id', () => sign({}, { keyid: 'other' }), 'invalid_token'],
  ['no key id', () => unsigned({ alg: 'ES256' }, claims()), 'invalid_token'],
  ['alg none', () => unsigned({ alg: 'none', kid: key.kid }, claims()), 'invalid_token'],
  ['no signature', () => unsigned({ alg: 'ES256', kid: key.kid }, claims()), 'invalid_token'],
  ['another algorithm', () => sign({}, { algorithm: 'RS256' }, rsa), 'invalid_token'],
  ['our public key as a shared secret', async () => sign({}, { algorithm: 'HS256' }, JSON.stringify((await jwks())[0])), 'invalid_token'],
  ['another issuer', () => sign({}, { issuer: 'somebody' }), 'invalid_token'],
  ['another audience', () => sign({}, { audience: 'somebody' }), 'invalid_token'],
  ['another kind of token', () => sign({ token_use: 'magic_link' }), 'invalid_token'],
  ['no kind', () => sign({ token_use: undefined }), 'invalid_token'],
  ['a subject that is no id', () => sign({}, { subject: 'admin' }), 'invalid_token'],
  ['one not valid yet', () => sign({}, { notBefore: 60 }), 'invalid_token'],
  ['a huge one', () => sign({ padding: 'x'.repeat(5000) }), 'invalid_token'],
])('%s is refused as %s', async (_, make, errorType) => {
  await expect(verify(await make())).rejects.toMatchObject({ status: 401, errorType });
});

test('a token without an expiry is refused', async () => {
  const { exp: _exp, ...rest } = claims();
  const token = jwt.sign(rest, key.key as unknown as jwt.Secret, { algorithm: 'ES256', keyid: key.kid });
  await expect(verify(token)).rejects.toMatchObject({ errorType: 'invalid_token' });
});

test('a remembered token still expires', async () => {
  const token = sign({}, { expiresIn: 1 });
  await verify(token);
  await new Promise((resolve) => setTimeout(resolve, 1100));
  await expect(verify(token)).rejects.toMatchObject({ errorType: 'expired_token' });
});

test('the context of a request has the viewer of its token, or says why not', async () => {
  const contextFor = contextFactory(town.orm.em, () => undefined as never);
  const token = await sessionToken(town.orm, { id: userId } as User);
  const anonymous = await contextFor({ headers: {} });
  expect([anonymous.viewer, anonymous.authError, anonymous.language]).toEqual([undefined, undefined, 'en']);
  for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `BEARER  ${token} `]) {
    const ctx = await contextFor({ headers: { authorization, 'accept-language': 'fr-CA', 'x-request-id': 'r-7' } });
    expect([ctx.viewer?.id, ctx.language, ctx.requestId]).toEqual([userId, 'fr-ca', 'r-7']);
  }
  for (const authorization of ['', 'Bearer', `Basic ${token}`, token, `Bearer ${token} extra`, 'Bearer x']) {
    const ctx = await contextFor({ headers: { authorization } });
    expect([ctx.viewer, ctx.authError]).toEqual([undefined, 'invalid_token']);
  }
  expect((await contextFor({ headers: { authorization: `Bearer ${sign({}, { expiresIn: -1 })}` } })).authError).toBe('expired_token');
  // Of nobody, and of nobody's session.
  for (const [subject, session] of [[newId(), newId()], [userId], [userId, newId()]] as const) {
    const { token } = await issueToken(town.orm.em, 'session', subject, undefined, { sessionId: session });
    expect((await contextFor({ headers: { authorization: `Bearer ${token}` } })).authError).toBe('invalid_token');
  }
});

test('after a rotation new tokens have a new key and old ones still verify', async () => {
  const before = await issueToken(town.orm.em, 'session', userId);
  await rotateSigningKey(town.orm.em);
  const after = await issueToken(town.orm.em, 'session', userId);
  const kid = (token: string) => jwt.decode(token, { complete: true })?.header.kid;
  expect(kid(after.token)).not.toBe(kid(before.token));
  expect((await verify(before.token)).subject).toBe(userId);
  expect((await verify(after.token)).subject).toBe(userId);
  expect((await jwks()).map((k) => (k as { kid: string }).kid)).toEqual([kid(after.token), kid(before.token)]);
});
