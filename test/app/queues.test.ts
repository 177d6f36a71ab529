import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { readConfig } from '../../src/app/config.ts';
import { examineQueues } from '../../src/app/doctor/examine-queues.ts';
import { QUEUES } from '../../src/app/queues.ts';
import { newId } from '../../src/platform/ids.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let pool: pg.Pool;
beforeAll(async () => {
  // All queues of the database are looked at.
  app = await startTestApp({ newDatabase: true });
  tenant = await makeTenant(app);
  pool = new pg.Pool({ connectionString: app.orm.config.get('clientUrl'), max: 1 });
});
afterAll(async () => {
  await pool.end();
  await app.close();
});

/** The figures of `/metrics`, by queue. */
async function waiting(): Promise<Record<string, number>> {
  const { body } = await app.http<string>('GET', '/metrics');
  const found = [...body.matchAll(/^haulgate_queue_oldest_due_seconds\{queue="(\w+)"\} (\S+)$/gm)];
  return Object.fromEntries(found.map(([, queue, seconds]) => [queue, Number(seconds)]));
}

/** Columns that say when something is due, of tables that are no queue, or whose queue is another table's. */
const NO_QUEUES: Record<string, string> = {
  bulk_action_item: 'whoever has taken the action works them',
  imported_record: 'import_task has those that are open',
};

test('every table whose rows are due at a time is a queue', async () => {
  const { rows } = await pool.query<{ table: string }>(
    `select distinct c.relname as table from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and not a.attisdropped
       and a.attname ~ '^(preview_)?due_at$|^next_(\\w+_)?at$' order by 1`,
  );
  expect(rows.length).toBeGreaterThan(15);
  const known = new Set([...QUEUES.map(({ table }) => table), ...Object.keys(NO_QUEUES)]);
  expect(rows.map(({ table }) => table).filter((table) => !known.has(table))).toEqual([]);
});

test('metrics and the doctor say for how long the oldest work of each queue has been due, without what waits for others', async () => {
  expect(Object.keys(await waiting()).sort()).toEqual(QUEUES.map(({ queue }) => queue).sort());
  const company = tenant.company.id;
  await pool.query(
    `insert into outgoing_message (id, channel, kind, recipient, language, request_id, next_at, give_up_at)
     select gen_random_uuid(), 'mail', 'link', 'a@b.example', 'en', '', now() - n * interval '1 hour', now() from generate_series(-1, 2) n`,
  );
  // The changes that were made so far, which nobody has moved.
  const { rowCount } = await pool.query(`update change_pending set changed_at = now() - interval '3 hours'`);
  expect(rowCount).toBeGreaterThan(0);
  const subscription = await tenant.must('POST', '/v1/webhook_subscriptions', {
    url: 'https://hooks.example.com/x',
    triggers: ['Order::update'],
  });
  const deliver = (ago: string) =>
    pool.query(
      `insert into webhook_delivery (id, company_id, subscription_id, event_id, event_time, trigger, source_company_id, subject_id, sequence, due_at)
       values ($1, $2, $3, $1, now(), 'Order::update', $2, $1, 1, now() - $4::interval)`,
      [newId(), company, subscription.id, ago],
    );
  await deliver('2 hours');
  const figures = await waiting();
  // Timers of a busy machine are late.
  expect(figures.messages).toBeGreaterThanOrEqual(7200);
  expect(figures.messages).toBeLessThan(7800);
  expect(figures.changes).toBeGreaterThanOrEqual(10_800);
  expect(figures.webhooks).toBeGreaterThanOrEqual(7200);
  expect(figures.downloads).toBe(0);
  const config = readConfig({ DATABASE_URL: app.orm.config.get('clientUrl') });
  const said = async () => (await examineQueues(config, pool)).map(({ verdict, says }) => `${verdict} ${says}`);
  const before = await said();
  expect(before).toContainEqual(expect.stringMatching(/^wrong 3 mails and texts are due, the oldest for 7[2-7]\d\d s: no worker runs/));
  expect(before).toContainEqual(expect.stringMatching(/^wrong 1 deliveries to webhooks are due/));
  expect(before).toContain('good No bulk downloads are due.');
  // Nothing reads pictures of tickets here, so nobody is to blame for those that wait.
  expect(before.join()).not.toContain('pictures of tickets');
  // An endpoint that fails keeps its own deliveries waiting.
  await pool.query('update webhook_subscription set failing_since = now() where id = $1', [subscription.id]);
  expect((await waiting()).webhooks).toBe(0);
  expect(await said()).toContain('good No deliveries to webhooks are due.');
});
