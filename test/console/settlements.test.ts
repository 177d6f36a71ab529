import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { InvoiceBlocker, InvoiceReason, InvoiceWarning } from '../../src/billing/invoices/invoice-enums.ts';
import { REASONS, SENTENCES, WARNINGS } from '../../src/console/settlements/sentences.ts';
import { approveLoads, type Books, billerOf, event, hauled, invoiceOf, settledWork } from '../billing/books.ts';
import { sendForm } from '../files/form.ts';
import type { StaffedTenant } from '../helpers/staffed-tenant.ts';
import { until } from '../helpers/until.ts';
import { hasBrowser } from '../helpers/where.ts';
import { jpeg } from '../ingest/files/sample-files.ts';
import { makeOperator, withBrowser } from './operator.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const operator = makeOperator({ invoices: true });
let books: Books;
beforeAll(async () => {
  if (!hasBrowser) return;
  const person = (role: string) => operator.tenant.person({ roles: [role] });
  const tenant: StaffedTenant = { ...operator.tenant, admin: await person('company_admin'), dispatcher: await person('dispatcher') };
  books = { app: operator.app, tenant, biller: await billerOf(tenant) };
});

const BY_TON = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon' };
const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.innerText || document.activeElement.name || ""');
const stateOf = async (id: string): Promise<string> => (await books.biller.must('GET', books.biller.path(`/settlements/${id}`))).state;

test('every reason that keeps work from being billed, or that should be looked at, has a sentence', () => {
  expect(Object.keys(SENTENCES).sort()).toEqual(Object.values(InvoiceBlocker).sort());
  expect(Object.keys(WARNINGS).sort()).toEqual(Object.values(InvoiceWarning).sort());
  // No command cancels a single load.
  expect(SENTENCES.open_load).not.toMatch(/cancel/);
  expect(Object.keys(REASONS).sort()).toEqual(Object.values(InvoiceReason).sort());
});

withBrowser('a settlement is explained down to the picture of a ticket, printed, approved, corrected and paid by keyboard', async () => {
  const settled = await settledWork(books, 'receivable', BY_TON);
  const [load] = settled.job.loads;
  const { data } = await books.biller.gql('query($id: ID!) { load(id: $id) { ticket { id ticketNumber } } }', { id: load.id });
  const { ticket }: Json = data.load;
  const form = await sendForm(
    operator.app,
    'POST',
    `/v1/tickets/${ticket.id}/image`,
    [['image', jpeg(), 'ticket.jpg']],
    operator.tenant.token,
  );
  expect(form.status).toBe(201);
  const { page, complaints, asked, hosts } = await operator.open('/console/settlements');
  await operator.signIn(page);
  await page.getByText('1 settlement.').waitFor();
  await page.keyboard.press('j');
  const panel = page.getByRole('region', { name: `settlement ${settled.settlement_id}` });
  await panel.getByText(/^85\.00 [A-Z]{3}$/).waitFor();
  expect(await focused(page)).toBe(`settlement ${settled.settlement_id}`);

  // From the total to the invoice, and from there to the ticket.
  const tree = panel.getByRole('region', { name: 'How the total came about' });
  await tree.getByRole('button', { name: 'invoices 85.00' }).focus();
  for (const name of [
    /^INV-\d+ 85/,
    'total 85.00',
    'before tax 85.00',
    'lines 85.00',
    /^freight of load \S+ 42.50/,
    'billed quantity 10',
    'minimum 10',
    /^load \S+ 10/,
  ]) {
    await page.keyboard.press('ArrowRight');
    // The settlement has such a total, too.
    const place = name === 'total 85.00' ? 1 : 0;
    await tree.getByRole('button', { name }).nth(place).waitFor();
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('ArrowRight');
  await tree.getByText(`Ticket ${ticket.ticketNumber}`).waitFor();
  await until(() => page.evaluate("document.querySelector('.tree .picture img')?.naturalWidth > 0"));
  await page.keyboard.press('ArrowLeft');
  await tree.getByText(`Ticket ${ticket.ticketNumber}`).waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowLeft');
  expect(await focused(page)).toContain('minimum');

  // As it is printed, next to it.
  const paper = panel.locator('iframe');
  expect(await paper.getAttribute('src')).toMatch(/^blob:/);

  await page.keyboard.press('a');
  await page.getByText(`${settled.settlement_id}: approved.`).waitFor();
  expect(await stateOf(settled.id)).toBe('approved');

  // The refusal is shown, and the settlement stays.
  await page.keyboard.press('c');
  const correction = panel.getByRole('form', { name: 'Correct the settlement' });
  const comparison = correction.getByRole('region', { name: 'What it comes to' });
  await page.keyboard.type('The price was 4.50.');
  const rate = correction.getByLabel('Rate per ton');
  await rate.waitFor();
  expect(await rate.inputValue()).toBe('4.25');
  await rate.fill('-1');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: /\S/ }).first().waitFor();
  expect(await stateOf(settled.id)).toBe('approved');
  // The total is shown before anything is done, and again when something else is typed.
  await rate.fill('4.6');
  await page.keyboard.press('Enter');
  await comparison.getByRole('row', { name: /^Difference \+7\.00/ }).waitFor();
  await rate.fill('4.5');
  expect(await comparison.count()).toBe(0);
  await page.keyboard.press('Enter');
  await comparison.getByRole('row', { name: /^INV-\d+ 85\.00 90\.00$/ }).waitFor();
  await comparison.getByRole('row', { name: /^Total 85\.00 [A-Z]{3} 90\.00 [A-Z]{3}$/ }).waitFor();
  expect([await focused(page), await stateOf(settled.id)]).toEqual(['Void it and settle anew', 'approved']);
  await page.keyboard.press('Enter');
  await page.getByText(`takes the place of ${settled.settlement_id}; it differs by +5.00 `).waitFor();
  const made = page.getByRole('region', { name: /^settlement/ });
  await made
    .getByText(/^90\.00 [A-Z]{3}$/)
    .first()
    .waitFor();
  await page.keyboard.press('p');
  await page.getByText(/: paid\.$/).waitFor();
  await made.getByRole('button', { name: settled.settlement_id }).click();
  await panel.getByText('Voided because').waitFor();
  // How it came about is not known any more; what it said when it was approved is.
  await panel.getByText('its invoices were changed since: how it came about is not').waitFor();
  await panel.getByTitle(`${settled.settlement_id} as it is printed`).waitFor();
  expect(await stateOf(settled.id)).toBe('voided');
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  expect([complaints, [...hosts]]).toEqual([[], [operator.app.url]]);
  const own = /^\/(graphql|v1\/auth\/login|v1\/tickets\/[^/]+\/image\/(file|preview)|v1\/companies\/[^/]+\/settlements\/[^/]+\/pdf)$/;
  expect(asked.filter((path) => !own.test(path))).toEqual([]);
});

