import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import type { DemoAccess } from '../src/demo/seed.ts';

/**
 * Takes the pictures of the documentation anew, from the demo company of a running product: `npm start` in one terminal, and `npm run
 * pictures [-- --demo .data/demo.json]` in another. The product needs `HAULGATE_WEBHOOK_PRIVATE_HOSTS=on`, to send webhooks to this script.
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
await pictured('.picture img');
await keep('review');
await page.goto(`${demo.base_url}/console/day`);
await page.locator('.site').first().waitFor();
await page.locator('.figures dd').first().waitFor();
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
await pictured('.tree .picture img');
await page.evaluate("document.getElementById('settlement-title').scrollIntoView()");
await keep('settlements');
await corrections();
await approvals();
await webhooks();
await browser.close();

/** Waits for a picture. The policy of the page lets no function be made there, which Playwright's waiting for one would do. */
async function pictured(selector: string): Promise<void> {
  while (!(await page.evaluate(`document.querySelector('${selector}')?.naturalWidth > 0`))) await page.waitForTimeout(100);
}

/** The form that corrects the worked example, with what it would come to; nothing is corrected. */
async function corrections(): Promise<void> {
  await page.getByRole('button', { name: 'Correct', exact: true }).click();
  const form = page.getByRole('form', { name: 'Correct the settlement' });
  await form.getByLabel('Reason').fill('Agreed on by telephone: 4.60 a ton, and half an hour less.');
  const first = form.getByRole('group').first();
  await first.getByLabel('Rate per ton').fill('4.60');
  await form.getByLabel('Another invoice').selectOption({ index: 1 });
  const second = form.getByRole('group').last();
  await second.getByLabel('Single lines').check();
  await second.getByRole('textbox').first().fill('3.75');
  await form.getByRole('button', { name: 'Show what it comes to' }).click();
  await form.getByRole('row', { name: /^Difference/ }).waitFor();
  await page.evaluate("document.getElementById('settlement-title').scrollIntoView()");
  await keep('correct');
}

/** Takes the invoices that can be approved: some of them are marked, and one is opened. */
async function approvals(): Promise<void> {
  await page.goto(`${demo.base_url}/console/settlements?show=approvable`);
  const rows = page.getByRole('row').filter({ hasText: 'Hill Country Paving' });
  await rows.first().waitFor();
  for (const at of [0, 1, 2]) await rows.nth(at).getByRole('checkbox').check();
  await rows.nth(1).getByRole('button').click();
  for (const name of [/^before tax/, /^lines/]) await tree.getByRole('button', { name }).first().click();
  await tree
    .getByRole('button', { name: /^freight of load/ })
    .first()
    .waitFor();
  await keep('approve');
}

/** Two subscriptions, one to an endpoint that is out of order; of the other one what was sent and answered. They are deleted afterwards. */
async function webhooks(): Promise<void> {
  const basic = Buffer.from(`${demo.client_id}:${demo.client_secret}`).toString('base64');
  // biome-ignore lint/suspicious/noExplicitAny: answers of the product
  const ask = async (method: string, path: string, headers: Record<string, string>, body?: string | URLSearchParams): Promise<any> => {
    const answer = await fetch(new URL(path, demo.base_url), { method, headers, body });
    if (!answer.ok) throw new Error(`${method} ${path} answers ${answer.status} ${await answer.text()}`);
    return answer.status === 204 ? undefined : answer.json();
  };
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  const { access_token } = await ask('POST', '/v1/auth/token', { authorization: `Basic ${basic}` }, form);
  const call = async (method: string, path: string, body?: object) =>
    (await ask(method, path, { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }, body && JSON.stringify(body)))
      ?.data;
  const answers: Record<string, (res: ServerResponse) => void> = {
    '/billing': (res) => res.writeHead(200, { 'content-type': 'application/json' }).end('{"queued":true}'),
    '/weighbridge': (res) => res.writeHead(503).end('closed for maintenance'),
  };
  const server = createServer((req, res) => void req.resume().on('end', () => answers[req.url!]!(res)));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const triggers = (...topics: string[]) =>
    topics.flatMap((topic) => ['create', 'update', 'state_change'].map((event) => `${topic}::${event}`));
  const made = [
    await call('POST', '/v1/webhook_subscriptions', {
      name: 'Weighbridge',
      url: `${address}/weighbridge`,
      triggers: triggers('Ticket', 'Order'),
    }),
    await call('POST', '/v1/webhook_subscriptions', {
      name: 'Billing',
      url: `${address}/billing`,
      triggers: triggers('Order', 'Job', 'Load', 'Ticket'),
    }),
  ];
  const [one, other] = await call('GET', `/v1/companies/${demo.company_id}/orders?page[limit]=2`);
  await call('PATCH', `/v1/orders/${one.id}`, { notes: 'Gate 4 is closed. Come by the north road.' });
  await call('PATCH', `/v1/orders/${other.id}`, { po_job_number: 'PO-4471' });
  await call('POST', '/v1/tickets', { order_id: one.id, ticket_number: 'S-90417', quantity: '21.36', unit_of_measure: 'Ton' });
  await page.goto(`${demo.base_url}/console/webhooks`);
  await page.getByRole('button', { name: 'Billing', exact: true }).click();
  const panel = page.getByRole('region', { name: 'Billing' });
  const sent = panel.getByRole('button', { name: /^Ticket::create, / });
  while ((await sent.count()) === 0 || (await panel.getByText(/^delivered, 1 try$/).count()) < 3) {
    await panel.getByRole('button', { name: 'Refresh' }).click();
    await page.waitForTimeout(500);
  }
  await page.getByRole('button', { name: 'Refresh' }).first().click();
  await sent.first().click();
  await panel.getByText('What was answered').click();
  await panel.getByText('{"queued":true}').waitFor();
  await page.getByText(/Failing since/).waitFor();
  await keep('webhooks');
  for (const { id } of made) await call('DELETE', `/v1/webhook_subscriptions/${id}`);
  server.close();
}
