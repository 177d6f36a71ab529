import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { find } from '../../../src/platform/authz/authorization.ts';
import { afterCommit, emitEvent, transact } from '../../../src/platform/commands/transact.ts';
import { defineUnique } from '../../../src/platform/commands/unique.ts';
import type { Context } from '../../../src/platform/context.ts';
import { Decimal } from '../../../src/platform/decimal.ts';
import { Conflict, Invalid, PreconditionFailed } from '../../../src/platform/errors.ts';
import { defineMachine } from '../../../src/platform/state/machine.ts';
import { freshDatabase } from '../../helpers/database.ts';
import { addHeap, contextOf, makeWorld, openSandbox, run, SandCompany, SandHeap, type World } from '../sandbox.ts';

defineUnique('sand_heap_name_key', { model: 'SandHeap', field: 'name' }).register();
const heaps = defineMachine({
  model: 'SandHeap',
  states: ['created', 'sold'],
  initial: ['created'],
  terminal: ['sold'],
  happened: { sell: 'sold' },
  events: { sell: [{ from: ['created'], to: 'sold' }] },
});

let orm: MikroORM;
let world: World;
let ctx: Context;
beforeAll(async () => {
  orm = await openSandbox(await freshDatabase());
});
afterAll(() => orm.close(true));
beforeEach(async () => {
  world = await makeWorld(orm);
  ctx = contextOf(world);
});

const rowsOf = (table: string) =>
  run<Record<string, unknown>>(orm, `select * from ${table} where company_id = ? order by created_at, id`, [world.mine.id]);

test('one command writes record, transition, audit and outbox rows together, with the same author', async () => {
  const id = await addHeap(world, world.mine, { name: 'north' });
  const answer = await transact(ctx, async (tx) => {
    const heap = await find(tx, SandHeap, id, { lock: true });
    heaps.fire(tx, heap, 'sell');
    heap.weight = new Decimal('12.50');
    emitEvent(tx, 'sand_heap.weighed', heap, { weight: '12.5' });
    expect(await rowsOf('outbox_event')).toEqual([]);
    return heap.name;
  });
  expect(answer).toBe('north');
  const by = { created_by_type: 'User', created_by_id: ctx.viewer?.id, created_by_name: 'Ada Gravel', request_id: 'r-1' };
  const subject = { company_id: world.mine.id, subject_type: 'SandHeap', subject_id: id };
  expect(await rowsOf('transition')).toEqual([
    expect.objectContaining({ ...by, ...subject, event: 'sell', from_state: 'created', to_state: 'sold' }),
  ]);
  expect(await rowsOf('audit_entry')).toEqual([
    expect.objectContaining({ ...by, ...subject, event: 'update', object_changes: { state: ['created', 'sold'], weight: [null, '12.5'] } }),
  ]);
  expect(
    await run<Record<string, unknown>>(orm, 'select * from outbox_event where company_id = ? order by position', [world.mine.id]),
  ).toEqual([
    expect.objectContaining({
      ...by,
      ...subject,
      name: 'sand_heap.sold',
      payload: { previous_state: 'created', state: 'sold', state_event: 'sell' },
    }),
    expect.objectContaining({ ...by, ...subject, name: 'sand_heap.weighed', payload: { weight: '12.5' } }),
  ]);
});

test('an error leaves nothing behind and runs no effect', async () => {
  const id = await addHeap(world, world.mine);
  let ran = false;
  await expect(
    transact(ctx, async (tx) => {
      const heap = await find(tx, SandHeap, id, { lock: true });
      heaps.fire(tx, heap, 'sell');
      afterCommit(tx, () => {
        ran = true;
      });
      await tx.em.flush();
      throw new Error('flat tyre');
    }),
  ).rejects.toThrow('flat tyre');
  expect([await rowsOf('transition'), await rowsOf('audit_entry'), await rowsOf('outbox_event'), ran]).toEqual([[], [], [], false]);
  expect((await find(ctx, SandHeap, id)).state).toBe('created');
});

test('effects after commit see the committed rows, in order', async () => {
  const id = await addHeap(world, world.mine);
  const order: number[] = [];
  await transact(ctx, async (tx) => {
    heaps.fire(tx, await find(tx, SandHeap, id, { lock: true }), 'sell');
    afterCommit(tx, () => order.push(1));
    afterCommit(tx, () => order.push(2));
    expect(order).toEqual([]);
  });
  expect(order).toEqual([1, 2]);
});

