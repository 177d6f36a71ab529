import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { connectedTo } from '../../helpers/database.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { jpeg } from './sample-files.ts';
import { filing } from './upload.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  // Others would plan for what is said about tables here.
  app = await startTestApp({ worker: true, newDatabase: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const { post } = filing(() => ({ app, tenant }));

test('an order finds its files without a look at all that wait, whatever PostgreSQL believes of them', async () => {
  expect((await post({ external_id: 'ORD-1', file: jpeg({ exif: 'one' }) })).status).toBe(202);
  const order = { external_id: 'ORD-1', load_at: '2026-12-01T07:00', customer: { external_id: 'C', name: 'C' } };
  const heard = await app.overhear(
    async () => {
      await tenant.must('POST', '/ingest/orders', { orders: [order] });
      await app.settled();
    },
    ({ sql }) => sql.includes('delete from parked_file'),
  );
  await connectedTo(String(app.orm.config.get('clientUrl')), async (db) => {
    expect((await db.query('select from file_attachment')).rowCount).toBe(1);
    await db.query(
      `insert into parked_file (id, company_id, category, file_attachable_type, file_name, mime_type, byte_size, sha256, fingerprint, uploaded_by_type,
         uploaded_by_id, uploaded_by_name, uploaded_by_company_id, external_id)
       select gen_random_uuid(), $1, 'other', 'Order', 'a.jpg', 'image/jpeg', 1, md5(n::text), md5(n::text), 'User', $1, 'A', $1, 'X-' || n
       from generate_series(1, 5000) n`,
      [tenant.company.id],
    );
    await db.query("update pg_class set reltuples = 0, relpages = 100 where relname = 'parked_file'");
    const { rows } = await db.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${heard[0]!.sql}`);
    const plan = rows.map((line) => line['QUERY PLAN'].trim());
    expect(plan.filter((line) => line.startsWith('Join Filter'))).toEqual([]);
    // The name of the order is part of the search.
    expect(plan.filter((line) => /^Index Cond:.*external_id/.test(line))).toHaveLength(1);
  });
});
