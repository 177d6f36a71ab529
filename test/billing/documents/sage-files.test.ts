import { expect, test } from '@jest/globals';
import { fileOf, makeFiled, refusal, totalOf } from './filed.ts';
import { cellsOf, readSage, sum, times } from './read-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const filed = makeFiled();

test('Sage 100 Contractor: heads with all their places, lines that add up to their settlement, and numbers for everybody', async () => {
  const sage = (settlements: Json[], more: Record<string, string> = {}) => ({
    format: 'sage_100_contractor',
    account: '4000',
    ...more,
    settlements,
  });
  const ask = async ({ settlements, ...query }: Json) => refusal(filed, query, settlements);
  const { tenant } = filed.books;
  // Nobody has a number yet, the account is a name, and that of the tax is not said.
  expect(await ask(sage([filed.bill, filed.small], { account: 'Sales' }))).toEqual([
    422,
    ['settlement_ids.0', 'settlement_ids.1', 'account', 'tax_account'],
  ]);
  await tenant.must('PATCH', `/v1/accounts/${tenant.account.id}`, { accounting_id: '1042' }, filed.admin);
  try {
    expect(await ask(sage([filed.bill]))).toEqual([422, ['tax_account']]);
    const { settlements, format, ...accounts } = sage([filed.bill, filed.small], { tax_account: '2200' }) as Json;
    const { bytes, headers } = await fileOf(filed, format, settlements, accounts);
    expect(headers.get('content-disposition')).toContain('settlements-sage-100-contractor.csv');
    const rows = cellsOf(bytes);
    expect(readSage(bytes)).toEqual(new Map([filed.bill, filed.small].map((one) => [one.settlement_id, totalOf(one)])));
    for (const settlement of [filed.bill, filed.small]) {
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
        settlement === filed.bill ? [9608n] : [],
      );
    }
    // The driver has no number.
    expect(await ask(sage([filed.pay]))).toEqual([422, ['settlement_ids.0']]);
    await tenant.must('PATCH', `/v1/users/${tenant.driver.user.id}`, { external_id: '77' }, filed.admin);
    const { bytes: payables } = await fileOf(filed, 'sage_100_contractor', [filed.pay], { account: '5100' });
    expect(readSage(payables)).toEqual(new Map([[filed.pay.settlement_id, totalOf(filed.pay)]]));
    const paid = cellsOf(payables);
    expect(paid.map((row) => [row[0], row[3], row.length])).toEqual([
      ['APINV', '77', 25],
      ['APINV', '5100', 10],
    ]);
  } finally {
    await tenant.must('PATCH', `/v1/accounts/${tenant.account.id}`, { accounting_id: null }, filed.admin);
  }
});
