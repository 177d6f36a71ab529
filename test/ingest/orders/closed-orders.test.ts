import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import * as dryRuns from '../dry-runs.ts';
import { order } from '../payloads.ts';

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

const send = (kind: dryRuns.Kind, elements: unknown[], token?: string): Promise<Json[]> => dryRuns.send(app, tenant, kind, elements, token);

test('an order with approved loads reports it if anything but its notes would change', async () => {
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
  expect(await tenant.must('GET', `/v1/orders/${result_id}`)).toMatchObject({
    notes: 'n3',
    sales_contact: { name: 'Ann' },
    phases: [{ name: 'Base' }],
    waypoints: [],
    foremen: [],
  });
});

const pit = { waypoint: 'pickup', name: 'Pit', lat: 30, lon: -97 };

test('only the notes of a closed order change', async () => {
  const sent = (more: object) => order('A', { quantity: 5, phases: [{ name: 'Base' }], sites: [pit], ...more });
  const [{ result_id: id }] = await send('orders', [sent({})]);
  await tenant.must('PUT', `/v1/orders/${id}/accept`);
  await tenant.must('PUT', `/v1/orders/${id}/complete`);
  const before = await tenant.must('GET', `/v1/orders/${id}`);
  const next = { quantity: 7, load_at: '2026-12-09T07:00:00Z', phases: [{ name: 'Z' }], foremen: [{ email: 'late@b.example' }] };
  const sites = [{ waypoint: 'pickup', name: 'Pit One', lat: 30, lon: -97 }];
  const [[record]] = (await dryRuns.expectPreviewed(app, tenant, 'orders', [[sent({ notes: 'late', ...next, sites })]])) as [[Json]];
  expect(record).toMatchObject({ state: 'processed', last_error: null, warnings: [{ code: 'order_locked', pointer: '' }] });
  const after = await tenant.must('GET', `/v1/orders/${id}`);
  expect(after.notes).toBe('late');
  for (const field of ['quantity', 'load_at', 'phases', 'waypoints', 'foremen']) expect(after[field]).toEqual(before[field]);
});

test('a payload that cannot change a locked order is skipped, creates nothing it names, and counts when the order is open', async () => {
  const [{ result_id: id }] = await send('orders', [order('A', { sites: [pit] })]);
  const pool = await poolOf(app.orm.em.fork());
  const approve = (when: string) => pool.query(`update load set billing_approved_at = ${when} where order_id = $1`, [id]);
  const named = async () => {
    const tables = ['account', 'material', 'equipment_type', 'site', 'app_user', 'dispatch_number', 'service', 'contact', 'phase'];
    const counts = tables.map((table) => `(select count(*)::int from ${table} where company_id = $1)`);
    return (await pool.query(`select array[${counts}] as counts`, [tenant.company.id])).rows[0].counts;
  };
  await approve('now()');
  const [before, counts] = [await tenant.must('GET', `/v1/orders/${id}`), await named()];
  const news = [
    { customer: { external_id: 'C-2', name: 'Other' } },
    { material: { name: 'Slag' } },
    { equipment_type: { name: 'Side dump' } },
    { sites: [pit, { waypoint: 'drop_off', name: 'New bridge', lat: 31, lon: -97 }] },
    { sites: [pit], foremen: [{ email: 'late@b.example' }] },
    { sites: [pit], dispatch_number: 'D-9' },
    { sites: [pit], vendors: [{ external_id: 'V-9', name: 'Late trucks' }] },
    { sites: [pit], supervisor_contact: { name: 'Sue' }, phases: [{ name: 'Late' }] },
  ].map((more) => order('A', more));
  for (const [record] of await dryRuns.expectPreviewed(
    app,
    tenant,
    'orders',
    news.map((one) => [one]),
  ))
    expect(record).toMatchObject({
      state: 'skipped',
      last_error: 'order_locked: : the order is over, or has loads or invoices approved for billing; only its notes may change',
      warnings: expect.arrayContaining([{ code: 'order_locked', pointer: '', given: null, used: null }]),
      result_id: id,
    });
  expect([await named(), await tenant.must('GET', `/v1/orders/${id}`)]).toEqual([counts, before]);
  // A payload that asks for nothing else than is there meets no lock.
  expect((await send('orders', [order('A', { sites: [pit], truck_count: 1 })]))[0]).toMatchObject({ state: 'processed', warnings: [] });
  await approve('null');
  expect((await send('orders', [news[1]]))[0]).toMatchObject({ state: 'processed', last_error: null });
  expect((await tenant.must('GET', `/v1/orders/${id}`)).material.name).toBe('Slag');
});

