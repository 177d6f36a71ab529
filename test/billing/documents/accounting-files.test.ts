import { beforeAll, expect, test } from '@jest/globals';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { chargesOfM20, event, hauled, invoiceOf, M10, makeBooks } from '../books.ts';
import { approvedInvoice, settle } from '../settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
let admin: string;
let bill: Json;
let small: Json;
let pay: Json;
let draft: Json;

/** A name that spreadsheets and QuickBooks could misunderstand. */
const NAME = '=Béton "Łódź"\tSud';

beforeAll(async () => {
  const { biller, tenant } = books;
  admin = await tenant.administrator();
  await tenant.must('PATCH', `/v1/accounts/${tenant.account.id}`, { name: NAME }, admin);
  const discount = { name: '-2 % discount', add_on_rate_type: 'RatePercentOfTotal', percentage: -2 };
  await tenant.must('POST', `/v1/accounts/${tenant.account.id}/auto_add_on_assignments`, {
    ...{ account_type: 'customer', add_on_types: ['settlement'], quantity: '1', ...discount },
  });
  const { fuel, wash, order } = await chargesOfM20(books);
  const approve = async (settlement: Json) => biller.must('PUT', biller.path(`/settlements/${settlement.id}/approve`), {});
  bill = await approve(await settle(books, [await approvedInvoice(books, M10, { order, charges: [fuel, wash] })]));
  const perTon = { customer_rate_value: 5, customer_rate_type: 'RatePerTon' };
  small = await approve(await settle(books, [await approvedInvoice(books, ['1'], { order: perTon })]));
  draft = await settle(books, [await approvedInvoice(books, ['1'], { order: perTon })]);
  const job = await hauled(books, ['10'], { order: { driver_rate_value: 100, driver_rate_type: 'RateFlatRate' } });
  await tenant.must('PUT', tenant.path(`/jobs/${job.id}/approve`), {}, admin);
  const owed = await invoiceOf(books, job.id, 'payable');
  await event(biller, owed.id, 'approve');
  pay = await approve(await settle(books, [owed]));
});

const pathOf = (query: Record<string, string>, settlements: readonly Json[], path = books.tenant.path) =>
  path(
    `/accounting_file?${new URLSearchParams([...Object.entries(query), ...settlements.map(({ id }): [string, string] => ['settlement_ids[]', id])])}`,
  );
async function fileOf(format: string, settlements: readonly Json[], more: Record<string, string> = {}) {
  const answer = await fetch(books.app.url + pathOf({ format, ...more }, settlements), { headers: { Authorization: `Bearer ${admin}` } });
  expect([format, answer.status]).toEqual([format, 200]);
  return { bytes: Buffer.from(await answer.arrayBuffer()), headers: answer.headers };
}
const refusal = async (query: Record<string, string>, settlements: readonly Json[]) => {
  const { status, body } = await books.app.http('GET', pathOf(query, settlements), { token: admin });
  return [status, body.error.errors?.map(({ field }: Json) => field)];
};

/** Reads CSV letter by letter, as RFC 4180 says: another reader than the one of the product. */
function csv(bytes: Buffer): Record<string, string>[] {
  const rows: string[][] = [[]];
  let cell = '';
  let quoted = false;
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  for (let i = 0; i < text.length; i++) {
    const letter = text[i]!;
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[i + 1] === '"') cell += text[++i];
      else quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === ',' || letter === '\n') {
      rows.at(-1)!.push(cell);
      cell = '';
      if (letter === '\n') rows.push([]);
    } else if (letter !== '\r') cell += letter;
  }
  const [heads = [], ...rest] = rows.filter((row) => row.length > 0);
  return rest.map((row) => Object.fromEntries(heads.map((head, i) => [head, row[i] ?? ''])));
}
/** Whole cents of a decimal text, by its digits. */
const cents = (text: string): bigint => {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d*)\.?(\d*)$/.exec(text)!;
  expect(fraction.length).toBeLessThanOrEqual(2);
  return BigInt(`${sign}${whole}${fraction.padEnd(2, '0')}`);
};
/** Cents of a quantity times a rate, half away from zero, in whole numbers. */
function times(quantity: string, rate: string): bigint {
  const scaled = (text: string) => {
    const [, sign, whole = '', fraction = ''] = /^(-?)(\d*)\.?(\d*)$/.exec(text)!;
    return BigInt(`${sign}${whole}${fraction.padEnd(4, '0')}`);
  };
  const product = scaled(quantity) * scaled(rate);
  const half = 500_000n * (product < 0n ? -1n : 1n);
  return (product + half) / 1_000_000n;
}
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n);
const totalOf = (settlement: Json): bigint => cents(settlement.total_amount);

