import { expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { writeCsv } from '../../src/platform/csv.ts';

test('cells that a spreadsheet would take for a formula are led by an apostrophe, numbers are not', () => {
  const cells = ['=1+1', '+CMD', '@SUM', '-2+3', '\tx', '\rx', '-12.5', '+3', '-7', 'a=b', null];
  const [row] = parse(writeCsv([cells]), { bom: true }) as string[][];
  expect(row).toEqual(["'=1+1", "'+CMD", "'@SUM", "'-2+3", "'\tx", "'\rx", '-12.5', '+3', '-7', 'a=b', '']);
});

test('whatever is written reads back, apostrophes of formulas aside', () => {
  const cell = fc.oneof(fc.string(), fc.stringMatching(/^[=+\-@\t\r",;\n' a1]{0,8}$/));
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), (rows) => {
      const read = parse(writeCsv(rows), { bom: true, relax_column_count: true }) as string[][];
      expect(read.map((row) => row.map((text) => text.replace(/^'(?=[=+\-@\t\r])/, '')))).toEqual(
        rows.map((row) => row.map((text) => text.replace(/^'(?=[=+\-@\t\r])/, ''))),
      );
      for (const text of read.flat()) expect(/^[=+\-@\t\r]/.test(text) && !/^[-+]?\d+([.,]\d+)?$/.test(text)).toBe(false);
    }),
  );
});
