import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  // Others would wait for the tables that are held here.
  app = await startTestApp({ newDatabase: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

test('a read that loses its tables to a migration is asked again', async () => {
  const order = await makeOrder(tenant);
  const migration = new pg.Client({ connectionString: String(app.orm.config.get('clientUrl')) });
  await migration.connect();
  /** Has both wait for each other. @returns whether it was the read that gave up */
  const meet = async (): Promise<boolean> => {
    await migration.query('begin; lock table site in access exclusive mode');
    const asked = tenant.http('GET', tenant.path(`/orders/${order.id}`));
    const waiting = "select from pg_locks where not granted and relation = 'site'::regclass";
    await until(async () => (await migration.query(waiting)).rowCount === 1);
    // The read, which came first, looks after a second whether it waits in vain; on a machine that stood still meanwhile it has looked already.
    const lost = await migration.query('lock table orders in access exclusive mode').then(
      () => false,
      (error: { code?: string }) => error.code === '40P01',
    );
    await migration.query(lost ? 'rollback' : 'commit');
    const { status, body } = await asked;
    expect([status, body.data?.id]).toEqual([200, order.id]);
    return !lost;
  };
  try {
    await until(meet);
  } finally {
    await migration.end();
  }
});
