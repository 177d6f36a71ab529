import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { Browser, outcomeOf } from './browser.ts';
import { keyPair } from './certificates.ts';
import { assertionOf, readRequest, responseOf, type SamlFacts, SHA1, sign } from './saml-provider.ts';

let app: TestApp;
let tenant: Tenant;
let connection: { id: string; start_url: string; acs_url: string; metadata_url: string };
let domain: string;
const idp = keyPair();
const other = keyPair();
const ENTRY = 'https://idp.example/sso?tenant=1';
const ISSUER = 'https://idp.example/entity';
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

let made = 0;
beforeEach(async () => {
  tenant = await makeTenant(app);
  domain = `saml${++made}.example`;
  connection = await connect(domain);
  await tenant.person({ email: `ada@${domain}`, roles: ['dispatcher'] });
});

const connect = async (name: string, more: object = {}) => {
  const provider = { saml_entry_point: ENTRY, saml_entity_id: ISSUER, saml_certificates: [idp.certificate] };
  const body = { kind: 'saml', display_name: 'Gravel', domains: [name], ...provider, ...more };
  return tenant.must('POST', tenant.path('/sso_connections'), body, await tenant.administrator());
};

/** A sign-in that the browser has begun, and what a good answer to it says. */
interface Begun {
  browser: Browser;
  relayState: string;
  facts: SamlFacts;
}
async function begin(browser = new Browser()): Promise<Begun> {
  const { location } = await browser.visit(connection.start_url);
  const { id, relayState } = readRequest(location!);
  return {
    browser,
    relayState,
    facts: { acsUrl: connection.acs_url, audience: connection.metadata_url, requestId: id, issuer: ISSUER, email: `ada@${domain}` },
  };
}
async function post({ browser, relayState }: Begun, xml: string): Promise<Record<string, string>> {
  const body = new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: relayState });
  const { location } = await browser.visit(connection.acs_url, { method: 'POST', body });
  return outcomeOf(location ?? undefined);
}
const good = ({ facts }: Begun, more: Partial<SamlFacts> = {}) => {
  const reported = { ...facts, ...more };
  return sign(responseOf(reported, assertionOf(reported)), '_assertion', idp);
};
const TOKEN = { sso_token: expect.any(String) };
const REFUSED = { sso_error: 'refused' };

test('a person whose address leads to a SAML provider signs in there and works here', async () => {
  const found = await app.http('POST', '/v1/sso_connections', { body: { email: `ada@${domain}` } });
  expect(found.body.data[0].start_url).toBe(connection.start_url);
  const begun = await begin();
  const { sso_token } = await post(begun, good(begun));
  const { body } = await app.http('POST', '/v1/auth/sso/login', { body: { sso_token } });
  const me = await app.http('GET', '/v1/users/me', { token: body.data.session_jwt });
  expect(me.body.data).toMatchObject({ email: `ada@${domain}`, company: { id: tenant.company.id } });
});

test('the request names our entity and address, and nothing that could be guessed', async () => {
  const { location, headers } = await new Browser().visit(connection.start_url);
  expect(location).toMatch(/^https:\/\/idp\.example\/sso\?tenant=1&SAMLRequest=/);
  const { xml, id, relayState } = readRequest(location!);
  expect(xml).toContain(`AssertionConsumerServiceURL="${connection.acs_url}"`);
  expect(xml).toContain(`${connection.metadata_url}</`);
  expect(id).toMatch(/^_[\w-]{43}$/);
  expect(relayState).toMatch(/^[\w-]{43}$/);
  expect(headers.get('set-cookie')).toMatch(/^haulgate_sso_saml=[\w-]{43}; .*HttpOnly/);
});

test('the metadata has our entity id and our address', async () => {
  const answer = await app.http('GET', new URL(connection.metadata_url).pathname);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('application/samlmetadata+xml');
  expect(answer.body).toContain(`entityID="${connection.metadata_url}"`);
  expect(answer.body).toContain(`Location="${connection.acs_url}"`);
  expect(answer.body).toContain('urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST');
});

test('an answer that is signed as a whole, and one that is signed twice, work as well', async () => {
  const whole = await begin();
  expect(await post(whole, sign(responseOf(whole.facts, assertionOf(whole.facts)), '_response', idp))).toEqual(TOKEN);
  const both = await begin();
  expect(await post(both, sign(good(both), '_response', idp))).toEqual(TOKEN);
});

