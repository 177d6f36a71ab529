import { expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { writeCsv } from '../../src/platform/csv.ts';

test('cells that a spreadsheet would take for a formula get an apostrophe, numbers do not', () => {
  const cells = ['=1+1', '+CMD', '@SUM', '-2+3', '\tx', '\rx', '-12.5', '+3', '-7', 'a=b', null];
  const [row] = parse(writeCsv([cells]), { bom: true }) as string[][];
  expect(row).toEqual(["'=1+1", "'+CMD", "'@SUM", "'-2+3", "'\tx", "'\rx", '-12.5', '+3', '-7', 'a=b', '']);
});

test.each([
  '＝1+1',
  '＋CMD',
  '－2+3',
  '＠SUM',
  '﹦1',
  '−A1',
  ' =1+1',
  '\u00a0＝1',
  '\ufeff=1',
  '\u200b@SUM',
  '\t＝1',
  '\r=1',
  '\n=1',
  ' \r',
  ' \tx',
  '=',
  '＝',
])('%j is no formula', (cell) => {
  expect(parse(writeCsv([[cell]]), { bom: true })).toEqual([[`'${cell}`]]);
});

test.each(['Nørre ＝ 3', '日本＝1', ' Pit 4', '-12', '\u00a0', "'=1"])('%j is unchanged', (cell) => {
  expect(parse(writeCsv([['x', cell]]), { bom: true })).toEqual([['x', cell]]);
});

test('whatever is written can be read back, without the apostrophes of formulas', () => {
  const cell = fc.oneof(fc.string(), fc.stringMatching(/^[=+\-@＝＋－＠\t\r",;\n' a1]{0,8}$/));
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), (rows) => {
      const read = parse(writeCsv(rows), { bom: true, relax_column_count: true }) as string[][];
      const bare = (row: string[]) => row.map((text) => text.replace(/^'/, ''));
      expect(read.map(bare)).toEqual(rows.map(bare));
      for (const text of read.flat()) expect(/^\s*[=+\-@＝＋－＠\t\r]/.test(text) && !/^[-+]?\d+([.,]\d+)?$/.test(text)).toBe(false);
    }),
  );
});