test('IIF: each block adds up to nothing, and what is owed is the total of its settlement', async () => {
  const { bytes, headers } = await fileOf('quickbooks_desktop', [bill, small]);
  expect(headers.get('content-disposition')).toContain('filename="settlements-quickbooks-desktop.iif"');
  const lines = bytes.toString('latin1').split('\r\n').filter(Boolean);
  expect(lines.every((line) => !line.includes('"'))).toBe(true);
  const rows = lines.map((line) => line.split('\t'));
  const heads = Object.fromEntries(rows.filter(([kind]) => kind!.startsWith('!')).map(([kind, ...names]) => [kind!.slice(1), names]));
  const blocks: Record<string, string>[][] = [];
  for (const [kind, ...cells] of rows) {
    if (kind!.startsWith('!') || kind === 'ENDTRNS') continue;
    if (kind === 'TRNS') blocks.push([]);
    blocks.at(-1)!.push(Object.fromEntries(heads[kind!]!.map((name: string, i: number) => [name, cells[i]!])));
  }
  for (const [i, settlement] of [bill, small].entries()) {
    const [owed, ...split] = blocks[i]!;
    expect(owed).toMatchObject({ TRNSTYPE: 'INVOICE', ACCNT: 'Accounts Receivable', DOCNUM: settlement.settlement_id });
    // The letters are those of Windows: a file in others would be read as signs.
    expect(owed!.NAME).toBe('=Béton ?ódz Sud');
    expect(owed!.DATE).toMatch(/^\d\d\/\d\d\/\d\d$/);
    expect(cents(owed!.AMOUNT!)).toBe(totalOf(settlement));
    expect(sum(blocks[i]!.map(({ AMOUNT }) => cents(AMOUNT!)))).toBe(0n);
    for (const { QNTY, PRICE, AMOUNT } of split) expect(times(QNTY!, PRICE!)).toBe(cents(AMOUNT!));
  }
  const [owed, line] = (await fileOf('quickbooks_desktop', [pay], { account: 'Drivers' })).bytes
    .toString('latin1')
    .split('\r\n')
    .slice(3)
    .map((text) => text.split('\t'));
  expect([owed![1], owed![3], owed![5], line![3], line![5]]).toEqual(['BILL', 'Accounts Payable', '-100', 'Drivers', '100']);
});

test('a file reads its settlements in one statement, so that all are of one moment', async () => {
  const counted = async (settlements: Json[]) => {
    // A worker that still has work would send statements meanwhile.
    await books.app.settled();
    const { statements } = await books.app.countStatements(() => fileOf('xero', settlements));
    return statements.filter((sql) => /settlement|invoice/.test(sql)).length;
  };
  await counted([bill]);
  // What is looked up once in a while may come between in one of two times.
  const fewest = async (settlements: Json[]) => Math.min(await counted(settlements), await counted(settlements));
  expect(await fewest([bill, small])).toBe(await fewest([bill]));
});

