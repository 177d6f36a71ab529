import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { runMigrations } from '../../../src/platform/database/migrating/run-migrations.ts';
import { createOrm } from '../../../src/platform/database/orm.ts';
import { freshDatabase } from '../../helpers/database.ts';
import { until } from '../../helpers/until.ts';

class MeasureBoth extends Migration {
  override up(): void {
    this.addSql('alter table pit add column depth int');
    this.addSql('alter table quarry add column depth int');
  }
}
class MeasureSlowly extends Migration {
  override up(): void {
    this.addSql('alter table pit add column depth int');
    // Somebody comes to wait for it.
    this.addSql('select pg_sleep(0.6)');
    this.addSql('alter table quarry add column depth int');
  }
}

let orm: MikroORM;
let clients: pg.Client[];
beforeEach(async () => {
  const url = await freshDatabase();
  orm = await createOrm({ url, entities: [], poolSize: 3 });
  clients = [0, 1, 2].map(() => new pg.Client({ connectionString: url }));
  for (const client of clients) await client.connect();
  await clients[0]!.query('create table pit (id int); create table quarry (id int)');
});
afterEach(async () => {
  for (const client of clients) await client.end();
  await orm.close(true);
});

/** The tables for which transactions that migrate wait, or which they have for themselves. */
async function locked(granted: boolean): Promise<string[]> {
  const { rows } = await clients[0]!.query<{ name: string }>(
    `select relation::regclass::text as name from pg_locks where mode = 'AccessExclusiveLock' and granted = $1
      and relation in ('pit'::regclass, 'quarry'::regclass)`,
    [granted],
  );
  return rows.map(({ name }) => name);
}
const waitsFor = (table: string, has: string[]) =>
  until(async () => (await locked(false)).join() === table && (await locked(true)).join() === has.join());
const expectMeasured = async () =>
  expect((await clients[0]!.query('select p.depth, q.depth from pit p, quarry q')).fields).toEqual(
    ['depth', 'depth'].map((name) => expect.objectContaining({ name })),
  );
const migrate = (made: new (...args: never[]) => Migration = MeasureBoth) =>
  orm.em.transactional((alone) => runMigrations(orm, [{ name: '202701010000-measure-both', class: made }], { alone }));

test('a migration asks first for the table that it waited for in vain, and holds none meanwhile', async () => {
  const [, report] = clients;
  await report!.query('begin; select from quarry');
  const migrating = migrate();
  await waitsFor('quarry', ['pit']);
  await waitsFor('quarry', []);
  // At once, although the migration wants it, too.
  await report!.query("set local statement_timeout = '500ms'; select from pit");
  await report!.query('commit');
  await migrating;
  await expectMeasured();
});

test('a migration that waits for somebody who waits for it is the one that begins again', async () => {
  const [, first, second] = clients;
  await first!.query('begin; select from quarry');
  const migrating = migrate();
  await waitsFor('quarry', ['pit']);
  await waitsFor('quarry', []);
  await second!.query('begin; select from pit');
  await first!.query('commit');
  // PostgreSQL ends whoever looks for a circle, a second after it began to wait: the migration has begun again by then.
  await waitsFor('pit', ['quarry']);
  await second!.query('select pg_sleep(0.1); select from quarry; commit');
  await migrating;
  await expectMeasured();
});

test('a migration that is ended before its watch has looked asks first for the table that it was ended for', async () => {
  const [, first, second] = clients;
  // The migration is the one that sees the deadlock.
  for (const client of [first, second]) await client!.query("begin; set local deadlock_timeout = '30s'; select from quarry");
  const migrating = migrate(MeasureSlowly);
  const hasPit = () => until(async () => (await locked(true)).join() === 'pit');
  // The attempt together with other migrations is followed by one by itself.
  await hasPit();
  await first!.query('select from pit; commit');
  await hasPit();
  await second!.query('select from pit');
  await waitsFor('quarry', []);
  await second!.query('commit');
  await migrating;
  await expectMeasured();
});
