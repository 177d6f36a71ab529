import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import { entities } from '../../../src/app/rooms.ts';
import { makeMachineClient } from '../../../src/identity/machine-clients/machine-clients.ts';
import { identitySettings } from '../../../src/identity/settings.ts';
import { keepSigningKeys, LEAD } from '../../../src/identity/tokens/key-rotation.ts';
import { forgetSigningKeys } from '../../../src/identity/tokens/signing-keys.ts';
import { issueToken } from '../../../src/identity/tokens/tokens.ts';
import { Application } from '../../../src/platform/application.ts';
import { createOrm } from '../../../src/platform/database/orm.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { provideUsual } from '../../helpers/application.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { lastWorked } from '../../helpers/until.ts';

let app: TestApp;
let tenant: Tenant;
let subject: string;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  const em = app.orm.em.fork();
  const { client } = makeMachineClient(em, tenant.company, { name: 'Sender', permissions: ['create_order'] });
  await em.flush();
  subject = client.id;
});
afterAll(() => app.close());
afterEach(() =>
  app.configure({ rotateKeysBefore: undefined, dropKeysBefore: undefined, keyAlgorithm: 'ES256', keyDays: 90, secretsKeys: [] }),
);

const rows = (sql: string, ...values: unknown[]) => app.orm.em.fork().getConnection().execute(sql, values);
const issue = async () => (await issueToken(app.orm.em, 'machine', subject)).token;
const kid = (token: string) => decodeProtectedHeader(token).kid as string;
const published = async () =>
  (await app.http('GET', '/.well-known/jwks.json')).body.keys.map((key: { kid: string }) => key.kid) as string[];
const works = async (token: string) => (await app.http('GET', '/v1/orders', { token })).status;
const keep = async () => {
  const changes = await keepSigningKeys(app.orm.em);
  forgetSigningKeys(app.application);
  return changes;
};
/** Lets time pass for the keys. */
const later = async (milliseconds: number) => {
  await rows(
    `update signing_key set signs_from = signs_from - make_interval(secs => ?), created_at = created_at - make_interval(secs => ?)`,
    milliseconds / 1000,
    milliseconds / 1000,
  );
  forgetSigningKeys(app.application);
};
const DAY = 86_400_000;

test('a key gets a successor by age: published first, then it signs, and the old one remains until its tokens have expired', async () => {
  const before = await issue();
  expect(await published()).toEqual([kid(before)]);
  expect(await keep()).toEqual({ made: [], removed: [] });
  await later(90 * DAY);
  const { made } = await keep();
  expect(made).toHaveLength(1);
  expect(await keep()).toEqual({ made: [], removed: [] });
  // A verifier that caches the keys for five minutes knows the new one before it signs.
  expect([await published(), kid(await issue())]).toEqual([[made[0], kid(before)], kid(before)]);
  await later(LEAD - 5_000);
  expect(kid(await issue())).toBe(kid(before));
  await later(5_000);
  const after = await issue();
  expect([kid(after), await works(before), await works(after)]).toEqual([made[0], 200, 200]);
  await later(identitySettings.of(app.application).machineSeconds * 1000);
  expect(await keep()).toEqual({ made: [], removed: [] });
  expect(await works(before)).toBe(200);
  await later(3_700_000);
  expect(await keep()).toEqual({ made: [], removed: [kid(before)] });
  expect([await published(), await works(before), await works(after)]).toEqual([made, 401, 200]);
});

test('requests go on while keys are rotated', async () => {
  const tokens: string[] = [await issue()];
  const statuses = new Set<number>();
  let done = false;
  const traffic = (async () => {
    while (!done) {
      tokens.push(await issue());
      for (const token of tokens.slice(-20)) statuses.add(await works(token));
      if (tokens.length > 200) tokens.length = 100;
    }
  })();
  const seen = new Set(tokens.map(kid));
  for (let i = 0; i < 5; i++) {
    app.configure({ rotateKeysBefore: Date.now() });
    await keep();
    await later(LEAD);
    const token = await issue();
    seen.add(kid(token));
    tokens.push(token);
  }
  done = true;
  await traffic;
  expect([[...statuses], seen.size]).toEqual([[200], 6]);
});

