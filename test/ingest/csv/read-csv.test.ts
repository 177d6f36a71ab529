import { expect, test } from '@jest/globals';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { openCsv } from '../../../src/ingest/csv/read-csv.ts';
import { runs } from '../../helpers/properties.ts';

const rowsOf = (text: string) => [...openCsv(Buffer.from(text)).blocks()].flat();

test('any table reads back as it was written, each row with its line', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '\n', ' ', '=', 'é'), maxLength: 6 });
  const table = fc.array(fc.tuple(cell, cell, cell), { maxLength: 1_200 });
  fc.assert(
    fc.property(table, fc.constantFrom(',', ';', '\t'), fc.constantFrom('\n', '\r\n'), (rows, delimiter, end) => {
      const text = stringify([['one', 'two', 'three'], ...rows], { delimiter, record_delimiter: end, quoted: true });
      const lines = [2];
      for (const row of rows) lines.push((lines.at(-1) as number) + 1 + row.join('').split('\n').length - 1);
      const wanted = rows.map((cells, i) => ({ line: lines[i], cells })).filter(({ cells }) => cells.some((one) => one.trim() !== ''));
      expect(rowsOf(text)).toEqual(wanted);
    }),
    { numRuns: runs(60) },
  );
});

test('for any bytes, every line is reported at most once, and nothing throws', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', '\0', ' '), maxLength: 200 });
  fc.assert(
    fc.property(text, (body) => {
      const rows = rowsOf(`one,two\n${body}`);
      const lines = rows.map(({ line }) => line);
      expect(lines).toEqual([...new Set(lines)].sort((a, b) => a - b));
      for (const row of rows) if ('cells' in row) expect(row.cells.length).toBe(2);
    }),
    { numRuns: runs(2_000) },
  );
});

test('a quote that is never closed loses its own line only', () => {
  const rows = rowsOf(`one,two\n1,"open\n${'3,4\n'.repeat(1_000)}`);
  expect(rows.length).toBe(1_001);
  expect(rows[0]).toEqual({ line: 2, fault: { code: 'quote' }, raw: '1,"open' });
  expect(rows[1_000]).toEqual({ line: 1_002, cells: ['3', '4'] });
});
