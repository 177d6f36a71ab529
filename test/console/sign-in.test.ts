import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { hasBrowser } from '../helpers/where.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../identity/sso/openid-provider.ts';
import { launchBrowser, withBrowser } from './operator.ts';

let app: TestApp;
let tenant: Tenant;
let provider: OpenIdProvider;
let browser: Browser;
beforeAll(async () => {
  if (!hasBrowser) return;
  provider = await startOpenIdProvider();
  app = await startTestApp();
  app.configure({ ssoPrivateHosts: true });
  tenant = await makeTenant(app);
  const body = { kind: 'oidc', display_name: 'Gravel', domains: ['console.example'], issuer: provider.issuer, client_id: 'later' };
  const { id, redirect_uri } = await tenant.must('POST', tenant.path('/sso_connections'), body, await tenant.administrator());
  const { client_id, client_secret } = await provider.register(redirect_uri);
  await tenant.must('PATCH', `/v1/sso_connections/${id}`, { client_id, client_secret }, await tenant.administrator());
  await tenant.person({ email: 'ada@console.example', roles: ['company_admin'] });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
  await provider?.close();
});

withBrowser('an operator signs in by the company and is back at the view that was asked for', async () => {
  provider.someone = { email: 'ada@console.example', email_verified: true };
  const page = await browser.newPage();
  await page.goto(`${app.url}/console/imports?search=GOOD`);
  const button = page.getByRole('button', { name: "Use my company's sign-in" });
  await button.click();
  await page.getByText('Enter your e-mail address first.').waitFor();
  await page.getByLabel('E-mail').fill('ada@elsewhere.example');
  await button.click();
  await page.getByText('Your company has no sign-in service here').waitFor();
  await page.getByLabel('E-mail').fill('ada@console.example');
  await button.click();
  await page.getByRole('heading', { name: 'Imports' }).waitFor();
  expect(new URL(page.url()).search).toBe('?search=GOOD');
  expect(page.url()).not.toContain('sso_token');
  expect(provider.asked).toEqual(expect.arrayContaining(['GET /auth', 'POST /token']));
  await page.close();
});

withBrowser('somebody without an account reads so, and the address keeps nothing of it', async () => {
  provider.someone = { email: 'nobody@console.example', email_verified: true };
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${app.url}/console/imports`);
  await page.getByLabel('E-mail').fill('nobody@console.example');
  await page.getByRole('button', { name: "Use my company's sign-in" }).click();
  await page.getByText('You have no account here.').waitFor();
  expect(new URL(page.url()).hash).toBe('');
});

withBrowser('a link with a token that this tab did not ask for signs nobody in', async () => {
  const page = await (await browser.newContext()).newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${app.url}/console#sso_token=made-up`);
  await page.getByText('began in another window').waitFor();
  expect(asked).not.toContain('/v1/auth/sso/login');
  await page.close();
});
