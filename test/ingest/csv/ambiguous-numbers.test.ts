import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
});

/** Runs a sheet dry and then sends it. @returns the preview of its rows, and their records */
async function both(kind: string, ...lines: string[]): Promise<{ reported: Json[]; records: Json[] }> {
  const sheet = lines.join('\n');
  const { records: reported } = await tenant.must('POST', `/ingest/${kind}/csv?dry_run=true`, sheet);
  const receipt = await tenant.must('POST', `/ingest/${kind}/csv`, sheet);
  await app.settled();
  return { reported, records: await tenant.must('GET', `/ingest/batches/${receipt.batch_id}/records`) };
}

const HEADER = 'external_id;load_at;customer.external_id;quantity;pickup.name;pickup.lat;pickup.lon;unit_of_measure';
const warnings = (of: Json[]) => of.map((one) => one.warnings);
const doubt = (pointer: string) => ({ code: 'ambiguous_number', pointer, given: '1.250', used: '1.25' });

test('an ambiguous number gets a warning with the value it was read as, together with the other warnings of its row', async () => {
  const rows = ['A;2026-12-01;C;1.250;Pit;30.123;-97.456;buckets', 'B;2026-12-01;C;7;;;;Ton', 'C;soon;C;1.250;;;;Ton'];
  const { reported, records } = await both('orders', HEADER, ...rows, rows[1]!, 'D;2026-12-01;C');
  const unit = { code: 'unknown_unit', pointer: '/unit_of_measure', given: 'buckets', used: 'Ton' };
  expect(warnings(records)).toEqual([[doubt('/quantity'), unit], [], [doubt('/quantity')], [], []]);
  expect(records.map(({ state }) => state)).toEqual(['processed', 'processed', 'failed', 'skipped', 'exhausted']);
  expect(warnings(reported)).toEqual(warnings(records));
  expect((await tenant.must('GET', `/v1/orders/${records[0].result_id}`)).quantity).toBe('1.25');
  // After a retry it is reported once, not twice.
  await tenant.must('PUT', `/v1/imported_records/${records[2].id}/retry`);
  await app.settled();
  expect(await tenant.must('GET', `/v1/imported_records/${records[2].id}`)).toMatchObject({ attempts: 2, warnings: [doubt('/quantity')] });
});

test('numbers in lists get it, too, unless another number of the file shows its style', async () => {
  const header = 'external_id;customer.external_id;materials.name;materials.total_quantity';
  const { reported, records } = await both('projects', header, 'P;C;"Sand;Salt";"7;1.250"');
  expect([warnings(reported), warnings(records)]).toEqual([
    [[doubt('/materials/1/total_quantity')]],
    [[doubt('/materials/1/total_quantity')]],
  ]);
  const plain = await both('orders', HEADER, 'A;2026-12-01;C;1.250;;;;Ton', 'B;2026-12-01;C;12.5;;;;Ton');
  expect(warnings(plain.records)).toEqual([[], []]);
});
