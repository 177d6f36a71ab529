import { expect, test } from '@jest/globals';
import { poolOf } from '../../src/platform/database/sql.ts';
import { untilWaiting } from '../helpers/until.ts';
import { app, openScene, order, send, tenant } from './sending.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

openScene();

/**
 * Holds the row of a record until each of the acts waits for it, one behind the other, and then lets them go: what comes second has begun to wait before the first
 * is done.
 */
async function behindEachOther<T>(
  table: 'orders' | 'project',
  id: string,
  first: () => Promise<Json>,
  second: () => Promise<T>,
): Promise<T> {
  const pool = await poolOf(app.orm.em.fork());
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query(`select from ${table} where id = $1 for update`, [id]);
    const one = first();
    await untilWaiting(app, 1);
    const other = second();
    await untilWaiting(app, 2);
    await holder.query('commit');
    await one;
    return await other;
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

const project = (more: object) => ({ external_id: 'P-1', name: 'Bridge', customer: { external_id: 'C-1' }, ...more });

test.each([['orders', 'orders', order] as const, ['projects', 'project', project] as const])(
  'what a person changes of %s while a payload waits for it is kept',
  async (kind, table, element) => {
    const [{ result_id: id }] = (await send(kind, [element({ po_job_number: '1', notes: 'one' })])) as [Json];
    const dispatcher = await tenant.administrator();
    const [record] = (await behindEachOther(
      table,
      id,
      () => tenant.must('PATCH', `/v1/${kind}/${id}`, { po_job_number: 'mine' }, dispatcher),
      () => send(kind, [element({ po_job_number: '2', notes: 'two' })]),
    )) as [Json];
    expect(record).toMatchObject({
      state: 'processed',
      warnings: [{ code: 'user_edit_kept', pointer: '/po_job_number', given: '2', used: 'mine' }],
    });
    expect(await tenant.must('GET', `/v1/${kind}/${id}`)).toMatchObject({ po_job_number: 'mine', notes: 'two' });
  },
);

test('an order of which somebody approves a load while a payload waits to cancel it stays as it is', async () => {
  const [{ result_id: id }] = (await send('orders', [order()])) as [Json];
  const pool = await poolOf(app.orm.em.fork());
  const { rows } = await pool.query(`update load set state = 'completed' where order_id = $1 returning id`, [id]);
  const biller = await tenant.administrator();
  const [record] = (await behindEachOther(
    'orders',
    id,
    () => tenant.must('PUT', `/v1/loads/${rows[0].id}/approve`, {}, biller),
    () => send('orders', [order({ state: 'canceled' })]),
  )) as [Json];
  expect([record.state, record.last_error]).toEqual(['failed', expect.stringMatching(/^order_locked: \/state: /)]);
  expect(await tenant.must('GET', `/v1/orders/${id}`)).toMatchObject({ state: 'created' });
});
