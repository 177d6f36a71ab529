import { allow, companyOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { BadRequest, Invalid } from '../../platform/errors.ts';
import type { Preview } from '../dry-run/dry-preview.ts';
import { dryRun } from '../dry-run/dry-run.ts';
import type { Importer, Warning } from '../importer.ts';
import { admit, PERMISSION, type Receipt } from '../ledger/admit.ts';
import type { Unreadable } from '../ledger/rows.ts';
import { type Column, matchColumns } from './columns.ts';
import { toElement } from './element.ts';
import type { SheetKind } from './fields.ts';
import { doubtfulNumbers, numberStyleOf } from './number-style.ts';
import { type CsvRow, type CsvSheet, openCsv, UnreadableCsv } from './read-csv.ts';

/** The most rows of one sheet; published in the sender's guide. */
const ROW_LIMIT = 10_000;

export interface CsvOptions {
  mapping?: unknown;
  companyId?: string | null;
  /** Reports what would happen to the rows, and stores nothing. */
  dryRun?: boolean | null;
  /** A row for which something has to be guessed fails. */
  strict?: boolean | null;
}

interface CsvAnswer<T> {
  /** One for each row, in their order, with its place in the file. */
  records: (T & { index: number; line: number })[];
  /** Headers that were ignored. */
  unknownColumns: string[];
}
export type CsvAdmitted = CsvAnswer<Receipt> & { batchId: string };
export type CsvPreviewed = CsvAnswer<Preview>;

/**
 * Stores the rows of a sheet as imported records of one batch: all of them or, if the database is lost, none. An unreadable row becomes a
 * record with the reason.
 * @throws Invalid if the header does not fit, or if there are no rows or more than ROW_LIMIT; and what `admit` throws
 */
export async function importCsv(
  ctx: Context,
  importer: Importer,
  csv: string,
  options: CsvOptions = {},
): Promise<CsvAdmitted | CsvPreviewed> {
  allow(ctx, PERMISSION[importer.kind]);
  companyOf(ctx, options.companyId);
  const sheet = open(csv);
  const { columns, unknown } = columnsOf(sheet, `${importer.kind}s`, options.mapping);
  const rows = await readRows(sheet);
  const unreadable = new Map<number, Unreadable>();
  const noted = new Map<number, Warning[]>();
  const style = numberStyleOf(columns, rows, sheet.separator);
  const elements = rows.map((row, index) => {
    if ('fault' in row) {
      unreadable.set(index, whyUnreadable(row));
      return row.raw;
    }
    const element = toElement(columns, row.cells, row.line, style.mark);
    if (style.doubtful) noted.set(index, doubtfulNumbers(columns, element));
    return element;
  });
  const withLines = <T>(records: T[]) => ({
    records: records.map((record, index) => ({ ...record, index, line: (rows[index] as CsvRow).line })),
    unknownColumns: unknown,
  });
  const admission = { companyId: options.companyId, unreadable, noted, strict: options.strict };
  if (options.dryRun) return withLines(await dryRun(ctx, importer, elements, admission));
  const { batchId, records } = await admit(ctx, importer, elements, admission);
  return { batchId, ...withLines(records) };
}

function open(csv: string): CsvSheet {
  try {
    return openCsv(Buffer.from(csv));
  } catch (error) {
    if (!(error instanceof UnreadableCsv)) throw error;
    if (error.key === 'body_not_utf8') throw new BadRequest(error.key);
    throw invalid('', error.key);
  }
}

function columnsOf(sheet: CsvSheet, kind: SheetKind, mapping: unknown): { columns: Column[]; unknown: string[] } {
  const entries = Object.entries(mapping ?? {});
  const readable = typeof (mapping ?? {}) === 'object' && !Array.isArray(mapping) && entries.every(([, path]) => typeof path === 'string');
  if (!readable) throw invalid('mapping', 'csv_mapping_invalid');
  const { columns, unknown, problems } = matchColumns(kind, sheet.header, Object.fromEntries(entries));
  if (problems.length > 0) throw new Invalid(problems.map(({ field, key, params }) => ({ model: 'Request', field, key, params })));
  return { columns, unknown };
}

async function readRows(sheet: CsvSheet): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  for (const block of sheet.blocks()) {
    rows.push(...block);
    if (rows.length > ROW_LIMIT) throw invalid('', 'too_many_items', { max: ROW_LIMIT });
    // Other requests run between blocks: a large sheet takes tens of milliseconds.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (rows.length === 0) throw invalid('', 'csv_no_rows');
  return rows;
}

function whyUnreadable(row: Extract<CsvRow, { fault: unknown }>): Unreadable {
  const { code, ...params } = row.fault;
  return { code: 'invalid_row', key: `csv_row_${code}`, params: { line: row.line, ...params }, metadata: { csv_line: row.line } };
}

function invalid(field: string, key: string, params?: Record<string, string | number>): Invalid {
  return new Invalid([{ model: 'Request', field, key, params }]);
}
