import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { allow, companyOf, find, viewerOf } from '../../../src/platform/authz/authorization.ts';
import { resolveReference, resolveReferences } from '../../../src/platform/authz/references.ts';
import { transact } from '../../../src/platform/commands/transact.ts';
import type { Context } from '../../../src/platform/context.ts';
import { tenantScope } from '../../../src/platform/database/tenant.ts';
import { Denied, type ErrorItem, Invalid, Missing, Unauthenticated } from '../../../src/platform/errors.ts';
import { newId } from '../../../src/platform/ids.ts';
import { freshDatabase } from '../../helpers/database.ts';
import { addHeap, contextOf, makeWorld, openSandbox, SandCompany, SandHeap, type World } from '../sandbox.ts';

tenantScope('SandCompany', (companies) => ({ id: companies }));

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

test('a request without a token gets no hint at what is wrong', () => {
  expect(() => viewerOf({ ...ctx, viewer: undefined })).toThrow(new Unauthenticated('missing_token'));
  expect(() => viewerOf({ ...ctx, viewer: undefined, authError: 'invalid_token' })).toThrow(
    expect.objectContaining({ errorType: 'invalid_token' }),
  );
});

test('a missing permission is a denial', () => {
  expect(allow(ctx, 'edit_heap')).toBe(ctx.viewer);
  expect(allow(ctx, 'sell_heap', 'edit_heap')).toBe(ctx.viewer);
  expect(() => allow(ctx, 'sell_heap')).toThrow(Denied);
});

test('own and child records are visible; foreign and absent ones are both missing', async () => {
  const own = await addHeap(world, world.mine);
  const child = await addHeap(world, world.child);
  const foreign = await addHeap(world, world.foreign);
  expect((await find(ctx, SandHeap, own)).id).toBe(own);
  expect((await find(ctx, SandHeap, own.toUpperCase())).id).toBe(own);
  expect((await find(ctx, SandHeap, child)).id).toBe(child);
  for (const id of [foreign, newId(), 'nonsense', '', `${own}'`, '\0']) await expect(find(ctx, SandHeap, id)).rejects.toThrow(Missing);
});

test('a company-scoped path shows that company only', async () => {
  const own = await addHeap(world, world.mine);
  const child = await addHeap(world, world.child);
  expect((await find(ctx, SandHeap, child, { companyId: world.child.id })).id).toBe(child);
  // Also when the record is already loaded.
  await find(ctx, SandHeap, own);
  await expect(find(ctx, SandHeap, own, { companyId: world.child.id })).rejects.toThrow(Missing);
  await expect(find(ctx, SandHeap, own, { companyId: world.foreign.id })).rejects.toThrow(Missing);
  await expect(find(ctx, SandHeap, own, { companyId: 'nonsense' })).rejects.toThrow(Missing);
  expect(companyOf(ctx)).toBe(world.mine.id);
  expect(companyOf(ctx, world.child.id.toUpperCase())).toBe(world.child.id);
  expect(() => companyOf(ctx, world.foreign.id)).toThrow(Missing);
});

test("work passed on to one of the caller's companies is visible and lockable, if the companies receive work", async () => {
  const lent = await addHeap(world, world.foreign, { lentTo: world.child.id });
  await expect(find(ctx, SandHeap, lent)).rejects.toThrow(Missing);
  const receiving = contextOf(world, { receivesWork: true });
  expect((await find(receiving, SandHeap, lent)).id).toBe(lent);
  expect((await find(receiving, SandHeap, lent, { companyId: world.child.id })).id).toBe(lent);
  await expect(find(receiving, SandHeap, lent, { companyId: world.mine.id })).rejects.toThrow(Missing);
  await transact(receiving, async (tx) => {
    (await find(tx, SandHeap, lent, { lock: true })).secret = 'seen';
  });
  expect((await find(contextOf(world, { receivesWork: true }), SandHeap, lent)).secret).toBe('seen');
  // Changing by statement stays with the owner.
  expect(await receiving.em.nativeUpdate(SandHeap, { id: lent }, { name: 'taken' })).toBe(0);
});

test('without companies no query of a tenant table runs', async () => {
  await expect(orm.em.fork().find(SandHeap, {})).rejects.toThrow('tenant fence');
  await expect(orm.em.fork().nativeDelete(SandHeap, { name: 'x' })).rejects.toThrow('tenant fence');
  const nobody = contextOf(world, { companyIds: [] });
  expect(await nobody.em.find(SandHeap, {})).toEqual([]);
});

test('an entity may define how it belongs to companies', async () => {
  expect((await find(ctx, SandCompany, world.child.id)).name).toBe('child');
  await expect(find(ctx, SandCompany, world.foreign.id)).rejects.toThrow(Missing);
});

test('ids inside inputs are limited to visible records; absent and null stay as they are', async () => {
  class UpdateHeapInput {
    neighbourId?: string | null;
  }
  const input = (neighbourId?: string | null) => Object.assign(new UpdateHeapInput(), neighbourId === undefined ? {} : { neighbourId });
  const own = await addHeap(world, world.mine);
  const foreign = await addHeap(world, world.foreign);
  expect((await resolveReference(ctx, SandHeap, input(own), 'neighbourId'))?.id).toBe(own);
  expect(await resolveReference(ctx, SandHeap, input(null), 'neighbourId')).toBeNull();
  expect(await resolveReference(ctx, SandHeap, input(), 'neighbourId')).toBeUndefined();
  for (const id of [foreign, newId(), 'nonsense', '']) {
    const refused = resolveReference(ctx, SandHeap, input(id), 'neighbourId', { path: 'heaps.0.' });
    await expect(refused).rejects.toThrow(Invalid);
    await expect(refused).rejects.toMatchObject({ items: [{ model: 'Heap', field: 'heaps.0.neighbourId', key: 'must_exist' }] });
  }
  await expect(resolveReference(ctx, SandHeap, input(own), 'neighbourId', { companyId: world.child.id })).rejects.toThrow(Invalid);
});

test('all ids of an input are resolved together, and all wrong ones are reported at once', async () => {
  const [a, b, foreign] = [await addHeap(world, world.mine), await addHeap(world, world.child), await addHeap(world, world.foreign)];
  const good = { neighbourId: a, heapIds: [b, a, b], stops: [{ heapId: a }, {}, { heapId: null }] };
  const wishes = {
    neighbour: [SandHeap, 'neighbourId'],
    heaps: [SandHeap, 'heapIds'],
    stops: [SandHeap, 'stops.*.heapId'],
    none: [SandHeap, 'noneId'],
  } as const;
  const found = await resolveReferences(ctx, good, wishes);
  expect(found.neighbour?.id).toBe(a);
  expect(found.heaps?.map((h) => h.id)).toEqual([b, a, b]);
  expect(found.stops.map((h) => h?.id)).toEqual([a, undefined, undefined]);
  expect([found.stops[1], found.stops[2], found.none]).toEqual([undefined, null, undefined]);

  const bad = { neighbourId: 'x', heapIds: [a, foreign], stops: [{ heapId: a }, { heapId: newId() }] };
  const items: ErrorItem[] = [];
  await resolveReferences(ctx, bad, wishes, { model: 'Heap', items });
  expect(items.map((i) => [i.model, i.field, i.key])).toEqual([
    ['Heap', 'neighbourId', 'must_exist'],
    ['Heap', 'heapIds.1', 'must_exist'],
    ['Heap', 'stops.1.heapId', 'must_exist'],
  ]);
  await expect(resolveReferences(ctx, bad, wishes, { model: 'Heap' })).rejects.toMatchObject({ status: 422, items });
});
