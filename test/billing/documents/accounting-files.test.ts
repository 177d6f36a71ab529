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
  const invoice = await approvedInvoice(books, M10, { order, charges: [fuel, wash] });
  bill = { ...(await approve(await settle(books, [invoice]))), job: invoice.job };
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
function cellsOf(bytes: Buffer): string[][] {
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
  return rows.filter((row) => row.length > 0);
}
function csv(bytes: Buffer): Record<string, string>[] {
  const [heads = [], ...rest] = cellsOf(bytes);
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
    const { statements } = await books.app.countStatements(() => fileOf('xero', settlements, { tax_account: '825' }));
    return statements.filter((sql) => /settlement|invoice/.test(sql)).length;
  };
  await counted([bill]);
  // What is looked up once in a while may come between in one of two times.
  const fewest = async (settlements: Json[]) => Math.min(await counted(settlements), await counted(settlements));
  expect(await fewest([bill, small])).toBe(await fewest([bill]));
});

test('QuickBooks Online and Xero: the lines of each settlement add up to it, and no cell is a formula', async () => {
  // Tax that is posted as sales, or sold as nobody knows what, is refused; files without tax need neither.
  expect(await refusal({ format: 'quickbooks_online' }, [bill, small])).toEqual([422, ['tax_item']]);
  expect(await refusal({ format: 'xero' }, [small, bill])).toEqual([422, ['tax_account']]);
  for (const format of ['quickbooks_online', 'xero']) await fileOf(format, [small]);
  const online = csv((await fileOf('quickbooks_online', [bill, small], { tax_item: 'Sales tax payable' })).bytes);
  const sold = csv((await fileOf('xero', [bill, small], { tax_account: '825' })).bytes);
  for (const settlement of [bill, small]) {
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
    expect([taxed, items]).toEqual(settlement === bill ? [[9608n], [9608n]] : [[], []]);
    expect(new Set(xero.map((row) => row['*AccountCode']))).toEqual(new Set(settlement === bill ? ['200', '825'] : ['200']));
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

test('Xero follows lines by up to two of its categories: what work a line is for, and nothing of charges and tax', async () => {
  const { tenant } = books;
  const follow = { tracking_1: 'service', tracking_2: 'material', tracking_name_2: 'Stone', tax_account: '825' };
  const rows = csv((await fileOf('xero', [bill], follow)).bytes);
  const order = await tenant.must('GET', `/v1/orders/${bill.job.order.id}`);
  const followed = rows.filter((row) => row.TrackingName1 !== '');
  expect(
    followed.map(({ TrackingName1, TrackingOption1, TrackingName2, TrackingOption2 }) => [
      ...[TrackingName1, TrackingOption1, TrackingName2, TrackingOption2],
    ]),
  ).toEqual(Array(2).fill(['Service', order.service.name, 'Stone', order.material.name]));
  // Fuel, wash, discount and tax are for no work.
  expect(rows.length - followed.length).toBe(4);
  expect(await refusal({ format: 'xero', tracking_1: 'driver' }, [small])).toEqual([422, ['tracking_1']]);
  expect(await refusal({ format: 'xero', tracking_name_2: 'Stone' }, [small])).toEqual([422, ['tracking_2']]);
  expect(await refusal({ format: 'quickbooks_online', tracking_1: 'order' }, [small])).toEqual([422, ['tracking_1']]);
  expect(await refusal({ format: 'xero', tax_item: 'Tax' }, [small])).toEqual([422, ['tax_item']]);
});

test('an approved settlement is due in every file when its paper says, whatever is agreed on afterwards', async () => {
  const { biller, tenant } = books;
  const profile = biller.path(`/accounts/${tenant.account.id}/billing_profile`);
  const agree = (terms_days: number | null) => biller.must('PATCH', profile, { terms_days });
  const move = (time_zone: string) => tenant.must('PATCH', `/v1/companies/${tenant.company.id}`, { time_zone }, admin);
  await agree(20);
  const due = await biller.must('PUT', biller.path(`/settlements/${draft.id}/approve`), {});
  const datesIn = async (format: string, columns: readonly string[]) =>
    csv((await fileOf(format, [due])).bytes).map((row) => columns.map((column) => row[column]));
  const files = { quickbooks_online: ['Invoice date', 'Due date', 'Service date'], xero: ['*InvoiceDate', '*DueDate'] };
  const before = await Promise.all(Object.entries(files).map(([format, columns]) => datesIn(format, columns)));
  const iif = (await fileOf('quickbooks_desktop', [due])).bytes;
  await agree(77);
  await move('Pacific/Kiritimati');
  expect(await Promise.all(Object.entries(files).map(([format, columns]) => datesIn(format, columns)))).toEqual(before);
  expect((await fileOf('quickbooks_desktop', [due])).bytes.equals(iif)).toBe(true);
  await move(tenant.company.timeZone);
  await agree(null);
  await biller.must('PUT', biller.path(`/settlements/${draft.id}/unapprove`), {});
});

/** A place of a row of Sage 100 Contractor: the most characters of a text, the digits and decimals of a number, or a date; and whether it is required. */
type Place = [type: 'text' | 'number' | 'date', most: number, required?: 'required'];
const EMPTY: Place = ['text', 0];
// As its importers publish them (docs/accounting.md); those that are not ours to fill are empty.
const HEAD: Place[] = [
  ...(['required', 'required', 'required'] as const).map((required): Place => ['text', 20, required]),
  ['number', 0, 'required'],
  ['text', 50, 'required'],
  ...[1, 2, 3].map((): Place => ['date', 0, 'required']),
  ...[1, 2].map((): Place => ['number', 0, 'required']),
];
const LINE: Place[] = [
  ...(['required', 'required', 'required'] as const).map((required): Place => ['text', 20, required]),
  ['number', 0, 'required'],
  EMPTY,
  ['text', 50, 'required'],
  ...[EMPTY, EMPTY],
  ['number', 4, 'required'],
  ['number', 6, 'required'],
];
const PLACES: Record<string, Place[]> = {
  'ARINV H': [...HEAD, ...Array<Place>(11).fill(EMPTY)],
  'APINV H': [...HEAD, ...Array<Place>(15).fill(EMPTY)],
  'ARINV D': LINE,
  'APINV D': LINE,
};

/** Reads a file of Sage 100 Contractor by its published places, as its importer would. @returns what the lines of each head come to, in cents */
function readSage(bytes: Buffer): Map<string, bigint> {
  const totals = new Map<string, bigint>();
  for (const row of cellsOf(bytes)) {
    const places = PLACES[`${row[0]} ${row[1]}`];
    expect([row[0], row[1], row.length]).toEqual([row[0], row[1], places?.length]);
    for (const [i, [type, most, required]] of places!.entries()) {
      const cell = row[i]!;
      if (required) expect(cell).not.toBe('');
      if (cell === '') continue;
      if (type === 'text') expect(cell.length).toBeLessThanOrEqual(most);
      if (type === 'number') expect(cell).toMatch(most === 0 ? /^\d+$/ : new RegExp(`^-?\\d{1,8}(\\.\\d{1,${most}})?$`));
      if (type === 'date') expect(new Date(`${cell}T00:00:00Z`).toISOString().slice(0, 10)).toBe(cell);
    }
    const number = row[2]!;
    // A line follows its head.
    if (row[1] === 'H') {
      expect(totals.has(number)).toBe(false);
      totals.set(number, 0n);
    } else {
      expect([...totals.keys()].at(-1)).toBe(number);
      totals.set(number, totals.get(number)! + times(row[8]!, row[9]!));
    }
  }
  return totals;
}

test('Sage 100 Contractor: heads with all their places, lines that add up to their settlement, and numbers for everybody', async () => {
  const sage = (settlements: Json[], more: Record<string, string> = {}) => ({
    format: 'sage_100_contractor',
    account: '4000',
    ...more,
    settlements,
  });
  const ask = async ({ settlements, ...query }: Json) => refusal(query, settlements);
  const { tenant } = books;
  // Nobody has a number yet, the account is a name, and that of the tax is not said.
  expect(await ask(sage([bill, small], { account: 'Sales' }))).toEqual([
    422,
    ['settlement_ids.0', 'settlement_ids.1', 'account', 'tax_account'],
  ]);
  await tenant.must('PATCH', `/v1/accounts/${tenant.account.id}`, { accounting_id: '1042' }, admin);
  try {
    expect(await ask(sage([bill]))).toEqual([422, ['tax_account']]);
    const { settlements, format, ...accounts } = sage([bill, small], { tax_account: '2200' }) as Json;
    const { bytes, headers } = await fileOf(format, settlements, accounts);
    expect(headers.get('content-disposition')).toContain('settlements-sage-100-contractor.csv');
    const rows = cellsOf(bytes);
    expect(readSage(bytes)).toEqual(new Map([bill, small].map((one) => [one.settlement_id, totalOf(one)])));
    for (const settlement of [bill, small]) {
      const own = rows.filter((row) => row[2] === settlement.settlement_id);
      const [head, ...lines] = own;
      expect(head!.slice(0, 4)).toEqual(['ARINV', 'H', settlement.settlement_id, '1042']);
      expect([head!.length, head!.slice(8, 10), ...head!.slice(5, 8)]).toEqual([
        21,
        ['1', '1'],
        ...Array(3).fill(expect.stringMatching(/^\d{4}-\d\d-\d\d$/)),
      ]);
      for (const line of lines) expect([line.length, line[1], line[5]!.length <= 50]).toEqual([10, 'D', true]);
      expect(sum(lines.map((line) => times(line[8]!, line[9]!)))).toBe(totalOf(settlement));
      // Tax is posted to its own account.
      expect(lines.filter((line) => line[3] === '2200').map((line) => times(line[8]!, line[9]!))).toEqual(
        settlement === bill ? [9608n] : [],
      );
    }
    // The driver has no number.
    expect(await ask(sage([pay]))).toEqual([422, ['settlement_ids.0']]);
    await tenant.must('PATCH', `/v1/users/${tenant.driver.user.id}`, { external_id: '77' }, admin);
    const { bytes: payables } = await fileOf('sage_100_contractor', [pay], { account: '5100' });
    expect(readSage(payables)).toEqual(new Map([[pay.settlement_id, totalOf(pay)]]));
    const paid = cellsOf(payables);
    expect(paid.map((row) => [row[0], row[3], row.length])).toEqual([
      ['APINV', '77', 25],
      ['APINV', '5100', 10],
    ]);
  } finally {
    await tenant.must('PATCH', `/v1/accounts/${tenant.account.id}`, { accounting_id: null }, admin);
  }
});

test('a template has the columns that the company chose, in its order, and adds up as well', async () => {
  const { tenant } = books;
  const path = tenant.path('/accounting_templates');
  const columns = [
    { heading: 'Customer', field: 'party' },
    { heading: 'Journal', text: '=AR' },
    { heading: 'Invoice No', field: 'number' },
    { heading: 'Date', field: 'date' },
    { heading: 'Hold' },
    { heading: 'Type', field: 'document_type' },
    { heading: 'Amount', field: 'amount' },
    { heading: 'GL', field: 'account' },
    { heading: 'Line', field: 'line_number' },
  ];
  const input = { name: 'Foundation', columns, date_format: 'MM/DD/YY' };
  const template = await tenant.must('POST', path, input, admin);
  expect(template).toMatchObject({ name: 'Foundation', delimiter: 'comma', with_headings: true, date_format: 'MM/DD/YY' });
  const of = (more: Record<string, string> = {}) => ({ template_id: template.id, ...more });
  const { bytes } = await fileOf('template', [bill, small], of({ account: '4000', tax_account: '2200' }));
  const rows = csv(bytes);
  expect(Object.keys(rows[0]!)).toEqual(columns.map(({ heading }) => heading));
  for (const settlement of [bill, small]) {
    const own = rows.filter((row) => row['Invoice No'] === settlement.settlement_id);
    expect(sum(own.map((row) => cents(row.Amount!)))).toBe(totalOf(settlement));
    expect(own.map((row) => row.Line)).toEqual(own.map((_, i) => String(i + 1)));
    for (const row of own)
      expect(row).toMatchObject({ Journal: "'=AR", Hold: '', Type: 'invoice', Date: expect.stringMatching(/^\d\d\/\d\d\/\d\d$/) });
  }
  expect(rows.filter((row) => row.GL === '2200').map((row) => row.Amount)).toEqual(['96.08']);
  // Another sign between the cells, no headings, and dates as the company writes them.
  const changed = { delimiter: 'tab', with_headings: false, date_format: null };
  await tenant.must('PATCH', `${path}/${template.id}`, changed, admin);
  const file = await fileOf('template', [pay], of());
  expect(file.headers.get('content-disposition')).toContain('settlements-template.txt');
  const [cells] = file.bytes
    .toString('utf8')
    .split('\r\n')
    .map((line) => line.split('\t'));
  expect([cells![2], cells![5], cells![6], cells![7]]).toEqual([pay.settlement_id, 'bill', '100', '']);
  expect(cells![3]).toMatch(/^\d{4}\/\d\d\/\d\d$/);
  // GraphQL says the same, and lists it.
  const listed = await books.app.graphql(
    '{ accountingTemplates(first: 5) { nodes { name delimiter columns { heading field text } } } }',
    {},
    { token: admin },
  );
  expect(listed.body.data.accountingTemplates.nodes).toEqual([
    { name: 'Foundation', delimiter: 'tab', columns: columns.map((one) => ({ field: null, text: null, ...one })) },
  ]);
  // What is wrong is named by its place, and changes nothing.
  const wrong: [object, string[]][] = [
    [{ columns: columns.slice(0, 3) }, ['columns']],
    [
      { columns: [...columns, { heading: 'Twice', field: 'amount' }, { heading: 'Both', field: 'rate', text: 'x' }] },
      ['columns.10.text', 'columns.9.field'],
    ],
    [{ columns: null, with_headings: null }, ['columns', 'with_headings']],
    [{ date_format: 'DD/MM/MM' }, ['date_format']],
    [{ name: '' }, ['name']],
  ];
  for (const [body, fields] of wrong) {
    const { status, body: said } = await books.app.http('PATCH', `${path}/${template.id}`, { token: admin, body });
    expect([body, status, said.error.errors.map(({ field }: Json) => field)]).toEqual([body, 422, fields]);
  }
  expect((await books.app.http('POST', path, { token: admin, body: { ...input, name: 'FOUNDATION' } })).status).toBe(422);
  expect(await refusal({ format: 'template' }, [bill])).toEqual([422, ['template_id']]);
  const other = await makeStaffedTenant(books.app);
  const theirs = await other.must('POST', other.path('/accounting_templates'), input, await other.administrator());
  expect(await refusal({ format: 'template', template_id: theirs.id }, [bill])).toEqual([422, ['template_id']]);
  expect((await books.app.http('GET', `${path}/${theirs.id}`, { token: admin })).status).toBe(404);
  expect((await books.app.http('GET', path, { token: tenant.driver.token })).status).toBe(404);
  await tenant.must('DELETE', `${path}/${template.id}`, undefined, admin);
  expect(await refusal({ format: 'template', template_id: template.id }, [bill])).toEqual([422, ['template_id']]);
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
