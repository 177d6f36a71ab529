import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { subscribed } from '../../events/subscribed.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant } from '../../helpers/tenant.ts';
import { until, untilWaiting } from '../../helpers/until.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

test('whoever subscribes while a batch is being stored is answered when it is stored, so that all that is stored afterwards is sent', async () => {
  const tenant = await makeTenant(app);
  const { id: companyId } = tenant.company;
  const pool = await poolOf(app.orm.em.fork());
  const count = async (table: string) =>
    (await pool.query(`select count(*)::int as count from ${table} where company_id = $1`, [companyId])).rows[0].count;
  const element = (external_id: string) => ({ external_id, load_at: '2026-12-01T07:00', customer: { external_id: 'C-1' } });
  const send = (external_id: string) => tenant.must('POST', '/ingest/orders', { orders: [element(external_id)] });
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table import_batch in exclusive mode');
    const sent = send('O-1');
    await untilWaiting(app);
    let stored: number | undefined;
    const subscribing = subscribed(tenant, 'ImportedOrder::create').then(async (one) => {
      stored = await count('imported_record');
      return one;
    });
    await until(async () => (await count('webhook_subscription')) === 1);
    // An answer that comes too early comes at once.
    await Promise.race([subscribing, sleep(300)]);
    await holder.query('commit');
    await sent;
    const subscription = await subscribing;
    expect(stored).toBe(1);
    await send('O-2');
    expect((await subscription.deliveries()).map(({ trigger }: { trigger: string }) => trigger)).toEqual(['ImportedOrder::create']);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
});
