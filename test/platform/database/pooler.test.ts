import { afterAll, beforeAll, expect } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { findPgBouncer, type PgBouncer, startPgBouncer } from '../../../scripts/pooler/pgbouncer.ts';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { followPrimary } from '../../../src/platform/database/connection/hosts.ts';
import { type Pooler, poolerBefore } from '../../../src/platform/database/connection/pooler.ts';
import { APP_ROLE, gapsOf, mayActAsApp } from '../../../src/platform/database/roles.ts';
import { asCompanies } from '../../../src/platform/database/scope.ts';
import { poolOf, queryIn } from '../../../src/platform/database/sql.ts';
import { connectedTo, migratedDatabase } from '../../helpers/database.ts';
import { until } from '../../helpers/until.ts';
import { where } from '../../helpers/where.ts';
import { productsOrm } from '../../jest/products-orm.ts';

const binary = findPgBouncer();
const behind = where(
  binary !== undefined,
  'no PgBouncer is here: that the product works behind one is not tested (npm run test:pooler installs it)',
);

/** Connections to PostgreSQL, which more of the product's share. */
const POOLED = 2;

let direct: string;
const undo: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  direct = await migratedDatabase('auto');
});
afterAll(async () => {
  for (const one of undo.reverse()) await one();
});

async function start(settings: Record<string, string | number> = {}): Promise<{ url: string; bouncer: PgBouncer }> {
  const bouncer = await startPgBouncer(binary!, direct, [direct], { default_pool_size: POOLED, ...settings });
  undo.push(() => bouncer.stop());
  return { url: bouncer.through(direct), bouncer };
}

/** The product's connections, more of them than those to PostgreSQL. */
async function open(url: string, pooler: Pooler | undefined): Promise<MikroORM> {
  const orm = await productsOrm({ url, actAs: APP_ROLE, pooler, poolSize: 6 });
  undo.push(() => orm.close(true));
  return orm;
}

behind('what is between the product and PostgreSQL is found out, and what it does with names', async () => {
  expect(await poolerBefore(direct)).toBeUndefined();
  const { url } = await start();
  expect(await poolerBefore(url)).toEqual({ prepares: binary!.prepares });
  const unprepared = await start(binary!.prepares ? { max_prepared_statements: 0 } : {});
  // A name that was left behind would be in the way the second time.
  for (let time = 0; time < 2; time++) expect(await poolerBefore(unprepared.url)).toEqual({ prepares: false });
  const statements = await start({ pool_mode: 'statement' });
  await expect(poolerBefore(statements.url)).rejects.toThrow(/set pool_mode = transaction/);
});

/** Companies that the owner makes, each with an account that bears its name. */
async function makeCompanies(count: number): Promise<string[]> {
  const made = await connectedTo(direct, (db) =>
    db.query<{ id: string }>(
      `with made as (insert into company (id, platform_id, legal_name, time_zone)
         select gen_random_uuid(), upper(left(gen_random_uuid()::text, 6)), 'Pooled', 'UTC' from generate_series(1, $1) returning id)
       insert into label (id, company_id, name, color) select gen_random_uuid(), id, id::text, '#000000' from made returning company_id as id`,
      [count],
    ),
  );
  return made.rows.map(({ id }) => id);
}

for (const names of [true, false])
  behind(
    `each statement sees its own companies in the application's role, on whatever connection it runs, ${names ? 'prepared' : 'unprepared'}`,
    async () => {
      const { url } = await start(names || !binary!.prepares ? {} : { max_prepared_statements: 0 });
      expect(await mayActAsApp(url)).toBe(true);
      const orm = await open(url, await poolerBefore(url));
      const pool = await poolOf(orm.em.fork());
      expect(await gapsOf(pool)).toEqual([]);
      const companies = await makeCompanies(12);
      const text = 'select name, current_user::text as role, pg_backend_pid() as pid from label';
      const pids = new Set<number>();
      await Promise.all(
        companies.map((id) =>
          asCompanies([id], async () => {
            for (let time = 0; time < 8; time++) {
              const { rows } = await pool.query<{ name: string; role: string; pid: number }>({ name: 'labels_of_pooler', text });
              expect(rows).toEqual([{ name: id, role: APP_ROLE, pid: expect.any(Number) }]);
              pids.add(rows[0]!.pid);
              await orm.em.fork().transactional(async (em) => {
                await queryIn(em, `update label set name = name where company_id = $1`, [id]);
                expect(await queryIn(em, text)).toMatchObject([{ name: id, role: APP_ROLE }]);
              });
            }
          }),
        ),
      );
      expect(pids.size).toBeLessThanOrEqual(POOLED);
      // Nothing stays on the connections: whoever comes next is the login, sees nobody's rows by default, and locks nothing.
      const left = await connectedTo(url, (db) =>
        db.query(
          `select current_user = session_user as own, coalesce(current_setting('app.company_ids', true), '') as companies,
           current_setting('statement_timeout') as time, current_setting('plan_cache_mode') as plan,
           (select count(*)::int from pg_locks k join pg_database d on d.oid = k.database
               where d.datname = current_database() and k.locktype = 'advisory') as locks`,
        ),
      );
      expect(left.rows).toEqual([{ own: true, companies: '', time: '0', plan: 'auto', locks: 0 }]);
    },
  );

behind('a column that a migration adds while statements are prepared stops a transaction once at most', async () => {
  const { url } = await start();
  const orm = await open(url, await poolerBefore(url));
  const [id] = await makeCompanies(1);
  const read = () =>
    asCompanies([id!], async () => {
      await orm.em.fork().transactional((em) => em.findOneOrFail(Company, { id: id! }, { filters: { tenant: false } }));
    });
  const tries = async (count: number) => {
    let failed = 0;
    for (let time = 0; time < count; time++)
      await read().catch((error: { code?: string }) => {
        expect(error.code).toBe('0A000');
        failed++;
      });
    return failed;
  };
  expect(await tries(12)).toBe(0);
  for (const column of ['one', 'two']) {
    await connectedTo(direct, (db) => db.query(`alter table company add column ${column} text`));
    expect(await tries(8)).toBeLessThanOrEqual(1);
  }
});

behind('statements that wait at the pooler of a server that is gone end when the primary is found at another one', async () => {
  const [gone, other] = [await start(), await start()];
  const { username, password, pathname } = new URL(direct);
  const hosts = `127.0.0.1:${gone.bouncer.port},127.0.0.1:${other.bouncer.port}`;
  const pool = new pg.Pool({ connectionString: gone.url, max: 2 });
  pool.on('error', () => {});
  undo.push(() => pool.end());
  followPrimary(pool, `postgres://${username}:${password}@${hosts}${pathname}`, true);
  const client = await pool.connect();
  client.on('error', () => {});
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  process.kill(gone.bouncer.pid, 'SIGSTOP');
  undo.push(async () => void process.kill(gone.bouncer.pid, 'SIGCONT'));
  const waits = client.query('select 1').then(
    () => 'answered',
    (error: Error) => error.message,
  );
  await until(async () =>
    pool.query('select 1').then(
      () => true,
      () => false,
    ),
  );
  expect(await waits).toMatch(/terminated/);
  client.release(true);
});
