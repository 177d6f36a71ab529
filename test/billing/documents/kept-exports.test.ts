import { beforeEach, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { until } from '../../helpers/until.ts';
import { type Books, event, makeBooks } from '../books.ts';
import { approvedInvoice, settle } from '../settled.ts';
import { Exporting } from './exporting.ts';
import { fileOf } from './filed.ts';
import type { LinkedSystem } from './linked-system.ts';
import { nextTry } from './next-try.ts';
import { blocksOf, csv } from './read-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const shared = makeBooks({ worker: true });
const scene = new Exporting(shared);
const { read, reaches } = scene;
let books: Books;
let system: LinkedSystem;
let admin: string;
beforeEach(async () => {
  ({ books, system } = scene);
  admin = await books.tenant.administrator();
});

const taxed = { customer_rate_value: 5, customer_rate_type: 'RatePerTon', tax_rate: 8.25, tax_freight: true };
const negated = (text: string): string => (Number(text) === 0 ? text : text.startsWith('-') ? text.slice(1) : `-${text}`);
const back = (line: Json): Json => ({ ...line, quantity: negated(line.quantity), amount: negated(line.amount) });

let times = 0;
/** Changes what the lines of an invoice and its customer are called: a ticket has another material, and the material and the customer other names. */
async function rename({ job }: Json): Promise<void> {
  const { tenant } = books;
  const sand = await tenant.must('POST', '/v1/materials', { name: `Washed sand ${++times}` }, admin);
  const [ticket] = await tenant.must('GET', `/v1/jobs/${job.id}/tickets`);
  await tenant.must('PATCH', `/v1/tickets/${ticket.id}`, { material_id: sand.id }, admin);
  await tenant.must('PATCH', `/v1/materials/${tenant.material.id}`, { name: `Chips ${times}` }, admin);
  await tenant.must('PATCH', `/v1/accounts/${tenant.account.id}`, { name: `New name ${times}`, accounting_id: `N-${times}` }, admin);
  await books.app.settled();
}
const serviceOf = async ({ job }: Json): Promise<string> => (await books.tenant.must('GET', `/v1/orders/${job.order.id}`)).service.id;
/** Another customer, who is the one that the system knows from now on. */
async function mapElsewhere(): Promise<void> {
  const other = { company: ref(books.tenant.company), name: 'Another one', accountTypes: ['customer'] };
  await system.map((await books.tenant.save(Account, other as never)).id);
}

test('a system gets back what it has got, to the line: whatever was renamed, corrected or mapped to something else since', async () => {
  const { biller } = books;
  await system.map();
  const invoice = await approvedInvoice(books, ['10', '20'], { order: taxed });
  const settled = await approvedInvoice(books, ['10'], { order: taxed });
  await system.mapItem('I-1', await serviceOf(invoice));
  await event(biller, invoice.id, 'export');
  await reaches(invoice, 'exported');
  const settlement = await settle(books, [settled]);
  await biller.must('PUT', biller.path(`/settlements/${settlement.id}/approve`), {});
  await biller.must('POST', biller.path(`/settlements/${settlement.id}/export`), undefined);
  const numbers: string[] = [invoice.invoice_id, settlement.settlement_id];
  await until(async () => numbers.every((number) => system.numbered(number).length > 0));
  await until(async () => (await biller.must('GET', biller.path(`/settlements/${settlement.id}`))).exported_at);
  const [sent, ofSettlement] = numbers.map((number) => system.numbered(number)[0]!);
  expect(sent).toMatchObject({ customer: 'C-1', lines: [{ item: 'I-1', description: expect.stringContaining('Gravel') }] });
  await rename(invoice);
  await rename(settled);
  await system.mapItem('I-1', null);
  await system.mapItem('I-2', await serviceOf(invoice));
  await mapElsewhere();
  await event(biller, invoice.id, 'void');
  const voided = await reaches(invoice, 'exported', 'accounting_reversal');
  await biller.must('PUT', biller.path(`/settlements/${settlement.id}/void`), {});
  await until(async () => numbers.every((number) => system.numbered(`${number}-R`).length > 0));
  for (const [i, document] of [sent, ofSettlement].entries()) {
    const reversals = system.numbered(`${numbers[i]}-R`);
    const { id, date, due_date, reverses, ...said } = reversals[0]!;
    const { id: of, date: _date, due_date: _due, ...was } = document;
    expect(reversals).toHaveLength(1);
    expect(said).toEqual({
      ...was,
      number: `${numbers[i]}-R`,
      lines: was.lines.map(back),
      taxes: was.taxes.map((tax: Json) => ({ ...tax, amount: negated(tax.amount) })),
      total: negated(was.total),
    });
    expect([reverses.number, id === of, date === due_date]).toEqual([numbers[i], false, true]);
  }
  expect(system.numbered(`${numbers[0]}-R`)[0].date).toBe(voided.reversal_date);
});

test('what was sent and not answered is sent again to the byte, whatever it would say by now', async () => {
  await system.map();
  const invoice = await approvedInvoice(books, ['10', '20'], { order: taxed });
  const bodies: string[] = [];
  system.disturb = (document, asked) => {
    bodies.push(asked.body);
    system.take(document);
    return (res) => void res.destroy();
  };
  const company = { companyId: books.tenant.company.id };
  await event(books.biller, invoice.id, 'export');
  await until(async () => (await read(invoice)).accounting_export.last_error);
  await rename(invoice);
  await until(async () => {
    await nextTry(books.app, { ...company, attempts: 5 });
    return (await read(invoice)).accounting_export.state === 'failed';
  });
  await rename(invoice);
  // Neither does another item that somebody maps meanwhile make it another document.
  await system.mapItem('I-2', await serviceOf(invoice));
  await until(async () => {
    await nextTry(books.app, company);
    return bodies.length > 2;
  });
  system.disturb = (_document, asked) => void bodies.push(asked.body);
  await until(async () => {
    await nextTry(books.app, company);
    return (await read(invoice)).accounting_export.state === 'exported';
  });
  expect(bodies.length).toBeGreaterThan(3);
  expect(new Set(bodies).size).toBe(1);
  expect(system.got.size).toBe(1);
});

test('what was refused is drawn up anew before it is sent again: it has not arrived', async () => {
  await system.map();
  const invoice = await approvedInvoice(books, ['10'], { order: taxed });
  system.disturb = () => ({ status: 422, body: { error: 'The period is closed.' } });
  await event(books.biller, invoice.id, 'export');
  await reaches(invoice, 'failed');
  await rename(invoice);
  system.disturb = () => undefined;
  await event(books.biller, invoice.id, 'export');
  await reaches(invoice, 'exported');
  expect(system.numbered(invoice.invoice_id)).toMatchObject([
    { revision: 2, lines: [{ description: expect.stringContaining('Washed sand') }] },
  ]);
});

/** Links a system that exchanges files, in which the customer of the company has a name. @returns what maps nothing there any more */
async function atTheDesk(): Promise<() => Promise<void>> {
  const { app, tenant } = books;
  const { link_token } = await tenant.must('POST', '/v1/integrations/link_tokens', {}, admin);
  const lists = {
    customers: [{ id: 'D-1', name: 'Customer at the desk' }],
    ledger_accounts: [{ id: 'D-2', name: 'Debtors at the desk', type: 'AccountsReceivable' }],
  };
  const headers = { accept: 'application/json' };
  const { body } = await app.http('POST', `/accounting/setup/${link_token}`, { body: { system: 'file', name: 'Desk', lists }, headers });
  const linked = await tenant.must('POST', '/v1/integrations/linked_accounts', { public_token: body.public_token }, admin);
  await app.settled();
  const listed = `/v1/integrations/linked_accounts/${linked.id}`;
  const [customer] = await tenant.must('GET', `${listed}/customers`, undefined, admin);
  const [ledger] = await tenant.must('GET', `${listed}/ledger_accounts`, undefined, admin);
  const map = (id: string | null) => tenant.must('PATCH', `/v1/integrations/customers/${customer.id}`, { customer_account_id: id }, admin);
  const post = (type: string | null) => tenant.must('PATCH', `/v1/integrations/ledger_accounts/${ledger.id}`, { type }, admin);
  await map(tenant.account.id);
  await post('AccountsReceivable');
  return async () => {
    await map(null);
    await post(null);
  };
}

const FORMATS: Record<string, Record<string, string>> = {
  quickbooks_desktop: {},
  quickbooks_online: { tax_item: 'Tax of the state' },
  xero: { tax_account: '825', tracking_1: 'material' },
};

test('what somebody notes as exported is in every file as it was then, and is taken back by the same names', async () => {
  const { biller } = books;
  // Nobody notes by hand what a linked system has.
  await system.unlink();
  const unmap = await atTheDesk();
  const invoice = await approvedInvoice(books, ['10', '20'], { order: taxed });
  const settled = await approvedInvoice(books, ['10'], { order: taxed });
  const settlement = await settle(books, [settled]);
  await biller.must('PUT', biller.path(`/settlements/${settlement.id}/approve`), {});
  const files = async (): Promise<Record<string, Buffer>> => {
    const made: Record<string, Buffer> = {};
    for (const [format, more] of Object.entries(FORMATS))
      made[format] = (await fileOf({ books, admin }, format, [settlement], more, [invoice])).bytes;
    return made;
  };
  const note = (exported_at: string | null) => biller.must('PATCH', `/v1/settlements/${settlement.id}`, { exported_at });
  await note('2026-11-24T12:00:00Z');
  // It was a mistake: what is renamed meanwhile is in the next file.
  await rename(settled);
  await note(null);
  const exported = await files();
  expect(exported.xero!.toString()).toContain('Washed sand');
  expect(exported.xero!.toString()).toContain('Customer at the desk');
  await note('2026-11-24T12:00:00Z');
  expect((await event(biller, invoice.id, 'export')).body.data.state).toBe('exported');
  for (const id of [settlement.id])
    expect(await biller.must('GET', biller.path(`/settlements/${id}`))).not.toHaveProperty('integration_settlement_export');
  expect(await read(invoice)).not.toHaveProperty('accounting_export');
  await rename(invoice);
  await rename(settled);
  await unmap();
  expect(await files()).toEqual(exported);
  // That the time was another one changes nothing of what was exported.
  await note('2026-11-24T13:00:00Z');
  expect(await files()).toEqual(exported);
  await event(biller, invoice.id, 'void');
  await biller.must('PUT', biller.path(`/settlements/${settlement.id}/void`), {});
  const takenBack = await files();
  const rowsOf = (bytes: Buffer) =>
    csv(bytes).map(({ '*InvoiceDate': _date, '*DueDate': _due, 'Invoice date': _of, 'Due date': _until, ...row }) => row);
  for (const format of ['xero', 'quickbooks_online']) {
    const number = format === 'xero' ? '*InvoiceNumber' : 'Invoice no';
    // Tax is one at its amount.
    const signed = (isTax: boolean): string[] => {
      if (format === 'xero') return isTax ? ['*UnitAmount'] : ['*Quantity'];
      return [isTax ? 'Item rate' : 'Item quantity', 'Item amount'];
    };
    const isTax = (row: Json): boolean => (format === 'xero' ? row['*AccountCode'] === '825' : row.Item === 'Tax of the state');
    const expected = rowsOf(exported[format]!).map((row) => ({
      ...row,
      [number]: `${row[number]}-R`,
      ...(format === 'xero' ? {} : { Memo: `${row.Memo}-R` }),
      ...Object.fromEntries(signed(isTax(row)).map((column) => [column, negated(row[column]!)])),
    }));
    // The line of the tax is of the date of its document.
    const withoutDay = (rows: Json[]) => rows.map(({ 'Service date': day, ...row }) => (isTax(row) ? row : { ...row, day }));
    expect([format, withoutDay(rowsOf(takenBack[format]!))]).toEqual([format, withoutDay(expected)]);
  }
  const desktop = (bytes: Buffer) =>
    blocksOf(bytes).map((block) => block.map(({ ACCNT, NAME, INVITEM, AMOUNT }) => [ACCNT, NAME, INVITEM, Number(AMOUNT)]));
  expect(desktop(takenBack.quickbooks_desktop!)).toEqual(
    desktop(exported.quickbooks_desktop!).map((block) =>
      block.map(([account, name, item, amount]) => [account, name, item, -(amount as number)]),
    ),
  );
  expect(desktop(exported.quickbooks_desktop!)[0]![0]!.slice(0, 2)).toEqual(['Debtors at the desk', 'Customer at the desk']);
});
