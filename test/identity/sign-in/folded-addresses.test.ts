import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Credential } from '../../../src/identity/passwords/credential.entity.ts';
import { hashPassword } from '../../../src/identity/passwords/passwords.ts';
import { asAddress, foldDomain, foldEmail, isEmail } from '../../../src/platform/email.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { sweepRuns } from '../../helpers/properties.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { Browser, outcomeOf } from '../sso/browser.ts';
import { connectTo, type OpenIdProvider, startOpenIdProvider } from '../sso/openid-provider.ts';
import { type PublishedKey, publishKey } from '../tokens/published-key.ts';

const PASSWORD = 'limestone and rain';
const ISSUER = 'https://id.example.com/tenant';
let app: TestApp;
let tenant: Tenant;
let admin: string;
let driver: string;
let provider: OpenIdProvider;
let key: PublishedKey;
let externally: (email: string) => Promise<string>;
beforeAll(async () => {
  provider = await startOpenIdProvider();
  app = await startTestApp({ deliveries: true, signInsPerAddress: 1_000_000, trustedProxies: ['loopback'] });
  tenant = await makeTenant(app, { company: { authMethods: ['password', 'magic_link'] } });
  admin = (await tenant.person({ roles: ['company_admin'] })).token;
  driver = (await tenant.must('GET', '/v1/iam_roles')).find(({ name }: { name: string }) => name === 'Driver').id;
  key = await publishKey();
  const audience = 'haulgate-api';
  app.configure({
    ssoPrivateHosts: true,
    externalIssuer: { issuer: ISSUER, jwksUrl: key.url, audience, userClaim: 'email', clientClaim: 'client_id' },
  });
  externally = (email) => key.sign({ email, iss: ISSUER, aud: audience, exp: Math.floor(Date.now() / 1000) + 60 });
});
afterAll(async () => {
  key.stop();
  await app.close();
  await provider.close();
});
beforeEach(() => app.orm.em.getConnection().execute('delete from rate_limit'));

let made = 0;
let places = 0;
const place = () => `198.51.${Math.floor(++places / 250)}.${places % 250}`;
const post = (path: string, body: unknown, from = place()) => app.http('POST', path, { body, headers: { 'X-Forwarded-For': from } });
const add = (email: string) =>
  tenant.http('POST', '/v1/users', { first_name: 'Nia', last_name: 'New', email, iam_role_ids: [driver] }, admin);
const logIn = async (email: string, password: string, from?: string) => (await post('/v1/auth/login', { email, password }, from)).status;
const takesPassword = async (userId: string) => tenant.save(Credential, { userId, passwordHash: await hashPassword(PASSWORD) });

/** Ways to write an address that one comparison or another takes for `kisi`, and whether they are it. */
const SPELLINGS: [string, boolean][] = [
  ['k\u0130si', false],
  ['kisi', true],
  ['KISI', true],
  ['\u212aisi', true],
  ['kI\u0307si', false],
  ['ki\u0307si', false],
  ['k\u0131si', false],
  ['ki\u017fi', false],
  ['\uff4bisi', false],
];

test.each(['/v1/auth/forgot_password', '/v1/auth/magic_link'])(
  '%s: a mail goes to the stored address, however it was typed',
  async (path) => {
    const at = `${++made}@yard.example`;
    const kept = `kisi${at}`;
    expect((await add(kept)).status).toBe(201);
    for (const [name, isSame] of SPELLINGS) {
      const before = (await app.emails()).mails.length;
      expect((await post(path, { email: name + at })).status).toBe(204);
      expect([name, (await app.emails()).mails.slice(before).map(({ to }) => to)]).toEqual([name, isSame ? [kept] : []]);
    }
  },
);

test("an address that is too long is never cut to somebody's", async () => {
  const kept = `kisi${++made}@yard.example`;
  expect((await add(kept)).status).toBe(201);
  const before = (await app.emails()).mails.length;
  for (const length of [312, 632, 10_000]) {
    const email = `${kept}${' '.repeat(length)}@elsewhere.example`;
    expect((await post('/v1/auth/forgot_password', { email })).status).toBe(204);
  }
  expect((await app.emails()).mails.slice(before)).toEqual([]);
});

test('an address stored with letters beyond ASCII differs from the same one in ASCII', async () => {
  const at = `${++made}@yard.example`;
  expect((await add(`k\u0130si${at}`)).status).toBe(201);
  expect((await add(`kisi${at}`)).status).toBe(201);
  const before = (await app.emails()).mails.length;
  await post('/v1/auth/forgot_password', { email: `KISI${at}` });
  await post('/v1/auth/forgot_password', { email: `ki\u0307si${at}` });
  const { mails } = await app.emails();
  expect(mails.slice(before).map(({ to }) => to)).toEqual([`kisi${at}`, `k\u0130si${at}`]);
  expect(fieldsOf(await add(`kI\u0307SI${at}`))).toEqual(['email']);
});

