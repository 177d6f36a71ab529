import { expect, test } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { entities, published } from '../../../src/app/rooms.ts';
import { runMigrations } from '../../../src/platform/database/migrating/run-migrations.ts';
import { loadMigrations } from '../../../src/platform/database/migrations.ts';
import { createOrm, migrate } from '../../../src/platform/database/orm.ts';
import { connectedTo, freshDatabase, migratedDatabase } from '../../helpers/database.ts';
import { until } from '../../helpers/until.ts';

test('a migration that is not transactional runs by itself, after those before it and before those behind it', async () => {
  class MakePits extends Migration {
    override up(): void {
      this.addSql('create table pit (id int)');
    }
  }
  class FindPits extends Migration {
    override isTransactional(): boolean {
      return false;
    }
    override up(): void {
      this.addSql('drop index concurrently if exists pit_idx');
      this.addSql('create index concurrently pit_idx on pit (id)');
    }
  }
  class NamePits extends Migration {
    override up(): void {
      this.addSql('alter index pit_idx rename to pit_id_idx');
    }
  }
  class Fail extends Migration {
    override up(): void {
      this.addSql('select 1 / 0');
    }
  }
  const orm = await createOrm({ url: await freshDatabase(), entities: [], poolSize: 2 });
  const done = async () => (await orm.em.execute<{ name: string }[]>('select name from migration order by id')).map(({ name }) => name);
  try {
    const first = [
      { name: '202701010000-make-pits', class: MakePits },
      { name: '202701010001-find-pits', class: FindPits },
    ];
    await runMigrations(orm, first, { isNew: true });
    // Those that are in one transaction are all done, or none; in a database that is used each has its own.
    const next = [...first, { name: '202701010002-name-pits', class: NamePits }, { name: '202701010003-fail-again', class: Fail }];
    await expect(runMigrations(orm, next.slice(2), { isNew: true })).rejects.toThrow(/division by zero/);
    expect(await done()).toEqual(['202701010000-make-pits', '202701010001-find-pits']);
    await expect(runMigrations(orm, next.slice(2))).rejects.toThrow(/division by zero/);
    expect(await done()).toEqual(next.slice(0, 3).map(({ name }) => name));
    expect(await orm.em.execute('select indisvalid as valid from pg_index where indexrelid = ?::regclass', ['pit_id_idx'])).toEqual([
      { valid: true },
    ]);
  } finally {
    await orm.close(true);
  }
});

test('changed imports get their index on the parts that there are, and none on a server where it would cost every import', async () => {
  const url = await freshDatabase();
  const orm = await createOrm({ url, entities: [], poolSize: 2 });
  const found = (await loadMigrations()).filter(({ name }) => name.endsWith('-find-changed-imports'));
  const indexes = async () =>
    (
      await orm.em.execute<
        { name: string }[]
      >(`select i.indrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indisvalid and c.relname like '%_updated_idx' order by 1`)
    ).map(({ name }) => name);
  try {
    // The first years were archived and dropped, and years after those of the first migration were made.
    await orm.em.execute(`create table imported_record (id int, updated_at timestamptz default now()) partition by range (id);
      create table imported_record_2027 partition of imported_record for values from (1) to (2);
      create table imported_record_2044 partition of imported_record for values from (2) to (3);
      create table imported_record_default partition of imported_record default;`);
    const [server] = await orm.em.execute<{ hot: boolean }[]>("select current_setting('server_version_num')::int >= 160000 as hot");
    const parts = server!.hot ? ['', '_2027', '_2044', '_default'].map((part) => `imported_record${part}`) : [];
    await runMigrations(orm, found);
    expect(await indexes()).toEqual(parts);
    // Again, as after a run that failed in the middle.
    if (server!.hot)
      await orm.em.execute(
        'drop index imported_record_updated_idx; create index imported_record_2044_updated_idx on imported_record_2044 (id)',
      );
    await orm.em.execute('delete from migration');
    await runMigrations(orm, found);
    expect(await indexes()).toEqual(parts);
  } finally {
    await orm.close(true);
  }
});

test('a migration lets others in while somebody holds its table for long, keeps what was done before, and is done when they have ended', async () => {
  class MakeDepths extends Migration {
    override up(): void {
      this.addSql('create table pit_depth (id int)');
    }
  }
  class WidenPits extends Migration {
    override up(): void {
      this.addSql('alter table pit add column depth int');
    }
  }
  const url = await freshDatabase();
  const orm = await createOrm({ url, entities: [], poolSize: 2 });
  const [exporter, reader] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  for (const client of [exporter, reader]) await client.connect();
  try {
    await reader.query('create table pit (id int)');
    await exporter.query('begin isolation level repeatable read; select from pit');
    let isDone = false;
    const migrated = runMigrations(orm, [
      { name: '202701010000-make-depths', class: MakeDepths },
      { name: '202701010001-widen-pits', class: WidenPits },
    ]).then(() => {
      isDone = true;
    });
    const waits = async () => (await reader.query("select from pg_locks where not granted and relation = 'pit'::regclass")).rowCount === 1;
    await until(waits);
    // It comes behind the migration, and would wait for the export with it.
    await reader.query('select from pit');
    await until(waits);
    // The first one needs no table of anybody.
    await until(async () => (await reader.query("select to_regclass('pit_depth') as made")).rows[0].made !== null);
    expect(isDone).toBe(false);
    await exporter.query('commit');
    await migrated;
    await reader.query('select depth from pit, pit_depth');
  } finally {
    for (const client of [exporter, reader]) await client.end();
    await orm.close(true);
  }
});

