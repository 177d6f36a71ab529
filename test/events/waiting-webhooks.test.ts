import { expect, test } from '@jest/globals';
import { connectedTo } from '../helpers/database.ts';
import { makeOrder } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { makeReceiving } from './receiving.ts';

// Others would plan for what is said about tables here.
const receiving = makeReceiving({ shared: false, newDatabase: true });

/** Parts of the statements that ask what waits of a record. */
const STATEMENTS = ['with candidates as (', 'insert into webhook_delivery', 'from noted where s.id', 'waiting as ('];

test('what waits of a record is found by an index of records, whatever PostgreSQL believes of deliveries', async () => {
  const { app, tenant, receiver } = receiving;
  const { id } = await tenant.must('POST', '/v1/webhook_subscriptions', { url: receiver.url('/waiting'), triggers: ['Order::create'] });
  await connectedTo(String(app.orm.config.get('clientUrl')), async (db) => {
    const count = async (table: string, where: string) => (await db.query(`select from ${table} where ${where}`)).rowCount;
    const heard = await app.overhear(async () => {
      await makeOrder(tenant);
      await until(async () => (await count('webhook_delivery', 'delivered_at is not null')) === 1);
      receiver.answer = () => 500;
      await makeOrder(tenant);
      await until(async () => (await count('webhook_subscription', 'failing_since is not null')) === 1);
    });
    // More than a few pages, of which none is due.
    await db.query(
      `insert into webhook_delivery (id, company_id, subscription_id, event_id, event_time, trigger, source_company_id, subject_id, sequence, due_at)
       select gen_random_uuid(), $1, $2, gen_random_uuid(), now(), 'Order::create', $1, gen_random_uuid(), 1, now() + interval '1 day'
       from generate_series(1, 20000)`,
      [tenant.company.id, id],
    );
    // As it believes for a minute after many came, because few wait most of the time.
    await db.query("update pg_class set reltuples = 0, relpages = 100 where relname = 'webhook_delivery'");
    for (const mark of STATEMENTS) {
      const { sql } = heard.find((one) => one.sql.includes(mark))!;
      const { rows } = await db.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${sql}`);
      const plan = rows.map((line) => line['QUERY PLAN'].trim());
      const conditions = plan.flatMap((line, at) => (line.includes('using webhook_delivery_waiting_idx') ? [plan[at + 1]] : []));
      expect([mark, conditions]).toEqual([mark, [expect.stringMatching(/^Index Cond:.*subject_id = /)]]);
    }
  });
});

test('what is known of endpoints is looked up for each subscription, and not walked through', async () => {
  const { app, tenant, receiver } = receiving;
  const heard = await app.overhear(
    async () => {
      await tenant.must('POST', '/v1/webhook_subscriptions', { url: receiver.url('/known'), triggers: ['Order::create'] });
      await makeOrder(tenant);
      await until(async () => receiver.at('/known').length === 1);
    },
    ({ sql }) => sql.includes(STATEMENTS[0]!),
  );
  await connectedTo(String(app.orm.config.get('clientUrl')), async (db) => {
    const { rows } = await db.query<{ id: string }>(
      `insert into webhook_subscription (id, company_id, url, public_key) select gen_random_uuid(), $1, 'https://example.com', '' from generate_series(1, 3000) returning id`,
      [tenant.company.id],
    );
    // As the statement is sent (`planLookUps`).
    for (const name of ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) await db.query(`set ${name} = off`);
    await db.query('set plan_cache_mode = force_generic_plan');
    await db.query('begin');
    await db.query(`prepare claim (integer, integer, jsonb, integer[], integer, integer[], integer) as ${heard[0]!.sql}`);
    const known = JSON.stringify(Object.fromEntries(rows.map(({ id }) => [id, [1, true, false, false]])));
    const { rows: lines } = await db.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, timing off) execute claim(200, 30, '${known}', '{800,50,100,50}', 150, '{0,5,5,5}', 8)`,
    );
    await db.query('rollback');
    const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
    // Of all subscriptions, each of which is met once.
    expect(plan).toMatch(/webhook_subscription s.*rows=3\d\d\d/);
    const compared = [...plan.matchAll(/Rows Removed by Join Filter: (\d+)/g)].reduce((sum, [, rows]) => sum + Number(rows), 0);
    expect(compared).toBeLessThan(10_000);
  });
});
