import type { MikroORM } from '@mikro-orm/postgresql';
import type { BatchTx, ClaimedRecord, Importer, ImportKind, Outcome } from '../../../src/ingest/importer.ts';
import type { WorkerLog } from '../../../src/ingest/ledger/batch.ts';
import { Resting } from '../../../src/ingest/ledger/claim.ts';
import type { RetryRules } from '../../../src/ingest/ledger/retries.ts';
import { type IngestWorker, type IngestWorkerOptions, startIngestWorker } from '../../../src/ingest/worker.ts';
import { Application } from '../../../src/platform/application.ts';
import type { Context, Viewer } from '../../../src/platform/context.ts';
import { Invalid, Unavailable } from '../../../src/platform/errors.ts';
import { newId } from '../../../src/platform/ids.ts';
import { inProcessWaker } from '../../../src/platform/queue/in-process-waker.ts';
import { provideUsual } from '../../helpers/application.ts';
import { migratedDatabase } from '../../helpers/database.ts';
import { productsOrm } from '../../jest/products-orm.ts';

/** A database with the ledger and a table in which a probe importer logs every effect it has. */
export interface Ledger {
  orm: MikroORM;
  url: string;
  sql<R = Record<string, unknown>>(text: string, params?: unknown[]): Promise<R[]>;
  close(): Promise<void>;
}

export async function openLedger(poolSize = 10): Promise<Ledger> {
  const url = await migratedDatabase();
  const orm = await productsOrm({ url, poolSize }, provideUsual(new Application()));
  const sql = <R>(text: string, params: unknown[] = []) => orm.em.getConnection().execute<R[]>(text, params);
  await sql(
    'create table probe_effect (n bigserial, company_id uuid, kind text, imported_for text, value int, record_id uuid, batch_rows int)',
  );
  return { orm, url, sql, close: () => orm.close(true) };
}

/** For claims of which none fails. */
export const noneRests = new Resting((error) => {
  throw error;
});

let made = 0;

/** A company of its own for a test, and a machine client of it. */
export async function addSender(ledger: Ledger, permissions = ['create_order', 'create_project', 'create_ticket']): Promise<Context> {
  const companyId = newId();
  await ledger.sql(
    `insert into company (id, created_at, updated_at, platform_id, legal_name, company_type, time_zone)
    values (?, now(), now(), ?, 'Quarry', 'hauler', 'America/Toronto')`,
    [companyId, (++made).toString(16).toUpperCase().padStart(6, '0')],
  );
  const viewer: Viewer = {
    type: 'M2MClient',
    id: newId(),
    name: 'Night batch',
    companyId,
    companyIds: [companyId],
    receivesWork: false,
    roles: [],
    can: (permission) => permissions.includes(permission),
  };
  return { requestId: newId(), language: 'en', viewer, em: ledger.orm.em.fork(), memo: new Map(), read: undefined as never };
}

/** The behaviour that a probe payload asks for, in addition to its value. `times` counts attempts of the record. */
export interface Probe {
  external_id?: string;
  value?: number;
  fail?: { how: 'outcome' | 'invalid' | 'throw' | 'transient' | 'database' | 'hang'; times: number };
  outcome?: 'skipped' | 'skipped_update';
  metadata?: unknown;
}

/** Logs one row per record it applies, set-based, before it fails where a payload asks for it: a failure must leave no trace. */
export function probeImporter(kind: ImportKind = 'order', supersedes = true): Importer {
  return {
    kind,
    supersedes,
    keyField: 'external_id',
    async apply(tx, records) {
      const probes = records.map((record) => record.payload as Probe);
      const failing = probes.map((probe, i) => (probe.fail && records[i]!.attempt <= probe.fail.times ? probe.fail.how : undefined));
      const written = records.filter((_, i) => failing[i] !== 'outcome' && probes[i]!.outcome !== 'skipped');
      await log(tx, kind, written, records.length);
      for (const how of failing) if (how) await misbehave(tx, how);
      return records.map((record, i): Outcome => {
        if (failing[i]) return { state: 'failed', code: 'unknown_order', pointer: '/order', key: 'import_not_an_object' };
        tx.recordsOf(record).events.push({ name: 'probe.applied', type: 'Probe', id: record.id, companyId: record.companyId });
        return {
          state: probes[i]!.outcome ?? 'processed',
          resultId: record.id,
          warnings: [{ code: 'unknown_fields', pointer: '/value', given: probes[i]!.value }],
        };
      });
    },
  };
}

async function log(tx: BatchTx, kind: ImportKind, records: ClaimedRecord[], size: number): Promise<void> {
  const rows = records.map((r) => ({ company_id: r.companyId, imported_for: r.importedFor, value: r.payload.value, record_id: r.id }));
  await tx.query(
    `insert into probe_effect (company_id, kind, imported_for, value, record_id, batch_rows)
    select company_id, $2, imported_for, value, record_id, $3
    from json_to_recordset($1::json) as r(company_id uuid, imported_for text, value int, record_id uuid)`,
    [JSON.stringify(rows), kind, size],
  );
}

async function misbehave(tx: BatchTx, how: NonNullable<Probe['fail']>['how']): Promise<void> {
  if (how === 'invalid') throw new Invalid([{ model: 'Order', field: 'waypoints.1.siteId', key: 'import_not_an_object' }]);
  if (how === 'throw') throw new TypeError('a mistake in the importer');
  if (how === 'transient') throw new Unavailable();
  if (how === 'database') await tx.query('select 1/0');
  if (how === 'hang') await new Promise(() => undefined);
}

/** Waits of some milliseconds, as many of them as DOMAIN section 5 has. */
export const QUICK: RetryRules = { transient: [0.01, 0.01, 0.01, 0.01, 0.01], deterministic: [0.01, 0.01], lostClaims: 5 };

export const QUIET: WorkerLog = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export function startWorker(ledger: Ledger, options: Partial<IngestWorkerOptions> = {}): IngestWorker {
  return startIngestWorker({
    em: ledger.orm.em,
    importers: [probeImporter()],
    waker: inProcessWaker(),
    log: QUIET,
    retries: QUICK,
    sweepEvery: 20,
    // Longer than a busy machine keeps a process from renewing it.
    leaseSeconds: 30,
    ...options,
  });
}

/** Waits until the company has no open record. */
export async function settled(ledger: Ledger, ctx: Context, seconds = 60): Promise<void> {
  for (const end = Date.now() + seconds * 1000; ; ) {
    const [row] = await ledger.sql<{ open: number }>('select count(*)::int as open from import_task where company_id = ?', [
      ctx.viewer!.companyId,
    ]);
    if (row!.open === 0) return;
    if (Date.now() > end) throw new Error(`${row!.open} records are still open`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The company's records in order of receipt. */
export const recordsOf = (ledger: Ledger, ctx: Context) =>
  ledger.sql<
    { id: string; imported_for: string | null; state: string; last_error: string | null; attempts: number } & Record<string, unknown>
  >('select * from imported_record where company_id = ? order by sequence', [ctx.viewer!.companyId]);
export const statesOf = async (ledger: Ledger, ctx: Context) => (await recordsOf(ledger, ctx)).map((r) => `${r.imported_for} ${r.state}`);
/** Values in the order they were applied, per key or of one. */
export const effectsOf = async (ledger: Ledger, ctx: Context, key?: string) =>
  (
    await ledger.sql<{ value: number; imported_for: string }>('select * from probe_effect where company_id = ? order by n', [
      ctx.viewer!.companyId,
    ])
  )
    .filter((row) => key === undefined || row.imported_for === key)
    .map((row) => row.value);
