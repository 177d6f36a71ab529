import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeYard } from '../helpers/yard.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
});
afterAll(() => app.close());

const order = (id: string) => ({ external_id: id, load_at: '2026-12-01T07:00:00', customer: { external_id: 'C-1', name: 'Acme' } });

test('the status tells backlog, outcomes and causes, each company its own', async () => {
  const yard = await makeYard(app);
  await yard.must('POST', '/ingest/orders', {
    orders: [order('A'), order('A'), { external_id: 'B' }, { ...order('C'), load_at: 'soon' }, 7],
  });
  await yard.must('POST', '/ingest/projects', { projects: [{ external_id: 'P', customer: { external_id: 'C-1' } }] });
  await app.settled();
  const { kinds, failure_causes, ...files } = await yard.must('GET', '/ingest/status');
  expect(files).toEqual({ parked_files: 0, oldest_parked_seconds: 0 });
  expect(kinds).toEqual([
    {
      ...{ kind: 'order', backlog: 2, oldest_due_seconds: 0, attempts: [{ attempts: 1, count: 2 }] },
      ...{ lag_median_ms: expect.any(Number), lag_p95_ms: expect.any(Number) },
      ...{ received: 5, processed: 1, skipped: 1, failed: 2, exhausted: 1 },
    },
    {
      ...{ kind: 'project', backlog: 0, oldest_due_seconds: 0, attempts: [] },
      ...{ lag_median_ms: expect.any(Number), lag_p95_ms: expect.any(Number) },
      ...{ received: 1, processed: 1, skipped: 0, failed: 0, exhausted: 0 },
    },
    {
      ...{ kind: 'ticket', backlog: 0, oldest_due_seconds: 0, attempts: [], lag_median_ms: 0, lag_p95_ms: 0 },
      ...{ received: 0, processed: 0, skipped: 0, failed: 0, exhausted: 0 },
    },
  ]);
  expect(failure_causes).toEqual([
    { sender: 'Office system', kind: 'order', code: 'invalid_timestamp', count: 1 },
    { sender: 'Office system', kind: 'order', code: 'missing_field', count: 1 },
    { sender: 'Office system', kind: 'order', code: 'not_an_object', count: 1 },
  ]);
  const other = await makeYard(app);
  const { data } = await other.gql('{ importStatus { kinds { received } failureCauses { code } } }');
  expect(data.importStatus).toEqual({ kinds: [{ received: 0 }, { received: 0 }, { received: 0 }], failureCauses: [] });
  const foreign = await other.gql('query($id: ID) { importStatus(companyId: $id) { kinds { received } } }', { id: yard.company.id });
  expect(foreign.errors[0].extensions.code).toBe('object_not_found');
});

test('the status needs the permission to see imports', async () => {
  const yard = await makeYard(app, { permissions: ['create_order'] });
  expect((await yard.http('GET', '/ingest/status')).status).toBe(403);
});
