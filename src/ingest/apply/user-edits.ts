/**
 * What people changed of a record by hand, as a JSON list of audited changes: an import leaves it (SPEC `skipped_update`). What a person
 * sent through the importer, or sent again, is the sender's and no edit.
 * @param row alias of the record's row
 */
export const editsSql = (type: 'Order' | 'Project', row: string): string =>
  `coalesce((select json_agg(a.object_changes order by a.created_at, a.id) from audit_entry a
    where a.company_id = ${row}.company_id and a.subject_type = '${type}' and a.subject_id = ${row}.id
      and a.created_by_type = 'User' and a.event = 'update' and a.imported_record_id is null), '[]')`;

/** `{ field: [before, after] }` of one act. */
export type Edit = Readonly<Record<string, readonly [unknown, unknown]>>;
interface Stop {
  type: string;
  site_id: string;
}
type Reachable = Readonly<Record<string, string | null>> | null;

/** Fields of a record that people changed by hand. */
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

  /** Somebody sent the stops of this waypoint type elsewhere, added one, or took one away. */
  hasStop(waypoint: string): boolean {
    const sites = (stops: unknown) => JSON.stringify((stops as Stop[]).flatMap(({ type, site_id }) => (type === waypoint ? site_id : [])));
    return this.#of('waypoints').some(([before, after]) => sites(before) !== sites(after));
  }

  /** Somebody changed the name, e-mail or telephone of a contact. */
  hasContact(kind: string, field: 'name' | 'email' | 'phone'): boolean {
    return this.#of(`${kind}_contact`).some(
      // Who took the contact away wants none of it.
      ([before, after]) => after === null || ((before as Reachable)?.[field] ?? null) !== ((after as Reachable)?.[field] ?? null),
    );
  }

  #of(field: string): (readonly [unknown, unknown])[] {
    return this.#edits.flatMap((edit) => (edit[field] ? [edit[field]] : []));
  }
}
