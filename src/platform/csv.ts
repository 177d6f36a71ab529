/**
 * The beginnings of cells that a spreadsheet may take for a formula (OWASP, "CSV Injection"): the four signs, also in their full-width, small
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
  let text = bom ? '\uFEFF' : '';
  for (const row of rows) {
    for (let at = 0; at < row.length; at++) text += (at > 0 ? delimiter : '') + cellText(row[at], delimiter);
    text += '\r\n';
  }
  return text;
}

/** Either of them alone would end the row for some readers. */
const LINE_END = /[\r\n]/;

function cellText(cell: CsvRow[number], delimiter: string): string {
  if (cell === null || cell === undefined) return '';
  const text = safeCell(String(cell));
  const isPlain = !text.includes(delimiter) && !text.includes('"') && !LINE_END.test(text);
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}

/** No formula, and no number with a sign: most cells. */
const PLAIN = /^[0-9A-Za-z{[]/;

/** Returns a cell that no spreadsheet runs as a formula: one that might be gets an apostrophe; numbers stay as they are. */
export function safeCell(text: string): string {
  return !PLAIN.test(text) && FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}
