import { type EntityManager, FlushMode } from '@mikro-orm/postgresql';
import { reserveNumbers } from '../../dispatch/numbers.ts';
import { type Actor, type Author, type Records, writeRecordsOf } from '../../platform/commands/records.ts';
import { type Language, pickLanguage } from '../../platform/i18n/messages.ts';
import type { BatchTx, ClaimedRecord, Importer, Outcome, Warning } from '../importer.ts';
import { type Repeat, repeatedOutcomes } from '../repeats.ts';
import { limitsOf, unseenBy } from '../seen.ts';
import { applyBisecting } from './bisect.ts';
import type { Claim } from './claim.ts';
import { appliedHashes, comparedHash, takeKeys } from './keys.ts';
import { isNoted, withNoted } from './noted.ts';
import type { RetryRules } from './retries.ts';
import { type Result, settle } from './settle.ts';
import { queryIn } from './sql.ts';

export interface EffectRules {
  retries: RetryRules;
  /** Seconds a transaction of ours may sit without a statement before PostgreSQL ends it, so that a hung importer frees its rows. */
  idleSeconds: number;
}

export interface EffectWatch {
  /** The transaction's backend, and how to get its connection out of a hung effect once that backend is ended. */
  started(pid: number, abandon: () => Promise<void>): void;
  /** An error nobody foresaw, which its record tells as `internal`. */
  internal(recordId: string, error: unknown): void;
}

/** How many rows ended in each state. */
export type Tally = Partial<Record<Outcome['state'], number>>;

/**
 * The second transaction: everything a batch does, or nothing of it. The fence is the first lock: only rows still leased under the
 * attempt they were claimed with are worked; the others belong to somebody else by now.
 * @throws what lost the connection or the race; then nothing was written
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
    const { pid, now, company } = await openEffect(em, claim.companyId, rules.idleSeconds);
    watch.started(pid, () => rollback(em));
    const records = await lockRows(em, claim);
    const collected = new Map<ClaimedRecord, Records>();
    const tx = batchTx(em, now, company, collected, (kind, count) => reserveNumbers(parent, company.id, kind, count));
    const told = await lockKeys(tx, importer, claim, records);
    const fresh = records.filter((record) => !told.has(record.id));
    const outcomes = await applyBisecting(tx, importer, fresh, collected);
    for (const [id, outcome] of outcomes) if (outcome.state === 'failed' && outcome.cause !== undefined) watch.internal(id, outcome.cause);
    const results: Result[] = records.map((record) => ({
      id: record.id,
      companyId: record.companyId,
      kind: record.kind,
      importedFor: record.importedFor,
      attempt: record.attempt,
      tries: record.attempt - record.triesFrom,
      outcome: withNoted(record.noted, told.get(record.id) ?? outcomes.get(record.id)!),
    }));
    const failures = await settle(em, results, rules.retries, company.language as Language);
    const byId = new Map(records.map((record) => [record.id, record]));
    for (const failure of failures) of(collected, byId.get(failure.id)!).events.push(failure);
    await writeCollected(em, collected, now);
    await em.commit();
    return tally(results);
  } catch (error) {
    await rollback(em);
    throw error;
  }
}

/** What importers write through: their statements go to the transaction of `em`, what they record is collected by record. */
export function batchTx(
  em: EntityManager,
  now: Date,
  company: BatchTx['company'],
  collected: Map<ClaimedRecord, Records>,
  numbers: BatchTx['numbers'],
  matched: BatchTx['matched'] = () => undefined,
  made: BatchTx['made'] = () => undefined,
): BatchTx {
  return {
    em,
    now,
    company,
    query: (sql, parameters) => queryIn(em, sql, parameters),
    numbers,
    event: (by, event) => void of(collected, by).events.push(event),
    audit: (by, audit) => void of(collected, by).audits.push({ ...audit, importedRecordId: by.id }),
    transition: (by, transition) => void of(collected, by).transitions.push(transition),
    matched,
    made,
  };
}

/** The rollback of a dead connection fails too; what matters is why it died, and that the pool gets it back. */
export async function rollback(em: EntityManager): Promise<void> {
  if (em.isInTransaction()) await em.rollback().catch(() => undefined);
}

/** Starts the transaction: the time it has, and what its company is. */
export async function openEffect(em: EntityManager, companyId: string, idleSeconds: number) {
  const [row] = await queryIn<{ pid: number; now: string; time_zone: string; language: string }>(
    em,
    `select pg_backend_pid() as pid, now() as now, c.time_zone, c.language,
      set_config('idle_in_transaction_session_timeout', $2 || 's', true)
    from company c where c.id = $1`,
    [companyId, String(idleSeconds)],
  );
  if (!row) throw new Error(`company ${companyId} of imported records does not exist`);
  return {
    pid: row.pid,
    now: new Date(row.now),
    company: { id: companyId, timeZone: row.time_zone, language: pickLanguage(row.language) },
  };
}

