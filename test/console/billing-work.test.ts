import { readFile } from 'node:fs/promises';
import { beforeAll, expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { approveLoads, type Books, billerOf, event, hauled, invoiceOf, rateCard } from '../billing/books.ts';
import { approvedInvoice, settle } from '../billing/settled.ts';
import { accountFor, connect, makeStaffedTenant, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { until } from '../helpers/until.ts';
import { hasBrowser } from '../helpers/where.ts';
import { makeOperator, withBrowser } from './operator.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const operator = makeOperator({ invoices: true, deliveries: true });
let books: Books;
beforeAll(async () => {
  if (!hasBrowser) return;
  const person = (role: string) => operator.tenant.person({ roles: [role] });
  const tenant: StaffedTenant = { ...operator.tenant, admin: await person('company_admin'), dispatcher: await person('dispatcher') };
  books = { app: operator.app, tenant, biller: await billerOf(tenant) };
});

const BY_TON = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon' };
const get = (path: string): Promise<Json> => books.biller.must('GET', books.biller.path(path));
const act = (id: string, name: string): Promise<Json> => books.biller.must('PUT', books.biller.path(`/settlements/${id}/${name}`), {});

/** Opens the page as somebody who may do all of it. */
async function openAt(address: string): Promise<Page> {
  const { page } = await operator.open(`/console/settlements${address}`);
  await operator.signIn(page);
  return page;
}
const panelOf = (page: Page, what: string): Locator => page.getByRole('region', { name: what, exact: true });

withBrowser('what can be approved is looked at and approved, one by one or together, and what is refused stays marked', async () => {
  const drafts: Json[] = [];
  for (const tons of ['10', '20', '30', '40']) {
    const job = await hauled(books, [tons], { order: BY_TON });
    await approveLoads(books.biller, job);
    drafts.push(await invoiceOf(books, job.id));
  }
  const [one, two, three, four] = drafts.map(({ invoice_id }) => invoice_id as string);
  const page = await openAt('?show=approvable');
  const rowOf = (name: string) => page.getByRole('row').filter({ has: page.getByRole('button', { name, exact: true }) });
  await rowOf(one!).getByText('42.50').waitFor();
  await page.getByText('4 invoices can be approved.').waitFor();

  // How it came about is there before it is approved.
  await page.getByLabel(`Mark ${two}`).check();
  await rowOf(one!).getByRole('button', { name: one }).click();
  const panel = panelOf(page, `invoice ${one}`);
  await panel.getByText('4.25 per ton').waitFor();
  const tree = panel.getByRole('region', { name: 'How the total came about' });
  await tree.getByRole('button', { name: 'before tax 42.50' }).waitFor();
  await page.keyboard.press('a');
  await page.getByText(`${one}: approved.`).waitFor();
  await rowOf(one!).waitFor({ state: 'detached' });
  expect((await get(`/invoices?filter[states][]=approved`)).map((invoice: Json) => invoice.invoice_id)).toEqual([one]);
  // The approval can be taken back where it was given, and what was marked is marked still.
  await panel.getByRole('button', { name: 'Take the approval back' }).click();
  await page.getByText(`${one}: no longer approved.`).waitFor();
  await rowOf(one!).waitFor();
  expect(await page.getByLabel(`Mark ${two}`).isChecked()).toBe(true);
  await page.keyboard.press('Escape');

  // Somebody else approves one meanwhile: the others are approved all the same.
  await page.getByLabel('Mark all of this page').check();
  await page.getByLabel(`Mark ${four}`).uncheck();
  expect((await event(books.biller, drafts[1].id, 'approve')).status).toBe(200);
  await page.getByRole('button', { name: 'Approve what is marked' }).click();
  await page.getByText('2 invoices are approved.').waitFor();
  await page.getByRole('alert').filter({ hasText: two! }).waitFor();
  const states = Object.fromEntries((await get('/invoices?page[limit]=100')).map((each: Json) => [each.invoice_id, each.state]));
  expect([one, two, three, four].map((name) => states[name!])).toEqual(['approved', 'approved', 'approved', 'pending']);
  await rowOf(four!).waitFor();

  // Next to them are those that are blocked, with what they come to so far.
  const blocked = await hauled(books, ['10'], { order: BY_TON });
  const { invoice_id: name } = await invoiceOf(books, blocked.id);
  await page.getByRole('combobox', { name: 'Show' }).selectOption('blockers');
  await page.getByRole('button', { name, exact: true }).click();
  const why = panelOf(page, `invoice ${name}`);
  await why.getByText('A load has not been approved for billing.').waitFor();
  expect(await why.getByRole('button', { name: 'Approve' }).count()).toBe(0);
});

withBrowser('a settlement says what was billed in addition to it, and leads there', async () => {
  const invoice = await approvedInvoice(books, ['10'], { order: BY_TON });
  const settled = await settle(books, [invoice]);
  await act(settled.id, 'approve');
  const made = await books.biller.must('POST', books.biller.path(`/invoices/${invoice.id}/supplements`), {
    ...{ rate_value: 4.4, rate_type: 'RatePerTon' },
  });
  const page = await openAt(`?item=${settled.id}`);
  const supplements = panelOf(page, `settlement ${settled.settlement_id}`).getByRole('region', { name: 'Supplements' });
  const row = supplements.getByRole('listitem');
  await row.getByText(`what differs from ${invoice.invoice_id}`).waitFor();
  expect(await row.innerText()).toMatch(/pending[\s\S]*1\.50/);
  await row.getByRole('button', { name: made.invoice_id }).click();
  // It waits in the list of what can be approved.
  const panel = panelOf(page, `invoice ${made.invoice_id}`);
  await panel.getByText(`what differs from ${invoice.invoice_id}`).waitFor();
  await page
    .getByRole('row', { name: `what differs from ${invoice.invoice_id}` })
    .getByRole('button', { name: made.invoice_id })
    .waitFor();
  await page.keyboard.press('a');
  await page.getByText(`${made.invoice_id}: approved.`).waitFor();
  await page.goBack();
  await row.getByText('approved').waitFor();
});

withBrowser(
  'a settlement is sent to the company of its customer, which agrees to it and reports that it has paid, by keyboard',
  async () => {
    const customer = await makeStaffedTenant(books.app, { legalName: 'Ready Mix' });
    await connect(customer, books.tenant);
    const account_id = await accountFor(books.tenant, customer);
    const settled = await settle(books, [await approvedInvoice(books, ['10'], { order: { ...BY_TON, account_id } })]);
    await act(settled.id, 'approve');
    const name = settled.settlement_id;
    const stateOf = async (): Promise<string> => (await get(`/settlements/${settled.id}`)).state;
    const page = await openAt(`?item=${settled.id}`);
    const panel = panelOf(page, `settlement ${name}`);
    await panel.getByRole('button', { name: 'Send to the customer' }).waitFor();
    await page.keyboard.press('s');
    await page.getByText(`${name}: sent.`).waitFor();
    expect(await stateOf()).toBe('customer_pending');

    const { page: theirs } = await operator.open('/console/settlements?show=received');
    await operator.signIn(theirs, await operator.colleague('company_admin', customer));
    await theirs.getByRole('button', { name, exact: true }).click();
    const received = panelOf(theirs, `settlement ${name}`);
    await received.getByText(/^42\.50 [A-Z]{3}$/).waitFor();
    // It is the debt of whoever reads it: nothing of it is theirs to correct or void.
    for (const button of ['Correct', 'Void']) expect(await received.getByRole('button', { name: button }).count()).toBe(0);
    await theirs.keyboard.press('a');
    await theirs.getByText(`${name}: agreed to.`).waitFor();
    await received.getByRole('button', { name: 'Report that it is paid' }).waitFor();
    await theirs.keyboard.press('p');
    await theirs.getByText(`${name}: reported as paid.`).waitFor();
    expect(await stateOf()).toBe('customer_paid');

    await page.getByRole('button', { name: 'Refresh' }).click();
    await panel.getByText('customer paid').first().waitFor();
    await panel.getByRole('button', { name: 'Note that it is paid' }).waitFor();
    await page.keyboard.press('p');
    await page.getByText(`${name}: paid.`).waitFor();
    expect(await stateOf()).toBe('paid');
  },
);

withBrowser('a settlement is sent by e-mail to whom its account wants it, and is a file for accounting', async () => {
  const { biller, tenant, app } = books;
  const account = await tenant.must('POST', '/v1/accounts', { name: 'Ready Mix', account_types: ['customer'] });
  const profile = tenant.path(`/accounts/${account.id}/billing_profile`);
  await tenant.must('PATCH', profile, { emails: ['ap@mix.example', 'yard@mix.example'] }, await tenant.administrator());
  const settled = await settle(books, [await approvedInvoice(books, ['10'], { order: { ...BY_TON, account_id: account.id } })]);
  const page = await openAt(`?item=${settled.id}`);
  const panel = panelOf(page, `settlement ${settled.settlement_id}`);
  await panel.getByRole('button', { name: 'Approve' }).waitFor();
  await page.keyboard.press('e');
  const form = panel.getByRole('form', { name: 'Send by e-mail' });
  const to = form.getByLabel('To');
  await until(async () => (await to.inputValue()).replaceAll(' ', '') === 'ap@mix.example,yard@mix.example');
  await to.fill('ap@mix.example, boss@mix.example');
  await page.keyboard.press('Enter');
  await page.getByText(`${settled.settlement_id}: on its way to ap@mix.example, boss@mix.example.`).waitFor();
  const mails = panel.getByRole('region', { name: 'E-mails' });
  await mails.getByText('boss@mix.example').waitFor();
  const { mails: sent } = await app.emails();
  expect(sent.flatMap(({ to }) => (to.endsWith('@mix.example') ? [to] : [])).sort()).toEqual(['ap@mix.example', 'boss@mix.example']);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await mails
    .getByRole('listitem')
    .filter({ hasText: /ap@mix\.example\s*delivered/ })
    .waitFor();

  // Only what is approved is given to accounting.
  expect(await panel.getByRole('button', { name: 'File for accounting' }).count()).toBe(0);
  await page.keyboard.press('a');
  await page.getByText(`${settled.settlement_id}: approved.`).waitFor();
  await panel.getByRole('button', { name: 'File for accounting' }).waitFor();
  await page.keyboard.press('f');
  const file = panel.getByRole('form', { name: 'File for accounting' });
  await file.getByLabel('For').selectOption('Sage 100 Contractor (CSV)');
  await file.getByRole('button', { name: 'Download' }).click();
  await panel.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
  await file.getByLabel('For').selectOption('Xero (CSV)');
  await file.getByLabel('Account', { exact: true }).fill('4711');
  const download = page.waitForEvent('download');
  await file.getByRole('button', { name: 'Download' }).click();
  const taken = await download;
  expect(taken.suggestedFilename()).toBe(`${settled.settlement_id}.csv`);
  const text = await readFile(await taken.path(), 'utf8');
  for (const part of ['*InvoiceNumber', settled.settlement_id, '10,4.25,4711']) expect(text).toContain(part);
  await page.getByText(`${settled.settlement_id}.csv is downloaded.`).waitFor();
  expect(await biller.must('GET', biller.path(`/settlements/${settled.id}`))).toMatchObject({ state: 'approved' });
});

withBrowser('what a driver owes is charged with the next settlement, which both name', async () => {
  const { tenant, biller } = books;
  /** An approved payable of the driver. */
  const pay = async (flat: number): Promise<Json> => {
    const job = await hauled(books, ['1'], { order: { driver_rate_value: flat, driver_rate_type: 'RateFlatRate' } });
    await tenant.must('PUT', tenant.path(`/jobs/${job.id}/approve`), {}, await tenant.administrator());
    const payable = await invoiceOf(books, job.id, 'payable');
    expect((await event(biller, payable.id, 'approve')).status).toBe(200);
    return payable;
  };
  const first = await settle(books, [await pay(412.3)]);
  const loan = { name: 'Advance', quantity: 1, revenue_rate_value: -650 };
  await biller.must('POST', biller.path(`/settlements/${first.id}/add_on_charges`), loan);
  const page = await openAt(`?item=${first.id}`);
  const panel = panelOf(page, `settlement ${first.settlement_id}`);
  const owed = panel.getByRole('button', { name: 'Charge it with the next settlement' });
  await panel.getByRole('button', { name: 'Approve' }).waitFor();
  // Only what is approved is paid.
  expect(await owed.count()).toBe(0);
  await page.keyboard.press('a');
  await owed.waitFor();
  await page.keyboard.press('n');
  await page.getByText(`${first.settlement_id}: paid, and charged with the next settlement of the payee.`).waitFor();
  await panel.getByText('the next settlement of the payee', { exact: true }).waitFor();
  const next = await settle(books, [await pay(1000)]);
  expect(next.total_amount).toBe('762.3');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await panel.getByRole('button', { name: next.settlement_id }).click();
  await panelOf(page, `settlement ${next.settlement_id}`).getByText(`Balance of ${first.settlement_id}`).waitFor();
});

withBrowser('several invoices are corrected at once, by a rate card and line by line, and what a typed rate loses is said', async () => {
  const { tenant, biller } = books;
  const withMinimum = { type: 'RatePerTon', unit_rate: 4.25, unit_minimum: 22, unit_increment: 0 };
  const usual = await rateCard(tenant, 'customer', withMinimum);
  const other = await rateCard(tenant, 'customer', { ...withMinimum, unit_rate: 5 });
  const order = { customer_rate_id: usual.id };
  const invoices = [await approvedInvoice(books, ['10'], { order }), await approvedInvoice(books, ['30', '20'], { order })];
  const [one, two] = invoices.map(({ invoice_id }) => invoice_id as string);
  const settled = await settle(books, invoices);
  // 22 tons instead of 10, and 30 and 22 tons: 93.50 + 127.50 + 93.50.
  expect(settled.total_amount).toBe('314.5');
  const page = await openAt(`?item=${settled.id}`);
  const panel = panelOf(page, `settlement ${settled.settlement_id}`);
  await panel.getByRole('button', { name: 'Correct' }).click();
  const form = panel.getByRole('form', { name: 'Correct the settlement' });
  await form.getByLabel('Reason').fill('Both were wrong.');
  const of = (name: string) => form.getByRole('group', { name });
  await of(one!).getByText('A rate that is typed in counts without the minimum of 22.').waitFor();
  await of(one!).getByLabel('A rate card').check();
  await of(one!).getByRole('combobox', { name: 'Rate card' }).selectOption(`${other.name}: 5 per ton`);
  await form.getByLabel('Another invoice').selectOption(two!);
  await of(two!).getByLabel('Single lines').check();
  const lines = of(two!)
    .getByRole('row')
    .filter({ has: page.getByRole('textbox') });
  await lines.first().waitFor();
  expect(await lines.count()).toBe(2);
  // The line of 30 tons was 28 tons; its ticket follows.
  const heavy = lines.filter({ hasText: '127.50' });
  await heavy.getByRole('textbox').first().fill('28');
  await form.getByRole('button', { name: 'Show what it comes to' }).click();
  const comparison = form.getByRole('region', { name: 'What it comes to' });
  await comparison.getByRole('row', { name: new RegExp(`^${one} 93\\.50 110\\.00$`) }).waitFor();
  await comparison.getByRole('row', { name: new RegExp(`^${two} 221\\.00 212\\.50$`) }).waitFor();
  await comparison.getByRole('row', { name: /^Difference \+8\.00 / }).waitFor();
  const tickets = async (): Promise<string[]> =>
    (await tenant.must('GET', `/v1/jobs/${invoices[1].job.id}/tickets`)).map(({ quantity }: Json) => quantity).sort();
  expect([await tickets(), (await get(`/settlements/${settled.id}`)).state]).toEqual([['20', '30'], 'pending']);
  await page.keyboard.press('Enter');
  await page.getByText(`takes the place of ${settled.settlement_id}; it differs by +8.00 `).waitFor();
  expect([await tickets(), (await get(`/settlements/${settled.id}`)).state]).toEqual([['20', '28'], 'voided']);
  const [made] = await biller.must('GET', biller.path('/settlements/receivables?page[limit]=1'));
  expect(made).toMatchObject({ total_amount: '322.5', state: 'pending' });
});
