import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { Arg, buildSchemaSync, Ctx, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { emitEvent, transact } from '../../../../src/platform/commands/transact.ts';
import type { Context, Viewer } from '../../../../src/platform/context.ts';
import { Conflict } from '../../../../src/platform/errors.ts';
import { deleteExpiredKeys } from '../../../../src/platform/http/rest/idempotency.ts';
import { newId } from '../../../../src/platform/ids.ts';
import { freshDatabase } from '../../../helpers/database.ts';
import { contextOf, makeWorld, openSandbox, run, SandHeap, type World } from '../../sandbox.ts';
import { documentFolder, logged, openPileServer, send as sendTo } from './pile-server.ts';

@ObjectType({ simpleResolvers: true })
class Heap {
  @Field(() => ID) id!: string;
  @Field(() => String) name!: string;
}
@InputType()
class CreateHeapInput {
  @Field(() => String) name!: string;
}

/** The fate of the next request, set by tests: it waits, or dies, at a place. */
let gate: Promise<void> | undefined;
let dieAfterCommit = false;
let ran = 0;

@Resolver()
class Heaps {
  @Query(() => String)
  nothing(): string {
    return '';
  }

  @Mutation(() => Heap)
  async createHeap(@Ctx() ctx: Context, @Arg('input', () => CreateHeapInput) input: CreateHeapInput): Promise<Heap> {
    const made = await transact(ctx, async (tx) => {
      ran++;
      if (input.name === 'full') throw new Conflict([{ model: 'Heap', field: 'name', key: 'required' }]);
      const heap = tx.em.create(SandHeap, {
        name: input.name,
        company: ctx.viewer?.companyId as never,
        state: 'created',
        version: 1,
        updatedAt: new Date(),
      });
      emitEvent(tx, 'heap.create', heap);
      await gate;
      return heap;
    });
    if (dieAfterCommit) throw new Error('kill -9');
    return ctx.em.fork().findOneOrFail(SandHeap, { id: made.id }, { filters: false }) as unknown as Promise<Heap>;
  }
}

let orm: MikroORM;
let world: World;
let viewer: Viewer;
let server: Awaited<ReturnType<typeof openPileServer>>;
beforeAll(async () => {
  orm = await openSandbox(await freshDatabase());
  server = await openPileServer({
    schema: buildSchemaSync({ resolvers: [Heaps], validate: false }),
    directory: documentFolder({
      'sand/CreateHeap.graphql':
        'mutation CreateHeap($input: CreateHeapInput! @body) @rest(method: POST, path: "/v1/heaps", status: 201) { data: createHeap(input: $input) { id name } }',
    }),
    idempotency: {},
    contextFor: async () => ({ ...contextOf(world), viewer, em: orm.em.fork() }),
  });
});
afterAll(async () => {
  await server.close();
  await orm.close(true);
});
beforeEach(async () => {
  world = await makeWorld(orm);
  viewer = contextOf(world).viewer as Viewer;
  gate = undefined;
  dieAfterCommit = false;
  ran = 0;
  logged.length = 0;
});

const post = (key: string, body: unknown = { name: 'north' }, path = '/v1/heaps') =>
  sendTo(server.port, 'POST', path, body, { 'idempotency-key': key });
const heaps = async () => (await run<{ name: string }>(orm, 'select name from sand_heap where company_id = ?', [world.mine.id])).length;

test('the same key and body replay the stored answer', async () => {
  const first = await post('k');
  expect([first.status, first.headers['idempotency-replayed']]).toEqual([201, undefined]);
  const second = await post('k', '{ "name" : "north" }');
  expect([second.status, second.headers['idempotency-replayed'], second.body]).toEqual([201, 'true', first.body]);
  expect([ran, await heaps()]).toEqual([1, 1]);
});

test('another body or path with the same key is 422 and names the key', async () => {
  await post('k');
  for (const reply of [await post('k', { name: 'south' }), await post('k', { name: 'north' }, '/v1/heaps?x=1')]) {
    expect([reply.status, reply.body.error.errors]).toEqual([
      422,
      [{ model: 'Request', field: 'Idempotency-Key', message: 'was used before for a different request' }],
    ]);
  }
  expect(ran).toBe(1);
});

test('a concurrent copy is 409 while the first is running, and is replayed afterwards', async () => {
  let open = () => {};
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const first = post('k');
  while (ran === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const twin = await post('k');
  expect([twin.status, twin.body.error.errors[0].field]).toEqual([409, 'Idempotency-Key']);
  open();
  expect((await first).status).toBe(201);
  expect((await post('k')).headers['idempotency-replayed']).toBe('true');
  expect(await heaps()).toBe(1);
});

test('twenty concurrent copies are executed once', async () => {
  const replies = await Promise.all(Array.from({ length: 20 }, () => post('k')));
  expect(replies.filter((r) => r.status === 201 && !r.headers['idempotency-replayed'])).toHaveLength(1);
  expect(new Set(replies.map((r) => r.status)).size).toBeLessThanOrEqual(2);
  expect(await heaps()).toBe(1);
});

test('keys belong to one client in one company', async () => {
  await post('k');
  viewer = { ...viewer, id: newId() };
  expect((await post('k', { name: 'other client' })).status).toBe(201);
  viewer = { ...viewer, companyId: world.child.id };
  expect((await post('k', { name: 'other company' })).status).toBe(201);
});

test('a refusal is stored, an internal error is not', async () => {
  expect((await post('k', { name: 'full' })).status).toBe(409);
  const again = await post('k', { name: 'full' });
  expect([again.status, again.headers['idempotency-replayed'], ran]).toEqual([409, 'true', 1]);
  expect((await post('bad', {})).status).toBe(422);
  expect((await post('bad', { name: 'well now' })).status).toBe(201);
});

test('after a crash behind the commit, the repeated request finds the record and does not create it again', async () => {
  dieAfterCommit = true;
  expect((await post('k')).status).toBe(500);
  expect(await heaps()).toBe(1);
  dieAfterCommit = false;
  const again = await post('k');
  expect([again.status, again.body.data.name]).toEqual([201, 'north']);
  expect([ran, await heaps()]).toEqual([1, 1]);
  expect((await post('k')).headers['idempotency-replayed']).toBe('true');
});

test('after a crash before the commit, the lease ends, and the repeated request is executed', async () => {
  let open = () => {};
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const dead = post('k');
  while (ran === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect((await post('k')).status).toBe(409);
  await run(orm, "update idempotency_key set lease_until = now() - interval '1 second' where company_id = ?", [world.mine.id]);
  // The row is taken over while the first run still hangs in its transaction.
  const heir = post('k');
  while (ran === 1) await new Promise((resolve) => setTimeout(resolve, 5));
  open();
  const outcomes = await Promise.all([dead, heir]);
  // The overtaken run fails in settle, or on the unique name the heir has committed meanwhile.
  expect([outcomes[0]?.status !== 201, outcomes[1]?.status]).toEqual([true, 201]);
  expect(await heaps()).toBe(1);
});

test('expired keys are deleted and may be used again', async () => {
  await post('k');
  await run(orm, "update idempotency_key set expires_at = now() - interval '1 second' where company_id = ?", [world.mine.id]);
  expect((await post('k', { name: 'south' })).status).toBe(201);
  await run(orm, "update idempotency_key set expires_at = now() - interval '1 second' where company_id = ?", [world.mine.id]);
  expect(await deleteExpiredKeys(orm.em.fork())).toBeGreaterThanOrEqual(1);
});

test('a malformed key is 400', async () => {
  expect((await post('x'.repeat(256))).status).toBe(400);
  expect((await post('with space')).body.error.errors[0].field).toBe('Idempotency-Key');
});
