import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant } from '../../helpers/tenant.ts';

let app: TestApp;
// No worker runs, so that the calls alone decide which records they take.
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

test('if there are more records than a call takes, the next call takes others', async () => {
  const tenant = await makeTenant(app);
  const { records } = await tenant.must('POST', '/ingest/orders', { orders: [{ external_id: 'A' }] });
  const pool = await poolOf(app.orm.em.fork());
  await pool.query(`update imported_record set state = 'exhausted', attempts = 3 where id = $1`, [records[0].id]);
  await pool.query('delete from import_task where id = $1', [records[0].id]);
  await pool.query(
    `insert into imported_record
     select (jsonb_populate_record(r, jsonb_build_object('id', overlay(r.id::text placing lpad(n::text, 8, '0') from 29), 'imported_for', 'A-' || n))).*
     from imported_record r, generate_series(1, 15000) n where r.id = $1`,
    [records[0].id],
  );
  const count = async (state: string) =>
    Number(
      (await pool.query('select count(*) from imported_record where company_id = $1 and state = $2', [tenant.company.id, state])).rows[0]
        .count,
    );
  const retry = () => tenant.must('PUT', '/v1/imported_records/bulk_retry', { filter: {}, all: true });
  expect([await retry(), await count('failed')]).toEqual([{ count: 10_000 }, 10_000]);
  expect([await retry(), await count('exhausted')]).toEqual([{ count: 10_000 }, 0]);
  const skip = () => tenant.must('PUT', '/v1/imported_records/bulk_skip', { filter: {}, all: true });
  expect([await skip(), await skip(), await skip()]).toEqual([{ count: 10_000 }, { count: 5_001 }, { count: 0 }]);
});
