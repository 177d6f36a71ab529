import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { entities, published } from '../../src/app/rooms.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { createOrm, migrate } from '../../src/platform/database/orm.ts';
import { newId } from '../../src/platform/ids.ts';
import { scramVerifier } from '../../src/reporting/logins/scram.ts';
import { BOUNDS } from '../../src/reporting/views/bounds.ts';
import { connectedTo, createDatabase } from '../helpers/database.ts';
import { dataFolder, removeFolder } from '../helpers/product.ts';
import { until } from '../helpers/until.ts';

// Roles belong to the server, so that this one is the test's own.
let server: EmbeddedPostgres;
const folder = dataFolder();
beforeAll(async () => {
  // Of which a quarter is for logins: six.
  server = await startEmbeddedPostgres({ dataDir: folder, volatile: true, settings: { max_connections: '24' } });
});
afterAll(async () => {
  await server.stop();
  removeFolder(folder);
});

/** A database that was migrated by an owner who is no superuser, as on managed servers. */
async function ownedBy(name: string, attributes: string): Promise<string> {
  await connectedTo(server.url, (db) => db.query(`create role ${name} login password 'secret' ${attributes}`));
  const made = await createDatabase(server.url, name);
  await connectedTo(made, async (db) => {
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
    await migrate(orm, published);
  } finally {
    await orm.close(true);
  }
}

let made = 0;
/** A company with a material, and a login of it that is made. @param trusted although it could write */
async function loginIn(
  owner: string,
  name: string,
  trusted = true,
): Promise<{ company: string; login: string; username: string; reason: string | null }> {
  const [company, login] = [newId(), newId()];
  const username = `haulgate_bi_of_${name}`;
  return connectedTo(owner, async (db) => {
    const values = [company, `B${10_001 + made++}`, name];
    await db.query(`insert into company (id, platform_id, legal_name, time_zone) values ($1, $2, $3, 'America/Chicago')`, values);
    await db.query(
      `insert into material (id, company_id, name, material_type_id) select gen_random_uuid(), $1, $2, id from material_type limit 1`,
      [company, name],
    );
    await db.query(`insert into reporting_login (id, company_id, name, username, password_made_at) values ($1, $2, 'Test', $3, now())`, [
      login,
      company,
      username,
    ]);
    return { company, login, username, reason: await make(db, login, trusted) };
  });
}
const make = async (db: pg.Client, login: string, trusted: boolean): Promise<string | null> =>
  (await db.query('select reporting.make_login($1, $2, $3) as reason', [login, await scramVerifier('password'), trusted])).rows[0].reason;
const watch = (owner: string) => connectedTo(owner, (db) => db.query('select reporting.watch_logins()'));
function urlAs(owner: string, username: string, password = 'password'): string {
  const url = new URL(owner);
  Object.assign(url, { username, password });
  return url.href;
}

test('an owner who may create roles keeps logins without being a superuser; another one makes none, and the rest works', async () => {
  const owner = await ownedBy('keeper', 'createrole');
  const { company: other } = await loginIn(owner, 'other');
  // An object of the superuser such an owner cannot take from everybody.
  const { login, username, reason } = await loginIn(owner, 'mine', false);
  expect(reason).toMatch(/^writes: function lo_creat\(integer\), function lo_create\(oid\), .*pg_logical_emit_message/);
  expect(await connectedTo(owner, (db) => make(db, login, true))).toBeNull();
  const url = urlAs(owner, username);
  await connectedTo(url, async (db) => {
    expect((await db.query('select name from materials')).rows).toEqual([{ name: 'mine' }]);
    await db.query('set default_transaction_read_only = off');
    await db.query(`set app.company_ids = '{${other}}'`);
    expect((await db.query('select name from materials')).rows).toEqual([{ name: 'mine' }]);
    for (const statement of [
      'select from public.material',
      'select from public.reporting_login_verifier',
      'set role keeper',
      'set role haulgate_reporting',
      'create temporary table mine (id int)',
    ])
      await expect(db.query(statement)).rejects.toMatchObject({ code: '42501' });
    // An object in which an owner had to trust is removed.
    await db.query(`select lo_from_bytea(0, 'x')`);
    await watch(owner);
    expect((await connectedTo(owner, (keeper) => keeper.query('select from pg_largeobject_metadata'))).rowCount).toBe(0);
    // The owner sees and ends sessions of logins, and of nobody else.
    await db.query('select pg_advisory_lock(1)');
    await watch(owner);
    await expect(db.query('select 1')).rejects.toThrow();
  });
  await connectedTo(owner, (keeper) => keeper.query('update reporting_login set revoked_at = now()'));
  await until(async () => {
    await watch(owner);
    return (await connectedTo(owner, (keeper) => keeper.query(`select from pg_roles where rolname like 'haulgate_bi_%'`))).rowCount === 0;
  });
  await connectedTo(owner, async (db) => expect((await db.query('select from company')).rowCount).toBe(2));

  // An owner who may not give roles any more leaves what was made bound as it was.
  const before = await boundIn(owner);
  await connectedTo(server.url, (db) => db.query('revoke admin option for haulgate_reporters from keeper'));
  await start(owner);
  expect([before, await boundIn(owner)]).toEqual([Object.keys(BOUNDS).length, before]);

  const without = await ownedBy('lodger', '');
  await connectedTo(without, async (db) => {
    await expect(db.query('select reporting.make_login(gen_random_uuid(), $1, true)', ['x'])).rejects.toMatchObject({ code: '42883' });
    await db.query('select from company');
  });
}, 120_000);

const boundIn = (url: string): Promise<number> =>
  connectedTo(
    url,
    async (db) => (await db.query(`select count(*)::int as count from pg_policy where polname = 'published_bound'`)).rows[0].count,
  );

test('a login is one of the database that made it, and of no copy on the server; a restored database is bound anew', async () => {
  const owner = await createDatabase(server.url, 'original');
  await start(owner);
  const { login, username, reason } = await loginIn(owner, 'original');
  expect(reason).toBeNull();
  await connectedTo(server.url, (db) => db.query('create database twin template original'));
  const twin = new URL(owner);
  twin.pathname = '/twin';
  const names = (url: string) => connectedTo(url, async (db) => (await db.query('select name from materials')).rows);
  expect(await names(urlAs(owner, username))).toEqual([{ name: 'original' }]);
  expect(await names(urlAs(twin.href, username))).toEqual([]);
  expect(await connectedTo(twin.href, (db) => make(db, login, true))).toBe('elsewhere');
  await connectedTo(twin.href, (db) => db.query('update reporting_login set revoked_at = now()'));
  await watch(twin.href);
  expect(await names(urlAs(owner, username))).toEqual([{ name: 'original' }]);

  // As a dump is that was restored where its roles were not: what names them is not there.
  await connectedTo(twin.href, async (db) => {
    await db.query('drop owned by haulgate_reporters');
    for (const table of Object.keys(BOUNDS))
      await db.query(`drop policy published_bound on "${table}"; drop policy published on "${table}"`);
    const { rows } = await db.query(`select relname from pg_class where relnamespace = 'reporting'::regnamespace and relkind = 'v'`);
    for (const { relname } of rows) await db.query(`alter view reporting."${relname}" owner to current_user`);
    await db.query('drop owned by haulgate_reporting');
  });
  await start(twin.href);
  expect(await boundIn(twin.href)).toBe(Object.keys(BOUNDS).length);
  const again = await loginIn(twin.href, 'twin');
  expect(await names(urlAs(twin.href, again.username))).toEqual([{ name: 'twin' }]);
}, 120_000);

test('logins take a part of the server, the same for each company, and hold up no upgrade', async () => {
  const owner = await createDatabase(server.url, 'crowded');
  await start(owner);
  const [one, two] = [await loginIn(owner, 'one'), await loginIn(owner, 'two')];
  const sessions = async ({ username }: { username: string }): Promise<number> =>
    connectedTo(owner, async (db) => (await db.query('select from pg_stat_activity where usename = $1', [username])).rowCount!);
  const open = await Promise.all(
    [one, one, one, one, one, two, two, two, two, two].map(async ({ username }) => {
      const db = new pg.Client({ connectionString: urlAs(owner, username) });
      db.on('error', () => {});
      await db.connect();
      return db;
    }),
  );
  await watch(owner);
  await until(async () => (await sessions(one)) + (await sessions(two)) <= 6);
  expect([await sessions(one), await sessions(two)]).toEqual([3, 3]);
  await Promise.all(open.map((db) => db.end().catch(() => {})));

  // Somebody who reads again as soon as their session was ended, and never ends a transaction.
  const ends = new AbortController();
  const reading = Promise.all(
    [one, two, one].map(async ({ username }) => {
      while (!ends.signal.aborted)
        await connectedTo(urlAs(owner, username), async (db) => {
          await db.query('set idle_in_transaction_session_timeout = 0');
          await db.query('begin');
          await db.query('select from sites');
          await db.query(`select pg_get_viewdef('reporting.sites'::regclass), pg_sleep(30)`);
        }).catch(() => {});
    }),
  );
  await until(async () => (await sessions(one)) > 0 && (await sessions(two)) > 0);
  await connectedTo(owner, (db) => db.query(`comment on schema reporting is 'made by another version'`));
  const began = Date.now();
  await start(owner);
  expect(Date.now() - began).toBeLessThan(25_000);
  ends.abort();
  await connectedTo(owner, (db) => db.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename like 'haulgate_bi_%'`));
  await reading;
  expect(
    await connectedTo(owner, async (db) => (await db.query(`select obj_description('reporting'::regnamespace) as said`)).rows[0].said),
  ).toMatch(/^What logins/);
}, 120_000);
