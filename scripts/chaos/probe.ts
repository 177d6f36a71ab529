import type { MikroORM } from '@mikro-orm/postgresql';
import type { BatchTx, ClaimedRecord, Importer, ImportKind, Outcome } from '../../src/ingest/importer.ts';
import type { RetryRules } from '../../src/ingest/ledger/retries.ts';
import { orderImporter } from '../../src/ingest/orders/import-order.ts';
import type { Context, Viewer } from '../../src/platform/context.ts';
import { createOrm } from '../../src/platform/database/orm.ts';
import { newId } from '../../src/platform/ids.ts';
import { entities } from '../../src/rooms.ts';

/** The payload of chaos; `flaky` fails its first attempt and drags its batch through the bisection. */
export interface ChaosPayload extends Record<string, unknown> {
  external_id: string;
  version: number;
  flaky: boolean;
}

/** A payload that is also an order as SPEC has it: its name tells the version. */
export function payloadOf(key: string, version: number, flaky: boolean): ChaosPayload {
  return {
    external_id: key,
    load_at: '2026-11-20T07:00:00',
    customer: { external_id: 'CHAOS', name: 'Chaos Paving' },
    name: `version ${version}`,
    version,
    flaky,
  };
}

/** The waits of production, shortened so that a run ends in minutes; as many of them. */
export const CHAOS_RETRIES: RetryRules = { transient: [0.5, 1, 1, 2, 2], deterministic: [0.5, 1], lostClaims: 8 };
export const LEASE_SECONDS = 2;

export const COMPANY_COUNT = 3;

export async function connect(poolSize: number): Promise<MikroORM> {
  return createOrm({ url: process.env.CHAOS_DATABASE!, entities, poolSize });
}

/** The effects log: one row per applied payload, written in the effect's transaction. */
export async function addTables(orm: MikroORM): Promise<string[]> {
  const run = (sql: string, params: unknown[] = []) => orm.em.getConnection().execute(sql, params);
  await run('create table chaos_effect (n bigserial primary key, kind text, key text, version int, record_id uuid)');
  const companyIds = Array.from({ length: COMPANY_COUNT }, newId);
  for (const [i, id] of companyIds.entries()) {
    await run(
      `insert into company (id, created_at, updated_at, platform_id, legal_name, company_type, time_zone)
      values (?, now(), now(), ?, 'Chaos', 'hauler', 'America/Toronto')`,
      [id, `C0000${i}`],
    );
  }
  return companyIds;
}

/** The product's own order importer, whose payloads supersede; and a kind that is worked off one by one. */
export const importers: Importer[] = [disturbed(orderImporter), disturbed(empty('ticket', false))];

/** Does nothing but succeed. */
function empty(kind: ImportKind, supersedes: boolean): Importer {
  return {
    kind,
    supersedes,
    importedFor: (element) => String(element.external_id),
    apply: async (_tx, records) => records.map((): Outcome => ({ state: 'processed' })),
  };
}

/** An importer whose transactions take long enough to be hit, whose effects are logged, and which throws for flaky payloads. */
function disturbed(importer: Importer): Importer {
  return {
    ...importer,
    async apply(tx, records) {
      await pause(tx);
      const outcomes = await importer.apply(tx, records);
      await log(
        tx,
        importer.kind,
        records.filter((_, i) => outcomes[i]!.state === 'processed'),
      );
      await pause(tx);
      const flaky = records.find((r) => (r.payload as ChaosPayload).flaky && r.attempt === 1);
      if (flaky) throw new Error(`flaky ${flaky.importedFor}`);
      return outcomes;
    },
  };
}

/** Long enough that kills find transactions half way. */
const pause = (tx: BatchTx) => tx.query('select pg_sleep(random() * 0.03)');

async function log(tx: BatchTx, kind: ImportKind, records: ClaimedRecord[]): Promise<void> {
  const rows = records.map((r) => ({ key: r.importedFor, version: r.payload.version, record_id: r.id }));
  await tx.query(
    `insert into chaos_effect (kind, key, version, record_id)
    select $2, key, version, record_id from json_to_recordset($1::json) as r(key text, version int, record_id uuid)`,
    [JSON.stringify(rows), kind],
  );
}

/** A machine client of a company, as an authenticated request would have it. */
export function contextOf(orm: MikroORM, companyId: string): Context {
  const viewer: Viewer = {
    type: 'M2MClient',
    id: companyId,
    name: 'Chaos',
    companyId,
    companyIds: [companyId],
    receivesWork: false,
    roles: [],
    can: () => true,
  };
  return { requestId: newId(), language: 'en', viewer, em: orm.em.fork(), memo: new Map(), read: undefined as never };
}
