import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { nextNumbers } from '../../../src/dispatch/fields/numbers.ts';
import { poolOf, queryIn } from '../../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { type Kind, preview, send } from '../dry-runs.ts';

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

const sql = async (text: string, values: unknown[]): Promise<Json[]> => (await (await poolOf(app.orm.em.fork())).query(text, values)).rows;
const order = (more: object = {}) => ({ external_id: 'A', load_at: '2026-12-01T07:00:00', customer: { external_id: 'C-1' }, ...more });
const project = (more: object = {}) => ({ external_id: 'A', name: 'Bridge', customer: { external_id: 'C-1' }, ...more });
const ticket = (more: object = {}) => ({
  ticket_number: 'A',
  service_date: '2026-11-23T09:30:00',
  quantity: 22.4,
  unit_of_measure: 'tons',
  truck_id: 'TRK-1',
  ...more,
});

/** Resolves when somebody waits for what the transaction of `em` holds. */
async function waitedFor(em: EntityManager): Promise<void> {
  const [{ pid }] = await queryIn<Json>(em, 'select pg_backend_pid() as pid', []);
  const isWaitedFor = async () =>
    (await sql('select exists (select from pg_locks l where $1 = any (pg_blocking_pids(l.pid))) as yes', [pid]))[0].yes;
  for (const end = Date.now() + 20_000; !(await isWaitedFor()); ) if (Date.now() > end) throw new Error('nobody waits');
}

/** Sends one element whose key a transaction that is still open takes; it commits when the import waits for it. */
async function race(kind: Kind, element: object, text: string, values: unknown[]): Promise<Json> {
  const em = app.orm.em.fork();
  await em.begin();
  try {
    await queryIn(em, text, values);
    const sent = send(app, tenant, kind, [element]);
    await waitedFor(em);
    await em.commit();
    return (await sent)[0];
  } finally {
    if (em.isInTransaction()) await em.rollback();
  }
}

test('an order that a person creates while its payload is processed is found, and causes no internal error', async () => {
  const { id } = await makeOrder(tenant, { external_id: 'B' });
  const record = await race('orders', order({ notes: 'sent' }), `update orders set external_id = 'A' where id = $1`, [id]);
  expect(record).toMatchObject({ state: 'processed', attempts: 1, result_id: id, last_error: null });
  expect((await tenant.must('GET', `/v1/orders/${id}`)).notes).toBe('sent');
});

test("an import that waits for a person's new order has not freed the external id that this order takes", async () => {
  const other = await makeOrder(tenant, { external_id: 'B' });
  await send(app, tenant, 'orders', [order({ state: 'canceled' })]);
  const em = app.orm.em.fork();
  await em.begin();
  await nextNumbers(em, tenant.company.id, 'order', 1);
  const sent = send(app, tenant, 'orders', [order()]);
  await waitedFor(em);
  await queryIn(em, `set local lock_timeout = '5s'`, []);
  const taken = queryIn(em, `update orders set external_id = 'A' where id = $1`, [other.id]);
  await expect(taken).rejects.toMatchObject({ constraint: expect.stringContaining('external_id') });
  await em.rollback();
  expect(await sent).toMatchObject([{ state: 'processed', warnings: [{ code: 'canceled_order_renamed' }] }]);
});

test('the same holds for a project, and for a ticket, whose number is then taken', async () => {
  const [{ result_id: projectId }] = await send(app, tenant, 'projects', [project({ external_id: 'B' })]);
  const known = await race('projects', project({ notes: 'sent' }), `update project set external_id = 'A' where id = $1`, [projectId]);
  expect(known).toMatchObject({ state: 'processed', attempts: 1, result_id: projectId });
  const [{ result_id: ticketId }] = await send(app, tenant, 'tickets', [ticket({ ticket_number: 'B' })]);
  const taken = await race('tickets', ticket(), `update ticket set ticket_number = 'A' where id = $1`, [ticketId]);
  expect([taken.state, taken.last_error]).toEqual(['failed', expect.stringMatching(/^ticket_number_taken: \/ticket_number: /)]);
});

test.each(['void', 'delete'])(
  'an equal payload of a ticket that somebody %s reports that it is gone; a corrected one creates it again',
  async (how) => {
    const [{ result_id }] = await send(app, tenant, 'tickets', [ticket()]);
    if (how === 'void') await tenant.must('PUT', `/v1/tickets/${result_id}/void`);
    else await tenant.must('DELETE', `/v1/tickets/${result_id}`);
    const reported = {
      state: 'skipped',
      last_error: 'duplicate',
      warnings: [{ code: 'ticket_gone', pointer: '' }, { code: 'no_order_named' }],
    };
    expect((await preview(tenant, 'tickets', [ticket()]))[0]).toMatchObject(reported);
    expect((await send(app, tenant, 'tickets', [ticket({ metadata: 'again' })]))[0]).toMatchObject(reported);
    const [anew] = await send(app, tenant, 'tickets', [ticket({ quantity: 22.5 })]);
    expect([anew.state, anew.last_error, anew.result_id === result_id]).toEqual(['processed', null, false]);
    expect((await send(app, tenant, 'tickets', [ticket({ quantity: 22.5, metadata: 2 })]))[0].warnings).toMatchObject([
      { code: 'no_order_named' },
    ]);
  },
);

test('a ticket finds no number, truck or order by a shortened number or a flag, and a long number keeps its digits', async () => {
  const lost = 1.5e25;
  const [long, number, flag, truck] = await send(app, tenant, 'tickets', [
    ticket({ ticket_number: 12_345_678_901_234_567_000 }),
    ticket({ ticket_number: lost }),
    ticket({ ticket_number: true }),
    ticket({ truck_id: lost, platform_order_id: false, quantity: lost, notes: 7 }),
  ]);
  expect((await tenant.must('GET', `/v1/tickets/${long.result_id}`)).ticket_number).toBe('12345678901234567000');
  expect(number.last_error).toMatch(/^invalid_text: \/ticket_number: .*digits/);
  expect(flag.last_error).toBe('invalid_text: /ticket_number: is not a text');
  expect(
    truck.last_error
      .split('\n')
      .map((line: string) => line.split(': ').slice(0, 2).join(' '))
      .sort(),
  ).toEqual(['invalid_number /quantity', 'invalid_text /platform_order_id', 'invalid_text /truck_id']);
});
