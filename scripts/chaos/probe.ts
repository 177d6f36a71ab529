import type { MikroORM } from '@mikro-orm/postgresql';
import { entities, registerRooms } from '../../src/app/rooms.ts';
import { geocoder } from '../../src/directory/contacts/geocoded-addresses.ts';
import { identitySettings, identitySettingsWith } from '../../src/identity/settings.ts';
import type { BatchTx, ClaimedRecord, Importer, ImportKind } from '../../src/ingest/importer.ts';
import { importers } from '../../src/ingest/importers.ts';
import type { RetryRules } from '../../src/ingest/ledger/retries.ts';
import { Application } from '../../src/platform/application.ts';
import { createOrm } from '../../src/platform/database/orm.ts';
import { APP_ROLE, gapsOf } from '../../src/platform/database/roles.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import type { ChaosPayload } from './payloads.ts';

/** The waits of production, shortened so that a run ends in minutes; the same number of them. */
export const CHAOS_RETRIES: RetryRules = { transient: [0.5, 1, 1, 2, 2], deterministic: [0.5, 1], lostClaims: 8 };
export const LEASE_SECONDS = 2;

/** Connects like the product: below row-level security. @throws Error if the connections are not subject to it */
export async function connect(poolSize: number): Promise<MikroORM> {
  const application = new Application().provide(identitySettings, identitySettingsWith({})).provide(geocoder, undefined);
  registerRooms();
  const orm = await createOrm({ url: process.env.CHAOS_DATABASE!, actAs: APP_ROLE, entities, poolSize }, application);
  const gaps = await gapsOf(await poolOf(orm.em));
  if (gaps.length > 0) throw new Error(`the workers would not run as the product does: ${gaps.join(', ')}`);
  return orm;
}

/** The effects log: one row per applied payload, written in the effect's transaction. */
export async function addEffectsLog(orm: MikroORM): Promise<void> {
  const connection = orm.em.getConnection();
  await connection.execute('create table chaos_effect (n bigserial primary key, kind text, key text, version int, record_id uuid)');
  await connection.execute(`grant insert on chaos_effect to ${APP_ROLE}`);
  await connection.execute(`grant usage on sequence chaos_effect_n_seq to ${APP_ROLE}`);
}

/** The product's importers, disturbed. */
export const disturbedImporters: Importer[] = importers.map(disturbed);

/** Returns an importer whose transactions take long enough to be hit, whose effects are logged, and which throws for flaky payloads. */
function disturbed(importer: Importer): Importer {
  return {
    ...importer,
    async apply(tx, records) {
      await pause(tx);
      await poison(records);
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

async function poison(records: ClaimedRecord[]): Promise<void> {
  for (const { payload } of records) {
    const { poison } = payload as ChaosPayload;
    if (poison === 'throws') throw new Error('poison');
    if (poison === 'kills') process.kill(process.pid, 'SIGKILL');
    if (poison) await new Promise(() => undefined);
  }
}

/** Long enough that kills hit unfinished transactions. */
const pause = (tx: BatchTx) => tx.query('select pg_sleep(random() * 0.03)');

async function log(tx: BatchTx, kind: ImportKind, records: ClaimedRecord[]): Promise<void> {
  const rows = records.map((r) => ({ key: r.importedFor, version: r.payload.version, record_id: r.id }));
  await tx.query(
    `insert into chaos_effect (kind, key, version, record_id)
    select $2, key, version, record_id from json_to_recordset($1::json) as r(key text, version int, record_id uuid)`,
    [JSON.stringify(rows), kind],
  );
}
