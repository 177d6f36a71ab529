import { afterAll, beforeAll } from '@jest/globals';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { Credential } from '../../src/identity/passwords/credential.entity.ts';
import { hashPassword } from '../../src/identity/passwords/passwords.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { BROWSER, hasBrowser, where } from '../helpers/where.ts';

export const withBrowser = where(hasBrowser, `no browser at ${BROWSER}: install chromium or set CHROMIUM`);
export const launchBrowser = (): Promise<Browser> => chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });

export interface Opened {
  page: Page;
  complaints: string[];
  /** Paths asked of the server, without the page's own files. */
  asked: string[];
  hosts: Set<string>;
}

/** A page that remembers what it complained of and what it asked. */
export async function openPage(of: Browser | BrowserContext, url: string): Promise<Opened> {
  const page = await of.newPage();
  const complaints: string[] = [];
  const asked: string[] = [];
  const hosts = new Set<string>();
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    // Files that the page made itself, and the browser's own viewer of PDFs, are from nowhere.
    if (!/^https?:/.test(request.url())) return;
    hosts.add(new URL(request.url()).origin);
    if (!request.url().includes('/console')) asked.push(new URL(request.url()).pathname);
  });
  await page.goto(url);
  return { page, complaints, asked, hosts };
}

/** An operator, whose company has imported one order and failed to import another. */
export interface Operator {
  app: TestApp;
  tenant: Tenant;
  browser: Browser;
  email: string;
  open(path: string): Promise<Opened>;
  /** Fills in the form that a page without a session shows. */
  signIn(page: Page, email?: string): Promise<void>;
  /** Makes a colleague, or somebody of another company, who signs in with the same password. @returns the e-mail address */
  colleague(role: string, of?: Tenant): Promise<string>;
  signedIn(path: string): Promise<Opened>;
  /** Sends orders that fail, and waits until they have. */
  sendBroken(...ids: string[]): Promise<void>;
}

/** Is there when the tests of the file begin. */
export function makeOperator(options: TestAppOptions = {}): Operator {
  const operator = {} as Operator;
  beforeAll(async () => {
    if (!hasBrowser) return;
    const app = await startTestApp({ worker: true, ...options });
    const tenant = await makeTenant(app);
    const colleague = async (role: string, of: Tenant = tenant) => {
      const email = `${role}-${of.company.platformId}@example.com`;
      const { user } = await of.person({ firstName: 'Ana', lastName: 'Reyes', roles: [role], email });
      await of.save(Credential, { userId: user.id, passwordHash: await hashPassword('gravel and sand') });
      return email;
    };
    const email = await colleague('company_admin');
    const customer = { external_id: 'C-1', name: 'Acme' };
    const good = { external_id: 'GOOD-1', load_at: '2026-06-01T07:00:00', customer, unit_of_measure: 'lumps' };
    await tenant.must('POST', '/ingest/orders', { orders: [good, { external_id: 'BAD-1', load_at: 'soon', customer }] });
    await app.settled();
    const browser = await launchBrowser();
    const open = (path: string) => openPage(browser, app.url + path);
    const signIn = async (page: Page, as = email) => {
      await page.getByLabel('E-mail').fill(as);
      await page.getByLabel('Password').fill('gravel and sand');
      await page.keyboard.press('Enter');
    };
    const signedIn = async (path: string) => {
      const opened = await open(path);
      await signIn(opened.page);
      await opened.page.getByRole('heading', { name: 'Imports' }).waitFor();
      return opened;
    };
    const sendBroken = async (...ids: string[]) => {
      await tenant.must('POST', '/ingest/orders', {
        orders: ids.map((id) => ({ external_id: id, load_at: 'soon', customer: { external_id: 'C-1' } })),
      });
      await app.settled();
    };
    Object.assign(operator, { app, tenant, browser, email, open, signIn, colleague, signedIn, sendBroken });
  });
  afterAll(async () => {
    await operator.browser?.close();
    await operator.app?.close();
  });
  return operator;
}
