import { expect, test } from '@jest/globals';
import { Lifecycle, Stopped } from '../../src/platform/lifecycle.ts';

interface Seen {
  life: Lifecycle;
  closed: string[];
  warned: unknown[];
  exited: Promise<number>;
}

function make(patience = 1000, linger = 0): Seen {
  const { promise: exited, resolve } = Promise.withResolvers<number>();
  const warned: unknown[] = [];
  const log = {
    info() {},
    fatal() {},
    warn: (fields: unknown) => void warned.push(fields),
    error: (fields: unknown) => void warned.push(fields),
  };
  return { life: new Lifecycle({ log: log as never, patience, linger, exit: resolve }), closed: [], warned, exited };
}

const open = ({ life, closed }: Seen, name: string, close: () => Promise<unknown> = async () => {}) =>
  life.open(
    name,
    () => name,
    async () => {
      await close();
      closed.push(name);
    },
  );

test('a signal closes everything in reverse order, and a second signal changes nothing', async () => {
  const seen = make();
  await seen.life.run(async () => {
    for (const name of ['database', 'worker', 'web']) await open(seen, name);
  });
  expect(seen.life.stopping).toBe(false);
  process.emit('SIGTERM');
  process.emit('SIGTERM');
  expect(seen.life.stopping).toBe(true);
  expect(await seen.exited).toBe(0);
  expect(seen.closed).toEqual(['web', 'worker', 'database']);
});

test('a signal lets everything go on for a while, in which it is known to stop; a later one ends that', async () => {
  const seen = make(1000, 300);
  await seen.life.run(async () => void (await open(seen, 'web')));
  const signalled = performance.now();
  process.emit('SIGTERM');
  expect([seen.life.stopping, seen.closed]).toEqual([true, []]);
  expect(await seen.exited).toBe(0);
  // Timers may be a millisecond early.
  expect(performance.now() - signalled).toBeGreaterThan(298);
  expect(seen.closed).toEqual(['web']);

  const hurried = make(1000, 600_000);
  await hurried.life.run(async () => void (await open(hurried, 'web')));
  process.emit('SIGTERM');
  await new Promise((wake) => setTimeout(wake, 1_100));
  expect(hurried.closed).toEqual([]);
  process.emit('SIGTERM');
  expect(await hurried.exited).toBe(0);
  expect(hurried.closed).toEqual(['web']);
});

test('a signal during the start closes what is open, including the part that is being opened', async () => {
  const seen = make();
  let reached: unknown = 'all';
  await seen.life.run(async () => {
    await open(seen, 'database');
    const opening = seen.life.open(
      'web',
      async () => {
        process.emit('SIGINT');
        return 'web';
      },
      async (name) => void seen.closed.push(name),
    );
    reached = await opening.catch((error) => error);
    throw reached;
  });
  expect(reached).toBeInstanceOf(Stopped);
  expect(await seen.exited).toBe(0);
  expect(seen.closed).toEqual(['web', 'database']);
});

test('a start that fails closes what it opened and reports why', async () => {
  const seen = make();
  const boot = seen.life.run(async () => {
    await open(seen, 'database');
    throw new Error('no port');
  });
  await expect(boot).rejects.toThrow('no port');
  expect(seen.closed).toEqual(['database']);
});

test('a part that fails or does not close keeps no other from closing', async () => {
  const seen = make(50);
  await seen.life.run(async () => {
    await open(seen, 'database');
    await open(seen, 'worker', () => new Promise(() => {}));
    await open(seen, 'web', () => Promise.reject(new Error('torn')));
  });
  process.emit('SIGTERM');
  expect(await seen.exited).toBe(0);
  expect(seen.closed).toEqual(['database']);
  expect(seen.warned).toEqual([{ err: new Error('torn'), part: 'web' }, { part: 'worker' }]);
});
