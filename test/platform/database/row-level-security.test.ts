import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { SIGN_IN } from '../../../src/identity/sign-in/sign-in-purpose.ts';
import { LEDGER } from '../../../src/ingest/ledger/ledger-purpose.ts';
import { APP_ROLE } from '../../../src/platform/database/roles.ts';
import { actOnBehalfOf, allPurposes, asCompanies, runAsPurpose } from '../../../src/platform/database/scope.ts';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let other: Tenant;
let pool: Pool;
beforeAll(async () => {
  app = await startTestApp({ newDatabase: true });
  [tenant, other] = [await makeTenant(app), await makeTenant(app)];
  for (const one of [tenant, other]) await makeOrder(one);
  pool = await poolOf(app.productOrm.em);
});
afterAll(() => app.close());

const companies = async (table = 'orders'): Promise<string[]> => {
  const { rows } = await pool.query<{ company_id: string }>(`select distinct company_id from ${table}`);
  return rows.map((row) => row.company_id);
};

test('every table with a company column has row-level security, and so have its partitions', async () => {
  const bare = await app.orm.em.execute<object[]>(
    `select c.relname, c.relrowsecurity, c.relforcerowsecurity from pg_class c
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped)
       and not (c.relrowsecurity and c.relforcerowsecurity and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant_isolation'))`,
  );
  expect(bare).toEqual([]);
  // Nobody but the owner and the purposes gets past the condition on the company.
  const open = await app.orm.em.execute<object[]>(
    `select p.polrelid::regclass::text as table, p.polname, r.rolname from pg_policy p, unnest(p.polroles) role left join pg_roles r on r.oid = role
     where pg_get_expr(p.polqual, p.polrelid) = 'true' and (r.rolname is null or r.rolname = ?)`,
    [APP_ROLE],
  );
  expect(open).toEqual([]);
});

test('without a scope there are no rows, and no error', async () => {
  for (const table of ['orders', 'job', 'load', 'app_user', 'audit_entry', 'audit_entry_2026', 'imported_record'])
    expect(await companies(table)).toEqual([]);
  expect((await pool.query('select * from company')).rows).toEqual([]);
  await expect(
    pool.query('insert into company_counter (company_id, kind, value) values ($1, $2, 1)', [tenant.company.id, 'probe']),
  ).rejects.toMatchObject({ code: '42501' });
});

test('a scope shows its companies and no others, and does not stay on the connection', async () => {
  const ids = [tenant.company.id, other.company.id];
  expect(await asCompanies([ids[0]!], () => companies())).toEqual([ids[0]]);
  expect(await companies()).toEqual([]);
  expect((await asCompanies(ids, () => companies())).sort()).toEqual(ids.sort());
  await asCompanies([ids[0]!], async () => {
    expect((await pool.query('update orders set zone = $1 where company_id = $2', ['Z', ids[1]])).rowCount).toBe(0);
    await expect(pool.query('update orders set company_id = $1', [ids[1]])).rejects.toMatchObject({ code: '42501' });
  });
});

test('many scopes on few connections do not mix, one after the other and inside transactions', async () => {
  const ids = [tenant.company.id, other.company.id];
  const seen = await Promise.all(
    Array.from({ length: 400 }, (_, i) =>
      asCompanies([ids[i % 2]!], async () => {
        const plain = await companies();
        const within = await app.productOrm.em.fork().transactional(async (em) => {
          await em.execute('select pg_sleep(0.001)');
          return (await em.execute<{ company_id: string }[]>('select distinct company_id from job')).map((row) => row.company_id);
        });
        return [...plain, ...within].every((id) => id === ids[i % 2]) && plain.length + within.length === 2;
      }),
    ),
  );
  expect(seen.filter((one) => !one)).toEqual([]);
});

test('a transaction that acts for another company sees it to its end, even after a rollback to a savepoint', async () => {
  const mine = () => app.productOrm.em.fork();
  const first = tenant.company.id;
  const second = other.company.id;
  await asCompanies([first], async () => {
    await mine().transactional(async (em) => {
      const seen = async () =>
        (await em.execute<{ company_id: string }[]>('select distinct company_id from orders')).map((row) => row.company_id);
      expect(await seen()).toEqual([first]);
      await em.execute('savepoint here');
      await asCompanies([first], async () => {
        actOnBehalfOf(second);
        expect((await seen()).sort()).toEqual([first, second].sort());
      });
      await em.execute('rollback to savepoint here');
      expect(await seen()).toEqual([first]);
      expect(await runAsPurpose(LEDGER, async () => (await em.execute<object[]>('select id from imported_record')).length)).toBe(0);
      expect(await seen()).toEqual([first]);
    });
    expect(await companies()).toEqual([first]);
  });
});

