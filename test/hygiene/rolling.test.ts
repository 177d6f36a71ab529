import { expect, test } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import { BASELINE, problemsOf, rollingProblems } from '../../scripts/hygiene/rolling.ts';
import { migrationsNow, readReleased, touchedMigrations, withRelease } from '../../scripts/release/released-migrations.ts';
import { loadMigrations } from '../../src/platform/database/migrations.ts';

test('no migration since the baseline stops a running product, or what the version before does', async () => {
  expect(await rollingProblems(await loadMigrations())).toEqual([]);
});

test.each([
  ['alter table load drop column notes', 'drops a column'],
  ['alter table load drop notes', 'drops a column'],
  ['alter table load add column a text, drop column if exists "notes" cascade', 'drops a column'],
  ['ALTER TABLE IF EXISTS ONLY public."load"\n RENAME COLUMN a TO b', 'renames what'],
  ['alter table load rename to trip', 'renames what'],
  ['alter table load alter column a type bigint using a::bigint', 'changes a type'],
  ['alter table load alter a set data type bigint', 'changes a type'],
  ['alter table load alter column a set not null', 'the version before may write null'],
  ['alter table load alter column a drop default', 'drops a default'],
  ['alter table load add column a text not null', 'adds a required column without a default'],
  ['alter table load add a uuid not null references site (id)', 'adds a required column without a default'],
  ['alter table load add column a uuid not null default gen_random_uuid()', 'a default of its own'],
  ['alter table load add column a timestamptz default clock_timestamp()', 'a default of its own'],
  ['alter table load add column a bigserial', 'numbers every row'],
  ['alter table load add column a bigint generated always as identity', 'numbers every row'],
  ['alter table load add column a text generated always as (lower(b)) stored', 'computes a column for every row'],
  ['alter table load add column a text unique', 'builds an index while nobody can write'],
  ["alter table load add column a text check (a in ('x', 'y'))", 'reads the whole table'],
  ['alter table load add constraint load_a check (a > 0)', 'reads the whole table'],
  ['alter table load add foreign key (a) references site (id)', 'reads the whole table'],
  ['alter table load add constraint load_key unique (a, b)', 'builds an index'],
  ['alter table load validate constraint load_a', 'a migration that is not transactional does it'],
  ["alter table load add constraint load_a check (a in ('drop column', 'x')) not valid", 'refuses what the version before may still write'],
  ['alter table load add foreign key (a) references site (id) not valid', 'refuses what the version before may still write'],
  ['alter table company add constraint company_a check (a > 0)', 'refuses what the version before may still write'],
  ['alter table load add constraint load_key unique using index load_key', 'refuses what the version before may still write'],
  ['create unique index company_a_key on company (a)', 'may still write twice'],
  ['alter table load enable row level security', 'hides rows'],
  ['drop index load_a_idx', 'drop it concurrently'],
  ['drop trigger if exists load_a on load', 'relies on'],
  ['drop policy load_wall on load', 'relies on'],
  ['drop policy load_wall on load; create policy load_other on load using (true)', 'relies on'],
  ['create policy load_wall on load as restrictive using (a > 0)', 'may still read or write'],
  ['create trigger load_a after insert on load for each row execute function load_a()', 'is not of this migration'],
  [
    "create function load_a() returns trigger language plpgsql as $$ begin if new.a is null then raise exception 'no'; end if; return new; end $$; create constraint trigger load_a after insert on load deferrable for each row execute function load_a()",
    'raises exceptions',
  ],
  ['alter table load set tablespace fast', 'rewrites or moves'],
  ['drop table load', 'drops what the version before uses'],
  ['drop function if exists fold_text(text)', 'drops a function'],
  ['-- For the board.\n create index load_a_idx on load (a)', 'builds an index'],
  ['create unique index if not exists load_a_key on only load using btree (a)', 'builds an index'],
  ['create index on load (a)', 'builds an index'],
  ['create unique index on only load (a)', 'builds an index'],
  ['with gone as (delete from load where a is null returning 1) select 1', 'in batches'],
  ['with gone as materialized ( update load set a = 1 returning 1) select 1', 'in batches'],
  ['alter table load add constraint load_a not null a', 'the version before may write null'],
  ["create table load_2031 partition of load for values from ('2031-01-01') to ('2032-01-01')", 'everybody waits for it'],
  ['create index concurrently load_a_idx on load (a)', 'PostgreSQL refuses it in a transaction'],
  ['update load set a = 1 where a is null', 'in batches'],
  ['delete from load where a is null', 'in batches'],
  ['truncate load', 'keeps everybody out'],
  ['lock table load in exclusive mode', 'keeps everybody out'],
  ['vacuum full load', 'rewrites tables'],
  ['revoke insert on load from haulgate_app', 'takes a right'],
  ['do $$ begin update load set a = 1; end $$', 'in batches'],
  ['do $$ begin if true then alter table load drop column a; end if; end $$', 'drops a column'],
  ["do $$ begin execute format('alter table %I drop column a', 'load'); end $$", 'cannot be examined'],
])('%s is refused', (sql, why) => {
  expect(problemsOf([sql])).toEqual([expect.stringContaining(why)]);
});

