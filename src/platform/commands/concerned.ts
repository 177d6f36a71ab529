import type { AuditRecord, Records } from './records.ts';

/** Columns on which something depends, by type of record. */
export type Watched = Readonly<Record<string, ReadonlySet<string>>>;

/** The changes of a transaction to watched columns, and the deletions of their records. */
export class Concerned {
  readonly #audits: AuditRecord[];

  /** @param except changes that do not count */
  constructor(changes: readonly Records[], watched: Watched, except: (audit: AuditRecord) => boolean = () => false) {
    this.#audits = changes
      .flatMap(({ audits }) => audits)
      .filter((audit) => {
        const columns = watched[audit.type];
        if (!columns) return false;
        return (audit.event === 'destroy' || Object.keys(audit.changes).some((column) => columns.has(column))) && !except(audit);
      });
  }

  get none(): boolean {
    return this.#audits.length === 0;
  }

  /** Returns what changed of records of a type. */
  of(type: string): AuditRecord[] {
    return this.#audits.filter((audit) => audit.type === type);
  }

  /** Returns each id once that `of` names for records of a type: their own, unless given. What is no text counts as none. */
  ids(type: string, of: (audit: AuditRecord) => readonly unknown[] = ({ id }) => [id]): string[] {
    const named = this.of(type).flatMap(of);
    return [...new Set(named.filter((id): id is string => typeof id === 'string'))];
  }

  /** Returns the ids that a column of records of a type had before or has now, if it changed. */
  inColumn(type: string, column: string): string[] {
    return this.ids(type, ({ changes }) => changes[column] ?? []);
  }
}
