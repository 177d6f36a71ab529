import { columnOf, type FieldKind, ORDER_FIELDS, PROJECT_FIELDS, type WorkField } from '../../dispatch/fields/work-fields.ts';
import { decimalText } from '../../platform/decimal.ts';
import type { BatchTx } from '../importer.ts';

const TYPE_OF: Partial<Record<FieldKind, string>> = { decimal: 'numeric', whole: 'int', flag: 'boolean', instant: 'timestamptz' };

/** PostgreSQL types of the columns that imports set; `text` where none is named. */
const TYPES: Record<string, string> = {
  ...Object.fromEntries(
    [...Object.entries<WorkField>(ORDER_FIELDS), ...Object.entries<WorkField>(PROJECT_FIELDS)].flatMap(([field, { kind }]) =>
      TYPE_OF[kind] ? [[columnOf(field), TYPE_OF[kind]]] : [],
    ),
  ),
  ...Object.fromEntries(
    [
      'account_id',
      'service_id',
      'material_id',
      'equipment_type_id',
      'vendor_id',
      'dispatch_number_id',
      'sales_contact_id',
      'foreman_contact_id',
      'supervisor_contact_id',
      'collaborator_contact_id',
    ].map((column) => [column, 'uuid']),
  ),
  load_at: 'timestamptz',
};
const LISTS = ['foreman_ids', 'collaborator_ids', 'salesperson_ids'];

/** True when a column already holds what a payload would set. */
export function isSame(column: string, before: string | null, after: unknown): boolean {
  if (before === null || after === null || after === undefined) return (before ?? null) === (after ?? null);
  if (LISTS.includes(column)) return before === JSON.stringify(after).replaceAll(',', ', ') || before === JSON.stringify(after);
  if (TYPES[column] === 'timestamptz') return Date.parse(before) === Date.parse(String(after));
  if (TYPES[column] === 'numeric') return decimalText(before) === decimalText(String(after));
  return before === String(after);
}

/** What a column holds, as people and the API are told it: instants in UTC with a Z, decimals without idle zeros, lists as lists. */
export function shownValue(column: string, value: string | null): unknown {
  if (value === null) return null;
  if (LISTS.includes(column)) return JSON.parse(value);
  if (TYPES[column] === 'timestamptz') return new Date(value).toISOString();
  if (TYPES[column] === 'numeric') return decimalText(value);
  return value;
}

/** What a column holds, as a sender would write it: numbers as numbers, as long as they keep their digits. */
export function sentValue(column: string, value: string | null): unknown {
  const type = TYPES[column];
  if (value !== null && type === 'boolean') return value === 'true';
  if (value === null || (type !== 'numeric' && type !== 'int')) return shownValue(column, value);
  const text = decimalText(value);
  return String(Number(text)) === text ? Number(text) : text;
}

/** Sets the given columns of many rows of a table in one statement; a column not given keeps its value. */
export async function writeColumns(
  tx: BatchTx,
  table: 'orders' | 'project',
  rows: { id: string; c: Record<string, unknown> }[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row.c)))];
  const value = (column: string) =>
    LISTS.includes(column)
      ? `(select coalesce(array_agg(x::uuid), '{}') from jsonb_array_elements_text(r.c->'${column}') x)`
      : `(r.c->>'${column}')::${TYPES[column] ?? 'text'}`;
  const set = columns.map((column) => `${column} = case when r.c ? '${column}' then ${value(column)} else o.${column} end`).join(', ');
  await tx.query(
    `update ${table} o set ${set}, updated_at = $2, version = o.version + 1 from jsonb_to_recordset($1::jsonb) r(id uuid, c jsonb) where o.id = r.id`,
    [JSON.stringify(rows), tx.now],
  );
}
