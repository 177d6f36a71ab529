import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { runMigrations } from '../../../src/platform/database/migrating/run-migrations.ts';
import { tryOnce } from '../../../src/platform/database/migrating/when-free.ts';
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

test('a migration that waits holds no table of the one before it', async () => {
  class MeasurePits extends Migration {
    override up(): void {
      this.addSql('alter table pit add column depth int');
    }
  }
  class MeasureQuarries extends Migration {
    override up(): void {
      this.addSql('alter table quarry add column depth int');
    }
  }
  const [, report, reader] = clients;
  await report!.query('begin; select from quarry');
  const names = [
    { name: '202701010000-measure-pits', class: MeasurePits },
    { name: '202701010001-measure-quarries', class: MeasureQuarries },
  ];
  const migrating = orm.em.transactional((alone) => runMigrations(orm, names, { alone }));
  await until(async () => (await locked(false)).join() === 'quarry');
  // Whoever waited for the first one, and then came to wait for the second, would be ended by PostgreSQL.
  await reader!.query("set statement_timeout = '100ms'; select depth from pit");
  await report!.query('commit');
  await migrating;
  await expectMeasured();
});

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
  await until(async () => (await locked(true)).join() === 'pit');
  await first!.query('select from pit; commit');
  await waitsFor('quarry', []);
  // At once, because the migration does not hold it.
  await second!.query("set local statement_timeout = '500ms'; select from pit; commit");
  await migrating;
  await expectMeasured();
});

test('neither what a migration failed with is lost nor what its watch failed with', async () => {
  let failure: unknown;
  const lost = orm.em.transactional(async (alone) => {
    const [{ pid }] = await alone.execute<[{ pid: number }]>('select pg_backend_pid() as pid');
    const flooded = async () => {
      await clients[0]!.query('select pg_terminate_backend($1)', [pid]);
      // The watch looks meanwhile.
      await setTimeout(1_000);
      throw Object.assign(new Error('the pit is flooded'), { code: '22000' });
    };
    failure = await tryOnce(orm, { alone }, flooded).catch((error: unknown) => error);
  });
  await expect(lost).rejects.toThrow();
  expect(failure).toBeInstanceOf(AggregateError);
  const { errors, cause, message, code } = failure as AggregateError & { code: string };
  expect([errors[0].message, cause, code]).toEqual(['the pit is flooded', errors[0], '22000']);
  expect(errors[1].message).toMatch(/connection/i);
  expect(message).toContain(errors[1].message);
});
