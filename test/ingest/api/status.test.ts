import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant } from '../../helpers/tenant.ts';
import { jpeg } from '../files/sample-files.ts';
import { postFile } from '../files/upload.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());

const order = (id: string) => ({ external_id: id, load_at: '2026-12-01T07:00:00', customer: { external_id: 'C-1', name: 'Acme' } });

test('the status reports backlog, outcomes and causes, for each company its own', async () => {
  const tenant = await makeTenant(app);
  await tenant.must('POST', '/ingest/orders', {
    orders: [order('A'), order('A'), { external_id: 'B' }, { ...order('C'), load_at: 'soon' }, 7],
  });
  // The order has made the customer when the project comes, so that it is the project that names it differently.
  await app.settled();
  await tenant.must('POST', '/ingest/projects', { projects: [{ external_id: 'P', customer: { external_id: 'C-1', name: 'Acme Corp' } }] });
  await app.settled();
  const { kinds, failure_causes, warnings, ...files } = await tenant.must('GET', '/ingest/status');
  expect(warnings).toEqual([{ kind: 'project', code: 'not_updated', count: 1 }]);
  expect(files).toEqual({ parked_files: 0, oldest_parked_seconds: 0 });
  expect(kinds).toEqual([
    {
      ...{ kind: 'order', backlog: 2, oldest_due_seconds: 0, attempts: [{ attempts: 1, count: 2 }] },
      ...{ lag_median_ms: expect.any(Number), lag_p95_ms: expect.any(Number) },
      ...{ received: 5, processed: 1, skipped: 1, failed: 2, exhausted: 1, warned: 0 },
    },
    {
      ...{ kind: 'project', backlog: 0, oldest_due_seconds: 0, attempts: [] },
      ...{ lag_median_ms: expect.any(Number), lag_p95_ms: expect.any(Number) },
      ...{ received: 1, processed: 1, skipped: 0, failed: 0, exhausted: 0, warned: 1 },
    },
    {
      ...{ kind: 'ticket', backlog: 0, oldest_due_seconds: 0, attempts: [], lag_median_ms: 0, lag_p95_ms: 0 },
      ...{ received: 0, processed: 0, skipped: 0, failed: 0, exhausted: 0, warned: 0 },
    },
  ]);
  const sender = { sender: 'Office system', sender_type: 'M2MClient', sender_id: expect.any(String) };
  expect(failure_causes).toEqual([
    { ...sender, kind: 'order', code: 'invalid_timestamp', count: 1 },
    { ...sender, kind: 'order', code: 'missing_field', count: 1 },
    { ...sender, kind: 'order', code: 'not_an_object', count: 1 },
  ]);
  const other = await makeTenant(app);
  const { data } = await other.gql('{ importStatus { kinds { received } failureCauses { code } } }');
  expect(data.importStatus).toEqual({ kinds: [{ received: 0 }, { received: 0 }, { received: 0 }], failureCauses: [] });
  const foreign = await other.gql('query($id: ID) { importStatus(companyId: $id) { kinds { received } } }', { id: tenant.company.id });
  expect(foreign.errors[0].extensions.code).toBe('object_not_found');
});

test('the status requires the permission to see imports', async () => {
  const tenant = await makeTenant(app, { permissions: ['create_order'] });
  expect((await tenant.http('GET', '/ingest/status')).status).toBe(403);
});

test('for people who are limited to sites, the status counts the records that they may list, and no others', async () => {
  const tenant = await makeTenant(app);
  const boss = await tenant.person({ roles: ['company_admin'] });
  const person = await tenant.person({ roles: ['company_admin'] });
  const scope = { resource_type: 'Site', resource_id: tenant.pickup.id };
  await tenant.must('POST', tenant.path(`/users/${person.user.id}/resource_scopes`), scope, boss.token);
  const at = (id: string, name: string) => ({ ...order(id), sites: [{ waypoint: 'pickup', name }] });
  await tenant.must('POST', '/ingest/orders', { orders: [at('HERE', 'Quarry'), at('THERE', 'Plant'), { external_id: 'B' }, 7] });
  await tenant.must('POST', '/ingest/orders', { orders: [{ external_id: 'M' }, at('MINE', 'Plant')] }, person.token);
  for (const [external_id, token] of [
    ['LATER', tenant.token],
    ['SOON', tenant.token],
    ['OWN', person.token],
  ] as const)
    expect((await postFile(app, { external_id, file: jpeg() }, token)).status).toBe(202);
  await app.settled();
  const listed = await tenant.must('GET', '/v1/imported_records', undefined, person.token);
  expect(listed.map((one: { imported_for: string }) => one.imported_for).sort()).toEqual(['HERE', 'M', 'MINE']);
  const { kinds, failure_causes, parked_files } = await tenant.must('GET', '/ingest/status', undefined, person.token);
  expect(parked_files).toBe(1);
  expect(kinds[0]).toMatchObject({
    kind: 'order',
    backlog: 2,
    attempts: [{ attempts: 1, count: 2 }],
    received: 3,
    processed: 1,
    failed: 2,
  });
  expect(kinds[0]).toMatchObject({ skipped: 0, exhausted: 0 });
  expect(failure_causes.map((cause: { code: string; count: number }) => [cause.code, cause.count])).toEqual([
    ['missing_field', 1],
    ['not_allowed', 1],
  ]);
  const whole = await tenant.must('GET', '/ingest/status');
  expect(whole.parked_files).toBe(3);
  expect(whole.kinds[0]).toMatchObject({ backlog: 3, received: 6, processed: 2, failed: 3, exhausted: 1 });
});
