import type { EntityManager } from '@mikro-orm/postgresql';
import type { Records } from '../../platform/commands/records.ts';
import type { Language } from '../../platform/i18n/messages.ts';
import { repeatedOutcomes } from '../apply/repeats.ts';
import type { BatchTx, ClaimedRecord, Importer, Match, Outcome, Repeat, Warning } from '../importer.ts';
import type { AdmitOptions } from '../ledger/admit.ts';
import { applyBisecting } from '../ledger/bisect.ts';
import { batchTx, openEffect } from '../ledger/effect.ts';
import { appliedHashes, comparedHash, readKeys } from '../ledger/keys.ts';
import type { Row } from '../ledger/rows.ts';
import { DRY_SECONDS, type DryBounds } from './dry-bounds.ts';
import { type Made, type Preview, previewOf } from './dry-preview.ts';

/** Elements that a real run processes at a time, unless their importer has another number. */
const BATCH = 100;
/** No company has that many orders, so the numbers of a dry run never equal real ones. */
const NUMBERS_FROM = 2_000_000_000;

/**
 * Runs elements through their importer, in a transaction that the caller begins and rolls back. It collects the result of each, and what
 * was created.
 */
export class Trial {
  readonly #em: EntityManager;
  readonly #importer: Importer;
  readonly #companyId: string;
  readonly #bounds: DryBounds;
  readonly #collected = new Map<ClaimedRecord, Records>();
  readonly #matches = new Map<ClaimedRecord, Match[]>();
  /** The values of new records, by id. */
  readonly #made = new Map<string, Made>();
  readonly #outcomes = new Map<Row, Outcome>();
  /** The payload that was applied last to each key: before this run, or by an earlier element of it. */
  readonly #applied = new Map<string, { hash: Buffer; resultId: string | null; sequence: string | null; warnings?: Warning[] }>();
  readonly #internal: (error: unknown) => void;
  #numbers = 0;

  /** @param internal is called with an unexpected error, which its element reports as `internal` */
  constructor(em: EntityManager, importer: Importer, companyId: string, bounds: DryBounds, internal: (error: unknown) => void) {
    this.#em = em;
    this.#importer = watched(importer, bounds);
    this.#companyId = companyId;
    this.#bounds = bounds;
    this.#internal = internal;
  }

  /**
   * @param senderId the company whose dry run it is
   * @param noted the warnings of elements, by their index, before they came here
   */
  async run(records: Map<Row, ClaimedRecord>, senderId: string, noted: AdmitOptions['noted']): Promise<Preview[]> {
    const { now, company } = await openEffect(this.#em, this.#companyId, DRY_SECONDS);
    const tx = await this.#boundedTx(now, company, senderId);
    await this.#readApplied(tx.query, records);
    const open = this.#overtaken([...records.keys()].filter((row) => row.state === 'created'));
    const size = this.#importer.batch ?? BATCH;
    for (const round of roundsOf(open)) {
      for (let at = 0; at < round.length; at += size) await this.#batch(tx, round.slice(at, at + size), records);
    }
    return this.#previews(records, noted, company.language);
  }

  /**
   * Returns the transaction that the importer uses. It notes what matched and what was created, and checks before each statement whether
   * somebody waits.
   */
  async #boundedTx(now: Date, company: BatchTx['company'], senderId: string): Promise<BatchTx> {
    const unbounded = batchTx(
      {
        ...{ em: this.#em, now, company, claimed: [], numbers: this.#reserve },
        // An element that is applied again, because another one of its batch failed, is noted once.
        matched: (by, match) => {
          const others = (this.#matches.get(by) ?? []).filter(({ pointer }) => pointer !== match.pointer);
          this.#matches.set(by, [...others, match]);
        },
        made: (id, fields) => void this.#made.set(id, fields()),
      },
      this.#collected,
    );
    await this.#bounds.begin(unbounded.query, senderId);
    const query: BatchTx['query'] = (sql, parameters) =>
      this.#bounds.during(async () => {
        // After an error PostgreSQL accepts nothing but a rollback.
        if (!sql.startsWith('rollback')) await this.#bounds.look(unbounded.query);
        return unbounded.query(sql, parameters);
      });
    return { ...unbounded, query, dry: true };
  }

  /**
   * Reads what was applied to the keys, without a lock. If an import creates one of them meanwhile, the key is there twice, and the attempt
   * is repeated.
   */
  async #readApplied(query: BatchTx['query'], records: Map<Row, ClaimedRecord>): Promise<void> {
    const keys = [...records.keys()].flatMap((row) => (row.state === 'created' ? (row.imported_for ?? []) : []));
    const of = [this.#companyId, this.#importer.kind] as const;
    const known = await readKeys(query, ...of, [...new Set(keys)]);
    const byKey = new Map([...records].flatMap(([{ imported_for: key }, record]) => (key === null ? [] : [[key, record] as const])));
    const hashes = await appliedHashes(query, of, known, (key) => byKey.get(key)!);
    for (const { imported_for: key, result_id: resultId, applied_sequence: sequence } of known) {
      const hash = hashes.get(key);
      if (hash) this.#applied.set(key, { hash, resultId, sequence });
    }
  }

