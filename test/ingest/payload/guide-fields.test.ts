import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ORDER_FIELDS, payloadColumnsOf } from '../../../src/dispatch/fields/work-fields.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

/** Names in the left column of a section's table of fields. */
function fieldsOf(section: string): string[] {
  const [, text = ''] = readFileSync('docs/importer.md', 'utf8').split(`\n## ${section}\n`);
  const [, table = ''] = text.split('\n| Field | |\n|---|---|\n');
  const names = table.split('\n\n')[0]!.split('\n');
  return names.flatMap((row) => [...row.split(' | ')[0]!.matchAll(/`([a-z_.]+[a-z])`/g)].map(([, name]) => name!.split('.')[0]!));
}

test.each([
  ['orders', 'Fields of an order'],
  ['projects', 'Projects'],
  ['tickets', 'Tickets'],
])('the guide names no field of %s without a meaning', async (kind, section) => {
  const fields = fieldsOf(section);
  expect(fields.length).toBeGreaterThan(8);
  const { records } = await tenant.must('POST', `/ingest/${kind}?dry_run=true`, {
    [kind]: [Object.fromEntries(fields.map((name) => [name, null]))],
  });
  expect(records[0].warnings).toEqual([]);
});

test('the guide names every field of an order', () => {
  const reported = fieldsOf('Fields of an order');
  const rates = ['vendor_rate_value', 'vendor_rate_type', 'driver_rate_value', 'driver_rate_type'];
  const taken = payloadColumnsOf(ORDER_FIELDS).map(([column]) => column);
  expect(taken.filter((name) => !reported.includes(name)).sort()).toEqual(rates.sort());
});
