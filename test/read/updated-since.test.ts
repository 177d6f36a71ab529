import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeStaffedTenant, plannedOrder, type StaffedTenant } from '../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let at: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
  at = await makeStaffedTenant(app);
});
afterAll(() => app.close());

/** A moment that is clearly after what was done before, and before what is done next. */
async function moment(): Promise<string> {
  await app.settled();
  await sleep(5);
  const [row] = await app.orm.em.fork().execute<{ now: string }[]>('select clock_timestamp() as now');
  await sleep(5);
  return new Date(row!.now).toISOString();
}
const list = async (path: string, since: string): Promise<Json[]> =>
  at.must('GET', `${path}${path.includes('?') ? '&' : '?'}page[limit]=100&filter[updated_since]=${encodeURIComponent(since)}`);
const ids = async (path: string, since: string): Promise<string[]> => (await list(path, since)).map(({ id }) => id).sort();

const good = (id: string) => ({ external_id: id, load_at: '2026-12-01T07:00:00', customer: { external_id: 'C-1', name: 'Acme' } });

test('imported records and their batches are found by their last change, however long ago they were received', async () => {
  const send = (...orders: object[]): Promise<Json> => at.must('POST', '/ingest/orders', { orders });
  const before = await moment();
  const [one, other] = [await send(good('U-1'), { external_id: 'U-2' }), await send({ external_id: 'U-3' })];
  const all = [...one.records, ...other.records].map(({ id }: Json) => id);
  const batches = [one, other].map(({ batch_id: id }) => id);
  const then = await moment();
  expect([await ids('/v1/imported_records', before), await ids('/ingest/batches', before)]).toEqual([all.toSorted(), batches.toSorted()]);
  expect([await list('/v1/imported_records', then), await list('/ingest/batches', then)]).toEqual([[], []]);
  // Received a month ago.
  await app.orm.em
    .fork()
    .execute("update imported_record set import_received_at = import_received_at - interval '30 days' where id = any(?)", [
      `{${all.join()}}`,
    ]);
  expect(await list('/v1/imported_records', then)).toEqual([]);
  await at.must('PUT', `/v1/imported_records/${all[1]}/skip`);
  const skipped = await moment();
  expect([await ids('/v1/imported_records', then), await ids('/ingest/batches', then)]).toEqual([[all[1]], [batches[0]]]);
  expect(await ids(`/ingest/batches/${batches[0]}/records`, then)).toEqual([all[1]]);
  await at.must('PUT', `/v1/imported_records/${all[2]}/retry`);
  await app.settled();
  expect([await ids('/v1/imported_records', skipped), await ids('/ingest/batches', skipped)]).toEqual([[all[2]], [batches[1]]]);
  expect(await list('/v1/imported_records', await moment())).toEqual([]);
});

test('an outcome that the version before writes, which notes no change, is found, too', async () => {
  const sent = await at.must('POST', '/ingest/orders', { orders: [good('V-1'), good('V-2')] });
  const [settled, warned] = sent.records.map(({ id }: Json) => id);
  const then = await moment();
  const run = (sql: string, id: string) => app.orm.em.fork().execute(sql, [id]);
  await run("update imported_record set state = 'skipped', last_error = 'superseded', processed_at = now() where id = ?", settled);
  expect([await ids('/v1/imported_records', then), await ids('/ingest/batches', then)]).toEqual([[settled], [sent.batch_id]]);
  const skipped = await moment();
  await run(`update imported_record set warnings = '[{ "code": "unknown_truck", "pointer": "/truck" }]' where id = ?`, warned);
  // A write that is no outcome is no change of it.
  await run('update imported_record set import_received_at = import_received_at where id = ?', settled);
  expect(await ids('/v1/imported_records', skipped)).toEqual([warned]);
});

test('every statement that changes an imported record notes when', () => {
  const changes = (readdirSync('src', { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(join('src', file), 'utf8').matchAll(/update imported_record \w*\s*set[^`]*?(?=from |where )/g)])
    .map(([sql]) => sql);
  expect(changes.length).toBeGreaterThan(5);
  expect(changes.filter((sql) => !sql.includes('updated_at'))).toEqual([]);
});

test('bulk actions are found while outcomes come and when they end, and their items by their outcome', async () => {
  const order = await plannedOrder(at, { truck_count: 2, driver_id: at.driver.id });
  const before = await moment();
  await at.admin.must('PUT', at.path('/jobs/bulk_unassign'), { job_ids: order.jobs.map(({ id }: Json) => id) });
  await app.settled();
  const [asked] = await at.admin.must('GET', at.path('/bulk_actions'));
  expect(asked.state).toBe('finished');
  const items = (since: string) => list(`/v1/bulk_actions/${asked.id}/items`, since);
  expect([await ids(at.path('/bulk_actions'), before), (await items(before)).length]).toEqual([[asked.id], 2]);
  const after = await moment();
  expect([await list(at.path('/bulk_actions'), after), await items(after)]).toEqual([[], []]);
});

test('what is written once is found by when it was written', async () => {
  const order = await plannedOrder(at, { driver_id: at.driver.id });
  const then = await moment();
  expect([await list(at.path('/audit_entries'), then), await list(`/v1/orders/${order.id}/timeline`, then)]).toEqual([[], []]);
  await at.must('PATCH', `/v1/orders/${order.id}`, { notes: 'Mind the gate' });
  const [entry] = await list(`/v1/orders/${order.id}/timeline`, then);
  expect(entry.object_changes).toEqual({ notes: [null, 'Mind the gate'] });
  const entries = await list(at.path('/audit_entries?filter[subject_type]=Order'), then);
  expect(entries.map(({ subject_id, object_changes }) => [subject_id, object_changes])).toEqual([[order.id, entry.object_changes]]);
});

test('a pair of likely duplicates is found since one of the two changed', async () => {
  const [a, b, c] = [
    await at.must('POST', '/v1/materials', { name: 'Slag' }),
    await at.must('POST', '/v1/materials', { name: 'Grit' }),
    await at.must('POST', '/v1/materials', { name: 'Loam' }),
  ];
  // Records that were there before nobody minded.
  await app.orm.em.fork().execute("update material set name = 'Slag' where id = ?", [b.id]);
  const then = await moment();
  const pairs = async (since: string) =>
    (await list(at.path('/likely_duplicates?record_type=Material'), since)).map(({ id, other_id }) => [id, other_id].sort());
  expect([await pairs('2020-01-01T00:00:00Z'), await pairs(then)]).toEqual([[[a.id, b.id].sort()], []]);
  await at.must('PATCH', `/v1/materials/${b.id}`, { external_id: 'M-1' });
  await at.must('PATCH', `/v1/materials/${c.id}`, { external_id: 'M-2' });
  expect([await pairs('2020-01-01T00:00:00Z'), await pairs(then)]).toEqual([[[a.id, b.id].sort()], [[a.id, b.id].sort()]]);
  const query =
    '{ likelyDuplicates(recordType: Material, filter: { updatedSince: "2099-01-01T00:00:00Z" }) { nodes { id } count { value } } }';
  expect((await at.gql(query)).data.likelyDuplicates).toEqual({ nodes: [], count: { value: 0 } });
});