test('an operator rotates now, or drops keys that may have leaked, with all their tokens', async () => {
  const before = await issue();
  app.configure({ rotateKeysBefore: Date.now() + 60_000 });
  expect(await keep()).toEqual({ made: [], removed: [] });
  app.configure({ rotateKeysBefore: Date.now() });
  expect((await keep()).made).toHaveLength(1);
  expect((await keep()).made).toEqual([]);
  expect([kid(await issue()), await works(before)]).toEqual([kid(before), 200]);
  await later(LEAD);
  app.configure({ rotateKeysBefore: undefined, dropKeysBefore: Date.now() + 60_000 });
  expect(await keep()).toEqual({ made: [], removed: [] });
  app.configure({ dropKeysBefore: Date.now() });
  const { made, removed } = await keep();
  expect([made.length, removed.includes(kid(before))]).toEqual([1, true]);
  expect([await published(), kid(await issue()), await works(before)]).toEqual([made, made[0], 401]);
  expect(await keep()).toEqual({ made: [], removed: [] });
});

test('another process learns within five seconds that a key was dropped', async () => {
  const token = await issue();
  expect(await works(token)).toBe(200);
  await rows('delete from signing_key');
  expect(await lastWorked(async () => (await works(token)) === 200)).toBeLessThan(5_000);
});

test.each(['RS256', 'ES256'] as const)('a change of the algorithm to %s is a rotation, and each key keeps its own', async (algorithm) => {
  const before = await issue();
  const old = decodeProtectedHeader(before).alg;
  app.configure({ keyAlgorithm: algorithm });
  await keep();
  await later(LEAD);
  const after = await issue();
  expect(decodeProtectedHeader(after)).toEqual({ alg: algorithm, kid: expect.any(String), typ: 'at+jwt' });
  expect([old === algorithm || kid(before) !== kid(after), await works(before), await works(after)]).toEqual([true, 200, 200]);
  // The header of a token does not choose.
  const [, payload, signature] = after.split('.');
  const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: kid(after), typ: 'at+jwt' })).toString('base64url');
  expect(await works(`${header}.${payload}.${signature}`)).toBe(401);
  const swapped = Buffer.from(JSON.stringify({ alg: algorithm, kid: kid(before), typ: 'at+jwt' })).toString('base64url');
  expect(await works(`${swapped}.${payload}.${signature}`)).toBe(kid(before) === kid(after) ? 200 : 401);
});

test('processes that boot together agree on one key', async () => {
  await rows('delete from signing_key');
  const url = String(app.orm.config.get('clientUrl'));
  const orms = await Promise.all(Array.from({ length: 4 }, () => createOrm({ url, entities }, provideUsual(new Application()))));
  try {
    const kids = await Promise.all(orms.map(async (orm) => kid((await issueToken(orm.em, 'machine', subject)).token)));
    expect(new Set(kids).size).toBe(1);
  } finally {
    await Promise.all(orms.map((orm) => orm.close(true)));
  }
});

test('private keys are sealed in the database, and one that cannot be opened is replaced at once', async () => {
  app.configure({ secretsKeys: [Buffer.alloc(32, 7).toString('base64')] });
  await rows('delete from signing_key');
  forgetSigningKeys(app.application);
  const before = await issue();
  const [row] = await rows('select private_jwk::text as text, public_jwk::text as public from signing_key');
  expect([row?.text, row?.public]).toEqual([expect.stringMatching(/^\{"sealed": "v1\.[\w.-]+"\}$/), expect.not.stringContaining('"d"')]);
  app.configure({ secretsKeys: [Buffer.alloc(32, 8).toString('base64')] });
  forgetSigningKeys(app.application);
  const after = await issue();
  expect([kid(after) === kid(before), await works(before), await works(after)]).toEqual([false, 200, 200]);
});
