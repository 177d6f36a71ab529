/**
 * What people changed of a record by hand, as a JSON list of audited changes: an import leaves it (SPEC `skipped_update`). What a person
 * sent through the importer, or sent again, is the sender's and no edit.
 * @param row alias of the record's row
 */
export const editsSql = (type: 'Order' | 'Project', row: string): string =>
  `coalesce((select json_agg(a.object_changes order by a.created_at, a.id) from audit_entry a
    where a.company_id = ${row}.company_id and a.subject_type = '${type}' and a.subject_id = ${row}.id
      and a.created_by_type = 'User' and a.event = 'update' and a.imported_record_id is null), '[]')`;

/** Fields of a record that people changed by hand. */
export class UserEdits {
  readonly #columns: Set<string>;

  constructor(changes: readonly Record<string, unknown>[]) {
    this.#columns = new Set(changes.flatMap((one) => Object.keys(one)));
  }

  has(column: string): boolean {
    return this.#columns.has(column);
  }
}
