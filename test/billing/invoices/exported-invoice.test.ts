import { expect, test } from '@jest/globals';
import { INVARIANTS } from '../../../src/reporting/invariants/invariants.ts';
import { chargesOfM20, event, invoiceOf, M10, makeBooks, messages } from '../books.ts';
import { fileOf, refusal } from '../documents/filed.ts';
import { blocksOf, cellsOf, cents, csv, readSage, sum, times } from '../documents/read-files.ts';
import { closed, DAY, listedIn, NEXT, openBooks, reopen, said } from '../periods/closed.ts';
import { approvedInvoice, settle } from '../settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks({ worker: true });
const order = { customer_rate_value: 5, customer_rate_type: 'RatePerTon' };
const read = ({ id }: Json): Promise<Json> => books.biller.must('GET', books.biller.path(`/invoices/${id}`));

/** Returns the amounts of an invoice in each format, added up by another reader than that of the product. */
async function addedUp(admin: string, invoice: Json): Promise<Record<string, Map<string, bigint>>> {
  const ask = async (format: string, more: Record<string, string> = {}) =>
    (await fileOf({ books, admin }, format, [], more, [invoice])).bytes;
  const totals = (rows: Record<string, string>[], number: string, amountOf: (row: Record<string, string>) => bigint) =>
    new Map([...Map.groupBy(rows, (row) => row[number]!)].map(([name, own]) => [name, sum(own.map(amountOf))]));
  const [tax_account, tax_item] = ['825', 'Sales tax payable'];
  const blocks = blocksOf(await ask('quickbooks_desktop'));
  for (const block of blocks) expect(sum(block.map(({ AMOUNT }) => cents(AMOUNT!)))).toBe(0n);
  const template = await books.tenant.must(
    ...(['POST', books.tenant.path('/accounting_templates')] as const),
    ...([{ name: `T ${invoice.id} ${Math.random()}`, columns: COLUMNS }, admin] as const),
  );
  return {
    iif: new Map(blocks.map(([owed]) => [owed!.DOCNUM!, cents(owed!.AMOUNT!)])),
    online: totals(csv(await ask('quickbooks_online', { tax_item })), 'Invoice no', (row) => cents(row['Item amount']!)),
    xero: totals(csv(await ask('xero', { tax_account })), '*InvoiceNumber', (row) => times(row['*Quantity']!, row['*UnitAmount']!)),
    sage: readSage(await ask('sage_100_contractor', { account: '4000', tax_account })),
    template: totals(csv(await ask('template', { template_id: template.id })), 'No', (row) => cents(row.Amount!)),
  };
}
const COLUMNS = [
  { heading: 'No', field: 'number' },
  { heading: 'Amount', field: 'amount' },
];

