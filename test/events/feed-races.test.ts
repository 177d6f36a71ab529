import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { runs } from '../helpers/properties.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { feedOf, Replica, snapshotOf } from './follower.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
let materials: string[];
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  materials = await Promise.all(
    Array.from({ length: 4 }, async (_, i) => (await tenant.must('POST', '/v1/materials', { name: `Material ${i}` })).id),
  );
});
afterAll(() => app.close());

/** A transaction that is open while others begin and end. */
interface Writer {
  /** The turn in which it begins, and how many turns it stays open. */
  begins: number;
  lasts: number;
  /** The records that it changes, in the order of their places, so that no two wait for each other. */
  changes: number[];
  fails: boolean;
}
const writer: fc.Arbitrary<Writer> = fc.record({
  begins: fc.nat({ max: 12 }),
  lasts: fc.nat({ max: 8 }),
  changes: fc.uniqueArray(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 }).map((places) => places.sort()),
  fails: fc.boolean(),
});

/** A transaction on a connection of its own. What waits for the lock of another one goes on when that one ends. */
async function open({ changes }: Writer, text: string): Promise<(fails: boolean) => Promise<void>> {
  const em = app.orm.em.fork();
  await em.begin();
  const run = (sql: string, values: unknown[]) => em.getConnection().execute(sql, values, 'run', em.getTransactionContext());
  const work = (async () => {
    for (const place of changes)
      await run('update material set name = ?, updated_at = now() where id = ?', [`${text} ${place}`, materials[place]]);
    await run('insert into service_class (id, company_id, name) values (gen_random_uuid(), ?, ?)', [tenant.company.id, text]);
  })();
  return async (fails) => {
    await work;
    await (fails ? em.rollback() : em.commit());
  };
}

test('a copy that follows while transactions commit in any order equals the database, and nothing is added behind what was read', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(writer, { minLength: 3, maxLength: 7 }), fc.integer({ min: 1, max: 4 }), async (writers, limit) => {
      run++;
      const replica = await new Replica(tenant).begin();
      const start = replica.position;
      const seen: string[] = [];
      const follow = async () => {
        const before = replica.position;
        await replica.follow(limit);
        seen.push(...(await entries(before, replica.position)));
      };
      const ends: { turn: number; end: () => Promise<void> }[] = [];
      const ending: Promise<void>[] = [];
      for (let turn = 0; turn <= 21; turn++) {
        for (const [i, one] of writers.entries())
          if (one.begins === turn) {
            const end = await open(one, `run ${run} writer ${i}`);
            ends.push({ turn: turn + one.lasts, end: () => end(one.fails) });
          }
        for (const one of ends) if (one.turn === turn) ending.push(one.end());
        if (turn % 3 === 0) await follow();
      }
      await Promise.all(ending);
      await follow();
      expect(seen).toEqual(await entries(start, replica.position));
      const fresh = await snapshotOf(tenant);
      expect(fresh[0].position).toBe(replica.position);
      const database = new Map(fresh.slice(1, -1).map(({ type, id, record }: Json) => [`${type} ${id}`, record]));
      expect(new Map([...replica.records].sort())).toEqual(new Map([...database].sort()));
    }),
    { numRuns: runs(6) },
  );
}, 60_000);

/** Reads the entries of the feed after one position up to another one, at once. */
async function entries(after: string, upTo: string): Promise<string[]> {
  const found: string[] = [];
  for (let position = after, more = true; more; ) {
    const { body } = await feedOf(tenant, `?after=${position}&limit=100`);
    found.push(...body.data.map((one: Json) => `${one.position} ${one.type} ${one.id} ${one.event}`));
    position = body.meta.position;
    more = body.meta.has_more;
  }
  const last = Number(upTo.split('-')[0]);
  return found.filter((one) => Number(one.split('-')[0]) <= last);
}

test('an open transaction delays no other, and its own changes come behind those that were committed before it', async () => {
  const replica = await new Replica(tenant).begin();
  const end = await open({ begins: 0, lasts: 0, changes: [0], fails: false }, 'slow');
  await tenant.must('PATCH', `/v1/materials/${materials[1]}`, { name: 'Quick' });
  expect(await replica.follow()).toEqual(['Material update']);
  await end(false);
  expect((await replica.follow()).sort()).toEqual(['Material update', 'ServiceClass create']);
  expect(replica.records.get(`Material ${materials[0]}`).name).toBe('slow 0');
});
