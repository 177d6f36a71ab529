import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());

const order = (external_id: string, more: object = {}) => ({
  external_id,
  load_at: '2026-12-01T07:00',
  customer: { external_id: 'C-1', name: 'Hill' },
  ...more,
});

test('an imported order is found by its external id and name, in searches, typeaheads and by a filter', async () => {
  const tenant = await makeTenant(app);
  await tenant.must('POST', '/ingest/orders', { orders: [order('ERP-77-A', { name: 'Bridge deck' }), order('ERP-77-B'), order('OTHER')] });
  await app.settled();
  const found = async (path: string): Promise<string[]> =>
    (await tenant.must('GET', tenant.path(path))).map(({ external_id }: Json) => external_id).sort();
  expect(await found('/orders?search[datagrid]=erp-77')).toEqual(['ERP-77-A', 'ERP-77-B']);
  expect(await found('/orders?search[datagrid]=bridge')).toEqual(['ERP-77-A']);
  expect(await found('/orders/typeahead?search[query]=77-b')).toEqual(['ERP-77-B']);
  expect(await found('/orders?filter[external_ids][]=ERP-77-A&filter[external_ids][]=OTHER')).toEqual(['ERP-77-A', 'OTHER']);
  expect(await found('/orders?filter[external_ids][]=ERP-77')).toEqual([]);
});

test('batches are listed, newest first; whoever only sends sees their own', async () => {
  const tenant = await makeTenant(app);
  const send = async (kind: string, element: object, token?: string): Promise<string> =>
    (await tenant.must('POST', `/ingest/${kind}`, { [kind]: [element] }, token)).batch_id;
  const first = await send('orders', order('B-1', { unit_of_measure: 'buckets' }));
  const second = await send('projects', { external_id: 'P-1', customer: { external_id: 'C-1' } });
  const third = await send('orders', { external_id: 'B-2' });
  await app.settled();
  const listed = async (query = '', token?: string) =>
    (await tenant.must('GET', `/ingest/batches${query}`, undefined, token)).map(({ id }: Json) => id);
  expect(await listed()).toEqual([third, second, first]);
  expect(await listed('?filter[kinds][]=project')).toEqual([second]);
  expect(await listed('?filter[has_warnings]=true')).toContain(first);
  expect(await listed('?filter[has_failures]=true')).toEqual([third]);
  const page = await tenant.http('GET', '/ingest/batches?page[limit]=1');
  expect([page.body.data[0].counts.failed, page.headers.get('link')]).toEqual([1, expect.stringContaining('rel="next"')]);
  const elsewhere = await makeTenant(app);
  expect(await elsewhere.must('GET', '/ingest/batches')).toEqual([]);
  const limited = await makeTenant(app, { permissions: ['create_order'] });
  const own = await limited.must('POST', '/ingest/orders', { orders: [order('L-1')] });
  expect((await limited.must('GET', '/ingest/batches')).map(({ id }: Json) => id)).toEqual([own.batch_id]);
  const driver = (await limited.person({ roles: ['driver'] })).token;
  expect((await limited.http('GET', '/ingest/batches', undefined, driver)).status).toBe(403);
});
