import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { send } from '../dry-runs.ts';
import { order, ticket } from '../payloads.ts';

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

const superseded = (by: Json) => ({ state: 'skipped', last_error: 'superseded', superseded_by: by.id });

test('of several payloads for one key in a request, the last is applied, and the others name its record', async () => {
  const [first, twin, second, last, other] = await send(app, tenant, 'orders', [
    ...[order('A', { zone: 'N' }), order('A', { zone: 'N' }), order('A', { notes: 'two' }), order('A', { notes: 'three' })],
    order('B'),
  ]);
  expect([first, second]).toEqual([expect.objectContaining(superseded(last)), expect.objectContaining(superseded(last))]);
  expect(twin).toMatchObject({ state: 'skipped', last_error: 'duplicate', superseded_by: null });
  for (const one of [last, other]) expect(one).toMatchObject({ state: 'processed', superseded_by: null });
  // Values that only the first one had are lost with it, as the sender's guide says.
  expect(await tenant.must('GET', `/v1/orders/${last.result_id}`)).toMatchObject({ notes: 'three', zone: null });
  const stream = await app.http('POST', '/ingest/orders', {
    token: tenant.token,
    headers: { Accept: 'application/x-ndjson' },
    body: { orders: [order('C'), order('C', { notes: 'two' })] },
  });
  const [older, newer] = stream.body
    .trimEnd()
    .split('\n')
    .map((line: string) => JSON.parse(line));
  expect(older).toMatchObject(superseded(newer));
});

test('a correct payload is superseded by a wrong one of the same request, and names it', async () => {
  const [right, wrong] = await send(app, tenant, 'orders', [order('A'), order('A', { load_at: 'soon' })]);
  expect([right, wrong]).toMatchObject([superseded(wrong), { state: 'failed', superseded_by: null }]);
  expect(await tenant.must('GET', tenant.path('/orders'))).toEqual([]);
  // Put aside or not, it is the one that took its place; what comes after that took the place of it.
  await tenant.must('PUT', `/v1/imported_records/${wrong.id}/skip`);
  const [mended] = await send(app, tenant, 'orders', [order('A')]);
  expect(mended).toMatchObject({ state: 'processed', superseded_by: null });
  expect(await tenant.must('GET', `/v1/imported_records/${right.id}`)).toMatchObject(superseded(wrong));
});

test('a ticket that failed names the ticket that took its number', async () => {
  const [failed] = await send(app, tenant, 'tickets', [ticket('T-1', { quantity: 0 })]);
  const [made] = await send(app, tenant, 'tickets', [ticket('T-1', {})]);
  expect(made).toMatchObject({ state: 'processed', superseded_by: null });
  expect(await tenant.must('GET', `/v1/imported_records/${failed.id}`)).toMatchObject(superseded(made));
});

/** Lets a failed record use up its attempts. */
async function exhaust(id: string): Promise<void> {
  const read = async (): Promise<string> => (await tenant.must('GET', `/v1/imported_records/${id}`)).state;
  const pool = await poolOf(app.orm.em.fork());
  for (let tries = 0; tries < 3 && (await read()) === 'failed'; tries++) {
    await pool.query("update import_task set next_attempt_at = now() - interval '1 second' where id = $1", [id]);
    await app.settled();
  }
  expect(await read()).toBe('exhausted');
}

test('a record that is tried again gives way to a newer payload, also to one that was a duplicate', async () => {
  const [first] = await send(app, tenant, 'orders', [order('A')]);
  const pool = await poolOf(app.orm.em.fork());
  const approve = (when: string) => pool.query(`update load set billing_approved_at = ${when} where order_id = $1`, [first.result_id]);
  await approve('now()');
  const [wrong] = await send(app, tenant, 'orders', [order('A', { state: 'canceled' })]);
  await exhaust(wrong.id);
  await approve('null');
  // The sender thinks better of it: the order is to be as it is.
  const [again] = await send(app, tenant, 'orders', [order('A')]);
  expect(again).toMatchObject({ state: 'skipped', last_error: 'duplicate' });
  expect(await tenant.must('PUT', '/v1/imported_records/bulk_retry', { filter: { imported_for: ['A'] } })).toEqual({ count: 1 });
  await app.settled();
  expect(await tenant.must('GET', `/v1/imported_records/${wrong.id}`)).toMatchObject({ ...superseded(again), result_id: first.result_id });
  expect(await tenant.must('GET', `/v1/orders/${first.result_id}`)).toMatchObject({ state: 'created' });
});

test('a record that is tried again does not give way to its own copies', async () => {
  const [first] = await send(app, tenant, 'orders', [order('A')]);
  const pool = await poolOf(app.orm.em.fork());
  const approve = (when: string) => pool.query(`update load set billing_approved_at = ${when} where order_id = $1`, [first.result_id]);
  await approve('now()');
  const [wanted, twin] = await send(app, tenant, 'orders', [order('A', { state: 'canceled' }), order('A', { state: 'canceled' })]);
  expect(twin).toMatchObject({ state: 'skipped', last_error: 'duplicate' });
  await exhaust(wanted.id);
  await approve('null');
  await tenant.must('PUT', `/v1/imported_records/${wanted.id}/retry`);
  await app.settled();
  expect(await tenant.must('GET', `/v1/imported_records/${wanted.id}`)).toMatchObject({ state: 'processed' });
  expect(await tenant.must('GET', `/v1/orders/${first.result_id}`)).toMatchObject({ state: 'canceled' });
});