test('an invoice by itself is in the file of every format, and so is what takes it back after it was voided', async () => {
  const { biller, tenant } = books;
  const admin = await tenant.administrator();
  await tenant.must('PATCH', `/v1/accounts/${tenant.account.id}`, { accounting_id: '1042' }, admin);
  const { fuel, wash, order: ofM20 } = await chargesOfM20(books);
  const invoice = await approvedInvoice(books, M10, { order: ofM20, charges: [fuel, wash] });
  expect(invoice.total_amount).toBe('1285.64');
  const number = invoice.invoice_id;
  const formats = ['iif', 'online', 'xero', 'sage', 'template'];
  const each = (name: string, total: bigint) => Object.fromEntries(formats.map((format) => [format, new Map([[name, total]])]));
  expect(await addedUp(admin, invoice)).toEqual(each(number, 128_564n));
  const exported = (await event(biller, invoice.id, 'export')).body.data;
  expect([exported.state, exported.state_events]).toEqual(['exported', ['pay', 'void']]);
  expect(await addedUp(admin, invoice)).toEqual(each(number, 128_564n));
  // It gets there once, also after it was paid.
  expect((await event(biller, invoice.id, 'pay')).status).toBe(200);
  const twice = await event(biller, invoice.id, 'export');
  expect([twice.status, messages(twice)]).toEqual([409, ['was handed to accounting already']]);
  expect((await event(biller, invoice.id, 'void')).body.data).toMatchObject({ state: 'voided', state_events: [] });
  expect(await addedUp(admin, invoice)).toEqual(each(`${number}-R`, -128_564n));
  const [owed] = blocksOf((await fileOf({ books, admin }, 'quickbooks_desktop', [], {}, [invoice])).bytes)[0]!;
  expect(owed!.TRNSTYPE).toBe('CREDIT MEMO');
  const kept = await read(invoice);
  expect(kept).toMatchObject({ posting_date: DAY, accounting_reversal: { state: 'not_exported' } });
  expect(kept).not.toHaveProperty('accounting_export');
  expect(kept.reversal_date > DAY).toBe(true);
  // The work is billed anew, by an invoice that accounting does not know; what takes back the first one stays as it is.
  const anew = await invoiceOf(books, invoice.job.id);
  expect(anew).toMatchObject({ state: 'pending', total_amount: '1285.64', approvable: true });
  expect(anew.id).not.toBe(invoice.id);
  await biller.must('PATCH', biller.path(`/invoices/${anew.id}`), { rate_value: 4.5, rate_type: 'RatePerTon' });
  expect((await addedUp(admin, invoice)).xero).toEqual(new Map([[`${number}-R`, -128_564n]]));
  // A file may have both kinds; the lines of each add up to it.
  expect((await event(biller, anew.id, 'approve')).status).toBe(200);
  const settlement = await settle(books, [await approvedInvoice(books, ['1'], { order })]);
  await biller.must('PUT', biller.path(`/settlements/${settlement.id}/approve`), {});
  const rows = csv((await fileOf({ books, admin }, 'xero', [settlement], { tax_account: '825' }, [anew, invoice])).bytes);
  expect([...new Set(rows.map((row) => row['*InvoiceNumber']))]).toEqual([settlement.settlement_id, anew.invoice_id, `${number}-R`]);
  const all = sum(rows.map((row) => times(row['*Quantity']!, row['*UnitAmount']!)));
  expect(all).toBe(cents(settlement.total_amount) + cents((await read(anew)).total_amount) - 128_564n);
});

test('what cannot be in a file is refused by its place: drafts, settled invoices, the other side and other companies', async () => {
  const { biller, tenant } = books;
  const admin = await tenant.administrator();
  const both = { ...order, driver_rate_value: 100, driver_rate_type: 'RateFlatRate' };
  const invoice = await approvedInvoice(books, ['1'], { order: both });
  const settled = await approvedInvoice(books, ['1'], { order });
  const settlement = await settle(books, [settled]);
  await biller.must('PUT', biller.path(`/settlements/${settlement.id}/approve`), {});
  await tenant.must('PUT', tenant.path(`/jobs/${invoice.job.id}/approve`), {}, admin);
  const pay = await invoiceOf(books, invoice.job.id, 'payable');
  const refused = (settlements: Json[], invoices: Json[]) => refusal({ books, admin }, { format: 'xero' }, settlements, invoices);
  expect(await refused([], [pay])).toEqual([422, ['invoice_ids.0']]);
  expect((await event(biller, pay.id, 'approve')).status).toBe(200);
  expect(await refused([settlement], [pay, settled])).toEqual([422, ['invoice_ids.0', 'invoice_ids.1']]);
  const path = tenant.path(`/accounting_file?format=xero&invoice_ids[]=${settled.id}`);
  const named = await books.app.http('GET', path, { token: admin });
  expect(messages(named)).toEqual([`is in settlement ${settlement.settlement_id}, and is exported with that`]);
  expect(await refused([], [{ id: 'x' }])).toEqual([422, ['invoice_ids.0']]);
  const other = await openBooks(books);
  const theirs = await approvedInvoice(other, ['1'], { order });
  expect(await refused([settlement], [theirs])).toEqual([422, ['invoice_ids.0']]);
  expect(await refused([{ id: theirs.id }], [])).toEqual([422, ['settlement_ids.0']]);
  // A draft that was voided was never there, so nothing takes it back.
  expect((await event(biller, invoice.id, 'void')).status).toBe(200);
  expect(await refused([], [invoice])).toEqual([422, ['invoice_ids.0']]);
  // A client that does not see the rates of a side gets no file of it; drivers get none at all.
  expect(
    (await books.app.http('GET', tenant.path(`/accounting_file?format=xero&invoice_ids[]=${pay.id}`), { token: tenant.driver.token }))
      .status,
  ).toBe(403);
  const [row] = cellsOf(
    (await fileOf({ books, admin }, 'sage_100_contractor', [], { account: '4000' }, [await approvedInvoice(books, ['2'], { order })]))
      .bytes,
  );
  expect(row!.slice(0, 2)).toEqual(['ARINV', 'H']);
});

