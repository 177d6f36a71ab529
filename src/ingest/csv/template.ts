import { writeCsv } from '../../platform/csv.ts';
import { SHEET_FIELDS, type SheetKind } from './fields.ts';

/** Returns a sheet to begin with: the header in wire paths, and one row that can be imported as it is. */
export function csvTemplate(kind: SheetKind): string {
  const fields = SHEET_FIELDS[kind].filter((field) => field.example !== undefined);
  return writeCsv([fields.map((field) => field.path), fields.map((field) => field.example)]);
}
