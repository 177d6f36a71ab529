import { planOnce } from '../../platform/database/plan-once.ts';
import type { BatchTx, ImportKind } from '../importer.ts';

/** A key, locked, and what was applied to it last. */
export interface TakenKey {
  imported_for: string;
  applied_hash: Buffer | null;
  applied_sequence: string | null;
  result_id: string | null;
}

/**
 * Locks keys in sorted order, to the end of the transaction: the row of `import_key` is the lock, as it is also where the last applied
 * payload is looked up. (Advisory locks would do, but a thousand of them exhaust PostgreSQL's shared lock table; row locks have no limit.)
 */
export async function takeKeys(query: BatchTx['query'], companyId: string, kind: ImportKind, keys: string[]): Promise<TakenKey[]> {
  if (keys.length === 0) return [];
  const values = [companyId, kind, keys];
  await query(MAKE, values);
  return query<TakenKey & Record<string, unknown>>(LOCK, values);
}

/** The same without a lock, and without making keys: as they are at this moment. */
export async function readKeys(query: BatchTx['query'], companyId: string, kind: ImportKind, keys: string[]): Promise<TakenKey[]> {
  return keys.length === 0 ? [] : query<TakenKey & Record<string, unknown>>(KEYS, [companyId, kind, keys]);
}

const KEYS = `select imported_for, applied_hash, applied_sequence, result_id from import_key
  where company_id = $1 and kind = $2 and imported_for = any ($3::text[])
  order by imported_for`;
const MAKE = planOnce(`insert into import_key (company_id, kind, imported_for)
  select $1, $2, key from unnest($3::text[]) key order by key
  on conflict do nothing`);
const LOCK = planOnce(`${KEYS} for update`);
