import { CsvError, parse } from 'csv-parse/sync';

/** A row of a sheet, or why it could not be read. */
export type CsvRow = {
  /** Where it starts in the file, counted from 1. The header is line 1 unless blank lines come before it. */
  line: number;
} & ({ cells: string[] } | { fault: RowFault; raw: string });

/**
 * `cells`: a different number than the header has. `quote`: a quote in the wrong place, or never closed. `nul`: text that cannot be stored.
 */
export type RowFault = { code: 'cells'; given: number; wanted: number } | { code: 'quote' } | { code: 'nul' };

export interface CsvSheet {
  header: string[];
  separator: string;
  /** The rows in blocks, so that a server can do other work in between. Rows whose cells are all empty are left out. */
  blocks(): Generator<CsvRow[]>;
}

/** Why a file cannot be read as a sheet at all. */
export class UnreadableCsv extends Error {
  constructor(readonly key: 'body_not_utf8' | 'csv_no_header') {
    super(key);
  }
}

/** Rows of a block. */
const BLOCK = 500;
/** The most bytes of a row: an open quote is given up after as many. */
const LONGEST_ROW = 65_536;
/** The most characters of an unreadable row that are stored. */
const SHOWN = 1_000;
const SEPARATORS = [',', ';', '\t'];
const LF = 0x0a;
const CR = 0x0d;

/**
 * Reads comma-, semicolon- or tab-separated text (RFC 4180). The separator is the most frequent one of the header, or the one of Excel's
 * `sep=` line. After a quote in the wrong place, reading goes on with the next line.
 * @throws UnreadableCsv if the bytes are not UTF-8 or contain no header
 */
export function openCsv(bytes: Buffer): CsvSheet {
  let body = bytes;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new UnreadableCsv('body_not_utf8');
  }
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) body = body.subarray(3);
  const start = skipBlank(body, { at: 0, line: 1 });
  const said = /^sep=([^\r\n])\r?\n/i.exec(body.subarray(start.at, start.at + 10).toString('latin1'));
  const from = said ? skipBlank(body, { at: start.at + said[0].length, line: start.line + 1 }) : start;
  const separator = said?.[1] ?? separatorOf(body, from.at);
  const { rows, next } = readBlock(body, from, separator, 1);
  const first = rows[0];
  if (!first || 'fault' in first || first.cells.every((cell) => cell.trim() === '')) throw new UnreadableCsv('csv_no_header');
  const { cells: header } = first;
  return {
    header,
    separator,
    *blocks() {
      let at = next;
      while (at.at < body.length) {
        const block = readBlock(body, at, separator, BLOCK);
        at = block.next;
        yield block.rows.flatMap((row) => judge(row, header.length, separator));
      }
    },
  };
}

/** A place in the file: offset in bytes, and line. */
interface Place {
  at: number;
  line: number;
}

/** Reads up to `most` rows from a place. Stops after a line that cannot be read. */
function readBlock(body: Buffer, from: Place, delimiter: string, most: number): { rows: CsvRow[]; next: Place } {
  const rows: CsvRow[] = [];
  let place = skipBlank(body, from);
  const base = place.at;
  const take = (cells: string[], info: { bytes: number }) => {
    rows.push({ line: place.line, cells });
    place = skipBlank(body, { at: base + info.bytes, line: place.line + linesIn(body, place.at, base + info.bytes) });
    return null;
  };
  try {
    parse(body.subarray(base), {
      delimiter,
      to: most,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: LONGEST_ROW,
      on_record: take,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const end = endOfLine(body, place.at);
    rows.push({ line: place.line, fault: { code: 'quote' }, raw: show(body.subarray(place.at, end)) });
    return { rows, next: skipBlank(body, { at: end, line: place.line }) };
  }
  return { rows, next: rows.length === 0 ? { at: body.length, line: place.line } : place };
}

/** Returns a row for the caller: none if it is empty, a fault if the number of its cells differs from the header's. */
function judge(row: CsvRow, wanted: number, separator: string): CsvRow[] {
  if ('fault' in row) return [row];
  const { cells, line } = row;
  if (cells.every((cell) => cell.trim() === '')) return [];
  const raw = () => show(Buffer.from(cells.join(separator)));
  if (cells.length !== wanted) return [{ line, fault: { code: 'cells', given: cells.length, wanted }, raw: raw() }];
  if (cells.some((cell) => cell.includes('\0'))) return [{ line, fault: { code: 'nul' }, raw: raw() }];
  return [row];
}

function show(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\0', '\uFFFD').trimEnd().slice(0, SHOWN).toWellFormed();
}

/** Returns the most frequent separator of the header outside of quotes. A header of one column has none, and a comma will do. */
function separatorOf(body: Buffer, at: number): string {
  const line = body
    .subarray(at, endOfLine(body, at))
    .toString('utf8')
    .replace(/"[^"]*"/g, '');
  const counts = SEPARATORS.map((separator) => line.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] as string;
}

function endOfLine(body: Buffer, at: number): number {
  let end = at;
  while (end < body.length && body[end] !== LF && body[end] !== CR) end++;
  return end;
}

function skipBlank(body: Buffer, { at, line }: Place): Place {
  let next = at;
  while (body[next] === LF || body[next] === CR) next++;
  return { at: next, line: line + linesIn(body, at, next) };
}

/** Counts the line ends between two offsets; CRLF is one. */
function linesIn(body: Buffer, from: number, to: number): number {
  let lines = 0;
  for (let i = from; i < to; i++) if (body[i] === LF ? body[i - 1] !== CR || i === from : body[i] === CR) lines++;
  return lines;
}
