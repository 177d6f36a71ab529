import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../helpers/database.ts';
import { allGone, dataFolder, removeFolder, startProduct } from '../helpers/product.ts';

let data: string;
beforeEach(() => {
  data = dataFolder();
});
afterEach(async () => {
  await allGone(data);
  removeFolder(data);
});

/** The remains of a version from before the first release: its list of migrations, and a table that today's migrations make too. */
const LEFT = `
  create table migration (id serial primary key, name varchar(255), executed_at timestamptz default current_timestamp);
  insert into migration (name) values ('2026-11-20-directory'), ('2026-11-20-dispatch');
  create table company (id uuid primary key, platform_id text not null)`;
const STATE = `select (select json_agg(json_build_array(relname, relacl, relrowsecurity) order by relname) from pg_class
  where relnamespace = 'public'::regnamespace) as relations, (select json_agg(m order by id) from migration m) as migrations`;

test('a database from before the first release is refused with the remedy, and nothing in it is changed', async () => {
  const DATABASE_URL = await freshDatabase();
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  await client.query(LEFT);
  const before = (await client.query(STATE)).rows;
  const product = startProduct({ PORT: '0', HAULGATE_DATA: data, DATABASE_URL });
  expect(await product.ended).toBe(1);
  expect(product.stderr()).toMatch(
    /^This database was made by a version of Haulgate from before its first release, .*Nothing was changed\..* move its data folder away .*make an empty database .*\n$/,
  );
  expect((await client.query(STATE)).rows).toEqual(before);
  await client.end();
});
