import { beforeAll, expect } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Company } from '../../src/directory/companies/company.entity.ts';
import { User } from '../../src/directory/people/user.entity.ts';
import { Credential } from '../../src/identity/passwords/credential.entity.ts';
import { hashPassword } from '../../src/identity/passwords/passwords.ts';
import { newSandboxId } from '../../src/platform/worlds/sandbox-ids.ts';
import { makeOrder } from '../helpers/tenant.ts';
import { hasBrowser } from '../helpers/where.ts';
import { zoneAt } from '../helpers/zones.ts';
import { makeOperator, withBrowser } from './operator.ts';

const operator = makeOperator();
// Before anything asks for it: the product remembers zones for a minute.
beforeAll(async () => {
  if (!hasBrowser) return;
  await operator.app.orm.em.execute('update company set time_zone = ? where id = ?', [zoneAt(12), operator.tenant.company.id]);
});

withBrowser('a view is shared by its address, and a session that ended asks to sign in again', async () => {
  const { page } = await operator.signedIn('/console/imports?search=GOOD');
  await page.getByText('1 record.').waitFor();
  await page.getByRole('button', { name: 'GOOD-1' }).click();
  expect(await page.getByRole('region', { name: 'order GOOD-1' }).innerText()).toContain('unknown_unit');
  await page.evaluate("sessionStorage.setItem('haulgate.session', JSON.stringify({ session_jwt: 'over', refresh_token: 'over' }))");
  await page.reload();
  await page.getByText('Your session is over.').waitFor();
  expect(page.url()).toContain('search=GOOD');
});

withBrowser('who signs out is asked for a password again, and only the pages of the console are there', async () => {
  const { page } = await operator.signedIn('/console');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Password').waitFor();
  await page.reload();
  await page.getByLabel('Password').waitFor();
  const answer = await fetch(`${operator.app.url}/console/imports`);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  // Without a server of tiles the page with the map loads nothing from elsewhere either.
  const day = await fetch(`${operator.app.url}/console/day`);
  expect(day.headers.get('content-security-policy')).toContain("img-src 'self' data:;");
  expect(await day.text()).not.toContain('haulgate-tiles');
  for (const path of ['/console/orders', '/console/assets/', '/console/assets/..%2fpackage.json', '/console/assets/manifest.js'])
    expect((await fetch(operator.app.url + path)).status).toBe(404);
});

withBrowser('the bare address leads a browser to the console, and is no path to a program', async () => {
  const { page } = await operator.open('/');
  await page.getByLabel('Password').waitFor();
  expect(new URL(page.url()).pathname).toBe('/console');
  const answer = await fetch(`${operator.app.url}/`);
  expect([answer.status, await answer.json()]).toEqual([404, { error: { code: 'object_not_found' } }]);
});

withBrowser('a wrong password is answered in words', async () => {
  const { page } = await operator.open('/console');
  await page.getByLabel('E-mail').fill(operator.email);
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('E-mail and password do not fit.').waitFor();
});

withBrowser('everything of the page has a name, a role and a place in the tab order', async () => {
  const { page } = await operator.signedIn('/console/imports?search=GOOD');
  await page.getByRole('row', { name: /GOOD-1/ }).waitFor();
  for (const name of ['Kind', 'State']) await page.getByRole('combobox', { name }).waitFor();
  await page.getByRole('searchbox', { name: 'Id or error' }).waitFor();
  for (const name of ['From', 'To']) await page.getByLabel(name, { exact: true }).waitFor();
  for (const name of ['Imported for', 'Received', 'Kind', 'State', 'Last error', 'Attempts'])
    await page.getByRole('columnheader', { name, exact: true }).waitFor();
  const nameless = await page
    .locator('button, a, input, select')
    .evaluateAll((all) => all.filter((one) => !(one.textContent?.trim() || one.closest('label'))).length);
  expect(nameless).toBe(0);
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the records');
});

withBrowser('the workbench has people sign in at the console, which sends them back, and asks with their session', async () => {
  const { page } = await operator.open('/graphql');
  await page.getByRole('link', { name: 'Sign in' }).click();
  await operator.signIn(page);
  await page.waitForURL(`${operator.app.url}/graphql`);
  await page.getByText('Haulgate, signed in').waitFor();
  await page.getByRole('button', { name: /execute query/i }).click();
  await page.locator('.result-window', { hasText: 'jobsByState' }).waitFor();
});

withBrowser.each([
  ['/docs', '.opblock-tag'],
  ['/graphql', '.graphiql-container'],
])('%s renders from this server alone, without complaints', async (path, part) => {
  const { page, complaints, hosts } = await operator.open(path);
  await page.locator(part).first().waitFor();
  expect([complaints, [...hosts]]).toEqual([[], [operator.app.url]]);
});

withBrowser('a sandbox has a band that says which day it is', async () => {
  const { app, tenant } = operator;
  const id = newSandboxId();
  const email = `${id}@console.test`;
  await tenant.save(Company, { id, platformId: id.slice(-6).toUpperCase(), legalName: 'Trial' });
  const user = await tenant.save(User, {
    company: ref(Company, id),
    firstName: 'Tess',
    lastName: 'Trial',
    email,
    roles: ['company_admin'],
  });
  await tenant.save(Credential, { userId: user.id, passwordHash: await hashPassword('gravel and sand') });
  await app.orm.em.execute(
    `insert into sandbox (id, company_id, name, administrator, client_id, ahead_seconds, ends_at) values (?, ?, 'Trial', ?, 'hg_trial', 172800, now() + interval '1 day')`,
    [id, tenant.company.id, email],
  );
  const { page } = await operator.open('/console/imports');
  await operator.signIn(page, email);
  await page.getByText('Sandbox, day 3').waitFor();
  const { page: real } = await operator.signedIn('/console/imports');
  expect(await real.getByText('Sandbox').count()).toBe(0);
});

withBrowser('without a server of tiles the map of the day is drawn, and nobody else is asked for anything', async () => {
  const { app, tenant } = operator;
  for (const [site, lat] of [
    [tenant.pickup, 30.2],
    [tenant.dropoff, 30.4],
  ] as const)
    await tenant.must('PATCH', `/v1/sites/${site.id}`, { lat, lon: -97.7 });
  const { id } = await makeOrder(tenant, { load_at: new Date().toISOString() });
  await tenant.must('PUT', `/v1/orders/${id}/accept`, {});
  const { page, complaints, hosts } = await operator.open('/console/day');
  await operator.signIn(page);
  await page.getByText('1 job, 0 trucks on the road').waitFor();
  await page.locator('.site').nth(1).waitFor();
  expect([await page.locator('.site').count(), await page.locator('svg image').count()]).toEqual([2, 0]);
  expect([complaints, [...hosts]]).toEqual([[], [app.url]]);
});
