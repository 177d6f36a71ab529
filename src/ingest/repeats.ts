import type { BatchTx, ClaimedRecord, Importer, Outcome } from './importer.ts';

/** A payload equal to the one that was applied last to its key. */
export interface Repeat {
  record: ClaimedRecord;
  resultId: string | undefined;
}

/**
 * An equal payload asks for what was done already, so it does nothing, whatever became of the record meanwhile (docs/decisions.md). When
 * that is gone, its sender is told.
 * @returns the outcomes, by record
 */
export async function repeatedOutcomes(tx: BatchTx, { gone }: Importer, repeats: readonly Repeat[]): Promise<Map<ClaimedRecord, Outcome>> {
  const asked = gone ? repeats.flatMap(({ record, resultId }) => (resultId && !gone.wanted?.(record.payload) ? [resultId] : [])) : [];
  const rows = gone && asked.length > 0 ? await tx.query<{ id: string }>(gone.sql, [asked]) : [];
  const lost = new Set(rows.map(({ id }) => id));
  return new Map(
    repeats.map(({ record, resultId }) => {
      const warnings = gone && resultId && lost.has(resultId) ? [{ code: gone.code, pointer: '' }] : [];
      return [record, { state: 'skipped', lastError: 'duplicate', resultId, warnings }];
    }),
  );
}
