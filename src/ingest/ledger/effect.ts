import { type EntityManager, FlushMode } from '@mikro-orm/postgresql';
import { reserveNumbers } from '../../dispatch/fields/numbers.ts';
import { noteHappened } from '../../events/webhooks/note-changes.ts';
import { drawConsequences } from '../../platform/commands/consequences.ts';
import { type Author, type EventRecord, type Records, writeRecordsOf } from '../../platform/commands/records.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type Language, pickLanguage } from '../../platform/i18n/messages.ts';
import { running } from '../../platform/worlds/present-time.ts';
import { repeatedOutcomes } from '../apply/repeats.ts';
import type { BatchTx, ClaimedRecord, Importer, Outcome, Repeat } from '../importer.ts';
import { withNoted } from '../payload/noted.ts';
import { applyBisecting } from './bisect.ts';
import type { Claim } from './claim.ts';
import { appliedHashes, comparedHash, overtakenUnapplied, takeKeys } from './keys.ts';
import { type Locked, lockRows } from './lock-rows.ts';
import { type Ended, outcomesOf } from './note-imports.ts';
import type { RetryRules } from './retries.ts';
import { type Result, settle } from './settle.ts';

export interface EffectRules {
  retries: RetryRules;
  /** Seconds without a statement after which PostgreSQL ends our transaction, so that a hung importer frees its rows. */
  idleSeconds: number;
  /** The elements before these were waited for already. */
  inTurn?: boolean;
}

export interface EffectWatch {
  /** Called with the transaction's backend, and with a function that releases its connection from a hung effect once that backend is ended. */
  started(pid: number, abandon: () => Promise<void>): void;
  /** Called with an unexpected error, which its record reports as `internal`. */
  internal(recordId: string, error: unknown): void;
}

/** The number of rows that ended in each state. */
export type Tally = Partial<Record<Outcome['state'], number>>;

/**
 * Runs the second transaction, which applies a whole batch or nothing. The first lock checks the fencing token: only rows that are still
 * leased under the attempt of the claim are processed. The others belong to another worker by now.
 * @throws the error of a lost connection or race; then nothing was written
 */
export async function runEffect(
  parent: EntityManager,
  claim: Claim,
  importer: Importer,
  rules: EffectRules,
  watch: EffectWatch,
): Promise<Tally> {
  const em = parent.fork({ clear: true, flushMode: FlushMode.COMMIT });
  await em.begin();
  try {
    const { pid, now, ahead, company } = await openEffect(em, claim.companyId, rules.idleSeconds);
    watch.started(pid, () => rollback(em));
    const records = await lockRows(em, claim);
    const collected = new Map<ClaimedRecord, Records>();
    const claimed = records.map(({ id }) => id);
    const numbers: BatchTx['numbers'] = (kind, count) => reserveNumbers(parent, company.id, kind, count);
    const tx = batchTx({ em, now, company, claimed, numbers, inTurn: rules.inTurn }, collected);
    const settled = await lockKeys(tx, importer, claim, records);
    const fresh = records.filter((record) => !settled.has(record.id));
    const apply = () => applyBisecting(tx, importer, fresh, collected);
    const outcomes = await (ahead > 0 ? running.run({ ahead }, apply) : apply());
    for (const [id, outcome] of outcomes) if (outcome.state === 'failed' && outcome.cause !== undefined) watch.internal(id, outcome.cause);
    const results: Result[] = records.map((record) => ({
      id: record.id,
      companyId: record.companyId,
      kind: record.kind,
      importedFor: record.importedFor,
      attempt: record.attempt,
      tries: record.attempt - record.triesFrom,
      outcome: withNoted(record.noted, settled.get(record.id) ?? outcomes.get(record.id)!),
    }));
    const failures = await settle(em, results, rules.retries, company.language as Language);
    const byId = new Map(records.map((record) => [record.id, record]));
    for (const failure of failures) of(collected, byId.get(failure.id)!).events.push(failure);
    await drawConsequences(tx, [...collected.values()]);
    await noteHappened(tx, outcomesOf(endedOf(results, failures, byId)));
    await writeCollected(em, collected, now);
    await em.commit();
    return tally(results);
  } catch (error) {
    await rollback(em);
    throw error;
  }
}

/**
 * Returns what importers write through: their statements go to the transaction of `em`, and their audit and outbox rows are collected by
 * record.
 */
export function batchTx(
  batch: Pick<BatchTx, 'em' | 'now' | 'company' | 'claimed' | 'numbers'> & Partial<Pick<BatchTx, 'matched' | 'made' | 'inTurn'>>,
  collected: Map<ClaimedRecord, Records>,
): BatchTx {
  return {
    matched: () => undefined,
    made: () => undefined,
    ...batch,
    query: (sql, parameters) => queryIn(batch.em, sql, parameters),
    recordsOf: (by) => of(collected, by),
  };
}

