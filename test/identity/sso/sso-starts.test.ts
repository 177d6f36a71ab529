import { expect, test } from '@jest/globals';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { startTestApp } from '../../helpers/app.ts';
import { Browser } from './browser.ts';
import { oidcScene } from './oidc-scene.ts';

const at = oidcScene();

test('an unknown connection, a SAML one and one of a closed company start nothing', async () => {
  const visit = (path: string) => at.app.http('GET', path);
  for (const id of ['nonsense', '01890000-0000-7000-8000-000000000000', '%00'])
    for (const rest of ['start', 'callback?state=x&code=y'])
      expect((await visit(`/v1/auth/sso/${id}/${rest}`)).status).toBeGreaterThanOrEqual(400);
  await at.app.orm.em
    .fork()
    .nativeUpdate(Company, { id: at.tenant.company.id }, { discardedAt: new Date() }, { filters: { tenant: false } });
  expect(await visit(`/v1/auth/sso/${at.connection.id}/start`)).toMatchObject({
    status: 404,
    body: { error: { code: 'object_not_found' } },
  });
  expect((await at.app.http('POST', '/v1/sso_connections', { body: { email: `a@${at.domain}` } })).body).toEqual({ data: [] });
});

test('people return from a provider that cannot be reached, and private networks are not called', async () => {
  const admin = await at.tenant.administrator();
  const change = (issuer: string) => at.tenant.must('PATCH', `/v1/sso_connections/${at.connection.id}`, { issuer }, admin);
  await change('http://127.0.0.1:1');
  expect(await at.signIn()).toEqual({ sso_error: 'unavailable' });
  at.provider.asked.length = 0;
  at.app.configure({ ssoPrivateHosts: false });
  try {
    for (const issuer of [at.provider.issuer.replace('http:', 'https:'), 'https://localhost', 'https://169.254.169.254', 'https://[::1]']) {
      await change(issuer);
      expect(await at.signIn()).toEqual({ sso_error: 'unavailable' });
    }
    expect(at.provider.asked).toEqual([]);
  } finally {
    at.app.configure({ ssoPrivateHosts: true });
  }
});

test('a sign-in ends only on configured pages', async () => {
  await at.person();
  at.app.configure({ ssoReturnUrls: ['https://app.example/signed-in', 'haulgate-app://signed-in'] });
  try {
    const end = async (wanted: string) => {
      const { next } = await new Browser().go(`${at.connection.start_url}?return_to=${encodeURIComponent(wanted)}`, (url) =>
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
    at.app.configure({ ssoReturnUrls: [] });
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
