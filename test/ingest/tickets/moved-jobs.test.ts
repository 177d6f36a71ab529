import { expect, test } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { makeOrder } from '../../helpers/tenant.ts';
import { codes, hauling, payload } from './haul.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const { at, sql, haul, send } = hauling();

/** The ways by which an order of the 23rd comes to have a job of TRK-12 on the 24th as well: each makes the order, and then does it. */
const WAYS: Record<string, () => Promise<() => Promise<unknown>>> = {
  'a job that moves by itself': async () => {
    const order = await haul({ dispatch: 'D-1' });
    const [job] = await at.tenant.must('GET', `/v1/orders/${order.id}/jobs`);
    return () => at.tenant.must('PATCH', `/v1/jobs/${job.id}`, { job_start_at: '2026-11-24T12:00:00.000Z' });
  },
  'a longer delay between trucks': async () => {
    const order = await haul({ trucks: 2, dispatch: 'D-1' });
    return () => at.tenant.must('PATCH', `/v1/orders/${order.id}`, { truck_delay: 1440 });
  },
  'one truck more': async () => {
    const order = await crewed();
    return () => at.tenant.must('PATCH', `/v1/orders/${order.id}`, { truck_count: 2 });
  },
  'a job that is added': async () => {
    const order = await crewed();
    return () => at.tenant.must('POST', `/v1/orders/${order.id}/jobs`);
  },
};

/** An order whose next truck starts a day later, all with the driver of TRK-12. */
async function crewed(): Promise<Json> {
  const { user } = await at.tenant.person({ roles: ['driver'], defaultEquipment: at.truck.id });
  return makeOrder(at.tenant, { truck_delay: 1440, dispatch_number: { name: 'D-1' }, driver_id: user.id });
}

/** Holds a table until it is called, so that whoever writes to it stays in the middle of a transaction. */
async function hold(table: string): Promise<() => Promise<void>> {
  const em = at.app.orm.em.fork() as EntityManager;
  await em.begin();
  await em.execute(`lock table ${table} in exclusive mode`);
  return () => em.commit();
}

/** Resolves when somebody waits for a lock; at once if `done`. */
async function somebodyWaits(least: number, done: () => boolean): Promise<void> {
  for (let tried = 0; tried < 500 && !done(); tried++) {
    const [{ n }] = await sql(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (n >= least) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const ticket = () => payload({ service_date: '2026-11-24T09:30', dispatch_number: 'D-1' });
const linked = async () =>
  (await sql('select load_id is not null as linked from ticket where company_id = $1', [at.tenant.company.id])).map((row) => row.linked);

test.each(Object.keys(WAYS))('a ticket that arrives while %s is written finds its load', async (way) => {
  const move = await WAYS[way]!();
  let [moved, imported] = [false, false];
  const release = await hold('outbox_event');
  const moving = move().finally(() => {
    moved = true;
  });
  await somebodyWaits(1, () => moved);
  const arriving = at.tenant.must('POST', '/ingest/tickets', { tickets: [ticket()] }).then(() => at.app.settled());
  void arriving.finally(() => {
    imported = true;
  });
  await somebodyWaits(2, () => imported);
  await release();
  await Promise.all([moving, arriving]);
  await at.app.settled();
  expect(await linked()).toEqual([true]);
});

test.each(Object.keys(WAYS))('%s that comes while a ticket arrives finds the ticket', async (way) => {
  const move = await WAYS[way]!();
  let [moved, imported] = [false, false];
  const release = await hold('outbox_event');
  const arriving = at.tenant.must('POST', '/ingest/tickets', { tickets: [ticket()] }).then(() => at.app.settled());
  void arriving.finally(() => {
    imported = true;
  });
  await somebodyWaits(1, () => imported);
  const moving = move().finally(() => {
    moved = true;
  });
  await somebodyWaits(2, () => moved);
  await release();
  await Promise.all([moving, arriving]);
  await at.app.settled();
  expect(await linked()).toEqual([true]);
});

test.each([
  ['goes to another day', { dispatch_number: 'D-1' }, { load_at: '2026-11-24T12:00:00.000Z' }, 'unknown_dispatch_number'],
  ['gets another number', { dispatch_number: 'D-1' }, { dispatch_number: { name: 'D-2' } }, 'unknown_dispatch_number'],
  ['gets another id', { order_external_id: 'O-1' }, { external_id: 'O-2' }, 'unknown_order'],
])('a ticket that waits for a load is not that of an order that %s, until it comes back', async (_, names, away, code) => {
  const home = { load_at: '2026-11-23T12:00:00.000Z', dispatch_number: { name: 'D-1' }, external_id: 'O-1' };
  const order = await makeOrder(at.tenant, home);
  const record = await send(payload(names));
  const shown = async () => {
    const { order_id } = await at.tenant.must('GET', `/v1/tickets/${record.result_id}`);
    return [order_id, codes(await at.tenant.must('GET', `/v1/imported_records/${record.id}`))];
  };
  expect(await shown()).toEqual([order.id, ['truck_not_on_order']]);
  await at.tenant.must('PATCH', `/v1/orders/${order.id}`, away);
  expect(await shown()).toEqual([null, [code]]);
  await at.tenant.must('PATCH', `/v1/orders/${order.id}`, home);
  expect(await shown()).toEqual([order.id, ['truck_not_on_order']]);
});
