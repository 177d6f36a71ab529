import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import type { DemoAccess } from '../src/demo/seed.ts';

/**
 * Takes the pictures of the documentation anew, from the demo company of a running product: `npm start` in one terminal, and `npm run
 * pictures [-- --demo .data/demo.json]` in another.
 */
const { values } = parseArgs({ options: { demo: { type: 'string', default: '.data/demo.json' } } });
const demo = JSON.parse(readFileSync(values.demo, 'utf8')) as DemoAccess;
const { email, password } = demo.users.find(({ role }) => role === 'company_admin')!;

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1600, height: 1000 }, colorScheme: 'light', locale: 'en-US' });
await page.goto(`${demo.base_url}/console/imports`);
await page.getByLabel('E-mail').fill(email);
await page.getByLabel('Password').fill(password);
await page.keyboard.press('Enter');
// A ticket whose truck is misspelt: what was guessed, and the way to its load, are next to its row.
await page.getByRole('button', { name: 'S-88105' }).click();
await page.getByRole('region', { name: 'ticket S-88105' }).getByRole('button', { name: 'Find jobs' }).waitFor();
await page.getByText(/^\d+ jobs?\.$/).waitFor();
const keep = (name: string) => page.screenshot({ path: new URL(`../docs/console-${name}.png`, import.meta.url).pathname });
await keep('imports');
// The first load whose ticket has a picture, once the reviews of the first start are done.
await page.goto(`${demo.base_url}/console/review`);
await page.getByText(/^\d+ loads? needs? a person/).waitFor();
await page
  .getByRole('row', { name: /do not add up/ })
  .getByRole('button')
  .click();
await page.waitForFunction("document.querySelector('.picture img')?.naturalWidth > 0");
await keep('review');
await page.goto(`${demo.base_url}/console/day`);
await page.locator('.truck').first().press('Enter');
await keep('day');
// The worked example of docs/billing.md, opened down to a ticket.
await page.goto(`${demo.base_url}/console/settlements`);
await page.getByRole('button', { name: 'AR-5', exact: true }).click();
const tree = page.getByRole('region', { name: 'How the total came about' });
for (const name of [
  /^invoices/,
  /^INV-\d+ 1,285.64/,
  /^total 1,285.64/,
  /^before tax/,
  /^lines/,
  /^freight of load 20-1-2/,
  /^billed quantity/,
  /^minimum 22/,
  /^load 20-1-2/,
])
  await tree.getByRole('button', { name }).click();
// The policy of the page lets no function be made there, which waiting for one would do.
while (!(await page.evaluate("document.querySelector('.tree .picture img')?.naturalWidth > 0"))) await page.waitForTimeout(100);
await page.evaluate("document.getElementById('settlement-title').scrollIntoView()");
await keep('settlements');
await browser.close();