withBrowser('what cannot be billed says why by day, drafts are settled, and what was voided is billed anew', async () => {
  const blocked = await hauled(books, ['10'], { order: BY_TON });
  const { invoice_id: blockedInvoice } = await invoiceOf(books, blocked.id);
  const ready = await hauled(books, ['20'], { order: BY_TON });
  await approveLoads(books.biller, ready);
  const draft = await invoiceOf(books, ready.id);
  await event(books.biller, draft.id, 'approve');
  const { page, complaints } = await operator.open('/console/settlements?show=blockers');
  await operator.signIn(page);
  const row = page.getByRole('region', { name: /^Work of \d{4}-\d\d-\d\d$/ }).getByRole('row', { name: blockedInvoice });
  await row.getByText('A load has not been approved for billing.').waitFor();

  await page.getByRole('combobox', { name: 'Show' }).selectOption('drafts');
  await page.getByLabel(draft.invoice_id).check();
  await page.getByRole('button', { name: 'Settle what is marked' }).click();
  await page.getByText(/^AR-\d+ is made\.$/).waitFor();
  const panel = page.getByRole('region', { name: /^settlement AR-\d+$/ });
  await panel
    .getByText(/^85\.00 [A-Z]{3}$/)
    .first()
    .waitFor();
  const name = (await panel.getByRole('heading', { level: 2 }).innerText()).replace('settlement ', '');

  await page.keyboard.press('v');
  await page.keyboard.type('Twice the same.');
  await page.keyboard.press('Enter');
  await page.getByText(`${name}: voided.`).waitFor();
  await panel.getByText('Twice the same.').waitFor();
  await page.keyboard.press('b');
  await page.getByText(`bills ${name} anew; it differs by +0.00 `).waitFor();
  await panel.getByRole('button', { name, exact: true }).waitFor();
  // Letters do nothing while they are switched off.
  await page.getByLabel('Letters act').uncheck();
  await page.keyboard.press('a');
  expect(await page.getByText(/: approved\.$/).count()).toBe(0);
  await page.getByLabel('Letters act').check();
  expect(complaints).toEqual([]);
});

withBrowser('who reads no settlements has no such page', async () => {
  const { page } = await operator.open('/console/settlements');
  await operator.signIn(page, await operator.colleague('foreman'));
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await page.getByRole('heading', { name: 'Settlements' }).count()).toBe(0);
});
