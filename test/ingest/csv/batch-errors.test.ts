import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const errorsOf = async (batch: string) =>
  parse((await tenant.http('GET', `/ingest/batches/${batch}/errors.csv`)).body, { bom: true }) as string[][];
const HEADER = ['line', 'external_id', 'state', 'last_error', 'warnings', 'record_id'];

test('failed records and those with warnings are listed with their line, and no cell is a formula', async () => {
  const rows = ['=1+1,soon,C,Ton', 'FINE,2026-12-01,C,Ton', '@SUM(A1),2026-12-01,C,=cubits', 'short'];
  const { batch_id, records } = await tenant.must(
    'POST',
    '/ingest/orders/csv',
    ['external_id,load_at,customer.external_id,unit', ...rows].join('\n'),
  );
  await app.settled();
  const ids = records.map(({ id }: { id: string }) => id);
  expect(await errorsOf(batch_id)).toEqual([
    HEADER,
    ['2', "'=1+1", 'failed', 'invalid_timestamp: /load_at: is not an ISO 8601 timestamp like 2026-12-01T07:00', '', ids[0]],
    ['4', "'@SUM(A1)", 'processed', '', 'unknown_unit: /unit_of_measure: "=cubits" -> "Ton"', ids[2]],
    ['5', '', 'exhausted', 'invalid_row: : line 5 has 1 cells, the header has 4', '', ids[3]],
  ]);
});

test('a JSON batch has the place of an element instead of a line', async () => {
  const { batch_id } = await tenant.must('POST', '/ingest/orders', {
    orders: [{ external_id: 'J-1', load_at: '2026-12-01', customer: { external_id: 'C' } }, { external_id: 'J-2' }],
  });
  await app.settled();
  const [, row, ...more] = await errorsOf(batch_id);
  expect([row?.slice(0, 3), more]).toEqual([['2', 'J-2', 'failed'], []]);
});

test('another company does not find the batch', async () => {
  const { batch_id } = await tenant.must('POST', '/ingest/orders/csv', 'external_id,load_at,customer.external_id\nX,2026-12-01,C');
  const stranger = await makeTenant(app);
  expect((await stranger.http('GET', `/ingest/batches/${batch_id}/errors.csv`)).status).toBe(404);
  const weak = await makeTenant(app, { permissions: ['create_order'] });
  expect((await weak.http('GET', `/ingest/batches/${batch_id}/errors.csv`)).status).toBe(403);
});
