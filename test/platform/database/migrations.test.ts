import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { migrationNames } from '../../../src/platform/database/migrations.ts';
import { migratedDatabase } from '../../helpers/database.ts';

function namesIn(...files: string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'haulgate-migrations-'));
  try {
    for (const file of files) writeFileSync(join(folder, file), '');
    return migrationNames(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the files of the folder are the migrations, in the order of their names, and all of them ran', async () => {
  const client = new pg.Client({ connectionString: await migratedDatabase() });
  await client.connect();
  const { rows } = await client.query<{ name: string }>('select name from migration order by id');
  await client.end();
  expect(rows.map(({ name }) => name)).toEqual(migrationNames());
  expect(migrationNames().length).toBeGreaterThan(10);
});

test('names are in the order of time, whatever order the folder has, and source maps are no migrations', () => {
  expect(namesIn('202612010000-add-b.js', '202611302359-add-a.js', '202612010000-add-b.js.map')).toEqual([
    '202611302359-add-a',
    '202612010000-add-b',
  ]);
});

/** Minutes of more than one migration, from before this was refused: they came from branches, and all but the last are released. */
const SHARED_MINUTES = ['202611231226', '202611271913', '202611280210', '202611280250', '202611281524'];

test('each migration has a minute of its own, so that none depends on how its name goes on', () => {
  const minutes = migrationNames().map((name) => name.slice(0, 12));
  const shared = minutes.filter((minute, at) => minutes.indexOf(minute) !== at);
  expect([...new Set(shared)]).toEqual(SHARED_MINUTES);
});

test.each([
  '2026-11-22-name-driver',
  '20261122-add-driver',
  '202613010000-add-driver',
  '202611320000-add-driver',
  '202611222400-add-driver',
  '202611222360-add-driver',
  '202611222000-driver',
  '202611222000-Add-Driver',
  '202611222000_add_driver',
  'index',
])('%s is refused as the name of a migration', (name) => {
  expect(() => namesIn('202611222000-add-driver.ts', `${name}.ts`)).toThrow(`YYYYMMDDHHMM-verb-noun; these are not: ${name}.`);
});

/** Those that a constraint needs have its reason; those of partitions, that of their table's. */
const INDEXES = `
  select i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid
  where i.relnamespace = 'public'::regnamespace and not i.relispartition and not exists (select from pg_constraint k where k.conindid = i.oid) order by 1`;

/** The names of indexes that this text makes, and whether the line above each begins with `-- ` and says something. */
const reasonsIn = (text: string): [string, boolean][] =>
  [...text.matchAll(/^(.*)\n *create (?:unique )?index (?:concurrently )?(?:if not exists )?(\w+) /gm)].map(([, above, name]) => [
    name!,
    /^ *-- \S/.test(above!),
  ]);

test('every index has its reason in the line above it', async () => {
  const client = new pg.Client({ connectionString: await migratedDatabase() });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(INDEXES);
  await client.end();
  const reasons = new Map(readdirSync('migrations').flatMap((file) => reasonsIn(readFileSync(join('migrations', file), 'utf8'))));
  expect(rows.map(({ name }) => name).filter((name) => !reasons.get(name))).toEqual([]);
  expect(rows.length).toBeGreaterThan(100);
});

test('an index without a reason is found', () => {
  const made = 'create index load_idx on load (id);';
  expect(reasonsIn(`      );\n      ${made}`)).toEqual([['load_idx', false]]);
  expect(reasonsIn(`      -- \n      ${made}`)).toEqual([['load_idx', false]]);
  expect(reasonsIn(`      -- The loads of a day.\n      ${made.replace('index', 'unique index')}`)).toEqual([['load_idx', true]]);
});