  #previews(records: Map<Row, ClaimedRecord>, noted: AdmitOptions['noted'], language: Language): Preview[] {
    const all = [...this.#collected.values()].flatMap(({ audits }) => audits);
    const isNew = new Set(all.flatMap(({ event, id }) => (event === 'create' ? id : [])));
    return [...records].map(([row, record]) => {
      const became = {
        outcome: this.#outcomes.get(row) ?? this.#duplicateOf(row, record),
        noted: noted?.get(row.index) ?? [],
        audits: this.#collected.get(record)?.audits ?? [],
        matches: this.#matches.get(record) ?? [],
        made: this.#made,
        isNew,
      };
      return previewOf(row, became, language);
    });
  }

  /** Returns the outcome of an element that is skipped because it equals the one before it: it has the same result. */
  #duplicateOf(row: Row, record: ClaimedRecord): Outcome | undefined {
    const applied = row.state === 'skipped' && row.imported_for !== null ? this.#applied.get(row.imported_for) : undefined;
    const isTwin = applied?.hash.equals(hashOf(row, record));
    if (!applied || !isTwin) return undefined;
    return { state: 'skipped', lastError: 'duplicate', resultId: applied.resultId ?? undefined, warnings: applied.warnings };
  }

  readonly #reserve: BatchTx['numbers'] = async (_kind, count) => {
    this.#numbers += count;
    return NUMBERS_FROM + this.#numbers - count;
  };

  /** Returns the older elements of a kind whose newer payloads replace older ones: only the newest of each key is applied. */
  #overtaken(rows: Row[]): Row[] {
    if (!this.#importer.supersedes) return rows;
    const newest = new Map(rows.map((row) => [row.imported_for ?? row.id, row]));
    return rows.filter((row) => {
      const stays = newest.get(row.imported_for ?? row.id) === row;
      if (!stays) this.#outcomes.set(row, { state: 'skipped', lastError: 'superseded' });
      return stays;
    });
  }

  async #batch(tx: BatchTx, rows: Row[], records: Map<Row, ClaimedRecord>): Promise<void> {
    await this.#bounds.limit(tx.query);
    const appliedTo = (row: Row) => (row.imported_for === null ? undefined : this.#applied.get(row.imported_for));
    const fresh = rows.filter((row) => !appliedTo(row)?.hash.equals(hashOf(row, records.get(row)!)));
    const repeated = new Map(rows.flatMap((row) => (fresh.includes(row) ? [] : [[records.get(row)!, row] as const])));
    const repeats = [...repeated].map(([record, row]): Repeat => {
      const { resultId, sequence: applied } = appliedTo(row)!;
      return { record, resultId: resultId ?? undefined, applied };
    });
    for (const [record, outcome] of await repeatedOutcomes(tx, this.#importer, repeats)) {
      const row = repeated.get(record)!;
      const before = appliedTo(row)!.warnings ?? [];
      this.#outcomes.set(row, outcome.state === 'failed' ? outcome : { ...outcome, warnings: [...before, ...(outcome.warnings ?? [])] });
    }
    const outcomes = await applyBisecting(
      tx,
      this.#importer,
      fresh.map((row) => records.get(row)!),
      this.#collected,
    );
    for (const row of fresh) {
      const outcome = outcomes.get(row.id)!;
      this.#outcomes.set(row, outcome);
      if (outcome.state === 'failed') {
        if (outcome.cause !== undefined) this.#internal(outcome.cause);
      } else if (row.imported_for !== null && outcome.state !== 'skipped')
        this.#applied.set(row.imported_for, {
          ...{ hash: hashOf(row, records.get(row)!), resultId: outcome.resultId ?? null, sequence: null },
          warnings: outcome.warnings,
        });
    }
  }
}

/** Returns the hash by which an element is compared with what was applied to its key. */
const hashOf = (row: Row, record: ClaimedRecord): Buffer => comparedHash(record, Buffer.from(row.hash, 'hex'));

/**
 * Returns the importer with its errors translated for a dry run. What it leaves to be flushed is flushed here, so that those errors are
 * translated, too.
 */
function watched(importer: Importer, bounds: DryBounds): Importer {
  const apply: Importer['apply'] = (tx, records) =>
    bounds.during(async () => {
      const outcomes = await importer.apply(tx, records);
      await tx.em.flush();
      return outcomes;
    });
  return { ...importer, apply };
}

/**
 * Returns the elements in rounds that contain each key once, because elements of one key are applied one after the other. Elements without
 * a key never conflict.
 */
function roundsOf(rows: Row[]): Row[][] {
  const rounds: Row[][] = [];
  const seen = new Map<string, number>();
  for (const row of rows) {
    const round = row.imported_for === null ? 0 : (seen.get(row.imported_for) ?? 0);
    if (row.imported_for !== null) seen.set(row.imported_for, round + 1);
    rounds[round] ??= [];
    rounds[round].push(row);
  }
  return rounds;
}
