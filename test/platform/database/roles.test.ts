import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { readConfig } from '../../../src/app/config.ts';
import { openDatabase } from '../../../src/app/open-database.ts';
import { entities, published } from '../../../src/app/rooms.ts';
import { startApplication } from '../../../src/app/start-application.ts';
import { startEmbeddedPostgres } from '../../../src/platform/database/embedded.ts';
import { createOrm, migrate } from '../../../src/platform/database/orm.ts';
import { APP_ROLE } from '../../../src/platform/database/roles.ts';
import { grantToPurposes } from '../../../src/platform/database/row-level-security.ts';
import { allReserved } from '../../../src/platform/database/scope.ts';
import { Lifecycle } from '../../../src/platform/lifecycle.ts';
import { createLog } from '../../../src/platform/log.ts';
import { inProcessWaker } from '../../../src/platform/queue/in-process-waker.ts';
import { localStorage } from '../../../src/platform/storage/storage.ts';
import { usualIdentity } from '../../helpers/application.ts';
import { createDatabase, freshDatabase, migratedDatabase } from '../../helpers/database.ts';
import { allGone, dataFolder, removeFolder } from '../../helpers/product.ts';

let data: string;
let made: { url: string; name: string }[] = [];
beforeEach(() => {
  data = dataFolder();
});
afterEach(async () => {
  await allGone(data);
  removeFolder(data);
  for (const { url, name } of made)
    await as(url, (db) => db.query(`reassign owned by ${name} to current_user; drop owned by ${name}; drop role ${name}`));
  made = [];
});