test('QuickBooks Online and Xero: the lines of each settlement add up to it, and no cell is a formula', async () => {
  const online = csv((await fileOf('quickbooks_online', [bill, small])).bytes);
  const sold = csv((await fileOf('xero', [bill, small])).bytes);
  for (const settlement of [bill, small]) {
    const number = settlement.settlement_id;
    const own = online.filter((row) => row['Invoice no'] === number);
    expect(sum(own.map((row) => cents(row['Item amount']!)))).toBe(totalOf(settlement));
    for (const row of own) expect(times(row['Item quantity']!, row['Item rate']!)).toBe(cents(row['Item amount']!));
    const xero = sold.filter((row) => row['*InvoiceNumber'] === number);
    expect(sum(xero.map((row) => times(row['*Quantity']!, row['*UnitAmount']!)))).toBe(totalOf(settlement));
    for (const row of xero) expect(row).toMatchObject({ '*AccountCode': '200', '*TaxType': 'Tax Exempt (0%)' });
  }
  expect(new Set(online.map(({ Customer }) => Customer!.slice(0, 2)))).toEqual(new Set(["'="]));
  // The discount is negative and stays a number, its name is led by an apostrophe.
  const discount = online.find((row) => row['Item amount']!.startsWith('-'))!;
  expect(discount.Item).toBe("'-2 % discount");
  const [paid] = csv((await fileOf('quickbooks_online', [pay])).bytes);
  expect(paid).toMatchObject({ 'Bill no': pay.settlement_id, Category: 'Cost of Goods Sold', Amount: '100' });
  const [bought] = csv((await fileOf('xero', [pay], { account: '310' })).bytes);
  expect(bought).toMatchObject({ '*InvoiceNumber': pay.settlement_id, '*UnitAmount': '100', '*AccountCode': '310' });
});

test('what cannot be in one file is refused by its place; files are for those who manage accounting', async () => {
  const { tenant } = books;
  expect(await refusal({ format: 'abacus' }, [])).toEqual([422, ['format', 'settlement_ids']]);
  expect(await refusal({ format: 'xero' }, [bill, pay])).toEqual([422, ['settlement_ids.1']]);
  expect(await refusal({ format: 'xero' }, [draft, { id: '018cc251-f400-7000-8000-000000000001' }])).toEqual([
    422,
    ['settlement_ids.0', 'settlement_ids.1'],
  ]);
  expect(await refusal({ format: 'xero' }, [{ id: 'x' }])).toEqual([422, ['settlement_ids.0']]);
  // Nothing of its work is billed: there is no row that could be in a file.
  const job = await hauled(books, ['1'], { order: { customer_rate_value: 5, customer_rate_type: 'RatePerTon' } });
  const { id } = await invoiceOf(books, job.id);
  const path = books.biller.path(`/invoices/${id}/invoice_line_items`);
  const [line] = await books.biller.must('GET', path);
  await books.biller.must('PATCH', path, { rate_type: 'RatePerTon', invoice_line_items: [{ id: line.id, _destroy: 1 }] });
  expect((await event(books.biller, id, 'approve')).status).toBe(200);
  const empty = await settle(books, [{ id }]);
  await books.biller.must('GET', books.biller.path(`/settlements/${empty.id}/add_on_charges`)).then(async ([discount]: Json[]) =>
    books.biller.must('PATCH', books.biller.path(`/settlements/${empty.id}/add_on_charges`), {
      add_on_charges: [{ id: discount.id, _destroy: 1 }],
    }),
  );
  await books.biller.must('PUT', books.biller.path(`/settlements/${empty.id}/approve`), {});
  expect(await refusal({ format: 'xero' }, [small, empty])).toEqual([422, ['settlement_ids.1']]);
  const many = Array.from({ length: 101 }, (_, i) => ({ id: `018cc251-f400-7000-8000-${String(i).padStart(12, '0')}` }));
  expect(await refusal({ format: 'xero' }, many)).toEqual([422, ['settlement_ids']]);
  const as = (token: string, path = tenant.path) => books.app.http('GET', pathOf({ format: 'xero' }, [bill], path), { token });
  expect((await as(tenant.driver.token)).status).toBe(403);
  const other = await makeStaffedTenant(books.app);
  const stranger = await other.administrator();
  expect((await as(stranger)).status).toBe(404);
  expect((await as(stranger, other.path)).status).toBe(422);
});
