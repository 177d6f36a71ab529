import type { Language } from '../../platform/i18n/messages.ts';
import type { ClaimedRecord, Outcome, Problem, Warning } from '../importer.ts';
import { lastError } from '../ledger/settle.ts';
import { isSame, sentValue, shownValue } from '../payload/columns.ts';
import { fieldOf, REFERENCES } from '../payload/sent-fields.ts';
import type { UserEdits } from './user-edits.ts';
import '../ingest.messages.ts';

/** A record that a payload matched. */
export interface Known {
  id: string;
  routeId: string | null;
  /** Columns as texts, for comparing and for the audit. */
  columns: Readonly<Record<string, string | null>>;
  edited: UserEdits;
  /** Only its notes may change. */
  locked?: boolean;
}

/** What stays because a person changed it. `reference` names the column whose records are looked up for `used`. */
export interface Kept {
  pointer: string;
  given?: unknown;
  used?: unknown;
  reference?: { column: string; value: string | null };
}

/** Why a payload for a locked order changed nothing (SPEC `skipped`: a business rule blocked it). */
const LOCKED: Problem = { code: 'order_locked', pointer: '', key: 'import_order_locked' };

/** Notes are all that changes on a locked order (DOMAIN section 5). */
const NOTES = new Set(['notes', 'internal_notes', 'job_notes', 'order_notes']);

/** Lists that a payload replaces also when it leaves them out (SPEC "Array update patterns"), by what of the record holds them. */
const REPLACED: Readonly<Record<string, string>> = {
  foreman_ids: 'foremen',
  collaborator_ids: 'collaborators',
  salesperson_ids: 'salespeople',
  vendor_id: 'vendors',
  phases: 'phases',
  project_material_totals: 'materials',
};

/** As the audit log tells a record that is made: what of it is set. */
export function changesOf(columns: object): Record<string, [null, unknown]> {
  const changes: Record<string, [null, unknown]> = {};
  for (const [column, after] of Object.entries(columns)) if (after !== null) changes[column] = [null, after];
  return changes;
}

/** What one payload changes of the record it matched, and what it must leave. */
export class Change {
  /** Columns to set. */
  readonly set: Record<string, unknown> = {};
  readonly audit: Record<string, [unknown, unknown]> = {};
  readonly kept: Kept[] = [];
  #lockedOut = false;

  constructor(
    readonly record: ClaimedRecord,
    readonly known: Known,
    readonly warnings: Warning[],
  ) {}

  /** Anything at all. */
  get isChange(): boolean {
    return Object.keys(this.audit).length > 0;
  }

  /** Takes what the payload wants of columns, but for what a person edited, and rates that the sender may not see. */
  columns(wanted: Record<string, unknown>): void {
    const { columns, edited } = this.known;
    for (const [column, after] of Object.entries(wanted)) {
      const before = columns[column] ?? null;
      if (this.record.unseen?.(column)) {
        // Null is what they were shown.
        if (after !== null) this.warnings.push({ code: 'unseen_rate_kept', pointer: fieldOf(column), given: after });
        continue;
      }
      if (isSame(column, before, after) || (!NOTES.has(column) && this.meetsLock())) continue;
      if (edited.has(column)) {
        if (REFERENCES[column]) this.keep(fieldOf(column), { reference: { column, value: before } });
        else this.keep(fieldOf(column), { used: sentValue(column, before) });
      } else {
        this.set[column] = after;
        this.audit[column] = [shownValue(column, before), after];
      }
    }
  }

  /** True when nothing but notes may change; then the sender is told, so it is to be asked only about what would. */
  meetsLock(): boolean {
    this.#lockedOut ||= this.known.locked === true;
    return this.known.locked === true;
  }

  /** Leaves what a person edited. */
  keep(pointer: string, what: Pick<Kept, 'used' | 'reference'>): void {
    this.kept.push({ pointer, given: sentAt(this.record.payload, pointer), ...what });
  }

  /**
   * @param used what the references among the kept were looked up to be, by column and value
   * @param isMoved the record goes to another state besides
   */
  settle(language: Language, used: (column: string, value: string | null) => unknown, isMoved = false): Outcome {
    for (const { pointer, given, reference, ...kept } of this.kept) {
      const value = reference ? used(reference.column, reference.value) : kept.used;
      this.warnings.push({ code: 'user_edit_kept', pointer, given, used: value });
    }
    for (const [changed, field] of Object.entries(REPLACED)) {
      if (this.audit[changed] && this.record.payload[field] === undefined)
        this.warnings.push({ code: 'emptied_by_omission', pointer: `/${field}`, used: [] });
    }
    if (this.#lockedOut) this.warnings.push({ code: 'order_locked', pointer: '' });
    const idle = !this.isChange && !isMoved;
    const kept = this.kept.map(({ pointer }) => ({ code: 'user_edit_kept', pointer, key: 'import_user_edit_kept' }));
    // A payload that the lock kept from everything it asks for was not applied: sent again once the order is open, it is no duplicate.
    const isBlocked = idle && this.#lockedOut;
    const [first, ...more] = isBlocked ? [LOCKED, ...kept] : kept;
    return {
      state: isBlocked ? 'skipped' : first && idle ? 'skipped_update' : 'processed',
      resultId: this.known.id,
      warnings: this.warnings,
      lastError: first && lastError(language, { ...first, more }),
      ...(this.#lockedOut ? { partly: true } : {}),
    };
  }
}

/** What an element holds under a JSON pointer of ours, whose keys need no escapes. */
export function sentAt(element: unknown, pointer: string): unknown {
  let value = element;
  for (const key of pointer.split('/').slice(1)) value = (value as Record<string, unknown> | undefined | null)?.[key];
  return value;
}
