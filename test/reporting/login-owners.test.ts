import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { entities } from '../../src/app/rooms.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { createOrm, migrate } from '../../src/platform/database/orm.ts';
import { newId } from '../../src/platform/ids.ts';
import { scramVerifier } from '../../src/reporting/logins/scram.ts';
import { BOUNDS } from '../../src/reporting/views/bounds.ts';
import { createDatabase } from '../helpers/database.ts';
import { dataFolder, removeFolder } from '../helpers/product.ts';
import { until } from '../helpers/until.ts';

// Roles belong to the server, so that this one is the test's own.
let server: EmbeddedPostgres;
const folder = dataFolder();
beforeAll(async () => {
  server = await startEmbeddedPostgres({ dataDir: folder, volatile: true });
});
afterAll(async () => {
  await server.stop();
  removeFolder(folder);
});

async function as<T>(url: string, work: (db: pg.Client) => Promise<T>): Promise<T> {
  const db = new pg.Client({ connectionString: url });
  db.on('error', () => {});
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end().catch(() => {});
  }
}

/** A database that was migrated by an owner who is no superuser, as on managed servers. */
async function ownedBy(name: string, attributes: string): Promise<string> {
  await as(server.url, (db) => db.query(`create role ${name} login password 'secret' ${attributes}`));
  const made = await createDatabase(server.url, name);
  await as(made, async (db) => {
    await db.query('create extension unaccent; create extension pg_trgm; create extension btree_gin');
    await db.query(`alter database ${name} owner to ${name}; alter schema public owner to ${name}`);
  });
  const url = new URL(made);
  Object.assign(url, { username: name, password: 'secret' });
  await start(url.href);
  // A second start finds nothing to do.
  await start(url.href);
  return url.href;
}

async function start(url: string): Promise<void> {
  const orm = await createOrm({ url, entities, poolSize: 2 });
  try {
    await migrate(orm);
  } finally {
    await orm.close(true);
  }
}

test('an owner who may create roles keeps logins without being a superuser; another one makes none, and the rest works', async () => {
  const owner = await ownedBy('keeper', 'createrole');
  const [mine, other, login] = [newId(), newId(), newId()];
  const username = 'haulgate_bi_of_a_test';
  await as(owner, async (db) => {
    for (const [id, name, platformId] of [
      [mine, 'Mine', 'B10001'],
      [other, 'Other', 'B10002'],
    ]) {
      await db.query(`insert into company (id, platform_id, legal_name, time_zone) values ($1, $2, $3, 'America/Chicago')`, [
        id,
        platformId,
        name,
      ]);
      await db.query(
        `insert into material (id, company_id, name, material_type_id) select gen_random_uuid(), $1, $2, id from material_type limit 1`,
        [id, name],
      );
    }
    await db.query(`insert into reporting_login (id, company_id, name, username, password_made_at) values ($1, $2, 'Test', $3, now())`, [
      login,
      mine,
      username,
    ]);
    const { rows } = await db.query('select reporting.make_login($1, $2) as made', [login, await scramVerifier('password')]);
    expect(rows).toEqual([{ made: true }]);
  });
  const url = new URL(owner);
  Object.assign(url, { username, password: 'password' });
  await as(url.href, async (db) => {
    expect((await db.query('select name from materials')).rows).toEqual([{ name: 'Mine' }]);
    await db.query('set default_transaction_read_only = off');
    await db.query(`set app.company_ids = '{${other}}'`);
    expect((await db.query('select name from materials')).rows).toEqual([{ name: 'Mine' }]);
    for (const statement of [
      'select from public.material',
      'set role keeper',
      'set role haulgate_reporting',
      'create temporary table mine (id int)',
    ])
      await expect(db.query(statement)).rejects.toMatchObject({ code: '42501' });
    // The owner sees and ends sessions of logins, and of nobody else.
    await db.query('select pg_advisory_lock(1)');
    await as(owner, (keeper) => keeper.query('select reporting.watch_logins()'));
    await expect(db.query('select 1')).rejects.toThrow();
    await as(owner, (keeper) => keeper.query('update reporting_login set revoked_at = now()'));
    await until(async () => {
      await as(owner, (keeper) => keeper.query('select reporting.watch_logins()'));
      return (await as(owner, (keeper) => keeper.query('select from pg_roles where rolname = $1', [username]))).rowCount === 0;
    });
  });
  await as(owner, async (db) => expect((await db.query('select from company')).rowCount).toBe(2));

  // An owner who may not give roles any more leaves what was made bound as it was.
  const bound = () =>
    as(
      owner,
      async (db) => (await db.query(`select count(*)::int as count from pg_policy where polname = 'published_bound'`)).rows[0].count,
    );
  const before = await bound();
  await as(server.url, (db) => db.query('revoke admin option for haulgate_reporters from keeper'));
  await start(owner);
  expect([before, await bound()]).toEqual([Object.keys(BOUNDS).length, before]);

  const without = await ownedBy('lodger', '');
  await as(without, async (db) => {
    await expect(db.query('select reporting.make_login(gen_random_uuid(), $1)', ['x'])).rejects.toMatchObject({ code: '42883' });
    await db.query('select from company');
  });
}, 120_000);
