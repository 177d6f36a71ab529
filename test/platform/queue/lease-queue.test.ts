import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  claimSetSql,
  claimSql,
  type Leased,
  type LeaseQueueOptions,
  startLeaseQueue,
  startSetQueue,
} from '../../../src/platform/queue/lease-queue.ts';
import { freshDatabase } from '../../helpers/database.ts';

interface Job extends Leased {
  id: number;
}

let pool: pg.Pool;
beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await freshDatabase() });
  await pool.query('create table job (id int primary key, due_at timestamptz, attempts int not null default 0, error text)');
});
afterAll(() => pool.end());
beforeEach(() => pool.query('delete from job'));

const CLAIM = claimSql('job', { due: 'due_at', attempts: 'attempts' }, 'id, attempts');
const CLAIM_SET = claimSetSql('job', { due: 'due_at', attempts: 'attempts' }, 'id, attempts');
const add = (ids: number[], attempts = 0) =>
  pool.query(`insert into job select id, now() - interval '1 minute' + id * interval '1 ms', $2 from unnest($1::int[]) as i(id)`, [
    ids,
    attempts,
  ]);
/** With the seconds until each job is due, to the nearest five; null when it is done. */
const jobs = async () =>
  (
    await pool.query<{ id: number; attempts: number; error: string | null; seconds: number | null }>(
      'select id, attempts, error, 5 * round(extract(epoch from due_at - now()) / 5)::int as seconds from job order by id',
    )
  ).rows;

function start(options: Partial<LeaseQueueOptions<Job>> = {}) {
  const worked: number[] = [];
  const failed: [string, number | undefined][] = [];
  const end = ({ id }: Job, error: string | null) => pool.query('update job set due_at = null, error = $2 where id = $1', [id, error]);
  const queue = startLeaseQueue<Job>({
    name: 'job',
    tracing: undefined,
    slots: 2,
    lease: 60,
    claim: async (most, seconds) => (await pool.query<Job>(CLAIM, [most, seconds])).rows,
    work: async (job) => {
      worked.push(job.id);
      await end(job, null);
    },
    delayAfter: (attempts) => [10, 20][attempts - 1],
    postpone: ({ id }, seconds, error) =>
      pool.query(`update job set due_at = now() + $2 * interval '1 second', error = $3 where id = $1 and due_at is not null`, [
        id,
        seconds,
        error === undefined ? null : (error as Error).message,
      ]),
    giveUp: (job) => end(job, 'given up'),
    failed: (error, _job, again) => failed.push([(error as Error).message, again]),
    sweepEvery: 60_000,
    log: { warn: () => undefined },
    ...options,
  });
  return { queue, worked, failed };
}
const fail = async () => {
  throw new Error('the storage is away');
};

test('processes share the jobs of a table, and each job is done once', async () => {
  const ids = Array.from({ length: 30 }, (_, i) => i);
  await add(ids);
  const queues = [start(), start(), start()];
  // A task that one process claimed is done when that process is idle.
  for (const { queue } of [...queues, ...queues]) {
    queue.look();
    await queue.idle();
  }
  expect(queues.flatMap(({ worked }) => worked).sort((a, b) => a - b)).toEqual(ids);
  await Promise.all(queues.map(({ queue }) => queue.stop()));
});

test('the job that has waited longest is first', async () => {
  await add([3, 1, 2]);
  const { queue, worked } = start({ slots: 1 });
  await queue.idle();
  expect(worked).toEqual([1, 2, 3]);
  await queue.stop();
});

test('a job that fails is tried again after the next delay, and given up after the last', async () => {
  await add([1]);
  const { queue, failed } = start({ work: fail });
  const next = async () => {
    await pool.query('update job set due_at = now() where due_at is not null');
    queue.look();
    await queue.idle();
    return (await jobs())[0]!;
  };
  await queue.idle();
  expect((await jobs())[0]).toEqual({ id: 1, attempts: 1, error: 'the storage is away', seconds: 10 });
  expect(await next()).toMatchObject({ attempts: 2, seconds: 20 });
  expect(await next()).toEqual({ id: 1, attempts: 3, error: 'given up', seconds: null });
  expect(failed).toEqual([
    ['the storage is away', 10],
    ['the storage is away', 20],
    ['the storage is away', undefined],
  ]);
  await queue.stop();
});

test('a job that has taken down as many processes as it has tries is given up and not done', async () => {
  await add([1], 2);
  await add([2], 3);
  const { queue, worked } = start();
  await queue.idle();
  expect(worked).toEqual([1]);
  expect((await jobs()).map(({ error }) => error)).toEqual([null, 'given up']);
  await queue.stop();
});

test('a lease is renewed when a part of it has passed, and not at each step', async () => {
  await add([1]);
  let renewals = 0;
  const began = Date.now();
  const { queue } = start({
    lease: 0.6,
    work: async (_job, { renew }) => {
      for (let step = 0; step < 12; step++) await sleep(10).then(renew);
    },
    postpone: async () => void renewals++,
  });
  await queue.idle();
  // A twelfth of the lease is 50 ms.
  expect([renewals > 0, renewals <= (Date.now() - began) / 50]).toEqual([true, true]);
  await queue.stop();
});

