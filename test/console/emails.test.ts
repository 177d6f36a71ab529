import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { User } from '../../src/directory/people/user.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { hasBrowser } from '../helpers/where.ts';
import { launchBrowser, openPage, withBrowser } from './operator.ts';

let app: TestApp;
let tenant: Tenant;
let browser: Browser;
beforeAll(async () => {
  if (!hasBrowser) return;
  app = await startTestApp({ deliveries: true });
  tenant = await makeTenant(app, { company: { legalName: 'Northwind Aggregates', authMethods: ['password', 'magic_link'] } });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
});

/** A browser of somebody's own. */
const open = async (url: string, locale = 'en-US') => openPage(await browser.newContext({ locale }), url);

const person = async (roles: string[], fields: object = {}): Promise<User> => (await tenant.person({ roles, ...fields })).user;
/** The link of the newest mail to somebody, exactly as the mail has it. */
async function linkTo(email: string): Promise<string> {
  const mail = (await app.emails()).mails.findLast(({ to }) => to === email);
  return /https?:\/\/\S+/.exec(mail!.text)![0];
}

withBrowser('the link of a mail signs in, after a click and once; the address keeps nothing of it', async () => {
  const dora = await person(['company_admin'], { firstName: 'Dora', lastName: 'Wheel' });
  const asking = await open(`${app.url}/console`);
  await asking.page.getByRole('link', { name: 'Get a link by mail' }).click();
  await asking.page.getByLabel('E-mail').fill(dora.email!);
  await asking.page.getByRole('button', { name: 'Send the link' }).click();
  await asking.page.getByText('the link is on its way').waitFor();
  const link = await linkTo(dora.email!);
  expect(link).toMatch(new RegExp(`^${app.url}/console/sign-in#magic_links_token=[\\w-]{43}$`));

  const { page, complaints, asked, hosts } = await open(link);
  await page.getByRole('heading', { name: 'Sign in to Haulgate' }).waitFor();
  // Programs that look through mails open their links; that must not use them up.
  expect([asked, page.url(), await page.title()]).toEqual([[], `${app.url}/console/sign-in`, 'Sign in to Haulgate - Haulgate']);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Imports' }).waitFor();
  expect(page.url()).toBe(`${app.url}/console`);
  await page.goBack();
  expect(page.url()).not.toContain('#');
  expect([complaints, [...hosts]]).toEqual([[], [app.url]]);

  const again = await open(link);
  await again.page.getByRole('button', { name: 'Sign in' }).click();
  await again.page.getByText('This link does not work any more').waitFor();
  // The page that reports it can request another link.
  await again.page.getByLabel('E-mail').fill(dora.email!);
  await again.page.getByRole('button', { name: 'Send the link' }).click();
  await again.page.getByText('the link is on its way').waitFor();
  expect(await linkTo(dora.email!)).not.toBe(link);
});

