import { expect, test } from '@jest/globals';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { event, hauled, invoiceOf } from '../books.ts';
import { settle } from '../settled.ts';
import { fileOf, makeFiled, pathOf, refusal, totalOf } from './filed.ts';
import { blocksOf, cents, csv, sum, times } from './read-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const filed = makeFiled();

test('IIF: each block adds up to nothing, and what is owed is the total of its settlement', async () => {
  const { bytes, headers } = await fileOf(filed, 'quickbooks_desktop', [filed.bill, filed.small]);
  expect(headers.get('content-disposition')).toContain('filename="settlements-quickbooks-desktop.iif"');
  expect(bytes.toString('latin1')).not.toContain('"');
  const blocks = blocksOf(bytes);
  for (const [i, settlement] of [filed.bill, filed.small].entries()) {
    const [owed, ...split] = blocks[i]!;
    expect(owed).toMatchObject({ TRNSTYPE: 'INVOICE', ACCNT: 'Accounts Receivable', DOCNUM: settlement.settlement_id });
    // The letters are those of Windows: a file in others would be read as signs.
    expect(owed!.NAME).toBe('=Béton ?ódz Sud');
    expect(owed!.DATE).toMatch(/^\d\d\/\d\d\/\d\d$/);
    expect(cents(owed!.AMOUNT!)).toBe(totalOf(settlement));
    expect(sum(blocks[i]!.map(({ AMOUNT }) => cents(AMOUNT!)))).toBe(0n);
    for (const { QNTY, PRICE, AMOUNT } of split) expect(times(QNTY!, PRICE!)).toBe(cents(AMOUNT!));
  }
  const [owed, line] = (await fileOf(filed, 'quickbooks_desktop', [filed.pay], { account: 'Drivers' })).bytes
    .toString('latin1')
    .split('\r\n')
    .slice(3)
    .map((text) => text.split('\t'));
  expect([owed![1], owed![3], owed![5], line![3], line![5]]).toEqual(['BILL', 'Accounts Payable', '-100', 'Drivers', '100']);
});

test('a file reads its settlements in one statement, so that all are of one moment', async () => {
  const counted = async (settlements: Json[]) => {
    // A worker that still has work would send statements meanwhile.
    await filed.books.app.settled();
    const { statements } = await filed.books.app.countStatements(() => fileOf(filed, 'xero', settlements, { tax_account: '825' }));
    return statements.filter((sql) => /settlement|invoice/.test(sql)).length;
  };
  await counted([filed.bill]);
  // A setting that is looked up once in a while may come between in one of two times.
  const fewest = async (settlements: Json[]) => Math.min(await counted(settlements), await counted(settlements));
  expect(await fewest([filed.bill, filed.small])).toBe(await fewest([filed.bill]));
});

