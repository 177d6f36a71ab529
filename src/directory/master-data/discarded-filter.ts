import type { FilterSpec } from '../../platform/read/grammar.ts';

/** Discarded records, or the others. What is left of a merged record is in neither list: the record that stayed answers for it. */
export const discardedFilter: FilterSpec = {
  sql: (t, p) => `((${t}.discarded_at is not null) = ${p}
    and (${t}.discarded_at is null or not exists (select 1 from merged_record m where m.remains_id = ${t}.id)))`,
  cast: 'boolean',
  // Records that were merged since are in lists of the past by themselves (`past-sql.ts`).
  own: ['discarded_at'],
};