test.each(['email', 'Mail', 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress', 'urn:oid:0.9.2342.19200300.100.1.3'])(
  'the address may be in the attribute %s',
  async (name) => {
    const begun = await begin();
    expect(await post(begun, good(begun, { nameId: 'a1b2', attributes: { other: ['x'], [name]: [`ada@${domain}`] } }))).toEqual(TOKEN);
  },
);

test('a new certificate works together with the old one, which can then be removed', async () => {
  const trust = async (...saml_certificates: string[]) =>
    tenant.must('PATCH', `/v1/sso_connections/${connection.id}`, { saml_certificates }, await tenant.administrator());
  await trust(idp.certificate, other.certificate);
  const withOther = async () => {
    const begun = await begin();
    return post(begun, sign(responseOf(begun.facts, assertionOf(begun.facts)), '_assertion', other));
  };
  const withOld = async () => {
    const begun = await begin();
    return post(begun, good(begun));
  };
  expect([await withOther(), await withOld()]).toEqual([TOKEN, TOKEN]);
  await trust(other.certificate);
  expect([await withOther(), await withOld()]).toEqual([TOKEN, REFUSED]);
});

test.each<[string, (begun: Begun) => Partial<SamlFacts>]>([
  ['another audience', () => ({ audience: 'https://other.example' })],
  ['no audience', () => ({ restriction: '' })],
  ['an end in the past', () => ({ notOnOrAfter: new Date(Date.now() - 60_000) })],
  ['a beginning in the future', () => ({ notBefore: new Date(Date.now() + 120_000) })],
  ['an issue long ago', () => ({ issuedAt: new Date(Date.now() - 3_600_000) })],
  ['another issuer', () => ({ issuer: 'https://evil.example' })],
  ['another recipient', () => ({ recipient: 'https://other.example/acs' })],
  ['another request', () => ({ requestId: '_another' })],
  ['another request in the subject alone', () => ({ confirms: '_another' })],
  ['no request in the subject', () => ({ confirms: null })],
  ['no request in the answer', () => ({ inResponseTo: null })],
  ['a confirmation that is none of a bearer', () => ({ method: 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches' })],
  ['two addresses', ({ facts }) => ({ attributes: { email: [facts.email, 'eve@evil.example'] } })],
  ['an address of another domain', () => ({ email: `ada@not-${domain}` })],
  ['no address', () => ({ email: 'a1b2c3' })],
])('an assertion with %s is refused', async (_what, change) => {
  await tenant.person({ email: `ada@not-${domain}` });
  const begun = await begin();
  expect(await post(begun, good(begun, change(begun)))).toEqual(REFUSED);
});

test('an assertion without a signature, with another key or with SHA-1 is refused', async () => {
  const answers: ((begun: Begun) => string)[] = [
    ({ facts }) => responseOf(facts, assertionOf(facts)),
    ({ facts }) => sign(responseOf(facts, assertionOf(facts)), '_assertion', other),
    ({ facts }) => sign(responseOf(facts, assertionOf(facts)), '_assertion', idp, SHA1),
    (begun) => good(begun).replace(/<ds:SignatureValue>....|<SignatureValue>..../, (found) => `${found.slice(0, -4)}AAAA`),
    (begun) => good(begun).replaceAll(`ada@${domain}`, `eve@${domain}`),
    (begun) => good(begun).replace(/<Signature .*<\/Signature>/, ''),
    () => '',
    () => 'no xml',
    () => '<a/>',
    ({ facts }) => responseOf(facts, ''),
  ];
  await tenant.person({ email: `eve@${domain}` });
  for (const [i, answer] of answers.entries()) {
    const begun = await begin();
    expect({ i, ...(await post(begun, answer(begun))) }).toEqual({ i, ...REFUSED });
  }
});

test('a signed assertion next to, around or inside a forged one signs nobody in', async () => {
  await tenant.person({ email: `eve@${domain}` });
  const eve = (facts: SamlFacts) => ({ ...facts, email: `eve@${domain}` });
  const signatureOf = (xml: string) => /<Signature .*<\/Signature>/.exec(xml)![0];
  const signedOf = (xml: string) => /<saml:Assertion .*<\/saml:Assertion>/.exec(xml)![0];
  const forged = (facts: SamlFacts, id = '_forged', inside = '') =>
    assertionOf(eve(facts), id).replace('</saml:Assertion>', `${inside}</saml:Assertion>`);
  const attacks: Record<string, (begun: Begun) => string> = {
    'forged before signed': (b) => responseOf(b.facts, forged(b.facts) + signedOf(good(b))),
    'forged after signed': (b) => responseOf(b.facts, signedOf(good(b)) + forged(b.facts)),
    'signed inside forged': (b) => responseOf(b.facts, forged(b.facts, '_forged', signedOf(good(b)))),
    'signed inside forged of the same id': (b) => responseOf(b.facts, forged(b.facts, '_assertion', signedOf(good(b)))),
    'signature moved to forged': (b) =>
      responseOf(b.facts, forged(b.facts).replace('</saml:Issuer>', `</saml:Issuer>${signatureOf(good(b))}`)),
    'signature moved, signed inside its Object': (b) => {
      const signature = signatureOf(good(b)).replace('</Signature>', `<Object>${signedOf(good(b))}</Object></Signature>`);
      return responseOf(b.facts, forged(b.facts).replace('</saml:Issuer>', `</saml:Issuer>${signature}`));
    },
    'signed in an extension': (b) =>
      responseOf(b.facts, forged(b.facts)).replace(
        '<samlp:Status>',
        `<samlp:Extensions>${signedOf(good(b))}</samlp:Extensions><samlp:Status>`,
      ),
    'signed response inside a forged one': (b) => {
      const whole = sign(responseOf(b.facts, assertionOf(b.facts)), '_response', idp);
      return responseOf(b.facts, forged(b.facts) + whole).replace('ID="_response"', 'ID="_outer"');
    },
    'two signatures': (b) => {
      const xml = good(b);
      return xml.replace('</saml:Issuer>', `</saml:Issuer>${signatureOf(xml)}`);
    },
  };
  for (const [name, attack] of Object.entries(attacks)) {
    const begun = await begin();
    expect({ name, ...(await post(begun, attack(begun))) }).toEqual({ name, ...REFUSED });
  }
});

test('a comment in the address does not change the address', async () => {
  await tenant.person({ email: `eve@${domain}` });
  const begun = await begin();
  const xml = good(begun, { email: `eve@${domain}.evil.example` }).replace(`eve@${domain}.evil`, `eve@${domain}<!-- -->.evil`);
  expect(await post(begun, xml)).toEqual(REFUSED);
});

test('entities and document types are refused before they are read', async () => {
  const begun = await begin();
  const xml = good(begun);
  const bomb = `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>`;
  const outside = `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>`;
  expect(await post(begun, bomb + xml.replace(`ada@${domain}`, '&b;'))).toEqual(REFUSED);
  const again = await begin();
  expect(await post(again, outside + good(again).replace(`ada@${domain}`, '&x;'))).toEqual(REFUSED);
  const harmless = await begin();
  expect(await post(harmless, `<!DOCTYPE r>${good(harmless)}`)).toEqual(REFUSED);
});

test('an answer counts once, in the browser and for the connection of the request', async () => {
  const expired = { sso_error: 'expired' };
  const begun = await begin();
  const xml = good(begun);
  expect(await post({ ...begun, browser: new Browser() }, xml)).toEqual(expired);
  expect(await post({ ...begun, relayState: 'x'.repeat(43) }, xml)).toEqual(expired);
  expect(await post(begun, xml)).toEqual(TOKEN);
  expect(await post(begun, xml)).toEqual(expired);
  // The same assertion under a later request of the same browser.
  const later = await begin(begun.browser);
  expect(await post(later, xml)).toEqual(REFUSED);
  const own = connection;
  const elsewhere = await begin();
  connection = await connect(`saml${++made}.example`);
  expect(await post(elsewhere, good(elsewhere))).toEqual(expired);
  connection = own;
});

test('a body that is no form, is too long, or belongs to an OpenID connection gets an error', async () => {
  const path = new URL(connection.acs_url).pathname;
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  expect(await app.http('POST', path, { body: `SAMLResponse=${'A'.repeat(300_000)}`, headers: form })).toMatchObject({
    status: 413,
    body: { error: { code: 'payload_too_large' } },
  });
  expect((await app.http('POST', path, { body: { SAMLResponse: 'x' } })).status).toBe(303);
  expect(await app.http('POST', path.replace(connection.id, '01890000-0000-7000-8000-000000000000'), { headers: form })).toMatchObject({
    status: 404,
  });
  const body = { kind: 'oidc', display_name: 'Gravel', domains: [`saml${++made}.example`], issuer: 'https://idp.example', client_id: 'x' };
  const oidc = await tenant.must('POST', tenant.path('/sso_connections'), body, await tenant.administrator());
  for (const [method, rest] of [
    ['POST', 'acs'],
    ['GET', 'metadata'],
  ] as const)
    expect(await app.http(method, `/v1/auth/sso/${oidc.id}/${rest}`, { headers: form })).toMatchObject({ status: 404 });
  expect(await app.http('GET', `/v1/auth/sso/${connection.id}/callback?state=x&code=y`)).toMatchObject({ status: 404 });
});
