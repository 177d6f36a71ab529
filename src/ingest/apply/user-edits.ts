/**
 * Returns SQL of the fields that people changed on a record by hand, as a JSON list of audited changes. An import keeps these (SPEC
 * `skipped_update`). What a person sent or resent through the importer does not count; what somebody did who
 * acted as a person does.
 * @param row alias of the record's row
 */
export const editsSql = (type: 'Order' | 'Project', row: string): string =>
  `coalesce((select json_agg(a.object_changes order by a.created_at, a.id) from (
    select a.object_changes, a.created_at, a.id from audit_entry a
      where a.company_id = ${row}.company_id and a.subject_type = '${type}' and a.subject_id = ${row}.id
        and a.created_by_type in ('User', 'Impersonation') and a.event = 'update' and a.imported_record_id is null
    -- What was changed so long ago that the entry is archived.
    union all select k.object_changes, k.created_at, k.id from audit_kept k
      where k.company_id = ${row}.company_id and k.subject_type = '${type}' and k.subject_id = ${row}.id and k.event = 'update') a), '[]')`;

/** `{ field: [before, after] }` of one command. */
export type Edit = Readonly<Record<string, readonly [unknown, unknown]>>;
interface Stop {
  type: string;
  site_id: string;
}
type Reachable = Readonly<Record<string, string | null>> | null;

/** The fields of a record that people changed by hand. */
export class UserEdits {
  readonly #edits: readonly Edit[];
  readonly #fields: ReadonlySet<string>;

  constructor(edits: readonly Edit[]) {
    this.#edits = edits;
    this.#fields = new Set(edits.flatMap((edit) => Object.keys(edit)));
  }

  has(field: string): boolean {
    return this.#fields.has(field);
  }

  /** True if somebody moved, added or removed stops of this waypoint type. */
  hasStop(waypoint: string): boolean {
    const sites = (stops: unknown) => JSON.stringify((stops as Stop[]).flatMap(({ type, site_id }) => (type === waypoint ? site_id : [])));
    return this.#of('waypoints').some(([before, after]) => sites(before) !== sites(after));
  }

  /** True if somebody changed the name, e-mail or telephone of a contact. */
  hasContact(kind: string, field: 'name' | 'email' | 'phone'): boolean {
    return this.#of(`${kind}_contact`).some(
      // A person who removed the contact wants it to stay removed.
      ([before, after]) => after === null || ((before as Reachable)?.[field] ?? null) !== ((after as Reachable)?.[field] ?? null),
    );
  }

  #of(field: string): (readonly [unknown, unknown])[] {
    return this.#edits.flatMap((edit) => (edit[field] ? [edit[field]] : []));
  }
}
