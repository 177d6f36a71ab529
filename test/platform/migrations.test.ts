import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { migrationNames } from '../../src/platform/database/migrations.ts';
import { migratedDatabase } from '../helpers/database.ts';

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

test('names are in the order of time, whatever the folder says first, and maps of the build are no migrations', () => {
  expect(namesIn('202612010000-add-b.js', '202611302359-add-a.js', '202612010000-add-b.js.map')).toEqual([
    '202611302359-add-a',
    '202612010000-add-b',
  ]);
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
])('no migration is called %s', (name) => {
  expect(() => namesIn('202611222000-add-driver.ts', `${name}.ts`)).toThrow(`YYYYMMDDHHMM-verb-noun; these are not: ${name}.`);
});
