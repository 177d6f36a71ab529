import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { runMigrations } from '../../../src/platform/database/migrating/run-migrations.ts';
import { createOrm } from '../../../src/platform/database/orm.ts';
import { freshDatabase } from '../../helpers/database.ts';

/** Milliseconds for which each batch of imports holds its table, as on a machine that has far too much to do. */
const HELD = 7_000;
/** Milliseconds after which the next importer begins, so that their batches overlap. */
const APART = 2_300;

class WidenPits extends Migration {
  override up(): void {
    this.addSql('alter table pit add column depth int');
  }
}

test('a migration gets its table although long transactions follow each other, and reports meanwhile that it waits', async () => {
  const url = await freshDatabase();
  const orm = await createOrm({ url, entities: [], poolSize: 2 });
  const importers = [1, 2, 3].map(() => new pg.Client({ connectionString: url }));
  for (const client of importers) await client.connect();
  const [importer] = importers;
  await importer!.query('create table pit (id int)');
  let isDone = false;
  const reports: string[] = [];
  const importing = importers.map(async (client, at) => {
    await setTimeout(at * APART);
    // A batch that wants the table waits behind the migration, and holds it as soon as that gives up.
    while (!isDone) await client.query(`begin; select from pit; select pg_sleep(${HELD / 1_000}); commit`);
  });
  try {
    await runMigrations(orm, [{ name: '202701010000-widen-pits', class: WidenPits }], {
      onWait(step, seconds) {
        reports.push(step);
        expect(seconds).toBeGreaterThan(5);
      },
    });
    await importer!.query('select depth from pit');
    expect(new Set(reports)).toEqual(new Set(['202701010000-widen-pits']));
  } finally {
    isDone = true;
    await Promise.all(importing);
    for (const client of importers) await client.end();
    await orm.close(true);
  }
}, 120_000);
