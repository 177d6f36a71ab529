import type { Change, Changes } from './read-changes.ts';

/** A change as REST shows it. */
export interface WireChange {
  position: string;
  type: string;
  id: string;
  event: Change['event'];
  previous_state: string | null;
  state: string | null;
  changed_at: string;
  /** Of a record that was merged into another one: the one that stayed. */
  merged_into: string | null;
  /** The record as its own path shows it now; null when it is not there or not seen any more. */
  record: object | null;
}

/**
 * Changes with their records, as REST shows them, of which `shown` was asked. A record that was lost from sight since its change was read is left out: a later
 * change says so.
 */
export function wireChanges({ changes, records = new Map() }: Changes): WireChange[] {
  return changes.flatMap((change): WireChange[] => {
    const { position, type, id, event, previousState, state, changedAt, mergedInto } = change;
    const isThere = event !== 'delete' && event !== 'removed';
    const record = isThere ? (records.get(id) ?? null) : null;
    if (isThere && record === null) return [];
    const merged = { merged_into: mergedInto };
    return [{ position, type, id, event, previous_state: previousState, state, changed_at: changedAt.toISOString(), ...merged, record }];
  });
}