test.each([
  ['a column that may be empty', 'alter table load add column a text'],
  [
    'a required one with a default that is the same for all',
    "alter table load add column a text not null default 'x', add column b timestamptz not null default now()",
  ],
  ['a reference of a new column, which no row has', 'alter table load add column a uuid references site (id) on delete set null'],
  [
    'less than was required',
    'alter table load alter column a drop not null; alter table load alter column a set default 1; alter table load drop constraint load_a',
  ],
  [
    'a table with all that belongs to it',
    'create table pit (id uuid primary key); create unique index pit_key on pit (id); alter table pit add column a text not null; update pit set a = 1',
  ],
  [
    'a table with its partitions',
    'create table pit (day date) partition by range (day); create table pit_2031 partition of pit default; create index on pit (day)',
  ],
  [
    'a function in its new form',
    'drop function if exists open_pit(text); create function open_pit(text) returns text language sql as $$ delete from load returning id; update load set a = 1 $$',
  ],
  ['rows of a small table', 'update company set a = 1; create index company_a_idx on company (a)'],
  ['words in texts and comments', "-- drop table load;\n comment on table load is 'drop table load; truncate load' /* update load */"],
  [
    'a trigger that refuses nothing',
    "create or replace function load_a() returns trigger language plpgsql as $$ begin raise notice 'seen'; return new; end $$; create trigger load_a after insert on load for each row execute function load_a()",
  ],
  [
    'a trigger and a wall in their new form',
    'drop trigger load_a on load; create function load_a() returns trigger language sql as $$ select null $$; create trigger load_a after insert on load for each row execute function load_a(); drop policy if exists load_wall on load; create policy load_wall on load using (true)',
  ],
])('%s is let through', (_, sql) => {
  expect(problemsOf([sql])).toEqual([]);
});

test('what PostgreSQL does without a transaction is in a migration of its own, each statement by itself', () => {
  const index = 'create index concurrently load_a_idx on load (a)';
  expect(problemsOf(['drop index concurrently if exists load_a_idx', index, 'alter table load validate constraint load_a'], false)).toEqual(
    [],
  );
  expect(problemsOf(['create unique index concurrently load_a_key on load (a)'], false)).toEqual([
    expect.stringContaining('may still write twice'),
  ]);
  expect(problemsOf(['drop index concurrently load_a_idx'], false)).toEqual([expect.stringContaining('may need')]);
  expect(problemsOf([`${index}; select 1`], false)).toEqual([expect.stringContaining('an addSql of its own')]);
  expect(problemsOf(['alter table load add column a text', index], false)).toEqual([expect.stringContaining('half done')]);
});

test('an index that is there is replaced by one that is built first, and what a failed run has left is dropped', async () => {
  const of = (...statements: string[]) =>
    class extends Migration {
      override isTransactional(): boolean {
        return false;
      }
      override up(): void {
        for (const sql of statements) this.addSql(sql);
      }
    };
  const index = (name: string, column: string) => `create index concurrently ${name} on load (${column})`;
  const drop = (name: string) => `drop index concurrently if exists ${name}`;
  const first = { name: `${BASELINE}-find-loads`, class: of(drop('load_a_idx'), index('load_a_idx', 'a')) };
  const found = (...statements: string[]) =>
    rollingProblems([first, { name: `${Number(BASELINE) + 1}-find-loads-by-b`, class: of(...statements) }]);
  expect(await found(drop('load_a_idx'), index('load_a_idx', 'b'))).toEqual([expect.stringContaining('nobody has the index until')]);
  const swapped = [drop('load_b_idx'), index('load_b_idx', 'b'), drop('load_a_idx'), 'alter index load_b_idx rename to load_a_idx'];
  expect(await found(...swapped)).toEqual([]);
  // Dropped for good, it may still be needed.
  expect(await found(...swapped.slice(0, 3))).toEqual([expect.stringContaining('may need')]);
});

test('migrations are examined by what they say, from the baseline on, and one that asks the database cannot be', async () => {
  class Drops extends Migration {
    override up(): void {
      this.addSql('drop table load');
    }
  }
  class Asks extends Migration {
    override async up(): Promise<void> {
      await this.execute('select 1');
    }
  }
  const older = `${String(Number(BASELINE) - 1)}-drop-loads`;
  expect(await rollingProblems([{ name: older, class: Drops }])).toEqual([]);
  expect(
    await rollingProblems([
      { name: `${BASELINE}-drop-loads`, class: Drops },
      { name: `${BASELINE}-look-at-loads`, class: Asks },
    ]),
  ).toEqual([
    expect.stringMatching(/^\d{12}-drop-loads: drop table load: drops what/),
    expect.stringMatching(/^\d{12}-look-at-loads: asks the database: it cannot be examined/),
  ]);
});

test('a migration that a release has brought is found when it changes or goes, and later ones are of the next release', () => {
  const now = migrationsNow();
  const released = readReleased();
  expect(touchedMigrations(released, now)).toEqual([]);
  expect(Object.keys(released)).toContain('1.0.0');
  const first = { '1.0.0': { 'a.ts': '1', 'b.ts': '2' } };
  expect(touchedMigrations(first, { 'a.ts': '1', 'b.ts': '3', 'c.ts': '4' })).toEqual([
    expect.stringContaining('migrations/b.ts was changed'),
  ]);
  expect(touchedMigrations(first, { 'b.ts': '2' })).toEqual([expect.stringContaining('migrations/a.ts is gone')]);
  expect(withRelease(first, '1.1.0', { 'a.ts': '1', 'b.ts': '2', 'c.ts': '4' })).toEqual({ ...first, '1.1.0': { 'c.ts': '4' } });
  // Again, of the same commit.
  expect(withRelease(first, '1.0.0', { 'a.ts': '1', 'b.ts': '2' })).toBe(first);
});
