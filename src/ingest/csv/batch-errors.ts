import { find } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { writeCsv } from '../../platform/csv.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { orArchived } from '../../platform/read/past/archived.ts';
import { mayReadBatch } from '../api/own-batches.ts';
import { maskWarnings } from '../dry-run/hide-money.ts';
import type { Warning } from '../importer.ts';
import { ImportBatch } from '../ledger/import-batch.entity.ts';

/** A row of a sheet of errors, for a record. */
export interface TroubledRow {
  line: string | null;
  imported_for: string | null;
  state: string;
  last_error: string | null;
  warnings: Warning[];
  id: string;
}

/** Records from a sheet have their line, those from JSON their place, counted from 1. */
const LINE_SQL = `coalesce(metadata ->> 'csv_line', (batch_index + 1)::text)`;
/** Failed, or with warnings. */
const TROUBLED_SQL = `(state in ('failed', 'exhausted') or warnings::text <> '[]')`;
const TROUBLED = `
select ${LINE_SQL} as line, imported_for, state, last_error, warnings, id
from imported_record
where batch_id = $1 and company_id = $2 and ${TROUBLED_SQL}
order by batch_index`;

/**
 * Returns the records of a batch that failed or have warnings as CSV, for correcting the source. Cells with text of senders are escaped, so
 * that none is a formula.
 * @throws Denied, Missing, Gone
 */
export async function batchErrors(ctx: Context, id: string, companyId?: string | null): Promise<string> {
  const viewer = await mayReadBatch(ctx, id, companyId);
  const sought = { model: 'ImportBatch', table: 'import_batch', id, companyId };
  const batch = await orArchived(ctx, sought, () => find(ctx, ImportBatch, id, { companyId }));
  const pool = await poolOf(ctx.em);
  const { rows } = await pool.query<TroubledRow>({ name: 'import_batch_errors', text: TROUBLED, values: [batch.id, batch.company.id] });
  return writeCsv([ERROR_COLUMNS, ...rows.map((row) => errorCells({ ...row, warnings: maskWarnings(viewer, row.warnings) }))]);
}

/** The header of a sheet of errors. */
export const ERROR_COLUMNS = ['line', 'external_id', 'state', 'last_error', 'warnings', 'record_id'];

/** Returns the row of a record in a sheet of errors. Rates in its warnings that the viewer may not see are gone already. */
export const errorCells = (row: TroubledRow) => [
  row.line,
  row.imported_for,
  row.state,
  row.last_error,
  row.warnings.map(warningText).join('\n'),
  row.id,
];

/** Returns a text like `unknown_unit: /unit_of_measure: "cubits" -> "Ton"`. */
function warningText({ code, pointer, given, used }: Warning): string {
  const values = [given, used].filter((one) => one !== undefined && one !== null).map((one) => JSON.stringify(one));
  return `${code}: ${pointer}: ${values.join(' -> ')}`;
}
