import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { poolOf } from '../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeYard, type Yard } from '../helpers/yard.ts';
import * as told from './dry-runs.ts';
import { order } from './payloads.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let yard: Yard;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  yard = await makeYard(app);
});

const send = (kind: told.Kind, elements: unknown[], token?: string): Promise<Json[]> => told.send(app, yard, kind, elements, token);

test('an order whose loads are approved says so when anything but its notes would change', async () => {
  const [{ result_id }] = await send('orders', [order('A', { phases: [{ name: 'Base' }], sales_contact: { name: 'Ann' } })]);
  const pool = await poolOf(app.orm.em.fork());
  await pool.query('update load set billing_approved_at = now() where order_id = $1', [result_id]);
  const changes = [
    { phases: [] },
    { sales_contact: { name: 'Bo' } },
    { sites: [{ waypoint: 'pickup', name: 'Pit' }] },
    { foremen: [{ email: 'a@b.example' }] },
  ];
  for (const [i, change] of changes.entries()) {
    const [{ state, warnings }] = await send('orders', [order('A', { ...change, notes: `n${i}` })]);
    expect([state, warnings.filter(({ code }: Json) => code === 'order_locked')]).toMatchObject(['processed', [{ pointer: '' }]]);
  }
  expect(await yard.must('GET', `/v1/orders/${result_id}`)).toMatchObject({
    notes: 'n3',
    sales_contact: { name: 'Ann' },
    phases: [{ name: 'Base' }],
    waypoints: [],
    foremen: [],
  });
});

test('an equal payload does not bring back the order that a person canceled, and says so; another payload makes it anew', async () => {
  const [{ result_id }] = await send('orders', [order('A')]);
  await yard.must('PUT', `/v1/orders/${result_id}/cancel`, {});
  const told = { state: 'skipped', last_error: 'duplicate', warnings: [{ code: 'order_canceled', pointer: '' }] };
  const preview = await yard.must('POST', '/ingest/orders?dry_run=true', { orders: [order('A')] });
  expect(preview.records[0]).toMatchObject({ ...told, result_id });
  expect((await send('orders', [order('A', { metadata: 'again' })]))[0]).toMatchObject({ ...told, result_id });
  const [anew] = await send('orders', [order('A', { notes: 'on after all' })]);
  expect(anew.result_id).not.toBe(result_id);
  expect(await yard.must('GET', `/v1/orders/${result_id}`)).toMatchObject({ state: 'canceled', external_id: 'A-1' });
  expect(await yard.must('GET', `/v1/orders/${anew.result_id}`)).toMatchObject({ state: 'created', external_id: 'A' });
  // What the sender canceled itself is no news to it.
  for (const warnings of [[], []]) expect((await send('orders', [order('A', { state: 'canceled' })]))[0].warnings).toEqual(warnings);
});
