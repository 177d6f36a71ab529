import { beforeEach, expect, test } from '@jest/globals';
import { until } from '../../helpers/until.ts';
import { type Books, event, makeBooks } from '../books.ts';
import { approvedInvoice, settle } from '../settled.ts';
import { Exporting } from './exporting.ts';
import type { LinkedSystem } from './linked-system.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const scene = new Exporting(makeBooks({ worker: true }));
const { read, reaches } = scene;
const order = { customer_rate_value: 5, customer_rate_type: 'RatePerTon' };
let books: Books;
let system: LinkedSystem;
beforeEach(() => {
  ({ books, system } = scene);
});

/** Returns the process that waits for another one with a statement about a table, when one does. */
async function waitingFor(pid: number, table: string): Promise<number> {
  let found: Json;
  await until(async () => {
    [found] = await books.app.orm.em
      .fork()
      .execute('select pid from pg_stat_activity where ? = any(pg_blocking_pids(pid)) and query like ?', [pid, `%${table}%`]);
    return found !== undefined;
  });
  return found.pid;
}

test('a failed export is not sent by itself with a settlement that somebody makes at the same moment', async () => {
  const invoice = await approvedInvoice(books, ['10'], { order });
  expect((await event(books.biller, invoice.id, 'export')).status).toBe(200);
  await reaches(invoice, 'failed');
  // Whoever settles has locked the invoice, and waits for a number.
  const em = books.app.orm.em.fork();
  await em.begin();
  await em.execute(`insert into company_counter (company_id, kind, value) values (?, 'settlement', 0)`, [books.tenant.company.id]);
  const [{ pid }]: Json[] = await em.execute('select pg_backend_pid() as pid');
  const settling = settle(books, [invoice]);
  const settler = await waitingFor(pid, 'company_counter');
  const mapping = system.map();
  await waitingFor(settler, 'settlement_export');
  await em.rollback();
  const settlement = await settling;
  await mapping;
  expect([settlement.total_amount, (await read(invoice)).accounting_export.state]).toEqual(['50', 'failed']);
  // In the settlement, it goes there with that.
  await books.biller.must('PUT', books.biller.path(`/settlements/${settlement.id}/approve`), {});
  expect((await books.biller.http('POST', books.biller.path(`/settlements/${settlement.id}/export`))).status).toBe(202);
  await until(() => system.numbered(settlement.settlement_id).length > 0);
  expect(system.numbered(invoice.invoice_id)).toEqual([]);
});

test('what was settled or unapproved by a version that knows no exports of invoices is not sent, and does not stay on its way', async () => {
  const [settled, unapproved] = [await approvedInvoice(books, ['10'], { order }), await approvedInvoice(books, ['20'], { order })];
  for (const one of [settled, unapproved]) {
    expect((await event(books.biller, one.id, 'export')).status).toBe(200);
    await reaches(one, 'failed');
  }
  await settle(books, [settled]);
  expect((await event(books.biller, unapproved.id, 'unapprove')).status).toBe(200);
  await system.map();
  // As that version leaves them: on their way.
  const em = books.app.orm.em.fork();
  for (const { id } of [settled, unapproved]) {
    await em.execute(`update invoice set export_state = 'pending' where id = ?`, [id]);
    await em.execute(`update settlement_export set state = 'pending', next_at = now() where invoice_id = ?`, [id]);
  }
  for (const one of [settled, unapproved])
    expect((await reaches(one, 'failed')).accounting_export).toMatchObject({
      last_error: 'it is not approved any more, or a settlement has it by now',
    });
  expect(system.got.size).toBe(0);
  expect((await event(books.biller, unapproved.id, 'approve')).status).toBe(200);
  expect((await event(books.biller, unapproved.id, 'export')).status).toBe(200);
  await reaches(unapproved, 'exported');
  expect([...system.got.values()].map(({ document }) => document.number)).toEqual([unapproved.invoice_id]);
});

test('who takes an approval back does not want the invoice in accounting any more that was not taken there', async () => {
  const invoice = await approvedInvoice(books, ['10'], { order });
  expect((await event(books.biller, invoice.id, 'export')).status).toBe(200);
  await reaches(invoice, 'failed');
  expect((await event(books.biller, invoice.id, 'unapprove')).status).toBe(200);
  expect((await event(books.biller, invoice.id, 'approve')).status).toBe(200);
  await system.map();
  expect((await read(invoice)).accounting_export).toMatchObject({ state: 'not_exported', last_error: null });
  expect(system.got.size).toBe(0);
  expect((await event(books.biller, invoice.id, 'export')).status).toBe(200);
  await reaches(invoice, 'exported');
  expect(system.numbered(invoice.invoice_id)).toHaveLength(1);
});

test('a settlement that accounting did not take is not sent by a later mapping when its approval was taken back, or it was voided', async () => {
  const { biller } = books;
  const put = (id: string, name: string) => biller.must('PUT', biller.path(`/settlements/${id}/${name}`), {});
  const exported = async (id: string) => (await biller.must('GET', biller.path(`/settlements/${id}`))).integration_settlement_export;
  const send = async (id: string, state: string) => {
    expect((await biller.http('POST', biller.path(`/settlements/${id}/export`))).status).toBe(202);
    await until(async () => (await exported(id)).state === state);
  };
  const made = await Promise.all(['10', '20'].map(async (tons) => settle(books, [await approvedInvoice(books, [tons], { order })])));
  const [corrected, voided] = made as [Json, Json];
  for (const { id } of made) {
    await put(id, 'approve');
    await send(id, 'failed');
  }
  await put(voided.id, 'void');
  await put(corrected.id, 'unapprove');
  await put(corrected.id, 'approve');
  await system.map();
  await books.app.settled();
  for (const { id } of made) expect(await exported(id)).toMatchObject({ state: 'not_exported', last_error: null });
  expect(system.got.size).toBe(0);
  // Whoever wants it there asks again.
  await send(corrected.id, 'exported');
  expect([...system.got.values()].map(({ document }) => document.number)).toEqual([corrected.settlement_id]);
});
