import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { poolOf } from '../../src/platform/database/sql.ts';
import { INVARIANTS } from '../../src/reporting/invariants/invariants.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { Replica } from './follower.ts';

let app: TestApp;
let tenant: Tenant;
let sql: <T = Record<string, string>>(text: string, values?: unknown[]) => Promise<T[]>;

beforeAll(async () => {
  // Others would plan for what is said about tables here.
  app = await startTestApp({ newDatabase: true });
  tenant = await makeTenant(app);
  sql = (text, values = []) => app.orm.em.fork().getConnection().execute(text, values);
});
afterAll(() => app.close());

/** More than two batches of changes, of one transaction. */
const MANY = 5_000;
const ADD_MANY = `insert into material (id, company_id, name, created_at, updated_at)
  select gen_random_uuid(), ?, ? || n, now(), now() from generate_series(1, ${MANY}) n`;

test('what waits is never compared one by one, whatever PostgreSQL believes of it', async () => {
  const [found] = await sql<{ prosrc: string }>("select prosrc from pg_proc where proname = 'move_changes'");
  const statement = /with batch as[\s\S]*?;/.exec(found!.prosrc)![0].replaceAll('p_most', '2000');
  await sql(ADD_MANY, [tenant.company.id, 'Sand ']);
  // As it believes for a minute after many came, because the table is empty most of the time.
  await sql("update pg_class set reltuples = 0, relpages = 100 where relname = 'change_pending'");
  const plan = (await sql(`explain ${statement}`)).map((line) => Object.values(line)[0]!.trim());
  expect(plan.some((line) => line.includes('Delete on change_pending'))).toBe(true);
  expect(plan.filter((line) => line.startsWith('Join Filter'))).toEqual([]);
  // A condition that is no join is as slow if its list is read for each row.
  const conditions = plan.filter((line) => /^Filter:.*SubPlan/.test(line));
  expect(conditions).toHaveLength(1);
  expect(conditions[0]).toContain('hashed');
});

test('a backlog comes into the feed whole, and what its transaction did later is part of the same changes', async () => {
  const copy = await new Replica(tenant).begin();
  await app.orm.em.fork().transactional(async (em) => {
    const run = (text: string, values: unknown[]) => em.getConnection().execute(text, values, 'run', em.getTransactionContext());
    await run(ADD_MANY, [tenant.company.id, 'Gravel ']);
    await run('update material set name = ? where company_id = ? and name = ?', ['Lime', tenant.company.id, 'Gravel 1']);
  });
  expect(await copy.follow()).toEqual(Array.from({ length: MANY }, () => 'Material create'));
  expect([...copy.records.values()].filter(({ name }) => name === 'Lime')).toHaveLength(1);
});

test('what is checked of feeds is not compared with each change that waits', async () => {
  await sql(ADD_MANY, [tenant.company.id, 'Clay ']);
  await sql("update pg_class set reltuples = 0, relpages = 100 where relname = 'change_pending'");
  const checks = INVARIANTS.filter((one) => one.sql.includes('change_pending'));
  expect(checks).toHaveLength(3);
  for (const { name, sql: check } of checks) {
    // Its columns are known, and what it asks has question marks that are no parameters.
    const { rows } = await (await poolOf(app.orm.em)).query<{ 'QUERY PLAN': string }>(`explain ${check}`);
    const plan = rows.map((line) => line['QUERY PLAN'].trim());
    expect([name, plan.some((line) => /^Filter:.*hashed SubPlan/.test(line))]).toEqual([name, true]);
    expect([name, plan.filter((line) => /^Join Filter:.*\bp\./.test(line))]).toEqual([name, []]);
  }
});
