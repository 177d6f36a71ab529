import type { Query } from '../../database/sql.ts';
import { isUuid } from '../../ids.ts';

/** The ids of records that stayed, by those of the records that were merged into them, and by those of what is left of these. */
export type Answering = ReadonlyMap<string, string>;

const MERGED = `select former_id as former, remains_id as remains, kept_id as kept from merged_record
  where former_id = any($1::uuid[]) or remains_id = any($1::uuid[])`;

/** Finds the records that answer for ids among values of columns. */
export async function answeringFor(ask: Query, values: Iterable<unknown>): Promise<Answering> {
  const ids = new Set<string>();
  for (const value of values) for (const one of Array.isArray(value) ? value : [value]) if (isUuid(one)) ids.add(one);
  if (ids.size === 0) return new Map();
  const merged = await ask<{ former: string; remains: string; kept: string }>(MERGED, [[...ids]]);
  return new Map(merged.flatMap(({ former, remains, kept }) => [[former, kept] as const, [remains, kept] as const]));
}

/** Returns the value of a column with the records that answer for those that it names: what a record names is as it is now. */
export function answered(value: unknown, answering: Answering): unknown {
  if (answering.size === 0) return value;
  if (Array.isArray(value)) return value.map((one) => answered(one, answering));
  return typeof value === 'string' ? (answering.get(value) ?? value) : value;
}
