import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Company } from '../../src/directory/company.entity.ts';
import { configureIdentity } from '../../src/identity/settings.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeYard, type Yard } from '../helpers/yard.ts';
import { Browser, outcomeOf } from './browser.ts';
import { connectTo, type OpenIdProvider, startOpenIdProvider } from './openid-provider.ts';

let app: TestApp;
let provider: OpenIdProvider;
let yard: Yard;
let connection: { id: string; start_url: string; redirect_uri: string };
let domain: string;
beforeAll(async () => {
  provider = await startOpenIdProvider();
  app = await startTestApp();
  configureIdentity({ ssoPrivateHosts: true });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

let made = 0;
beforeEach(async () => {
  yard = await makeYard(app);
  domain = `oidc${++made}.example`;
  connection = await connect(yard, domain);
  provider.tamper = undefined;
  provider.someone = { email: `ada@${domain}`, email_verified: true };
});

const connect = (of: Yard, name: string, more: object = {}) => connectTo(provider, of, name, more);
const isPage = (url: string) => url.startsWith(`${app.url}/console`);
/** A whole sign-in. @returns what the page is told */
async function signIn(browser = new Browser()): Promise<Record<string, string>> {
  return outcomeOf((await browser.go(connection.start_url, isPage)).next);
}
const person = (fields: object = {}) => yard.person({ email: `ada@${domain}`, roles: ['dispatcher'], ...fields });

test('an unknown connection, a SAML one and one of a closed company start nothing', async () => {
  const visit = (path: string) => app.http('GET', path);
  for (const id of ['nonsense', '01890000-0000-7000-8000-000000000000', '%00'])
    for (const rest of ['start', 'callback?state=x&code=y'])
      expect((await visit(`/v1/auth/sso/${id}/${rest}`)).status).toBeGreaterThanOrEqual(400);
  await app.orm.em.fork().nativeUpdate(Company, { id: yard.company.id }, { discardedAt: new Date() }, { filters: { tenant: false } });
  expect(await visit(`/v1/auth/sso/${connection.id}/start`)).toMatchObject({ status: 404, body: { error: { code: 'object_not_found' } } });
  expect((await app.http('POST', '/v1/sso_connections', { body: { email: `a@${domain}` } })).body).toEqual({ data: [] });
});

test('a provider that cannot be asked sends people back, and is not looked for in private networks', async () => {
  await yard.must('PATCH', `/v1/sso_connections/${connection.id}`, { issuer: 'http://127.0.0.1:1' });
  expect(await signIn()).toEqual({ sso_error: 'unavailable' });
  provider.asked.length = 0;
  configureIdentity({ ssoPrivateHosts: false });
  try {
    for (const issuer of [provider.issuer.replace('http:', 'https:'), 'https://localhost', 'https://169.254.169.254', 'https://[::1]']) {
      await yard.must('PATCH', `/v1/sso_connections/${connection.id}`, { issuer });
      expect(await signIn()).toEqual({ sso_error: 'unavailable' });
    }
    expect(provider.asked).toEqual([]);
  } finally {
    configureIdentity({ ssoPrivateHosts: true });
  }
});

test('a sign-in ends on pages of the configuration only', async () => {
  await person();
  configureIdentity({ ssoReturnUrls: ['https://app.example/signed-in', 'haulgate-app://signed-in'] });
  try {
    const end = async (wanted: string) => {
      const { next } = await new Browser().go(`${connection.start_url}?return_to=${encodeURIComponent(wanted)}`, (url) =>
        /app:|app\.example|evil/.test(url),
      );
      return next!.split('#')[0];
    };
    expect(await end('haulgate-app://signed-in')).toBe('haulgate-app://signed-in');
    for (const wanted of [
      '',
      'https://evil.example',
      'https://app.example/signed-in/../evil',
      'https://app.example/signed-in?x',
      '//evil.example',
    ])
      expect(await end(wanted)).toBe('https://app.example/signed-in');
  } finally {
    configureIdentity({ ssoReturnUrls: [] });
  }
});

test('an address that starts sign-ins without end has to wait', async () => {
  const limited = await startTestApp({ limits: { perCaller: 0, perAddress: 3 } });
  try {
    const visit = (rest: string) => limited.http('GET', `/v1/auth/sso/01890000-0000-7000-8000-000000000000/${rest}`);
    for (const rest of ['start', 'callback', 'metadata']) expect((await visit(rest)).status).toBe(404);
    for (const rest of ['start', 'callback', 'metadata']) {
      const { status, headers, body } = await visit(rest);
      expect({ status, body }).toEqual({ status: 429, body: { error: { code: 'too_many_requests' } } });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
  } finally {
    await limited.close();
  }
});
