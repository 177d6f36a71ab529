import type { Language } from '../../platform/i18n/messages.ts';
import type { ClaimedRecord, Outcome, Problem, Warning } from '../importer.ts';
import { isSame, sentValue, shownValue } from '../payload/columns.ts';
import { lastError } from '../payload/last-error.ts';
import { fieldOf, REFERENCES, sentAt } from '../payload/sent-fields.ts';
import type { UserEdits } from './user-edits.ts';

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

/** A value that is kept because a person changed it. `reference` names the column whose records are looked up for `used`. */
export interface Kept {
  pointer: string;
  given?: unknown;
  used?: unknown;
  reference?: { column: string; value: string | null };
}

/** Why a payload for a locked order changed nothing (SPEC `skipped`: a business rule blocked it). */
const LOCKED: Problem = { code: 'order_locked', pointer: '', key: 'import_order_locked' };

/** On a locked order, only notes can change (DOMAIN section 5). */
const NOTES = new Set(['notes', 'internal_notes', 'job_notes', 'order_notes']);

/** Lists that a payload replaces even if it omits them (SPEC "Array update patterns"), with the column that holds them. */
const REPLACED: Readonly<Record<string, string>> = {
  foreman_ids: 'foremen',
  collaborator_ids: 'collaborators',
  salesperson_ids: 'salespeople',
  vendor_id: 'vendors',
  phases: 'phases',
  project_material_totals: 'materials',
};

/** The changes of one payload to the record it matched, and what it must keep. */
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

  /** True if anything changes. */
  get isChange(): boolean {
    return Object.keys(this.audit).length > 0;
  }

  /** Takes over the columns that the payload sets, except those that a person edited, and rates that the sender may not see. */
  columns(wanted: Record<string, unknown>): void {
    const { columns, edited } = this.known;
    for (const [column, after] of Object.entries(wanted)) {
      const before = columns[column] ?? null;
      if (this.record.unseen?.(column)) {
        // The sender was shown null, so sending null back is no attempt to change the rate.
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

  /** Returns true if only notes may change, and notes that the lock prevented a change. So call it only for values that would change. */
  meetsLock(): boolean {
    this.#lockedOut ||= this.known.locked === true;
    return this.known.locked === true;
  }

  /** Keeps what a person edited. */
  keep(pointer: string, what: Pick<Kept, 'used' | 'reference'>): void {
    this.kept.push({ pointer, given: sentAt(this.record.payload, pointer), ...what });
  }

  /**
   * @param used what the references among the kept values were resolved to, by column and value
   * @param isMoved the record changes its state in addition
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
    // It is no duplicate after somebody has taken the order out of its project, as the guide advises (D-INGEST-105).
    const isPartly = this.#lockedOut || this.warnings.some(({ code }) => code === 'customer_kept');
    const idle = !this.isChange && !isMoved;
    const kept = this.kept.map(({ pointer }) => ({ code: 'user_edit_kept', pointer, key: 'import_user_edit_kept' }));
    // If the lock blocked all changes of a payload, it was not applied: when it is sent again after the order is open, it is no duplicate.
    const isBlocked = idle && this.#lockedOut;
    const [first, ...more] = isBlocked ? [LOCKED, ...kept] : kept;
    return {
      state: isBlocked ? 'skipped' : first && idle ? 'skipped_update' : 'processed',
      resultId: this.known.id,
      warnings: this.warnings,
      lastError: first && lastError(language, { ...first, more }),
      ...(isPartly ? { partly: true } : {}),
    };
  }
}