test('a payload that a lock blocked in part is no duplicate: sent again, it counts when the order is open', async () => {
  const [{ result_id: id }] = await send('orders', [order('A', { quantity: 5 })]);
  const pool = await poolOf(app.orm.em.fork());
  const approve = (when: string) => pool.query(`update load set billing_approved_at = ${when} where order_id = $1`, [id]);
  await approve('now()');
  const sent = order('A', { quantity: 7, notes: 'late' });
  expect((await send('orders', [sent]))[0]).toMatchObject({ state: 'processed', warnings: [{ code: 'order_locked' }] });
  // Nothing but the notes was left to take, and these are there.
  const [again] = (await dryRuns.expectPreviewed(app, tenant, 'orders', [[sent]]))[0]!;
  expect(again).toMatchObject({ state: 'skipped', warnings: [{ code: 'order_locked' }], result_id: id });
  await approve('null');
  const [open] = (await dryRuns.expectPreviewed(app, tenant, 'orders', [[sent]]))[0]!;
  expect(open).toMatchObject({ state: 'processed', last_error: null, warnings: [] });
  expect(await tenant.must('GET', `/v1/orders/${id}`)).toMatchObject({ quantity: '7', notes: 'late' });
  expect((await send('orders', [sent]))[0]).toMatchObject({ state: 'skipped', last_error: 'duplicate' });
});

test('an equal payload does not bring back an order that a person canceled, and says so; another payload creates it again', async () => {
  const [{ result_id }] = await send('orders', [order('A')]);
  await tenant.must('PUT', `/v1/orders/${result_id}/cancel`, {});
  const reported = { state: 'skipped', last_error: 'duplicate', warnings: [{ code: 'order_canceled', pointer: '' }] };
  const preview = await tenant.must('POST', '/ingest/orders?dry_run=true', { orders: [order('A')] });
  expect(preview.records[0]).toMatchObject({ ...reported, result_id });
  expect((await send('orders', [order('A', { metadata: 'again' })]))[0]).toMatchObject({ ...reported, result_id });
  const [anew] = await send('orders', [order('A', { notes: 'on after all' })]);
  expect(anew.result_id).not.toBe(result_id);
  expect(await tenant.must('GET', `/v1/orders/${result_id}`)).toMatchObject({ state: 'canceled', external_id: 'A-1' });
  expect(await tenant.must('GET', `/v1/orders/${anew.result_id}`)).toMatchObject({ state: 'created', external_id: 'A' });
  // A cancellation of the sender itself is no news to it.
  for (const warnings of [[], []]) expect((await send('orders', [order('A', { state: 'canceled' })]))[0].warnings).toEqual(warnings);
});

test('work that is over keeps its stops when a payload moves those of its order', async () => {
  const sent = (name: string) => order('A', { truck_count: 2, sites: [{ ...pit, name }] });
  const [{ result_id: id }] = await send('orders', [sent('Pit')]);
  await tenant.must('PUT', `/v1/orders/${id}/accept`);
  const jobs = async (): Promise<Json[]> =>
    (await tenant.must('GET', `/v1/orders/${id}/jobs`)).sort((a: Json, b: Json) => a.job_id.localeCompare(b.job_id));
  const [first] = await jobs();
  await tenant.must('PATCH', `/v1/jobs/${first.id}`, { driver_id: tenant.driver.id });
  for (const event of ['enroute', 'arrive', 'load_material', 'enroute', 'arrive', 'unload_material', 'complete'])
    await tenant.must('PUT', `/v1/jobs/${first.id}/${event}`, {});
  const [[moved]] = (await dryRuns.expectPreviewed(app, tenant, 'orders', [[sent('Second pit')]])) as [[Json]];
  expect(moved.state).toBe('processed');
  const sites = ({ waypoints }: Json): string[] => waypoints.map(({ site }: Json) => site.name);
  expect((await jobs()).map(sites)).toEqual([['Pit'], ['Second pit']]);
  expect((await tenant.must('GET', `/v1/jobs/${first.id}/loads`)).flatMap(sites)[0]).toBe('Pit');
  expect(sites(await tenant.must('GET', `/v1/orders/${id}`))).toEqual(['Second pit']);
});
