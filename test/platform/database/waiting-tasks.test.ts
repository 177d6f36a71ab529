import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadsToReview } from '../../../src/proof/review/review-tasks.ts';
import { claimSetOfPositions, endPositions } from '../../../src/telematics/positions/position-tasks.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { connectedTo } from '../../helpers/database.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

const MANY = 20_000;
let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  // Others would plan for what is said about tables here.
  app = await startTestApp({ newDatabase: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

test('the end of positions and of tasks of commits looks up its own, whatever PostgreSQL believes of what waits', async () => {
  await connectedTo(String(app.orm.config.get('clientUrl')), async (db) => {
    await db.query(
      `insert into position_task (company_id, asset_id, asset_type, kind, since, due_at)
       select $1, gen_random_uuid(), 'User', 'waiting', now(), now() - interval '1 hour' from generate_series(1, ${MANY})`,
      [tenant.company.id],
    );
    // As it believes for a minute after many came, because they are empty most of the time.
    const believe = "update pg_class set reltuples = 0, relpages = 100 where relname in ('position_task', 'load_review_task')";
    await db.query(believe);
    const heard = await app.overhear(async () => {
      const tasks = await claimSetOfPositions(app.productOrm.em, 'waiting', 200, 60);
      expect(tasks).toHaveLength(200);
      await endPositions(app.productOrm.em, tasks, 0);
      await loadsToReview.end(app.productOrm.em, { id: tenant.company.id, companyId: tenant.company.id, asked: 1, attempts: 1 });
    });
    expect((await db.query("select from position_task where kind = 'waiting'")).rowCount).toBe(MANY - 200);
    for (const mark of ['found as materialized', 'delete from load_review_task']) {
      const { sql } = heard.find((one) => one.sql.includes(mark))!;
      const { rows } = await db.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${sql}`);
      const plan = rows.map((line) => line['QUERY PLAN'].trim());
      expect([mark, plan.filter((line) => line.startsWith('Join Filter'))]).toEqual([mark, []]);
      // No index is read from end to end.
      const whole = plan.filter((line, at) => line.includes('Index Scan using') && !plan[at + 1]?.startsWith('Index Cond'));
      expect([mark, whole]).toEqual([mark, []]);
    }
  });
});
