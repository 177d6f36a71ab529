import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { ConcurrencyGate } from '../../../src/platform/queue/concurrency-gate.ts';
import { type DrainOptions, startDrainer } from '../../../src/platform/queue/drainer.ts';
import { inProcessWaker } from '../../../src/platform/queue/in-process-waker.ts';
import { paced } from '../../../src/platform/queue/paced.ts';
import { Semaphore } from '../../../src/platform/queue/semaphore.ts';
import { startSweeper } from '../../../src/platform/queue/sweeper.ts';
import { until } from '../../helpers/until.ts';

test('wakes of one turn reach the listener once, after the turn', async () => {
  const waker = inProcessWaker();
  let heard = 0;
  waker.wake();
  waker.listen(() => heard++);
  waker.wake();
  waker.wake();
  expect(heard).toBe(0);
  await until(() => heard > 0);
  await sleep(5);
  expect(heard).toBe(1);
  await waker.close();
  waker.wake();
  await sleep(5);
  expect(heard).toBe(1);
});

test('what is asked for often is done once in a while, and once more for what was asked for meanwhile', async () => {
  let done = 0;
  const work = paced(30, () => done++);
  work.ask();
  expect(done).toBe(0);
  for (let i = 0; i < 5; i++) work.ask();
  await until(() => done === 2);
  await sleep(60);
  expect(done).toBe(2);
  work.ask();
  await until(() => done === 3);
  work.ask();
  work.stop();
  work.ask();
  await sleep(60);
  expect(done).toBe(3);
});

