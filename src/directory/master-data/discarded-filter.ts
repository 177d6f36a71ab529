import type { FilterSpec } from '../../platform/read/grammar.ts';
import type { Where } from '../../platform/read/reader.ts';

/** Discarded records, or the others. What is left of a merged record is in neither list: the record that stayed answers for it. */
export const discardedFilter: FilterSpec = {
  sql: (t, p) => `((${t}.discarded_at is not null) = ${p}
    and (${t}.discarded_at is null or not exists (select 1 from merged_record m where m.remains_id = ${t}.id)))`,
  cast: 'boolean',
  // Records that were merged since are in lists of the past by themselves (`past-sql.ts`).
  own: ['discarded_at'],
};

/**
 * Discarded records and the others, without what is left of merged ones: of a read by an id, by which nobody finds that either, and of a list that may have
 * records of other companies, whose merges nobody else sees.
 */
export const WITH_DISCARDED: Where = {
  key: 'with discarded',
  sql: (t, p) => `(${p} and (${t}.discarded_at is null or not is_left_of_merge(${t}.id)))`,
  cast: 'boolean',
  value: true,
  changes: true,
};