async function as<T>(url: string, work: (db: pg.Client) => Promise<T>, options?: string): Promise<T> {
  const client = new pg.Client({ connectionString: url, options });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Opens the database and makes what a start makes, as the product does; without a process of its own, in which it would load everything anew.
 * @returns what it logged
 */
async function start(env: Record<string, string>): Promise<string> {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const life = new Lifecycle({ log });
  const config = readConfig({ HAULGATE_DATA: data, HAULGATE_DEMO: 'off', ...env });
  try {
    const { orm } = await openDatabase(config, data, log, life);
    await startApplication({
      ...{ orm, log, life, root: resolve('.'), port: 0, publicUrl: () => 'http://127.0.0.1', identity: usualIdentity() },
      ...{ storage: localStorage(join(data, 'files')), incoming: join(data, 'incoming'), openWaker: inProcessWaker },
      demo: config.HAULGATE_DEMO === 'on',
      sweepers: 'all',
    });
  } finally {
    await life.close();
  }
  return lines.join('');
}

/** A login of the test's own on the server of the run, and the URL of the database as it. */
async function login(url: string, attributes = ''): Promise<{ name: string; url: string }> {
  const name = `login_${process.pid}_${Math.floor(Math.random() * 1e9)}`;
  await as(url, (db) => db.query(`create role ${name} login password 'secret' ${attributes}`));
  made.push({ url, name });
  const own = new URL(url);
  own.username = name;
  own.password = 'secret';
  return { name, url: own.href };
}

test("the application's role owns nothing, and can change neither tables nor logs", async () => {
  const url = await migratedDatabase();
  await as(
    url,
    async (db) => {
      const { rows } = await db.query(
        `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolinherit,
          (select count(*)::int from pg_shdepend where refobjid = r.oid and deptype = 'o') as owned from pg_roles r where rolname = current_user`,
      );
      expect(rows).toEqual([
        { rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false, rolinherit: false, owned: 0 },
      ]);
      for (const statement of [
        'create table mine (id int)',
        'alter table orders disable row level security',
        'drop table orders',
        'truncate orders',
        'update audit_entry set event = event',
        'delete from audit_entry',
        'delete from audit_entry_2026',
        'update transition set to_state = to_state',
        'delete from migration',
        'create role more',
      ])
        await expect(db.query(statement)).rejects.toMatchObject({ code: '42501' });
      await db.query('select from audit_entry');
    },
    `-c role=${APP_ROLE}`,
  );
});

test('tables of later migrations are granted when they are created, without those of purposes', async () => {
  const url = await migratedDatabase();
  const tables = await as(url, async (db) => {
    const { rows } = await db.query<{ name: string }>(
      `select c.relname as name from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
        and not has_table_privilege('${APP_ROLE}', c.oid, 'select') order by 1`,
    );
    return rows.map(({ name }) => name);
  });
  expect(tables).toEqual([...allReserved()].sort());
});

test('a start takes back from purposes what else they were given, gives them what they lack, and touches nothing else', async () => {
  const url = await migratedDatabase();
  const rights = () =>
    as(
      url,
      async (db) =>
        (
          await db.query(
            `select c.xmin::text as written, c.relname, c.relacl::text,
              array(select a.attname || a.attacl::text from pg_attribute a where a.attrelid = c.oid and a.attacl is not null order by 1) as columns
             from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 2`,
          )
        ).rows,
    );
  const grant = async () => {
    const orm = await createOrm({ url, entities, poolSize: 2 });
    await orm.em.transactional(grantToPurposes);
    await orm.close(true);
  };
  const before = await rights();
  await grant();
  expect(await rights()).toEqual(before);
  await as(url, (db) =>
    db.query(`grant select, delete on orders to haulgate_sign_in; revoke select on app_user from haulgate_sign_in;
      grant update (legal_name) on company to haulgate_sign_in; grant select on signing_key to haulgate_signing with grant option`),
  );
  await grant();
  const plain = (rows: typeof before) => rows.map(({ written: _, ...row }) => JSON.stringify(row, undefined, 1).split(/[,{}]/).sort());
  expect(plain(await rights())).toEqual(plain(before));
  // A purpose that came later than a function may call it, too.
  await as(url, (db) => db.query('revoke execute on function present_time() from haulgate_sign_in'));
  const orm = await createOrm({ url, entities, poolSize: 2 });
  await migrate(orm, published);
  await orm.close(true);
  const may = (role: string) =>
    as(url, async (db) => (await db.query("select has_function_privilege($1, 'present_time()', 'execute') as may", [role])).rows[0].may);
  expect([await may('haulgate_sign_in'), await may('public')]).toEqual([true, false]);
});

test('an owner that may create roles is enough: its connections take the role', async () => {
  const owner = await login(await freshDatabase(), 'superuser');
  expect(await start({ HAULGATE_DEMO: 'on', DATABASE_URL: owner.url })).not.toContain('row-level security');
  const users = await as(owner.url, async (db) => (await db.query('select from app_user')).rowCount);
  expect(users).toBeGreaterThan(0);
});

test('with two logins, one owns and the other serves; without the owner nobody can migrate', async () => {
  const server = await freshDatabase();
  const owner = await login(server);
  const served = await login(server, `in role ${APP_ROLE}`);
  const name = new URL(server).pathname.slice(1);
  await as(server, (db) => db.query(`alter database ${name} owner to ${owner.name}; alter schema public owner to ${owner.name}`));
  const env = { HAULGATE_DEMO: 'on', DATABASE_URL: served.url };
  await expect(start(env)).rejects.toThrow(/DATABASE_OWNER_URL/);
  expect(await start({ ...env, DATABASE_OWNER_URL: owner.url })).not.toContain('row-level security');
});

test('a login that may not take the role works, and the start reports what is missing', async () => {
  const server = await createDatabase(process.env.HAULGATE_TEST_SERVER!, `haulgate_gap_${process.pid}`);
  const owner = await login(server);
  await as(server, (db) => db.query(`alter schema public owner to ${owner.name}`));
  expect(await start({ DATABASE_URL: owner.url })).toMatch(
    new RegExp(`"because":\\["${owner.name} owns \\d+ tables"\\].*row-level security does not bind this process`),
  );
});

test('a role that the operator made without "noinherit" has no right of a purpose, and one that has is reported', async () => {
  // Roles belong to the server, so that this one is the test's own.
  const server = await startEmbeddedPostgres({ dataDir: join(data, 'server'), volatile: true });
  try {
    await as(server.url, (db) => db.query(`alter role ${APP_ROLE} inherit`));
    const own = await createDatabase(server.url, 'own');
    const served = new URL(server.appUrl);
    served.pathname = '/own';
    const restart = () => start({ HAULGATE_DEMO: 'on', DATABASE_OWNER_URL: own, DATABASE_URL: served.href });
    expect(await restart()).not.toContain('row-level security');
    const seen = () =>
      as(served.href, async (db) => {
        await expect(db.query('select from signing_key')).rejects.toMatchObject({ code: '42501' });
        const { rows } = await db.query(
          'select (select count(*)::int from company) as companies, (select count(*)::int from app_user) as people',
        );
        return rows[0];
      });
    expect(await seen()).toEqual({ companies: 0, people: 0 });

    // A grant of an earlier start is taken back, and one of somebody else is reported.
    await as(server.url, (db) => db.query(`grant haulgate_signing to ${APP_ROLE} with inherit true`));
    await as(served.href, (db) => db.query('select from signing_key'));
    const byOther = (change: string) => as(server.url, (db) => db.query(`set role other; ${change}`));
    await as(server.url, (db) => db.query('create role other; grant haulgate_signing to other with admin option'));
    await byOther(`grant haulgate_signing to ${APP_ROLE} with inherit true`);
    expect(await restart()).toMatch(new RegExp(`${APP_ROLE} inherits the rights of haulgate_signing".*row-level security does not bind`));
    await byOther(`revoke haulgate_signing from ${APP_ROLE}`);
    expect(await seen()).toEqual({ companies: 0, people: 0 });
  } finally {
    await server.stop();
  }
}, 120_000);
