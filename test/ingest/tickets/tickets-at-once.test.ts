import { expect, test } from '@jest/globals';
import type { ClaimedRecord } from '../../../src/ingest/importer.ts';
import { batchTx, openEffect } from '../../../src/ingest/ledger/effect.ts';
import { ticketImporter } from '../../../src/ingest/tickets/import-ticket.ts';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { newId } from '../../../src/platform/ids.ts';
import { untilWaiting } from '../../helpers/until.ts';
import { codes, hauling, payload } from './haul.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const { at, sql, haul, loadsOf, send } = hauling();

test('two tickets never take one load, in one batch or in concurrent batches', async () => {
  const order = await haul({ loads: 20, dispatch: 'D-20' });
  const batches = Array.from({ length: 4 }, (_, b) =>
    Array.from({ length: 10 }, (_, i) =>
      payload({ ticket_number: `B${b}-${i}`, ...(i % 2 ? { platform_order_id: order.id } : { dispatch_number: 'D-20' }) }),
    ),
  );
  const answers = await Promise.all(batches.map((tickets) => at.tenant.http('POST', '/ingest/tickets', { tickets })));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
  await at.app.settled();
  const [counted] = await sql(
    `select count(*)::int as all, count(load_id)::int as linked, count(distinct load_id)::int as loads from ticket where company_id = $1`,
    [at.tenant.company.id],
  );
  expect(counted).toEqual({ all: 40, linked: 20, loads: 20 });
});

test('a batch waits for another that looks for loads of the same order, and takes the next one', async () => {
  const order = await haul({ loads: 3 });
  const begin = async (numbers: string[]) => {
    const em = at.app.orm.em.fork({ clear: true });
    await em.begin();
    const { now, company } = await openEffect(em, at.tenant.company.id, 20);
    const tx = batchTx({ em, now, company, claimed: [], numbers: async () => 0 }, new Map());
    const records = numbers.map((number): ClaimedRecord => {
      const createdBy = { type: 'System', id: at.tenant.company.id, name: 'Test' } as const;
      const about = { id: newId(), companyId: at.tenant.company.id, kind: 'ticket', attempt: 1, requestId: 'r', mayEdit: true } as const;
      return { ...about, createdBy, importedFor: number, payload: payload({ ticket_number: number, platform_order_id: order.id }) };
    });
    return { em, apply: () => ticketImporter.apply(tx, records) };
  };
  const [first, second] = [await begin(['A-1', 'A-2']), await begin(['B-1', 'B-2'])];
  await first.apply();
  let done = false;
  const waiting = second.apply().then((outcomes) => {
    done = true;
    return outcomes;
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(done).toBe(false);
  await first.em.commit();
  expect((await waiting).map((outcome) => ('warnings' in outcome ? outcome.warnings!.map(({ code }) => code) : outcome.state))).toEqual([
    [],
    ['no_load_left'],
  ]);
  await second.em.commit();
  const rows = await sql('select ticket_number, load_id from ticket where company_id = $1 order by ticket_number', [at.tenant.company.id]);
  const loads = await loadsOf(order);
  expect(rows.map(({ load_id }: Json) => load_id)).toEqual([...loads.map(({ id }) => id), null]);
});

test('a batch of one and a batch of fifty take the same number of statements', async () => {
  const batch = async (tag: string, size: number) => {
    const order = await haul({ loads: 5, recurring: true });
    const tickets = Array.from({ length: size }, (_, i) =>
      payload({ ticket_number: `${tag}-${i}`, platform_order_id: order.id, material: 'Gravel', site: 'Quarry' }),
    );
    const { statements } = await at.app.countStatements(() =>
      at.tenant.http('POST', '/ingest/tickets', { tickets }).then(() => at.app.settled()),
    );
    return statements.filter((text) => /ticket|load |orders|job |material|site|equipment/.test(text) && !/import_|imported_/.test(text))
      .length;
  };
  const one = await batch('a', 1);
  const many = await batch('b', 50);
  // The fiftieth ticket needs loads appended, the first one did not.
  expect([one > 0, many <= one + 1]).toEqual([true, true]);
  const [{ count }] = await sql('select count(*)::int as count from ticket where company_id = $1 and load_id is not null', [
    at.tenant.company.id,
  ]);
  expect(count).toBe(51);
});

test('a ticket that is sent again while a person links it warns of nothing that the link answers', async () => {
  const ticket = payload({ dispatch_number: 'D-1', unit_of_measure: 'lb' });
  const first = await send(ticket);
  expect(codes(first).sort()).toEqual(['unit_converted', 'unknown_dispatch_number']);
  const [load] = await loadsOf(await haul());
  const holder = await (await poolOf(at.app.orm.em.fork())).connect();
  try {
    await holder.query('begin');
    await holder.query('select from ticket where id = $1 for update', [first.result_id]);
    const linking = at.tenant.must('PATCH', `/v1/tickets/${first.result_id}`, { load_id: load.id });
    await untilWaiting(at.app, 1);
    const sending = send(ticket);
    await untilWaiting(at.app, 2);
    await holder.query('commit');
    expect(await linking).toMatchObject({ load_id: load.id });
    expect(await sending).toMatchObject({ last_error: 'duplicate', result_id: first.result_id });
    expect(codes(await sending)).toEqual(['unit_converted']);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
});

test('a ticket that is sent again waits for its order before it holds the ticket, so that whoever has the order gets the ticket', async () => {
  const ticket = payload({ dispatch_number: 'D-1' });
  const first = await send(ticket);
  expect(codes(first)).toEqual(['unknown_dispatch_number']);
  const order = await haul({ dispatch: 'D-1' });
  const holder = await (await poolOf(at.app.orm.em.fork())).connect();
  try {
    await holder.query('begin');
    await holder.query('select from orders where id = $1 for update', [order.id]);
    const sending = send(ticket);
    await untilWaiting(at.app, 1);
    const { rows } = await holder.query('select id from ticket where id = $1 for update nowait', [first.result_id]);
    expect(rows).toEqual([{ id: first.result_id }]);
    await holder.query('commit');
    expect(await sending).toMatchObject({ state: 'processed', result_id: first.result_id, last_error: null });
    expect((await at.tenant.must('GET', `/v1/tickets/${first.result_id}`)).order_id).toBe(order.id);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
});
