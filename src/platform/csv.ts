import { stringify } from 'csv-stringify/sync';

/**
 * How a cell begins that a spreadsheet may take for a formula (OWASP, "CSV Injection"): the four signs, also in their full-width, small
 * and mathematical forms, which some of them read as the plain ones; or a tab or line end, which some of them drop. All of them also
 * behind blanks and characters that cannot be seen.
 */
const FORMULA = /^[\s\p{Cc}\p{Cf}]*[\t\r\n=+\-@＝＋－＠﹦﹢﹣﹫−]/u;
const NUMBER = /^[-+]?\d+([.,]\d+)?$/;

export type CsvRow = readonly (string | number | null | undefined)[];

/**
 * CSV text (RFC 4180, UTF-8 with BOM, so that Excel reads accents) in which no cell is a formula: one that would be is led by an
 * apostrophe. Numbers stay numbers.
 */
export function writeCsv(rows: readonly CsvRow[]): string {
  return csvLines(rows, { bom: true });
}

/** The same, without a BOM unless asked for: a part of a sheet that is sent in parts. @param delimiter what is between two cells */
export function csvLines(rows: readonly CsvRow[], { bom = false, delimiter = ',' } = {}): string {
  return stringify(
    rows.map((row) => row.map((cell) => safeCell(cell === null || cell === undefined ? '' : String(cell)))),
    // A lone line end inside a cell would end the row.
    { bom, delimiter, record_delimiter: 'windows', quoted_match: /[\r\n]/ },
  );
}

/** No formula, and no number with a sign: most cells. */
const PLAIN = /^[0-9A-Za-z{[]/;

export function safeCell(text: string): string {
  return !PLAIN.test(text) && FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}
