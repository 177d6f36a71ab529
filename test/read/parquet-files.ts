import { expect } from '@jest/globals';
import { type FileMetaData, parquetMetadata, parquetReadObjects, type SchemaElement } from 'hyparquet';
import type { Json } from './crowded-tenant.ts';

/** The rows of a file. Decimal numbers are read as the whole numbers that they are kept as, because the library would make doubles of them. */
export async function rowsOf(bytes: ArrayBuffer): Promise<{ metadata: FileMetaData; rows: Json[]; columns: Map<string, SchemaElement> }> {
  const metadata = parquetMetadata(bytes);
  const columns = new Map(metadata.schema.slice(1).map((one) => [one.name, one]));
  const exact = metadata.schema.map((one) => (one.logical_type?.type === 'DECIMAL' ? { ...one, logical_type: undefined } : one));
  const rows = await parquetReadObjects({ file: bytes, metadata: { ...metadata, schema: exact } });
  return { metadata, rows, columns };
}

const typeOf = ({ type, converted_type, logical_type }: SchemaElement): string =>
  logical_type?.type === 'DECIMAL' ? 'DECIMAL' : (converted_type ?? type!);

/** What a column should say of a value of a page. */
function shown(value: unknown, column: SchemaElement): unknown {
  const { type: physical, scale = 0 } = column;
  const type = typeOf(column);
  if (value === null || value === undefined) return null;
  if (type === 'DECIMAL') {
    const [whole = '', behind = ''] = String(value).split('.');
    return String(BigInt(`${whole}${behind.padEnd(scale, '0')}`));
  }
  if (type === 'TIMESTAMP_MILLIS' || type === 'DATE') return new Date(value as string).toISOString();
  if (physical === 'INT64') return String(value);
  return type === 'UTF8' && typeof value !== 'string' ? JSON.stringify(value) : value;
}
/** What it says. */
export function kept(value: unknown, column: SchemaElement): unknown {
  const type = typeOf(column);
  if (value === null || value === undefined) return null;
  if (type === 'DECIMAL') return String(BigInt.asIntN(128, BigInt(`0x${Buffer.from(value as Uint8Array).toString('hex')}`)));
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'bigint' ? String(value) : value;
}
const valueAt = (record: Json, path: string): unknown =>
  path === 'value' && typeof record !== 'object' ? record : path.split('.').reduce((value, key) => value?.[key], record);

/** Compares a file with the records of the pages of its list. @returns the types of its columns */
export async function expectSame(name: string, bytes: ArrayBuffer, records: Json[]): Promise<Set<string>> {
  const { metadata, rows, columns } = await rowsOf(bytes);
  expect([name, Number(metadata.num_rows)]).toEqual([name, records.length]);
  const said = rows.map((row) => Object.fromEntries([...columns].map(([column, of]) => [column, kept(row[column], of)])));
  const wanted = records.map((record) =>
    Object.fromEntries([...columns].map(([column, of]) => [column, shown(valueAt(record, column), of)])),
  );
  expect([name, said]).toEqual([name, wanted]);
  return new Set([...columns.values()].map(typeOf));
}