test('a nested command joins: one transaction, and its failure undoes all', async () => {
  const id = await addHeap(world, world.mine);
  const sell = (c: Context) =>
    transact(c, async (tx) => {
      const heap = await find(tx, SandHeap, id, { lock: true });
      heaps.fire(tx, heap, 'sell');
      return tx.em;
    });
  await expect(
    transact(ctx, async (tx) => {
      const heap = await find(tx, SandHeap, id, { lock: true });
      heap.secret = 'pending';
      expect(await sell(tx)).toBe(tx.em);
      // The lock of the nested command did not throw away the pending change.
      expect(heap.secret).toBe('pending');
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect((await find(ctx, SandHeap, id)).state).toBe('created');
});

test('what a client has seen of a record is compared when the record is written, also if the command did not lock it', async () => {
  const id = await addHeap(world, world.mine, { name: 'seen' });
  const { updatedAt } = await find(ctx, SandHeap, id);
  const expecting = { ...contextOf(world), expects: { id, updatedAt: updatedAt.getTime() } };
  const late = transact(expecting, async (tx) => {
    const heap = await find(tx, SandHeap, id);
    await run(orm, `update sand_heap set name = 'of another', updated_at = now(), version = version + 1 where id = ?`, [id]);
    heap.name = 'late';
  });
  await expect(late).rejects.toBeInstanceOf(PreconditionFailed);
  const written = () => run<Record<string, unknown>>(orm, 'select name, secret from sand_heap where id = ?', [id]);
  expect(await written()).toEqual([{ name: 'of another', secret: null }]);
  // What the command itself has written is no change of others.
  const again = { ...contextOf(world), expects: { id, updatedAt: (await find(contextOf(world), SandHeap, id)).updatedAt.getTime() } };
  await transact(again, async (tx) => {
    const heap = await find(tx, SandHeap, id);
    heap.name = 'written';
    await tx.em.flush();
    (await find(tx, SandHeap, id, { lock: true })).secret = 'twice';
  });
  expect(await written()).toEqual([{ name: 'written', secret: 'twice' }]);
});

test('what a client has seen of a record is compared without a lock until the command locks it', async () => {
  const id = await addHeap(world, world.mine, { name: 'seen' });
  const expecting = { ...contextOf(world), expects: { id, version: 1 } };
  const lockable = () => run(orm, 'select from sand_heap where id = ? for update skip locked', [id]);
  const rows = await transact(expecting, async (tx) => {
    await find(tx, SandHeap, id);
    const free = await lockable();
    await find(tx, SandHeap, id, { lock: true });
    return [free.length, (await lockable()).length];
  });
  expect(rows).toEqual([1, 0]);
  await expect(transact({ ...expecting, expects: { id, version: 0 } }, (tx) => find(tx, SandHeap, id))).rejects.toBeInstanceOf(
    PreconditionFailed,
  );
});

test('creating and removing are audited, without secrets', async () => {
  const id = await transact(ctx, async (tx) => {
    const heap = tx.em.create(SandHeap, { company: tx.em.getReference(SandCompany, world.mine.id), name: 'new', secret: 'hush' } as never);
    return heap.id;
  });
  await transact(ctx, async (tx) => {
    tx.em.remove(await find(tx, SandHeap, id, { lock: true }));
  });
  const rows = await rowsOf('audit_entry');
  expect(rows.map((r) => [r.event, r.object_changes])).toEqual([
    ['create', expect.objectContaining({ company_id: [null, world.mine.id], name: [null, 'new'], state: [null, 'created'] })],
    ['destroy', expect.objectContaining({ name: ['new', null], state: ['created', null] })],
  ]);
  expect(JSON.stringify(rows)).not.toContain('hush');
});

test('a known unique constraint is a 422 on its field, an unknown one is not translated', async () => {
  await addHeap(world, world.mine, { name: 'twin' });
  const again = transact(ctx, async (tx) => {
    tx.em.create(SandHeap, { company: tx.em.getReference(SandCompany, world.mine.id), name: 'twin' } as never);
  });
  await expect(again).rejects.toThrow(Invalid);
  await expect(again).rejects.toMatchObject({ items: [{ model: 'SandHeap', field: 'name', key: 'taken' }] });
});

test('a version changed by somebody else is a conflict', async () => {
  const id = await addHeap(world, world.mine);
  await expect(
    transact(ctx, async (tx) => {
      const heap = await find(tx, SandHeap, id);
      heap.secret = 'mine';
      await run(orm, 'update sand_heap set version = version + 1 where id = ?', [id]);
    }),
  ).rejects.toMatchObject({ status: 409, items: [{ model: 'SandHeap', field: 'version', key: 'stale_version' }] });
  expect(Conflict).toBeDefined();
});

test('two commands that deadlock both succeed: the loser runs again', async () => {
  const [a, b] = [await addHeap(world, world.mine), await addHeap(world, world.mine)];
  let waiting = 0;
  const meet = async () => {
    waiting++;
    for (let i = 0; i < 100 && waiting < 2; i++) await new Promise((r) => setTimeout(r, 5));
  };
  let runs = 0;
  const both = (first: string, second: string, name: string) =>
    transact(contextOf(world), async (tx) => {
      runs++;
      (await find(tx, SandHeap, first, { lock: true })).secret = name;
      await meet();
      (await find(tx, SandHeap, second, { lock: true })).secret = name;
    });
  await Promise.all([both(a, b, 'ab'), both(b, a, 'ba')]);
  // A machine that is busy may wake the winner so late that the loser is back before it, and loses once more.
  expect(runs).toBeGreaterThanOrEqual(3);
  const rows = await run<{ secret: string }>(orm, 'select distinct secret from sand_heap where id in (?, ?)', [a, b]);
  expect(rows).toHaveLength(1);
});

test('locked records wait for each other: no increment is lost', async () => {
  const id = await addHeap(world, world.mine, { secret: '0' });
  await Promise.all(
    Array.from({ length: 8 }, () =>
      transact(contextOf(world), async (tx) => {
        const heap = await find(tx, SandHeap, id, { lock: true });
        heap.secret = String(Number(heap.secret) + 1);
      }),
    ),
  );
  expect((await find(contextOf(world), SandHeap, id)).secret).toBe('8');
});

test('a number too large for its column is a 422', async () => {
  const id = await addHeap(world, world.mine);
  await expect(
    transact(ctx, async (tx) => {
      (await find(tx, SandHeap, id, { lock: true })).weight = new Decimal('1e15');
    }),
  ).rejects.toMatchObject({ status: 422, items: [{ model: 'SandHeap', field: 'weight', key: 'decimal_out_of_range' }] });
});

test('now is the time of the database', async () => {
  const [before] = await run<{ now: string }>(orm, 'select clock_timestamp() as now');
  const now = await transact(ctx, async (tx) => tx.tx.now);
  expect(now.getTime()).toBeGreaterThanOrEqual(new Date(String(before?.now)).getTime() - 1);
});