test('no spelling of an address allows additional guesses', async () => {
  const at = `${++made}@yard.example`;
  await takesPassword((await add(`kisi${at}`)).body.data.id);
  const opens = async ([name]: [string, boolean]) => (await logIn(name + at, PASSWORD)) === 200;
  for (const one of SPELLINGS) expect([one[0], await opens(one)]).toEqual(one);
  await app.orm.em.getConnection().execute('delete from rate_limit');

  const from = place();
  const guesses: string[] = [];
  // Each spelling that is the account takes from the same ten, and no other one opens it.
  for (let i = 0; i < 10; i++) guesses.push(SPELLINGS.filter(([, isSame]) => isSame)[i % 3]![0]);
  for (const name of guesses) expect(await logIn(name + at, 'wrong', from)).toBe(401);
  for (const [name, isSame] of SPELLINGS) expect([name, await logIn(name + at, PASSWORD, from)]).toEqual([name, isSame ? 429 : 401]);

  const asked = place();
  const ask = async (name: string) => (await post('/v1/auth/forgot_password', { email: name + at }, asked)).status;
  for (let i = 0; i < 5; i++) expect(await ask(guesses[i]!)).toBe(204);
  for (const [name, isSame] of SPELLINGS) expect([name, await ask(name)]).toEqual([name, isSame ? 429 : 204]);
});

/** Names of mailboxes that are near each other. */
const near = fc
  .array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom('k', 'K', '\u212a', 'i', 'I', '\u0130', '\u0131', 'I\u0307', 'i\u0307', 's', 'S', '\u017f', 'ß', 'ss'),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom('é', 'e\u0301', 'É', 'E\u0301', 'σ', 'ς', 'Σ', 'ｓ', 'Ｓ', 'µ', 'μ', 'Å', '\u212b', 'å', 'ﬁ', 'fi'),
      },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((one) => /^[\p{L}\p{M}\p{N}]$/u.test(one)) },
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((all) => all.join(''));
const pairs = fc
  .tuple(near, near)
  .chain(([a, b]) =>
    fc.constantFrom<[string, string]>([a, b], [a, a.toUpperCase()], [a, a.toLowerCase()], [a.normalize('NFD'), a.normalize('NFC')]),
  );

test('two addresses are one person here, at a provider and at the external issuer exactly if their folds are equal', async () => {
  const [connection] = [await connectTo(provider, tenant, 'folded.example')];
  const signIn = async (email: string) => {
    provider.someone = { email, email_verified: true };
    const isPage = (url: string) => url.startsWith(`${app.url}/console`);
    return 'sso_token' in outcomeOf((await new Browser().go(connection.start_url, isPage)).next);
  };
  await fc.assert(
    fc.asyncProperty(pairs, async ([one, other]) => {
      const at = `.${++made}@folded.example`;
      const [a, b] = [one + at, other + at];
      fc.pre(isEmail(asAddress(a)) && isEmail(asAddress(b)));
      const same = foldEmail(a) === foldEmail(b);
      expect((await add(a)).status).toBe(201);
      expect(await signIn(b)).toBe(same);
      const token = await externally(b);
      expect((await app.http('GET', '/v1/users/me', { token })).status).toBe(same ? 200 : 401);
      const before = (await app.emails()).mails.length;
      await post('/v1/auth/magic_link', { email: b });
      expect((await app.emails()).mails.slice(before)).toHaveLength(same ? 1 : 0);
      expect((await add(b)).status).toBe(same ? 422 : 201);
    }),
    { numRuns: sweepRuns(40) },
  );
});

test('a domain leads to the provider of the company that has proven one with the same fold, and of no other', async () => {
  const company = await makeTenant(app);
  await connectTo(provider, company, 'K\u0130s\u0131\u00e9.example');
  const leads = async (domain: string) => (await post('/v1/sso_connections', { email: `ada@${domain}` })).body.data?.length === 1;
  for (const domain of ['ki\u0307s\u0131e\u0301.example', '\u212aI\u0307S\u0131É.EXAMPLE', foldDomain('k\u0130s\u0131é.example')])
    expect([domain, await leads(domain)]).toEqual([domain, true]);
  for (const domain of [
    'kisi\u00e9.example',
    'ki\u0307si\u00e9.example',
    'k\u0130s\u0131\u00e9.example/x',
    'k\u0130s\u0131\u00e9.example:80',
  ])
    expect([domain, await leads(domain)]).toEqual([domain, false]);
});
