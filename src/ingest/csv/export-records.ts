import { companyOf } from '../../platform/authz/authorization.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { csvLines } from '../../platform/csv.ts';
import { chunksOf, filtersOf, listExport } from '../../platform/http/list-export.ts';
import { type ImportedRecordFilter, RECORD_FILTERS, withDefaultDays } from '../api/ingest.resolver.ts';
import { maskWarnings } from '../dry-run/hide-money.ts';
import { ImportedRecord } from '../ledger/imported-record.entity.ts';
import { ERROR_COLUMNS, errorCells, LINE_SQL, TROUBLED_SQL, type TroubledRow } from './batch-errors.ts';

interface Row extends TroubledRow {
  /** When it was received. */
  at: string;
  kind: string;
  batch_id: string;
  batch_index: number;
  result_id: string | null;
}
const COLUMNS = `${LINE_SQL} as line, t.imported_for, t.state, t.last_error, t.warnings, t.kind, t.batch_id, t.batch_index, t.result_id`;

/**
 * Exports the whole of a filtered list of imported records: as CSV those that failed or have warnings, in the columns of a batch's
 * errors.csv, as NDJSON a line for each record.
 */
export const importedRecordsExport = listExport<Row>({
  csv: {
    filename: 'errors.csv',
    head: ERROR_COLUMNS,
    lines: (viewer, rows) => csvLines(rows.map((row) => errorCells(viewer, row))),
  },
  ndjson: { filename: 'imported-records.ndjson', lines: (viewer, rows) => rows.map((row) => lineOf(viewer, row)).join('') },
  rows: (ctx, format) => records(ctx, format === 'csv'),
});

function records(ctx: Context, onlyTroubled: boolean): AsyncIterable<Row[]> {
  const { companyId, filter, search } = (ctx.variables ?? {}) as {
    companyId?: string | null;
    filter?: ImportedRecordFilter | null;
    search?: { datagrid?: string | null } | null;
  };
  const values: unknown[] = [companyOf(ctx, companyId)];
  const given = filtersOf<ImportedRecordFilter>(RECORD_FILTERS, withDefaultDays(filter), values);
  const conditions = ['t.company_id = $1', ...(onlyTroubled ? [TROUBLED_SQL] : []), ...given];
  for (const term of (search?.datagrid ?? '').split(/\s+/).filter(Boolean)) {
    const p = `$${values.push(`%${term.replace(/[\\%_]/g, '\\$&')}%`)}`;
    conditions.push(`(t.imported_for ilike ${p} or t.last_error ilike ${p})`);
  }
  return chunksOf<Row>(ctx, {
    ...{ entity: ImportedRecord, table: 'imported_record', time: 'import_received_at', columns: COLUMNS, conditions, values },
  });
}

/** Returns the line of a record, with the fields of a batch's stream of outcomes. */
function lineOf(
  viewer: Viewer,
  { batch_index: index, batch_id, id, kind, imported_for, last_error, result_id, state, ...row }: Row,
): string {
  const warnings = maskWarnings(viewer, row.warnings).map(({ code, pointer, given = null, used = null }) => ({
    code,
    pointer,
    given,
    used,
  }));
  const received = new Date(row.at).toISOString();
  return `${JSON.stringify({ index, batch_id, id, kind, imported_for, import_received_at: received, last_error, result_id, state, warnings })}\n`;
}