test('a migration that waits for somebody who waits for it begins again, and the other one goes on', async () => {
  class WidenBoth extends Migration {
    override up(): void {
      this.addSql('alter table pit add column depth int');
      // The other one comes to wait for it, and sees after a second that it waits in vain.
      this.addSql('select pg_sleep(0.6)');
      this.addSql('alter table quarry add column depth int');
    }
  }
  const url = await freshDatabase();
  const orm = await createOrm({ url, entities: [], poolSize: 2 });
  const [driver, watcher] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  for (const client of [driver, watcher]) await client.connect();
  try {
    await watcher.query('create table pit (id int); create table quarry (id int)');
    await driver.query('begin; select from quarry');
    const migrated = runMigrations(orm, [{ name: '202701010000-widen-both', class: WidenBoth }]);
    const holds = "select from pg_locks where granted and mode = 'AccessExclusiveLock' and relation = 'pit'::regclass";
    await until(async () => (await watcher.query(holds)).rowCount === 1);
    await driver.query('select from pit');
    await driver.query('commit');
    await migrated;
    await watcher.query('select pit.depth, quarry.depth from pit, quarry');
  } finally {
    for (const client of [driver, watcher]) await client.end();
    await orm.close(true);
  }
});

test('processes that start at once wait for the one that migrates, and it for none of them', async () => {
  const url = await migratedDatabase();
  // An index is created concurrently, which waits for everybody who looks at the database.
  await connectedTo(url, (db) => db.query("delete from migration where name = '202611281537-index-rows-of-sandboxes'"));
  const orms = await Promise.all([1, 2, 3].map(() => createOrm({ url, entities, poolSize: 3 })));
  try {
    await Promise.all(orms.map((orm) => migrate(orm, published)));
    const { rows } = await connectedTo(url, (db) => db.query("select from migration where name = '202611281537-index-rows-of-sandboxes'"));
    expect(rows).toHaveLength(1);
  } finally {
    for (const orm of orms) await orm.close(true);
  }
});

test('a process of the version before leaves rights and policies as a newer one has made them', async () => {
  const url = await migratedDatabase();
  const orm = await createOrm({ url, entities, poolSize: 2 });
  const rights = () =>
    connectedTo(url, async (db) => {
      const { rows } = await db.query<{ may: boolean; policies: string }>(
        `select has_table_privilege('haulgate_app', 'label', 'delete') as may,
           (select count(*) from pg_policy where polrelid = 'label'::regclass) as policies`,
      );
      return rows[0]!;
    });
  const before = await rights();
  const change = () =>
    connectedTo(url, (db) => db.query('revoke delete on label from haulgate_app; drop policy tenant_isolation on label'));
  try {
    await change();
    await migrate(orm, published);
    expect(await rights()).toEqual(before);
    await change();
    await connectedTo(url, (db) => db.query("insert into migration (name) values ('209901010000-make-later')"));
    await migrate(orm, published);
    expect(await rights()).toEqual({ may: false, policies: String(Number(before.policies) - 1) });
  } finally {
    await orm.close(true);
  }
});

test('rights and policies let others in while somebody holds a table for long, and are made when they have ended', async () => {
  const url = await migratedDatabase();
  const orm = await createOrm({ url, entities, poolSize: 2 });
  const [exporter, reader] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  for (const client of [exporter, reader]) await client.connect();
  const policies = async () =>
    (await reader.query<{ name: string }>("select polname as name from pg_policy where polrelid = 'label'::regclass order by 1")).rows;
  const before = await policies();
  try {
    await reader.query('drop policy tenant_isolation on label; create table pit (id uuid, company_id uuid)');
    await exporter.query('begin isolation level repeatable read; select from label');
    const migrated = migrate(orm, published);
    const waits = async () =>
      (await reader.query("select from pg_locks where not granted and relation = 'label'::regclass")).rowCount === 1;
    await until(waits);
    // It comes behind the policies, and would wait for the export with them.
    await reader.query('select from label');
    await until(waits);
    // A new table has its policies with the right to it, and waits for nobody.
    const { rows } = await reader.query(
      "select has_table_privilege('haulgate_app', oid, 'select') as may, relforcerowsecurity as bound from pg_class where oid = 'pit'::regclass",
    );
    expect(rows).toEqual([{ may: true, bound: true }]);
    await exporter.query('commit');
    await migrated;
    expect(await policies()).toEqual(before);
  } finally {
    for (const client of [exporter, reader]) await client.end();
    await orm.close(true);
  }
});