test.each([
  ['at once', 0],
  ['with its lease', 60],
] as const)('a job whose process stops is due again %s', async (whenStopped, seconds) => {
  await add([1]);
  const begun = Promise.withResolvers<void>();
  // With one slot no other claim is under way, which would find the job that is due again.
  const { queue, failed } = start({
    slots: 1,
    whenStopped,
    work: async (_job, { signal }) => {
      begun.resolve();
      await sleep(60_000, undefined, { signal });
    },
  });
  await begun.promise;
  await queue.stop();
  expect(await jobs()).toEqual([{ id: 1, attempts: 1, error: null, seconds }]);
  expect(failed).toEqual([]);
});

test('jobs are done together, those that fail are tried again alone, and one that takes its process down does so alone the next time', async () => {
  await add([1, 2, 3, 4]);
  await add([5, 6], 1);
  await add([7], 3);
  const sets: number[][] = [];
  const failed: [number, string, number | undefined][] = [];
  const end = ({ id }: Job, error: string | null) => pool.query('update job set due_at = null, error = $2 where id = $1', [id, error]);
  const queue = startSetQueue<Job>({
    name: 'job',
    tracing: undefined,
    most: 10,
    lease: 60,
    claim: async (most, seconds) => (await pool.query<Job>(CLAIM_SET, [most, seconds])).rows,
    async work(set) {
      sets.push(set.map(({ id }) => id).sort());
      const wrong = new Map(set.filter(({ id }) => id === 2).map((job) => [job, new Error('has no price')]));
      for (const job of set) if (!wrong.has(job)) await end(job, null);
      // Everything that is done alone here fails as a whole.
      if (set.length === 1 && set[0]!.id === 6) throw new Error('the database is away');
      return wrong;
    },
    delayAfter: (attempts) => [10, 20][attempts - 1],
    postpone: ({ id }, seconds, error) =>
      pool.query(`update job set due_at = now() + $2 * interval '1 second', error = $3 where id = $1`, [
        id,
        seconds,
        (error as Error).message,
      ]),
    giveUp: (job) => end(job, 'given up'),
    failed: (error, { id }, again) => failed.push([id, (error as Error).message, again]),
    sweepEvery: 60_000,
    log: { warn: () => undefined },
  });
  await queue.idle();
  expect(sets).toEqual([[5], [6], [1, 2, 3, 4]]);
  expect(failed).toEqual([
    [6, 'the database is away', 20],
    [2, 'has no price', 10],
  ]);
  expect((await jobs()).map(({ id, error, seconds }) => [id, error, seconds])).toEqual(
    [...[1, 3, 4, 5].map((id) => [id, null, null]), [2, 'has no price', 10], [6, 'the database is away', 20], [7, 'given up', null]].sort(
      ([a], [b]) => Number(a) - Number(b),
    ),
  );
  await queue.stop();
});

test('a queue that gathers claims when it is asked, and goes on by itself only while more is due than it takes', async () => {
  await add([1, 2, 3, 4, 5]);
  const sets: number[][] = [];
  let claims = 0;
  const queue = startSetQueue<Job>({
    ...{ name: 'job', tracing: undefined, most: 2, lease: 60, gathers: true, sweepEvery: 60_000, log: { warn: () => undefined } },
    async claim(most, seconds) {
      claims++;
      return (await pool.query<Job>(CLAIM_SET, [most, seconds])).rows;
    },
    async work(set) {
      sets.push(set.map(({ id }) => id).sort());
      // A task that comes while the last set is worked waits until somebody asks.
      if (sets.length === 3) await add([6]);
      await pool.query('update job set due_at = null where id = any($1)', [set.map(({ id }) => id)]);
      return new Map();
    },
    ...{ delayAfter: () => 10, postpone: async () => undefined, giveUp: async () => undefined, failed: () => undefined },
  });
  await queue.idle();
  expect([sets, claims]).toEqual([[[1, 2], [3, 4], [5]], 3]);
  queue.look();
  await queue.idle();
  expect([sets.at(-1), claims]).toEqual([[6], 4]);
  // One that was tried before is claimed alone, and the others are not forgotten.
  await add([7], 1);
  await add([8]);
  queue.look();
  await queue.idle();
  expect(sets.slice(4)).toEqual([[7], [8]]);
  await queue.stop();
});

test('without a word on it, a failure is a failure while the process stops', async () => {
  await add([1]);
  const begun = Promise.withResolvers<void>();
  const { queue } = start({
    work: async () => {
      begun.resolve();
      await sleep(50);
      await fail();
    },
  });
  await begun.promise;
  await queue.stop();
  expect(await jobs()).toMatchObject([{ error: 'the storage is away', seconds: 10 }]);
});