/**
 * Rolls back and releases the connection to the pool. An error of the rollback is ignored: on a dead connection it fails, too, and the
 * first error matters.
 */
export async function rollback(em: EntityManager): Promise<void> {
  if (em.isInTransaction()) await em.rollback().catch(() => undefined);
}

/** Starts the transaction: sets its time limit and reads its company. */
export async function openEffect(em: EntityManager, companyId: string, idleSeconds: number) {
  const [row] = await queryIn<{ pid: number; now: string; world: string; time_zone: string; language: string }>(
    em,
    `select pg_backend_pid() as pid, company_now(c.id) as now, now() as world, c.time_zone, c.language,
      set_config('idle_in_transaction_session_timeout', $2 || 's', true)
    from company c where c.id = $1`,
    [companyId, String(idleSeconds)],
  );
  if (!row) throw new Error(`company ${companyId} of imported records does not exist`);
  return {
    pid: row.pid,
    now: new Date(row.now),
    /** Milliseconds by which the company's clock is ahead. */
    ahead: Date.parse(row.now) - Date.parse(row.world),
    company: { id: companyId, timeZone: row.time_zone, language: pickLanguage(row.language) },
  };
}

/** Locks the keys. @returns the outcomes that need no importer: duplicates, and rows that a newer one superseded */
async function lockKeys(tx: BatchTx, importer: Importer, claim: Claim, records: Locked[]): Promise<Map<string, Outcome>> {
  const keyed = new Map(records.flatMap((record) => (record.importedFor === undefined ? [] : [[record.importedFor, record] as const])));
  const settled = new Map<string, Outcome>();
  const repeats: Repeat[] = [];
  const keys = await takeKeys(tx.query, claim.companyId, claim.kind, [...keyed.keys()]);
  const of = [claim.companyId, claim.kind] as const;
  const applied = await appliedHashes(tx.query, of, keys, (key) => keyed.get(key)!);
  // What was never tried again has given way to newer payloads when these were claimed.
  const again = importer.supersedes ? [...keyed].filter(([, { triesFrom }]) => triesFrom > 0) : [];
  const answered = await overtakenUnapplied(
    tx.query,
    of,
    again.map(([importedFor, { id, sequence, hash }]) => ({ id, importedFor, sequence, hash })),
  );
  for (const key of keys) {
    const record = keyed.get(key.imported_for)!;
    const resultId = key.result_id ?? undefined;
    const overtaken = answered.has(record.id) || (key.applied_sequence !== null && BigInt(key.applied_sequence) > record.sequence);
    if (overtaken) settled.set(record.id, { state: 'skipped', lastError: 'superseded', resultId });
    else if (applied.get(key.imported_for)?.equals(comparedHash(record, record.hash)))
      repeats.push({ record, resultId, applied: key.applied_sequence });
  }
  for (const [{ id }, outcome] of await repeatedOutcomes(tx, importer, repeats)) settled.set(id, outcome);
  return settled;
}

function of(collected: Map<ClaimedRecord, Records>, by: ClaimedRecord): Records {
  let records = collected.get(by);
  if (!records) {
    records = { events: [], audits: [], transitions: [] };
    collected.set(by, records);
  }
  return records;
}

/** Writes what was collected, grouped by author and request, because rows name both. */
async function writeCollected(em: EntityManager, collected: Map<ClaimedRecord, Records>, now: Date): Promise<void> {
  const requests = new Map<string, { by: Author; records: Records }>();
  for (const [{ id, createdBy, requestId }, records] of collected) {
    for (const audit of records.audits) audit.importedRecordId = id;
    const key = `${requestId} ${createdBy.id}`;
    const same = requests.get(key);
    if (!same) requests.set(key, { by: { actor: createdBy, requestId }, records });
    else for (const list of ['events', 'audits', 'transitions'] as const) (same.records[list] as unknown[]).push(...records[list]);
  }
  await writeRecordsOf(em, [...requests.values()], now);
}

/** @param failures the events of those that failed, whose names say whether they are tried again */
function endedOf(results: readonly Result[], failures: readonly EventRecord[], byId: ReadonlyMap<string, Locked>): Ended[] {
  const exhausted = new Set(failures.filter(({ name }) => name.endsWith('.exhausted')).map(({ id }) => id));
  return results.map(({ id, companyId, kind, outcome }) => ({
    ...{ id, companyId, kind, before: byId.get(id)!.state },
    state: exhausted.has(id) ? 'exhausted' : outcome.state,
  }));
}

function tally(results: Result[]): Tally {
  const counts: Tally = {};
  for (const { outcome } of results) counts[outcome.state] = (counts[outcome.state] ?? 0) + 1;
  return counts;
}