withBrowser('who forgot a password chooses another; a weak one is refused in words and costs nothing', async () => {
  const ada = await person(['company_admin']);
  const asking = await open(`${app.url}/console`);
  await asking.page.getByRole('link', { name: 'Forgot your password?' }).click();
  await asking.page.getByLabel('E-mail').fill(ada.email!);
  await asking.page.keyboard.press('Enter');
  await asking.page.getByText('the link is on its way').waitFor();

  const { page } = await open(await linkTo(ada.email!));
  const field = page.getByLabel('New password');
  expect(await field.evaluate((input) => [input.getAttribute('type'), input.getAttribute('autocomplete')])).toEqual([
    'password',
    'new-password',
  ]);
  await page.getByLabel('Show the password').check();
  expect(await field.getAttribute('type')).toBe('text');
  await field.fill('password1');
  await page.getByRole('button', { name: 'Save the password' }).click();
  await page.getByRole('alert').getByText('Password is among the first that are guessed').waitFor();
  await field.fill('limestone and rain');
  await page.getByRole('button', { name: 'Save the password' }).click();
  await page.getByRole('heading', { name: 'Imports' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('E-mail').fill(ada.email!);
  await page.getByLabel('Password').fill('limestone and rain');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Imports' }).waitFor();
});

withBrowser('who is invited chooses a password by the link and is in, and a driver is signed in without a page of work', async () => {
  const roles = await tenant.must('GET', tenant.path('/iam_roles'));
  for (const [role, sees] of [
    ['company_admin', 'Imports'],
    ['driver', 'Haulgate'],
  ] as const) {
    const email = `${role}-invited@example.com`;
    const { id } = roles.find(({ name }: { name: string }) => name.toLowerCase().replace(' ', '_') === role);
    await tenant.must('POST', tenant.path('/users'), {
      first_name: 'Ines',
      last_name: 'Sand',
      email,
      iam_role_ids: [id],
      send_invite: { email: true },
    });
    const { page, complaints } = await open(await linkTo(email));
    await page.getByRole('heading', { name: 'Welcome to Haulgate' }).waitFor();
    await page.getByLabel('New password').fill('limestone and rain');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: sees, exact: true }).waitFor();
    if (role === 'driver') {
      await page.getByText('You are signed in as Ines Sand (Northwind Aggregates).').waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Password').waitFor();
    }
    expect(complaints).toEqual([]);
  }
});

withBrowser('a link signs in its owner also where somebody else was signed in, whose session ends', async () => {
  const [first, second] = [await person(['driver'], { firstName: 'First' }), await person(['driver'], { firstName: 'Second' })];
  const links: string[] = [];
  for (const { email } of [first, second]) {
    await app.http('POST', '/v1/auth/magic_link', { body: { email } });
    links.push(await linkTo(email!));
  }
  const { page } = await open(links[0]!);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('signed in as First').waitFor();
  const before = await page.evaluate<string>("JSON.parse(sessionStorage.getItem('haulgate.session')).session_jwt");
  const ended = page.waitForResponse((response) => response.request().method() === 'DELETE');
  // A fragment alone loads nothing anew: the way a reader takes is through another page.
  await page.goto('about:blank');
  await page.goto(links[1]!);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('signed in as Second').waitFor();
  await ended;
  expect((await app.http('GET', '/v1/users/me', { token: before })).status).toBe(401);
});

withBrowser('without a link the pages say how to get one', async () => {
  const { page } = await open(`${app.url}/console/sign-up`);
  await page.getByText('Open the link of your invitation.').waitFor();
  await page.getByRole('link', { name: 'Sign in with a password' }).click();
  await page.getByLabel('Password').waitFor();
  await page.goto(`${app.url}/console/reset-password#password_reset_token=`);
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
});

withBrowser.each([
  ['es-MX', 'es', 'Entrar en Haulgate', 'Entrar', 'Este enlace ya no funciona'],
  ['fr-CA', 'fr', 'Ouvrir une session dans Haulgate', 'Ouvrir une session', 'Ce lien ne fonctionne plus'],
  ['de-DE', 'en', 'Sign in to Haulgate', 'Sign in', 'This link does not work any more'],
])('a browser in %s reads %s', async (locale, lang, title, button, spent) => {
  const { page } = await open(`${app.url}/console/sign-in#magic_links_token=made-up`, locale);
  await page.getByRole('heading', { name: title }).waitFor();
  expect(await page.evaluate('document.documentElement.lang')).toBe(lang);
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.getByText(spent).waitFor();
});

withBrowser('the pages hold to the policy of the console, and every control has a name', async () => {
  for (const path of ['sign-in', 'reset-password', 'sign-up']) {
    const answer = await fetch(`${app.url}/console/${path}`);
    expect([answer.status, answer.headers.get('referrer-policy')]).toEqual([200, 'no-referrer']);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    const { page } = await open(`${app.url}/console/${path}#magic_links_token=x&password_reset_token=x`);
    await page.getByRole('heading').waitFor();
    const nameless = await page
      .locator('button, a, input')
      .evaluateAll((all) => all.filter((one) => !(one.textContent?.trim() || one.closest('label')?.textContent?.trim())).length);
    expect(nameless).toBe(0);
  }
});