test('rows of the own company are found without reading another table', async () => {
  const plans = await asCompanies([tenant.company.id], async () => {
    const reported: string[] = [];
    for (const table of ['load', 'job', 'orders', 'app_user', 'site', 'company'])
      reported.push(
        (await pool.query<{ 'QUERY PLAN': string }>(`explain (analyze, costs off) select * from ${table}`)).rows
          .map((row) => row['QUERY PLAN'])
          .join('\n'),
      );
    return reported;
  });
  // The policy of one's own rows comes first, so that what the others ask is asked for rows of others only.
  for (const plan of plans) expect(plan).toMatch(/Filter: \(\((company_)?id = ANY \(\(InitPlan \d+\)/);
});

test('names are found by an index with row-level security, too', async () => {
  await app.orm.em.execute(
    `with paving as (
       insert into account (id, company_id, name, account_types)
       select gen_random_uuid(), ?, 'Paving ' || n, '{customer}' from generate_series(1, 2000) n returning *)
     insert into project (id, company_id, account_id, name, number, project_id, state, created_at, updated_at)
     select gen_random_uuid(), company_id, id, name, row_number() over (), 'P-' || row_number() over (), 'active', now(), now() from paving`,
    [tenant.company.id],
  );
  for (const table of ['account', 'project']) {
    await app.orm.em.execute(`analyze ${table}`);
    const { rows } = await asCompanies([tenant.company.id], () =>
      pool.query<{ 'QUERY PLAN': string }>(
        `explain (costs off) select id from ${table} where company_id = '${tenant.company.id}' and match_name = any('{paving 7,paving 9}'::text[])`,
      ),
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index Cond: .*match_name = ANY/);
  }
});

test('people are found by an index of their addresses with row-level security, too', async () => {
  await app.orm.em.execute(
    `insert into app_user (id, company_id, first_name, last_name, email)
     select gen_random_uuid(), ?, 'P', n::text, 'P' || n || '@paving.example' from generate_series(1, 2000) n`,
    [tenant.company.id],
  );
  await app.orm.em.execute('analyze app_user');
  const { rows } = await asCompanies([tenant.company.id], () =>
    pool.query<{ 'QUERY PLAN': string }>(
      `explain (costs off) select id from app_user where company_id = '${tenant.company.id}' and match_email = any('{p7@paving.example,p9@paving.example}'::text[])`,
    ),
  );
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index Cond: .*match_email = ANY/);
});

test('a purpose reaches all companies in its own tables, and no other tables', async () => {
  const users = await runAsPurpose(SIGN_IN, async () => (await pool.query('select distinct company_id from app_user')).rowCount);
  expect(users).toBe(2);
  for (const table of ['orders', 'job', 'load', 'ticket', 'rate', 'audit_entry', 'imported_record'])
    await expect(runAsPurpose(SIGN_IN, () => pool.query(`select * from ${table}`))).rejects.toMatchObject({ code: '42501' });
  await expect(runAsPurpose(SIGN_IN, () => pool.query('update app_user set roles = $1', [['platform_admin']]))).rejects.toMatchObject({
    code: '42501',
  });
  const { rows: roles } = await (await poolOf(app.orm.em)).query(
    'select from pg_roles where rolname = any($1) and not (rolsuper or rolbypassrls or rolcanlogin)',
    [allPurposes().map(({ role }) => role)],
  );
  expect(roles).toHaveLength(allPurposes().length);
});

test('the scope is sent with the statement: reads open no transaction', async () => {
  const { statements } = await app.countStatements(() => tenant.gql('{ orders(first: 1) { nodes { id } } }'));
  expect(statements.filter((sql) => /begin|set_config|commit/.test(sql))).toEqual([]);
  expect(statements).toHaveLength(1);
});

test('a failed statement leaves the connection usable, prepared or not', async () => {
  await asCompanies([tenant.company.id], async () => {
    for (let i = 0; i < 12; i++) {
      await expect(pool.query({ name: 'fails', text: 'select 1 / $1::int', values: [0] })).rejects.toMatchObject({ code: '22012' });
      await expect(pool.query({ name: 'wrong', text: 'select nothing from nowhere', values: [] })).rejects.toMatchObject({ code: '42P01' });
      expect((await pool.query({ name: 'works', text: 'select $1::int as n', values: [i] })).rows).toEqual([{ n: i }]);
      expect(await companies()).toEqual([tenant.company.id]);
    }
  });
});

test('a transaction begins with its first statement, and without statements never', async () => {
  const client = await pool.connect();
  const id = tenant.company.id;
  // As the server said with its last answer.
  const inside = () => (client as unknown as { getTransactionStatus(): string }).getTransactionStatus() === 'T';
  const named = async (name: string) => {
    await client.query('update company set legal_name = $2 where id = $1', [id, name]);
    return (await client.query('select legal_name from company where id = $1', [id])).rows[0].legal_name as string;
  };
  try {
    await asCompanies([id], async () => {
      const before = tenant.company.legalName;
      for (const first of [() => named('Changed'), () => client.query('savepoint here')]) {
        await client.query('begin');
        await first();
        expect([await named('Changed'), inside()]).toEqual(['Changed', true]);
        await client.query('rollback');
        expect(inside()).toBe(false);
        expect((await client.query('select legal_name from company where id = $1', [id])).rows).toEqual([{ legal_name: before }]);
      }
      // The first statement fails: it is the transaction that has failed, and nothing after it is kept.
      await client.query('begin');
      await expect(client.query('select 1/$1::int', [0])).rejects.toThrow(/division by zero/);
      await expect(named('Lost')).rejects.toThrow(/transaction is aborted/);
      await client.query('rollback');
      await client.query('begin');
      await client.query('commit');
      expect(inside()).toBe(false);
      await client.query('begin');
      expect(await named(before)).toBe(before);
      await client.query('commit');
    });
    await client.query('begin');
  } finally {
    client.release();
  }
  // Given back before anything was asked: nobody else finds themselves in it.
  await Promise.all(Array.from({ length: 20 }, () => asCompanies([id], () => pool.query('select 1'))));
  expect(inside()).toBe(false);
});
