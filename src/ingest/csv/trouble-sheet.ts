import type { Sheet } from '../../platform/http/rest/exports/formats.ts';
import { ERROR_COLUMNS, errorCells, type TroubledRow } from './batch-errors.ts';

/** An imported record as REST answers it. */
type Listed = Omit<TroubledRow, 'line'> & { batch_index: number; metadata: { csv_line?: unknown } | null };

/** Imported records as a sheet: of those that the filter finds the ones that failed or have warnings, in the columns of a batch's errors.csv. */
export const troubleSheet: Sheet = {
  narrow: (variables) => ({ ...variables, filter: { ...(variables.filter as object | undefined), troubled: true } }),
  columns: () => ERROR_COLUMNS,
  lines: (record: Listed) => [errorCells({ ...record, line: String(record.metadata?.csv_line ?? record.batch_index + 1) })],
};