test('QuickBooks Online and Xero: the lines of each settlement add up to it, and no cell is a formula', async () => {
  // Tax that is posted as sales, or sold as nobody knows what, is refused; files without tax need neither.
  expect(await refusal(filed, { format: 'quickbooks_online' }, [filed.bill, filed.small])).toEqual([422, ['tax_item']]);
  expect(await refusal(filed, { format: 'xero' }, [filed.small, filed.bill])).toEqual([422, ['tax_account']]);
  for (const format of ['quickbooks_online', 'xero']) await fileOf(filed, format, [filed.small]);
  const online = csv((await fileOf(filed, 'quickbooks_online', [filed.bill, filed.small], { tax_item: 'Sales tax payable' })).bytes);
  const sold = csv((await fileOf(filed, 'xero', [filed.bill, filed.small], { tax_account: '825' })).bytes);
  for (const settlement of [filed.bill, filed.small]) {
    const number = settlement.settlement_id;
    const own = online.filter((row) => row['Invoice no'] === number);
    expect(sum(own.map((row) => cents(row['Item amount']!)))).toBe(totalOf(settlement));
    for (const row of own) expect(times(row['Item quantity']!, row['Item rate']!)).toBe(cents(row['Item amount']!));
    const xero = sold.filter((row) => row['*InvoiceNumber'] === number);
    expect(sum(xero.map((row) => times(row['*Quantity']!, row['*UnitAmount']!)))).toBe(totalOf(settlement));
    for (const row of xero) expect(row).toMatchObject({ '*TaxType': 'Tax Exempt (0%)', TrackingName1: '', TrackingOption2: '' });
    // Tax has an account, and an item, of its own: 96.08 of the first one.
    const taxed = xero.filter((row) => row['*AccountCode'] === '825').map((row) => times(row['*Quantity']!, row['*UnitAmount']!));
    const items = own.filter(({ Item }) => Item === 'Sales tax payable').map((row) => cents(row['Item amount']!));
    expect([taxed, items]).toEqual(settlement === filed.bill ? [[9608n], [9608n]] : [[], []]);
    expect(new Set(xero.map((row) => row['*AccountCode']))).toEqual(new Set(settlement === filed.bill ? ['200', '825'] : ['200']));
  }
  expect(new Set(online.map(({ Customer }) => Customer!.slice(0, 2)))).toEqual(new Set(["'="]));
  // The discount is negative and stays a number, its name is led by an apostrophe.
  const discount = online.find((row) => row['Item amount']!.startsWith('-'))!;
  expect(discount.Item).toBe("'-2 % discount");
  const [paid] = csv((await fileOf(filed, 'quickbooks_online', [filed.pay])).bytes);
  expect(paid).toMatchObject({ 'Bill no': filed.pay.settlement_id, Category: 'Cost of Goods Sold', Amount: '100' });
  const [bought] = csv((await fileOf(filed, 'xero', [filed.pay], { account: '310' })).bytes);
  expect(bought).toMatchObject({ '*InvoiceNumber': filed.pay.settlement_id, '*UnitAmount': '100', '*AccountCode': '310' });
});

test('Xero follows lines by up to two of its categories: what work a line is for, and nothing of charges and tax', async () => {
  const { tenant } = filed.books;
  const follow = { tracking_1: 'service', tracking_2: 'material', tracking_name_2: 'Stone', tax_account: '825' };
  const rows = csv((await fileOf(filed, 'xero', [filed.bill], follow)).bytes);
  const order = await tenant.must('GET', `/v1/orders/${filed.bill.job.order.id}`);
  const followed = rows.filter((row) => row.TrackingName1 !== '');
  expect(
    followed.map(({ TrackingName1, TrackingOption1, TrackingName2, TrackingOption2 }) => [
      ...[TrackingName1, TrackingOption1, TrackingName2, TrackingOption2],
    ]),
  ).toEqual(Array(2).fill(['Service', order.service.name, 'Stone', order.material.name]));
  // Fuel, wash, discount and tax are for no work.
  expect(rows.length - followed.length).toBe(4);
  expect(await refusal(filed, { format: 'xero', tracking_1: 'driver' }, [filed.small])).toEqual([422, ['tracking_1']]);
  expect(await refusal(filed, { format: 'xero', tracking_name_2: 'Stone' }, [filed.small])).toEqual([422, ['tracking_2']]);
  expect(await refusal(filed, { format: 'quickbooks_online', tracking_1: 'order' }, [filed.small])).toEqual([422, ['tracking_1']]);
  expect(await refusal(filed, { format: 'xero', tax_item: 'Tax' }, [filed.small])).toEqual([422, ['tax_item']]);
});