test('an exported invoice counts on its day also after it was voided, and is taken back on the day of the voiding', async () => {
  const own = await openBooks(books);
  const invoice = await approvedInvoice(own, ['10'], { order });
  const stays = await approvedInvoice(own, ['20'], { order });
  expect((await event(own.biller, invoice.id, 'export')).status).toBe(200);
  expect((await event(own.biller, invoice.id, 'void')).status).toBe(200);
  const period = await closed(own, { ends_on: DAY, force: true, reason: 'the other side comes later' });
  expect(period).toMatchObject({ invoices_count: 2, receivables_total_amount: '150' });
  expect(await listedIn(own, period.id)).toMatchObject({ receivables: 150 });
  expect(said(await reopen(own, period.id))).toEqual([409, ['cannot be opened again: something of it was handed to accounting']]);
  // Of a closed period, nothing is voided, exported or not.
  expect((await event(own.biller, stays.id, 'export')).status).toBe(200);
  expect(said(await event(own.biller, stays.id, 'void'))).toEqual([409, ['counts in a period that is closed']]);
  // Today is not over: what it comes to is looked at as if it was.
  const em = books.app.orm.em.fork();
  await em.execute(`update invoice set reversal_date = '2026-11-24' where id = ?`, [invoice.id]);
  const next = await closed(own, { ends_on: '2026-11-24', force: true, reason: 'the other side comes later' });
  expect(next).toMatchObject({ invoices_count: 0, receivables_total_amount: '-50' });
  const rule = INVARIANTS.find(({ name }) => name === 'closed_periods_stay')!;
  const broken: Json[] = await em.execute(`select * from (${rule.sql}) b where company_id = ?`, [own.tenant.company.id]);
  expect(broken).toEqual([]);
});

test('what takes the place of an exported invoice counts on the day on which that is taken back, so that no period has the work twice', async () => {
  const own = await openBooks(books);
  const invoice = await approvedInvoice(own, ['10'], { order });
  expect((await event(own.biller, invoice.id, 'export')).status).toBe(200);
  expect((await event(own.biller, invoice.id, 'void')).status).toBe(200);
  // Today is not over: what it comes to is looked at as if it was.
  const em = books.app.orm.em.fork();
  await em.execute(`update invoice set reversal_date = ? where id = ?`, [NEXT, invoice.id]);
  const anew = await invoiceOf(own, invoice.job.id);
  await own.biller.must('PATCH', own.biller.path(`/invoices/${anew.id}`), { rate_value: 6, rate_type: 'RatePerTon' });
  expect((await event(own.biller, anew.id, 'approve')).status).toBe(200);
  // Other work of the day counts on its day.
  const other = await approvedInvoice(own, ['1'], { order });
  const days: string[] = [];
  for (const { id } of [anew, other]) days.push((await own.biller.must('GET', own.biller.path(`/invoices/${id}`))).posting_date);
  expect(days).toEqual([NEXT, DAY]);
  const force = { force: true, reason: 'the other side comes later' };
  expect(await closed(own, { ends_on: DAY, ...force })).toMatchObject({ invoices_count: 2, receivables_total_amount: '55' });
  expect(await closed(own, { ends_on: NEXT, ...force })).toMatchObject({ invoices_count: 1, receivables_total_amount: '10' });
});
