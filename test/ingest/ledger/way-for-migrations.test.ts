import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import { admit } from '../../../src/ingest/ledger/admit.ts';
import { runMigrations } from '../../../src/platform/database/migrating/run-migrations.ts';
import { createOrm } from '../../../src/platform/database/orm.ts';
import { connectedTo } from '../../helpers/database.ts';
import { until } from '../../helpers/until.ts';
import { addSender, effectsOf, type Ledger, openLedger, probeImporter, settled, startWorker } from './probe-ledger.ts';

class WidenPits extends Migration {
  override up(): void {
    this.addSql('alter table pit add column depth int');
  }
}
/** The lock that a step of migrating has for itself while it keeps imports back. */
const KEPT_BACK = `select from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and granted and objsubid = 1
  and (classid::bigint << 32 | objid::bigint) = hashtext('haulgate:imports make way')
  and database = (select oid from pg_database where datname = current_database())`;

let ledger: Ledger;
beforeAll(async () => {
  ledger = await openLedger();
  await ledger.sql('create table pit (id int)');
});
afterAll(() => ledger.close());

test('imports that come while a migration waits for its table begin when it has had it', async () => {
  const ctx = await addSender(ledger);
  const owner = await createOrm({ url: ledger.url, entities: [], poolSize: 3 });
  const worker = startWorker(ledger);
  try {
    await connectedTo(ledger.url, async (exporter) => {
      await exporter.query('begin; select from pit');
      const migrated = owner.em
        .fork()
        .transactional((alone) => runMigrations(owner, [{ name: '202701010000-widen-pits', class: WidenPits }], { alone }));
      await until(async () => (await ledger.sql(KEPT_BACK)).length === 1);
      await admit(ctx, probeImporter(), [{ external_id: 'A', value: 1 }]);
      // The worker looks every 20 milliseconds.
      await sleep(500);
      expect(await effectsOf(ledger, ctx)).toEqual([]);
      await exporter.query('commit');
      await migrated;
    });
    expect(await ledger.sql(KEPT_BACK)).toEqual([]);
    await ledger.sql('select depth from pit');
    await settled(ledger, ctx);
    expect(await effectsOf(ledger, ctx)).toHaveLength(1);
  } finally {
    await worker.stop();
    await owner.close(true);
  }
});