test('an approved settlement is due in every file when its paper says, whatever is agreed on afterwards', async () => {
  const { biller, tenant } = filed.books;
  const profile = biller.path(`/accounts/${tenant.account.id}/billing_profile`);
  const agree = (terms_days: number | null) => biller.must('PATCH', profile, { terms_days });
  const move = (time_zone: string) => tenant.must('PATCH', `/v1/companies/${tenant.company.id}`, { time_zone }, filed.admin);
  await agree(20);
  const due = await biller.must('PUT', biller.path(`/settlements/${filed.draft.id}/approve`), {});
  const datesIn = async (format: string, columns: readonly string[]) =>
    csv((await fileOf(filed, format, [due])).bytes).map((row) => columns.map((column) => row[column]));
  const files = { quickbooks_online: ['Invoice date', 'Due date', 'Service date'], xero: ['*InvoiceDate', '*DueDate'] };
  const before = await Promise.all(Object.entries(files).map(([format, columns]) => datesIn(format, columns)));
  const iif = (await fileOf(filed, 'quickbooks_desktop', [due])).bytes;
  await agree(77);
  await move('Pacific/Kiritimati');
  expect(await Promise.all(Object.entries(files).map(([format, columns]) => datesIn(format, columns)))).toEqual(before);
  expect((await fileOf(filed, 'quickbooks_desktop', [due])).bytes.equals(iif)).toBe(true);
  await move(tenant.company.timeZone);
  await agree(null);
  await biller.must('PUT', biller.path(`/settlements/${filed.draft.id}/unapprove`), {});
});

test('what cannot be in one file is refused by its place; files are for those who manage accounting', async () => {
  const { tenant } = filed.books;
  expect(await refusal(filed, { format: 'abacus' }, [])).toEqual([422, ['format', 'settlement_ids']]);
  expect(await refusal(filed, { format: 'xero' }, [filed.bill, filed.pay])).toEqual([422, ['settlement_ids.1']]);
  expect(await refusal(filed, { format: 'xero' }, [filed.draft, { id: '018cc251-f400-7000-8000-000000000001' }])).toEqual([
    422,
    ['settlement_ids.0', 'settlement_ids.1'],
  ]);
  expect(await refusal(filed, { format: 'xero' }, [{ id: 'x' }])).toEqual([422, ['settlement_ids.0']]);
  // Nothing of its work is billed: there is no row that could be in a file.
  const job = await hauled(filed.books, ['1'], { order: { customer_rate_value: 5, customer_rate_type: 'RatePerTon' } });
  const { id } = await invoiceOf(filed.books, job.id);
  const path = filed.books.biller.path(`/invoices/${id}/invoice_line_items`);
  const [line] = await filed.books.biller.must('GET', path);
  await filed.books.biller.must('PATCH', path, { rate_type: 'RatePerTon', invoice_line_items: [{ id: line.id, _destroy: 1 }] });
  expect((await event(filed.books.biller, id, 'approve')).status).toBe(200);
  const empty = await settle(filed.books, [{ id }]);
  await filed.books.biller
    .must('GET', filed.books.biller.path(`/settlements/${empty.id}/add_on_charges`))
    .then(async ([discount]: Json[]) =>
      filed.books.biller.must('PATCH', filed.books.biller.path(`/settlements/${empty.id}/add_on_charges`), {
        add_on_charges: [{ id: discount.id, _destroy: 1 }],
      }),
    );
  await filed.books.biller.must('PUT', filed.books.biller.path(`/settlements/${empty.id}/approve`), {});
  expect(await refusal(filed, { format: 'xero' }, [filed.small, empty])).toEqual([422, ['settlement_ids.1']]);
  const many = Array.from({ length: 101 }, (_, i) => ({ id: `018cc251-f400-7000-8000-${String(i).padStart(12, '0')}` }));
  expect(await refusal(filed, { format: 'xero' }, many)).toEqual([422, ['settlement_ids']]);
  const as = (token: string, path = tenant.path) =>
    filed.books.app.http('GET', pathOf({ format: 'xero' }, [filed.bill], { path }), { token });
  expect((await as(tenant.driver.token)).status).toBe(403);
  const other = await makeStaffedTenant(filed.books.app);
  const stranger = await other.administrator();
  expect((await as(stranger)).status).toBe(404);
  expect((await as(stranger, other.path)).status).toBe(422);
});
