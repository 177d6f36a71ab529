import { stringify } from 'csv-stringify/sync';

/** Characters with which spreadsheets take a cell for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[-+]?\d+([.,]\d+)?$/;

/**
 * CSV text (RFC 4180, UTF-8 with BOM, so that Excel reads accents) in which no cell is a formula: one that would be is led by an
 * apostrophe. Numbers stay numbers.
 */
export function writeCsv(rows: (string | number | null | undefined)[][]): string {
  return stringify(
    rows.map((row) => row.map((cell) => safeCell(cell === null || cell === undefined ? '' : String(cell)))),
    // A lone line end inside a cell would end the row.
    { bom: true, record_delimiter: 'windows', quoted_match: /[\r\n]/ },
  );
}

export function safeCell(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}
