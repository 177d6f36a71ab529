import { expect, test } from '@jest/globals';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { fileOf, makeFiled, refusal, totalOf } from './filed.ts';
import { cents, csv, sum } from './read-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const filed = makeFiled();

test('a template has the columns that the company chose, in its order, and adds up as well', async () => {
  const { tenant } = filed.books;
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
  const template = await tenant.must('POST', path, input, filed.admin);
  expect(template).toMatchObject({ name: 'Foundation', delimiter: 'comma', with_headings: true, date_format: 'MM/DD/YY' });
  const of = (more: Record<string, string> = {}) => ({ template_id: template.id, ...more });
  const { bytes } = await fileOf(filed, 'template', [filed.bill, filed.small], of({ account: '4000', tax_account: '2200' }));
  const rows = csv(bytes);
  expect(Object.keys(rows[0]!)).toEqual(columns.map(({ heading }) => heading));
  for (const settlement of [filed.bill, filed.small]) {
    const own = rows.filter((row) => row['Invoice No'] === settlement.settlement_id);
    expect(sum(own.map((row) => cents(row.Amount!)))).toBe(totalOf(settlement));
    expect(own.map((row) => row.Line)).toEqual(own.map((_, i) => String(i + 1)));
    for (const row of own)
      expect(row).toMatchObject({ Journal: "'=AR", Hold: '', Type: 'invoice', Date: expect.stringMatching(/^\d\d\/\d\d\/\d\d$/) });
  }
  expect(rows.filter((row) => row.GL === '2200').map((row) => row.Amount)).toEqual(['96.08']);
  // Another sign between the cells, no headings, and dates as the company writes them.
  const changed = { delimiter: 'tab', with_headings: false, date_format: null };
  await tenant.must('PATCH', `${path}/${template.id}`, changed, filed.admin);
  const file = await fileOf(filed, 'template', [filed.pay], of());
  expect(file.headers.get('content-disposition')).toContain('settlements-template.txt');
  const [cells] = file.bytes
    .toString('utf8')
    .split('\r\n')
    .map((line) => line.split('\t'));
  expect([cells![2], cells![5], cells![6], cells![7]]).toEqual([filed.pay.settlement_id, 'bill', '100', '']);
  expect(cells![3]).toMatch(/^\d{4}\/\d\d\/\d\d$/);
  // GraphQL says the same, and lists it.
  const listed = await filed.books.app.graphql(
    '{ accountingTemplates(first: 5) { nodes { name delimiter columns { heading field text } } } }',
    {},
    { token: filed.admin },
  );
  expect(listed.body.data.accountingTemplates.nodes).toEqual([
    { name: 'Foundation', delimiter: 'tab', columns: columns.map((one) => ({ field: null, text: null, ...one })) },
  ]);
  // A fault is named by its place, and changes nothing.
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
    const { status, body: said } = await filed.books.app.http('PATCH', `${path}/${template.id}`, { token: filed.admin, body });
    expect([body, status, said.error.errors.map(({ field }: Json) => field)]).toEqual([body, 422, fields]);
  }
  expect((await filed.books.app.http('POST', path, { token: filed.admin, body: { ...input, name: 'FOUNDATION' } })).status).toBe(422);
  expect(await refusal(filed, { format: 'template' }, [filed.bill])).toEqual([422, ['template_id']]);
  const other = await makeStaffedTenant(filed.books.app);
  const theirs = await other.must('POST', other.path('/accounting_templates'), input, await other.administrator());
  expect(await refusal(filed, { format: 'template', template_id: theirs.id }, [filed.bill])).toEqual([422, ['template_id']]);
  expect((await filed.books.app.http('GET', `${path}/${theirs.id}`, { token: filed.admin })).status).toBe(404);
  expect((await filed.books.app.http('GET', path, { token: tenant.driver.token })).status).toBe(404);
  await tenant.must('DELETE', `${path}/${template.id}`, undefined, filed.admin);
  expect(await refusal(filed, { format: 'template', template_id: template.id }, [filed.bill])).toEqual([422, ['template_id']]);
});
