import { namedStatement } from '../../platform/database/named-statements.ts';
import type { BatchTx, ClaimedRecord, Importer, Outcome, Repeat, Warning } from '../importer.ts';
import { isNoted } from '../payload/noted.ts';
import { seenBy } from './visible-to-sender.ts';

/**
 * Returns the outcomes of equal payloads, by record. They ask for what was done already, so they do nothing, whatever happened to the
 * record since (D-INGEST-61). If the record is gone, the sender gets a warning. A sender who may not see the record gets an error instead,
 * so that a guessed payload is not confirmed. What the record still lacks is tried again, and whatever was
 * dropped or guessed when the payload was applied is said again.
 */
export async function repeatedOutcomes(
  tx: BatchTx,
  { gone, limited, again }: Importer,
  repeats: readonly Repeat[],
): Promise<Map<ClaimedRecord, Outcome>> {
  const asked = gone ? repeats.flatMap(({ record, resultId }) => (resultId && !gone.wanted?.(record.payload) ? [resultId] : [])) : [];
  const rows = gone && asked.length > 0 ? await tx.query<{ id: string }>(gone.sql, [asked]) : [];
  const lost = new Set(rows.map(({ id }) => id));
  const results = repeats.flatMap(({ resultId }) => resultId ?? []);
  const records = repeats.map(({ record }) => record);
  const seen = limited && (await seenBy(tx, limited.table, records, results));
  const tried = again && repeats.length > 0 ? await again(tx, repeats) : new Map<ClaimedRecord, Outcome>();
  // Only now: whoever changed what is missing, and so what the first payload warns of, is waited for before.
  const said = await warningsOf(tx, repeats);
  return new Map(
    repeats.map(({ record, resultId }): [ClaimedRecord, Outcome] => {
      if (limited && seen && resultId && !seen(record, resultId)) return [record, limited.failure];
      const done = tried.get(record);
      if (done) return [record, done];
      const warnings: Warning[] = gone && resultId && lost.has(resultId) ? [{ code: gone.code, pointer: '' }] : [];
      const repeated = (said.get(record) ?? []).filter(({ code }) => code !== 'unseen_rate_kept' && !isNoted(code));
      return [record, { state: 'skipped', lastError: 'duplicate', resultId, warnings: [...warnings, ...repeated, ...unseenRates(record)] }];
    }),
  );
}

const WARNINGS = namedStatement(`select r.imported_for, r.warnings from unnest($3::text[], $4::bigint[]) k(key, sequence), lateral (
  select x.imported_for, x.warnings from imported_record x where x.company_id = $1 and x.kind = $2 and x.imported_for = k.key and x.sequence = k.sequence offset 0) r
  where r.warnings::text <> '[]'`);

/** Returns the warnings of the records that were applied, by the records that repeat them. */
async function warningsOf(tx: BatchTx, repeats: readonly Repeat[]): Promise<Map<ClaimedRecord, Warning[]>> {
  const stored = new Map(repeats.flatMap((one) => (one.applied === null ? [] : [[one.record.importedFor!, one] as const])));
  if (stored.size === 0) return new Map();
  const rows = await tx.query<{ imported_for: string; warnings: Warning[] }>(WARNINGS, [
    tx.company.id,
    repeats[0]!.record.kind,
    [...stored.keys()],
    [...stored.values()].map(({ applied }) => applied),
  ]);
  return new Map(rows.map(({ imported_for: key, warnings }) => [stored.get(key)!.record, warnings]));
}

/**
 * Returns warnings for rates that the sender may not see. They were not compared, and the warning is the same whether they are equal to the
 * stored ones or not.
 */
function unseenRates({ payload, unseen }: ClaimedRecord): Warning[] {
  const given = Object.entries(payload).filter(([field, value]) => value !== null && unseen?.(field));
  return given.map(([field, value]) => ({ code: 'unseen_rate_kept', pointer: `/${field}`, given: value }));
}
