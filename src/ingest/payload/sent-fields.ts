import { isObject } from '../../platform/json/objects.ts';
import type { BatchTx } from '../importer.ts';

interface Reference {
  /** Field of the payload. */
  field: string;
  table: 'account' | 'material' | 'equipment_type' | 'service' | 'dispatch_number' | 'app_user';
  /** The column holds many, or the field is a list of which the column holds one. */
  list?: true;
}

/** Columns that hold ids of other records, and the fields in which senders name those. */
export const REFERENCES: Readonly<Record<string, Reference>> = {
  account_id: { field: 'customer', table: 'account' },
  vendor_id: { field: 'vendors', table: 'account', list: true },
  material_id: { field: 'material', table: 'material' },
  material_rate_supplier_account_id: { field: 'supplier', table: 'account' },
  equipment_type_id: { field: 'equipment_type', table: 'equipment_type' },
  service_id: { field: 'service', table: 'service' },
  dispatch_number_id: { field: 'dispatch_number', table: 'dispatch_number' },
  foreman_ids: { field: 'foremen', table: 'app_user', list: true },
  collaborator_ids: { field: 'collaborators', table: 'app_user', list: true },
  salesperson_ids: { field: 'salespeople', table: 'app_user', list: true },
};

/** Returns the JSON pointer of the field in which a column is sent. */
export const fieldOf = (column: string): string => `/${REFERENCES[column]?.field ?? column}`;

const COLUMNS = new Map(Object.entries(REFERENCES).map(([column, { field }]) => [field, column]));
/** Returns the column of the records that a field names. @throws Error if it names none */
export function columnNamed(field: string): string {
  const column = COLUMNS.get(field);
  if (!column) throw new Error(`${field} names no record`);
  return column;
}

const NAMED = `jsonb_strip_nulls(jsonb_build_object('external_id', t.external_id, 'name', t.name))`;
/** SQL of records as a sender would write them. */
const AS_SENT: Record<Reference['table'], string> = {
  account: NAMED,
  material: NAMED,
  equipment_type: NAMED,
  service: 'to_jsonb(t.name)',
  dispatch_number: 'to_jsonb(t.name)',
  app_user: `jsonb_strip_nulls(jsonb_build_object('external_id', t.external_id, 'first_name', t.first_name, 'last_name', t.last_name,
    'email', t.email, 'phone', t.phone))`,
};

/**
 * Returns what columns refer to, as a sender would write it, in a statement for each table. Records of others that the company may not see
 * are left out.
 * @returns by column and its value, as PostgreSQL writes it to JSON
 */
export async function referredTo(
  tx: BatchTx,
  asked: readonly { column: string; value: string | null }[],
): Promise<(column: string, value: string | null) => unknown> {
  const found = new Map<string, unknown>();
  for (const table of new Set(asked.map(({ column }) => REFERENCES[column]!.table))) {
    const ids = asked.flatMap(({ column, value }) => (REFERENCES[column]!.table === table ? idsOf(value) : []));
    const rows = await tx.query<{ id: string; sent: unknown }>(
      `select t.id, ${AS_SENT[table]} as sent from ${table} t where t.id = any($1::uuid[])`,
      [[...new Set(ids)]],
    );
    for (const { id, sent } of rows) found.set(id, sent);
  }
  return (column, value) => {
    const all = idsOf(value).flatMap((id) => (found.has(id) ? [found.get(id)] : []));
    return REFERENCES[column]!.list ? all : (all[0] ?? null);
  };
}

const idsOf = (value: string | null): string[] => (value === null ? [] : value.startsWith('[') ? JSON.parse(value) : [value]);

/** Returns the value of an element under a JSON pointer. Our pointers have keys without escapes. */
export function sentAt(element: unknown, pointer: string): unknown {
  let value = element;
  for (const key of pointer.split('/').slice(1)) value = (value as Record<string, unknown> | undefined | null)?.[key];
  return value;
}

const isBlank = (given: unknown): boolean => given === null || (typeof given === 'string' && given.trim() === '');

/**
 * Whether a value names no record: null, a blank text, or an object whose id and name are that, as programs write it which write every field. An
 * object with neither of the two says nothing.
 */
export function namesNothing(given: unknown): boolean {
  if (!isObject(given)) return isBlank(given);
  const keys = [given.external_id, given.name].filter((key) => key !== undefined);
  return keys.length > 0 && keys.every(isBlank);
}
