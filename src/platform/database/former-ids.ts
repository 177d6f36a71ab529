import type { EntityManager } from '@mikro-orm/postgresql';
import { isUuid } from '../ids.ts';
import { type Registration, registration } from '../registration.ts';
import { definePurpose, runAsPurpose } from './scope.ts';
import { queryOf } from './sql.ts';

/** Asks which record answers for a former id. Whether its record is seen is decided as for every other id. */
export const FORMER_IDS = definePurpose('former_ids', { merged_record: ['select (former_id, kept_id)'] });

const mergeable = new Set<Function>();

/** Declares an entity whose records can be merged (src/merging): a former id answers with the record that stays. */
export const defineMergeable = (entity: Function): Registration =>
  registration('defineMergeable', entity.name, () => void mergeable.add(entity));

export const isMergeable = (entity: Function): boolean => mergeable.has(entity);

/** The ids of the records that answer for those of the ids that are former ones, in lower case. */
export async function currentIds(at: { em: EntityManager; tx?: unknown }, ids: readonly unknown[]): Promise<ReadonlyMap<string, string>> {
  const asked = [...new Set(ids.flatMap((id) => (typeof id === 'string' && isUuid(id) ? [id.toLowerCase()] : [])))];
  if (asked.length === 0) return new Map();
  const sql = 'select former_id, kept_id from merged_record where former_id = any($1::uuid[])';
  const rows = await runAsPurpose(FORMER_IDS, () => queryOf<{ former_id: string; kept_id: string }>(at, sql, [asked]));
  return new Map(rows.map(({ former_id, kept_id }) => [former_id, kept_id]));
}

/** Which of the ids are those under which the rows of merged records are kept, in whichever company: no answer has them, and no command finds anything by them. */
export async function leftOfMerges(at: { em: EntityManager; tx?: unknown }, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const sql = 'select i.id from unnest($1::uuid[]) i (id) where is_left_of_merge(i.id)';
  const rows = await queryOf<{ id: string }>(at, sql, [[...new Set(ids)]]);
  return new Set(rows.map(({ id }) => id));
}

/** SQL of whether a row names nothing that is left of a merged record: a merge puts such rows aside. `columns` are those in which it names what can be merged. */
export const isInUse = (...columns: readonly string[]): string =>
  `not exists (select from merged_record mr where mr.remains_id in (${columns.join(', ')}))`;

/**
 * The same of one column, where all rows of a list are read: what is left of merged records is found once, and kept in a table of hashes. It costs nothing
 * where nothing was merged, and more than looking each row up where there are few.
 */
export const isInUseOfAll = (column: string): string => `(${column} in (select mr.remains_id from merged_record mr)) is not true`;
