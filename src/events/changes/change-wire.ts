import type { Context } from '../../platform/context.ts';
import type { Change, Changes } from './read-changes.ts';
import { readableRecords } from './readable-records.ts';

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
 * Changes with their records, as REST shows them. A record that was lost from sight since its change was read is left out: a later change says so.
 */
export async function wireChanges(ctx: Context, { changes, reader }: Changes): Promise<WireChange[]> {
  const records = readableRecords.of(ctx.em);
  const there = changes.filter(({ event }) => event !== 'delete' && event !== 'removed');
  const found = new Map<string, object>();
  for (const [type, of] of Map.groupBy(there, ({ type }) => type)) {
    const ids = [...new Set(of.map(({ id }) => id))];
    for (const [id, record] of await records.documents(ctx, reader.companyId, type, ids)) found.set(id, record);
  }
  return changes.flatMap((change): WireChange[] => {
    const { position, type, id, event, previousState, state, changedAt, mergedInto } = change;
    const record = found.get(id) ?? null;
    if (record === null && there.includes(change)) return [];
    const merged = { merged_into: mergedInto };
    return [{ position, type, id, event, previous_state: previousState, state, changed_at: changedAt.toISOString(), ...merged, record }];
  });
}
