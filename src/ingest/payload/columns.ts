import { COLUMN_TYPES, LIST_COLUMNS } from '../../dispatch/fields/write-columns.ts';
import { decimalText } from '../../platform/decimal.ts';

/** Returns true if a column already holds what a payload would set. */
export function isSame(column: string, before: string | null, after: unknown): boolean {
  if (before === null || after === null || after === undefined) return (before ?? null) === (after ?? null);
  if (LIST_COLUMNS.includes(column)) return before === JSON.stringify(after).replaceAll(',', ', ') || before === JSON.stringify(after);
  if (COLUMN_TYPES[column] === 'timestamptz') return Date.parse(before) === Date.parse(String(after));
  if (COLUMN_TYPES[column] === 'numeric') return decimalText(before) === decimalText(String(after));
  return before === String(after);
}

/** Returns the value of a column as people and the API see it: instants in UTC with a Z, decimals without trailing zeros, lists, flags and whole numbers as such. */
export function shownValue(column: string, value: string | null): unknown {
  if (value === null) return null;
  if (LIST_COLUMNS.includes(column)) return JSON.parse(value);
  if (COLUMN_TYPES[column] === 'timestamptz') return new Date(value).toISOString();
  if (COLUMN_TYPES[column] === 'numeric') return decimalText(value);
  if (COLUMN_TYPES[column] === 'boolean') return value === 'true';
  if (COLUMN_TYPES[column] === 'int') return Number(value);
  return value;
}

/** Returns the value of a column as a sender would write it: numbers as numbers, as long as they keep their digits. */
export function sentValue(column: string, value: string | null): unknown {
  if (value === null || COLUMN_TYPES[column] !== 'numeric') return shownValue(column, value);
  const text = decimalText(value);
  return String(Number(text)) === text ? Number(text) : text;
}
