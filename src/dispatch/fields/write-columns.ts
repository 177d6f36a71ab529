import type { SetTx } from '../../platform/commands/set-tx.ts';
import { columnOf, type FieldKind, ORDER_FIELDS, PROJECT_FIELDS, type WorkField } from './work-fields.ts';

const TYPE_OF: Partial<Record<FieldKind, string>> = { decimal: 'numeric', whole: 'int', flag: 'boolean', instant: 'timestamptz' };

/** PostgreSQL types of the columns of orders and projects; `text` if none is named. */
export const COLUMN_TYPES: Readonly<Record<string, string>> = {
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
      'material_rate_supplier_account_id',
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
/** Columns that hold lists of ids. */
export const LIST_COLUMNS: readonly string[] = ['foreman_ids', 'collaborator_ids', 'salesperson_ids'];

/** Sets columns of many rows of a table in one statement; all other columns keep their values. */
export async function writeColumns(
  tx: SetTx,
  table: 'orders' | 'project',
  rows: readonly { id: string; set: Readonly<Record<string, unknown>> }[],
): Promise<void> {
  const changed = rows.filter(({ set }) => Object.keys(set).length > 0);
  if (changed.length === 0) return;
  const columns = [...new Set(changed.flatMap(({ set }) => Object.keys(set)))];
  const value = (column: string) =>
    LIST_COLUMNS.includes(column)
      ? `(select coalesce(array_agg(x::uuid), '{}') from jsonb_array_elements_text(r.c->'${column}') x)`
      : `(r.c->>'${column}')::${COLUMN_TYPES[column] ?? 'text'}`;
  const set = columns.map((column) => `${column} = case when r.c ? '${column}' then ${value(column)} else o.${column} end`).join(', ');
  await tx.query(
    `update ${table} o set ${set}, updated_at = $2, version = o.version + 1 from jsonb_to_recordset($1::jsonb) r(id uuid, c jsonb) where o.id = r.id`,
    [JSON.stringify(changed.map(({ id, set: c }) => ({ id, c }))), tx.now],
  );
}