test('a semaphore counts its slots, and frees one whatever becomes of its work', async () => {
  const semaphore = new Semaphore(2);
  const works = [semaphore.run(() => sleep(10)), semaphore.run(() => sleep(20))];
  expect(semaphore.free).toBe(0);
  await expect(semaphore.run(async () => undefined)).rejects.toThrow('no free slot');
  await Promise.all(works);
  expect(semaphore.free).toBe(2);
  await expect(semaphore.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(semaphore.free).toBe(2);
  expect(() => new Semaphore(0)).toThrow(RangeError);
});

test('a gate admits as many as its width, and the others in their order, whatever the result of earlier ones', async () => {
  const gate = new ConcurrencyGate(2, 60_000);
  const began: number[] = [];
  let inside = 0;
  let most = 0;
  const works = Array.from({ length: 6 }, (_, i) =>
    gate.pass(async () => {
      began.push(i);
      most = Math.max(most, ++inside);
      await sleep(i === 0 ? 12 : 5);
      inside--;
      if (i === 1) throw new Error('broken');
      return i;
    }),
  );
  expect(gate.room).toBe(0);
  const ended = await Promise.allSettled(works);
  expect(began).toEqual([0, 1, 2, 3, 4, 5]);
  expect(most).toBe(2);
  expect(ended.map((end) => (end.status === 'fulfilled' ? end.value : (end.reason as Error).message))).toEqual([0, 'broken', 2, 3, 4, 5]);
  expect(gate.room).toBe(2);
  expect(() => new ConcurrencyGate(0, 1)).toThrow(RangeError);
});

test('a hanging task blocks a gate no longer than its patience, and does not free a second place when it ends', async () => {
  const gate = new ConcurrencyGate(1, 20);
  const hung = Promise.withResolvers<void>();
  const passed = gate.pass(() => hung.promise);
  expect(await gate.pass(async () => 'in')).toBe('in');
  hung.resolve();
  await passed;
  expect(gate.room).toBe(1);
});

test('a task that takes the whole width of a gate runs alone, and is not overtaken while it waits', async () => {
  const gate = new ConcurrencyGate(2, 60_000);
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const work = (name: string, until?: Promise<void>) => async () => {
    order.push(name);
    await until;
    order.push(`${name} ended`);
  };
  const works = [
    gate.pass(work('first', first.promise)),
    gate.pass(work('alone', sleep(10)), 2),
    gate.pass(work('next')),
    gate.pass(work('last')),
  ];
  await sleep(5);
  expect([order, gate.room]).toEqual([['first'], 0]);
  first.resolve();
  await Promise.all(works);
  expect(order.slice(0, 4)).toEqual(['first', 'first ended', 'alone', 'alone ended']);
  expect(gate.room).toBe(2);
});

test('a sweeper goes on after an error and never runs twice at a time', async () => {
  let running = 0;
  let sweeps = 0;
  const errors: unknown[] = [];
  const sweeper = startSweeper(
    5,
    async () => {
      expect(++running).toBe(1);
      await sleep(10);
      running--;
      if (sweeps++ === 0) throw new Error('database away');
    },
    (error) => errors.push(error),
  );
  await until(() => sweeps > 2);
  await sweeper.stop();
  const stopped = sweeps;
  expect(errors).toEqual([new Error('database away')]);
  await sleep(30);
  expect(sweeps).toBe(stopped);
});

/** A list as the table of due work. */
function drain(work: number[], options: Partial<DrainOptions<number>> = {}) {
  const waker = inProcessWaker();
  const done: number[] = [];
  const errors: string[] = [];
  let most = 0;
  let running = 0;
  const drainer = startDrainer<number>({
    slots: 3,
    claim: async (free) => work.splice(0, free),
    run: async (job) => {
      most = Math.max(most, ++running);
      await sleep(2);
      running--;
      done.push(job);
      if (job < 0) throw new Error('job failed');
    },
    sweep: async () => undefined,
    waker,
    sweepEvery: 60_000,
    report: (error, doing) => errors.push(`${doing}: ${(error as Error).message}`),
    ...options,
  });
  return { drainer, waker, done, errors, most: () => most };
}

test('work that is due at the start is drained with all slots and no more', async () => {
  const { drainer, done, most } = drain(Array.from({ length: 20 }, (_, i) => i));
  await drainer.idle();
  expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  expect(most()).toBe(3);
  await drainer.stop();
});

test('what follows from jobs that end one by one is claimed together after a rest, and a wake during it is not lost', async () => {
  const work = [1, 2, 3];
  const claimed: number[] = [];
  const { drainer, waker, done } = drain(work, {
    rest: 100,
    claim: async (free) => {
      claimed.push(performance.now());
      return work.splice(0, free);
    },
    more: () => false,
  });
  await until(() => done.length === 3);
  work.push(4);
  waker.wake();
  await drainer.idle();
  expect(done.sort()).toEqual([1, 2, 3, 4]);
  const rests = claimed.slice(1).map((at, i) => at - claimed[i]!);
  expect(rests.length).toBeGreaterThan(0);
  // Timers may be early, and a busy machine notes the first of two claims late.
  expect(Math.min(...rests)).toBeGreaterThan(50);
  await drainer.stop();
});

test('a wake starts the drain, and a job that throws does not end it', async () => {
  const work: number[] = [];
  const { drainer, waker, done, errors } = drain(work);
  await drainer.idle();
  work.push(1, -2, 3);
  waker.wake();
  await until(() => done.length === 3);
  expect(done.sort()).toEqual([-2, 1, 3]);
  expect(errors).toEqual(['run: job failed']);
  await drainer.stop();
});

test('the sweeper finds work without a wake, even after a failed claim', async () => {
  const work: number[] = [];
  let away = true;
  const { drainer, done, errors } = drain(work, {
    sweepEvery: 5,
    claim: async (free) => {
      if (away) throw new Error('database away');
      return work.splice(0, free);
    },
  });
  work.push(1);
  await until(() => errors.length > 0);
  away = false;
  await until(() => done.length > 0);
  expect(done).toEqual([1]);
  expect(errors[0]).toBe('claim: database away');
  await drainer.stop();
});

test('housekeeping that fails does not keep due work waiting', async () => {
  const work: number[] = [];
  const { drainer, done, errors } = drain(work, {
    sweepEvery: 5,
    sweep: async () => {
      throw new Error('nothing is kept');
    },
  });
  await drainer.idle();
  work.push(1);
  await until(() => done.length > 0);
  expect(done).toEqual([1]);
  expect(errors[0]).toBe('sweep: nothing is kept');
  await drainer.stop();
});

test('stopping claims nothing more and waits for running work', async () => {
  const work = Array.from({ length: 100 }, (_, i) => i);
  const { drainer, waker, done } = drain(work);
  await sleep(3);
  await drainer.stop();
  const finished = done.length;
  expect(finished + work.length).toBe(100);
  waker.wake();
  await sleep(20);
  expect(done.length).toBe(finished);
});
