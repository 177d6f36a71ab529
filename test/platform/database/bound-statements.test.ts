import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { lastStatement } from '../../../src/platform/database/named-statements.ts';
import { asCompanies } from '../../../src/platform/database/scope.ts';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { poolerOfRun } from '../../helpers/database.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ newDatabase: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

test('statements of a command have their values bound, whatever the values are', async () => {
  const order = await makeOrder(tenant, { truck_count: 1 });
  const notes = `Gate 5? $1 'quoted' \\' ?? ${'"'}`;
  const { value, statements } = await app.countStatements(() =>
    tenant.http('PATCH', `/v1/orders/${order.id}`, { notes, quantity: '12.5', load_at: '2030-02-01T07:00:00Z', recurring_loads: true }),
  );
  expect(value.status).toBe(200);
  expect(value.body.data).toMatchObject({ notes, quantity: '12.5', load_at: '2030-02-01T07:00:00.000Z', recurring_loads: true });
  const written = statements.filter((text) => /^(select t\.|update "|insert into ")/.test(text));
  expect(written.length).toBeGreaterThan(1);
  expect(written.filter((text) => text.includes(order.id) || text.includes('Gate'))).toEqual([]);
});

/** Statements that the connections keep prepared and no longer plan for their values. */
async function plannedOnce(): Promise<string[]> {
  const pool = await poolOf(app.productOrm.em.fork());
  const clients = await Promise.all(Array.from({ length: 10 }, () => pool.connect()));
  const rows = await Promise.all(
    clients.map(
      async (client) =>
        (await client.query<{ statement: string }>('select statement from pg_prepared_statements where generic_plans > 0')).rows,
    ),
  );
  for (const client of clients) client.release();
  return rows.flat().map(({ statement }) => statement);
}

test('a column that a migration adds while the product runs stops no command', async () => {
  const order = await makeOrder(tenant, { truck_count: 1 });
  const patch = (notes: string) => tenant.must('PATCH', `/v1/orders/${order.id}`, { notes });
  for (let i = 0; i < 24; i++) await patch(`Gate ${i}`);
  // A pooler that keeps no count of names gets none.
  if (poolerOfRun()?.prepares !== false) expect(await plannedOnce()).toContainEqual(expect.stringMatching(/^select t\.\* from "orders"/));
  await app.orm.em.fork().execute('alter table orders add column added_later text');
  try {
    for (let i = 0; i < 12; i++) expect((await patch(`Door ${i}`)).notes).toBe(`Door ${i}`);
  } finally {
    await app.orm.em.fork().execute('alter table orders drop column added_later');
  }
  expect((await patch('Gate')).notes).toBe('Gate');
});

test('the last statement of a transaction commits it, and nothing is left if it fails', async () => {
  const { id } = tenant.company;
  const pool = await poolOf(app.productOrm.em.fork());
  const rename = lastStatement('update company set dba_name = $1 where id = $2');
  const nameNow = async () =>
    (await app.orm.em.fork().execute<{ dba_name: string }[]>('select dba_name from company where id = ?', [id]))[0]!.dba_name;
  await asCompanies([id], async () => {
    const client = await pool.connect();
    try {
      // Twice, because the second time it is prepared already; and at once, in the message that begins the transaction.
      for (const name of ['First', 'Second', 'Third']) {
        await client.query('begin');
        if (name !== 'Third') await client.query('select 1');
        expect((await client.query(rename, [name, id])).rowCount).toBe(1);
        expect(await nameNow()).toBe(name);
        await client.query('commit');
      }
      await client.query('begin');
      await client.query("update company set dba_name = 'Lost' where id = $1", [id]);
      await expect(client.query(rename, ['Lost', 'no id'])).rejects.toThrow('invalid input syntax for type uuid');
      await client.query('rollback');
      expect(await nameNow()).toBe('Third');
      await client.query('begin');
      await client.query("update company set dba_name = 'Fourth' where id = $1", [id]);
      expect(await nameNow()).toBe('Third');
      await client.query('commit');
      expect(await nameNow()).toBe('Fourth');
    } finally {
      client.release();
    }
  });
});
