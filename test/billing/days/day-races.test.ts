import { expect, test } from '@jest/globals';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { pastShift } from '../../dispatch/drivers/shifts.ts';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { until } from '../../helpers/until.ts';
import { billerOf, event, invoiceOf, makeBooks } from '../books.ts';
import { on, touch, worked, ZONE } from './worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

// Its triggers would hold what later tests do in the same database.
const books = makeBooks({ shared: false, newDatabase: true });

const HELD = 4_242;
/** The approval of an invoice is held before it is written, and the worker, which would lock both jobs, comes later. */
const hold = (id: string): string => `
create function come_later() returns trigger language plpgsql as $$ begin new.due_at := now() + interval '1 hour'; return new; end $$;
create trigger come_later before insert or update on invoice_task for each row execute function come_later();
create function hold_approval() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(${HELD}); return new; end $$;
create trigger hold_approval before update on invoice for each row
  when (new.id = '${id}' and new.state = 'approved' and old.state = 'pending') execute function hold_approval()`;
const ADVISORY = `select from pg_locks where locktype = 'advisory' and objid = ${HELD} and not granted`;
const ROWS = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and wait_event in ('tuple', 'transactionid')`;

test('what was requested for a day is paid once, also if its jobs are approved at the same moment', async () => {
  const own = await makeStaffedTenant(books.app, { timeZone: ZONE });
  const by = await billerOf(own);
  const day = await pastShift(own, own.driver.user, [['on_duty', on('05:30'), on('16:30')]]);
  const pay = { driver_rate_value: 50, driver_rate_type: 'RateFlatRate' };
  const jobs = [await worked(own, day.id, pay, 200), await worked(own, day.id, pay, 100)];
  const admin = await own.administrator();
  for (const { id } of jobs) await own.must('PUT', own.path(`/jobs/${id}/approve`), {}, admin);
  const payables = async () => [await invoiceOf(books, jobs[0].id, 'payable', by), await invoiceOf(books, jobs[1].id, 'payable', by)];
  const [first, second] = (await payables()) as [Json, Json];
  expect((await event(by, first.id, 'approve')).status).toBe(200);
  const meal = await own.must('POST', '/v1/add_ons', { name: 'Meal', add_on_types: ['driver_day'], revenue_rate_value: 12 });
  await own.must('POST', `/v1/driver_days/${day.id}/add_on_charges`, { add_on_id: meal.id, quantity: 1 });
  await touch(own, jobs[1]);
  expect((await payables()).map(({ total_amount }) => total_amount)).toEqual(['50', '62']);

  const db = await (await poolOf(books.app.orm.em.fork())).connect();
  try {
    const waits = async (sql: string) => ((await db.query(sql)).rowCount ?? 0) > 0;
    await db.query(hold(second.id));
    await db.query(`select pg_advisory_lock(${HELD})`);
    const late = event(by, second.id, 'approve');
    await until(() => waits(ADVISORY));
    // Meanwhile the first one is taken back and approved again: it is the first of the day that nobody has approved.
    let done = false;
    const again = (async () => {
      const statuses = [(await event(by, first.id, 'unapprove')).status, (await event(by, first.id, 'approve')).status];
      done = true;
      return statuses;
    })();
    await until(async () => done || (await waits(ROWS)));
    await db.query(`select pg_advisory_unlock(${HELD})`);
    expect([(await late).status, await again]).toEqual([200, [200, 200]]);
  } finally {
    db.release();
  }
  const approved = await payables();
  expect(approved.map(({ state }) => state)).toEqual(['approved', 'approved']);
  expect(approved.map(({ total_amount }) => Number(total_amount)).reduce((sum, amount) => sum + amount, 0)).toBe(112);
});