interface LockedRow {
  id: string;
  attempts: number;
  tries_from: number;
  imported_for: string | null;
  sequence: string;
  payload: Record<string, unknown>;
  payload_hash: Buffer;
  created_by_type: Actor['type'];
  created_by_id: string;
  created_by_name: string;
  request_id: string;
  may_edit: boolean;
  site_ids: string[] | null;
  own_only: boolean;
  unseen_rates: string[] | null;
  lacking: string[] | null;
  warnings: Warning[];
}

interface Locked extends ClaimedRecord {
  /** Attempts of earlier series, before somebody asked to try again. */
  triesFrom: number;
  sequence: bigint;
  hash: Buffer;
  /** What was guessed of the payload before it came to the ledger. */
  noted: Warning[];
}

/** `key share` conflicts with claiming and taking back, which skip locked rows, but not with the heartbeat's update. */
async function lockRows(em: EntityManager, claim: Claim): Promise<Locked[]> {
  const rows = await queryIn<LockedRow>(
    em,
    `select t.id, t.attempts, t.tries_from, t.imported_for, t.sequence, r.payload, r.payload_hash, b.created_by_type, b.created_by_id, b.created_by_name, b.request_id, b.may_edit, b.site_ids::text[], b.own_only, b.unseen_rates, b.lacking, r.warnings
    from unnest($1::uuid[], $2::integer[]) held(id, attempts),
    -- Probed id by id, each record in its own partition; compared with the whole array, every row would cost as much as the batch is long,
    -- and the index of leases holds all that ran out of them since the last vacuum.
    lateral (
      select * from import_task w where w.id = held.id and w.attempts = held.attempts and w.lease_until is not null offset 0 for key share) t,
    lateral (select payload, payload_hash, batch_id, warnings from imported_record where id = t.id offset 0) r
    join import_batch b on b.id = r.batch_id
    order by t.sequence`,
    [claim.rows.map((r) => r.id), claim.rows.map((r) => r.attempt)],
  );
  return rows.map((row) => ({
    id: row.id,
    companyId: claim.companyId,
    kind: claim.kind,
    importedFor: row.imported_for ?? undefined,
    payload: row.payload,
    attempt: row.attempts,
    triesFrom: row.tries_from,
    createdBy: { type: row.created_by_type, id: row.created_by_id, name: row.created_by_name },
    requestId: row.request_id,
    mayEdit: row.may_edit,
    limits: limitsOf({ id: row.created_by_id, siteIds: row.site_ids ?? undefined, ownOnly: row.own_only }),
    unseen: unseenBy(row.unseen_rates),
    lacking: row.lacking ?? undefined,
    sequence: BigInt(row.sequence),
    hash: row.payload_hash,
    noted: row.warnings.filter(isNoted),
  }));
}

/** Locks the keys. @returns the outcomes that are settled without the importer: duplicates, and rows that a newer one overtook */
async function lockKeys(tx: BatchTx, importer: Importer, claim: Claim, records: Locked[]): Promise<Map<string, Outcome>> {
  const keyed = new Map(records.flatMap((record) => (record.importedFor === undefined ? [] : [[record.importedFor, record] as const])));
  const told = new Map<string, Outcome>();
  const repeats: Repeat[] = [];
  const keys = await takeKeys(tx.query, claim.companyId, claim.kind, [...keyed.keys()]);
  const applied = await appliedHashes(tx.query, [claim.companyId, claim.kind], keys, (key) => keyed.get(key)!);
  for (const key of keys) {
    const record = keyed.get(key.imported_for)!;
    const resultId = key.result_id ?? undefined;
    const overtaken = key.applied_sequence !== null && BigInt(key.applied_sequence) > record.sequence;
    if (overtaken) told.set(record.id, { state: 'skipped', lastError: 'superseded', resultId });
    else if (applied.get(key.imported_for)?.equals(comparedHash(record, record.hash))) repeats.push({ record, resultId });
  }
  for (const [{ id }, outcome] of await repeatedOutcomes(tx, importer, repeats)) told.set(id, outcome);
  return told;
}

function of(collected: Map<ClaimedRecord, Records>, by: ClaimedRecord): Records {
  let records = collected.get(by);
  if (!records) {
    records = { events: [], audits: [], transitions: [] };
    collected.set(by, records);
  }
  return records;
}

/** Rows name their author and request: what one request's records did is a group. */
async function writeCollected(em: EntityManager, collected: Map<ClaimedRecord, Records>, now: Date): Promise<void> {
  const requests = new Map<string, { by: Author; records: Records }>();
  for (const [{ createdBy, requestId }, records] of collected) {
    const key = `${requestId} ${createdBy.id}`;
    const same = requests.get(key);
    if (!same) requests.set(key, { by: { actor: createdBy, requestId }, records });
    else for (const list of ['events', 'audits', 'transitions'] as const) (same.records[list] as unknown[]).push(...records[list]);
  }
  await writeRecordsOf(em, [...requests.values()], now);
}

function tally(results: Result[]): Tally {
  const counts: Tally = {};
  for (const { outcome } of results) counts[outcome.state] = (counts[outcome.state] ?? 0) + 1;
  return counts;
}
