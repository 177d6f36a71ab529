/** Something that is true of the whole database at any moment. */
export interface Invariant {
  name: string;
  /** Its meaning, in a sentence. */
  meaning: string;
  /** Finds the records that break it: `id`, `company_id`, and `what` is wrong with each. */
  sql: string;
  /** Rows that `sql` reads by their name. Those of one name are worked out once for all invariants that read them. */
  reads?: Shared;
}

/** Rows that several invariants read, and that take long to work out. */
export interface Shared {
  /** Their name in the statements that read them. */
  name: string;
  sql: string;
}

/** SQL: the invoice or settlement is not voided. */
export const live = (i: string): string => `${i}.state <> 'voided'`;
export const missing = (table: string, id: string): string => `not exists (select from ${table} x where x.id = ${id})`;
/** SQL: the record was deleted. */
export const isGone = (id: string): string =>
  `(exists (select from audit_entry a where a.subject_id = ${id} and a.event = 'destroy') or exists (select from audit_kept a where a.subject_id = ${id} and a.event = 'destroy'))`;
/**
 * SQL: a change of the record is in no feed yet. It is looked for by a hash, whatever PostgreSQL believes of the table, which is empty most of the time: a join
 * would compare each record with each change that waits.
 */
export const isMoving = (id: string): string => `((${id} in (select p.subject_id from change_pending p)) is true)`;
export const union = <T extends string>(tables: Readonly<Record<string, T>>, select: (name: string, table: T) => string): string =>
  Object.entries(tables)
    .map(([name, table]) => select(name, table))
    .join(' union all ');
export const listOf = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ');
