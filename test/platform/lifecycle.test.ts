import { expect, test } from '@jest/globals';
import { Lifecycle, Stopped } from '../../src/platform/lifecycle.ts';

interface Seen {
  life: Lifecycle;
  closed: string[];
  warned: unknown[];
  exited: Promise<number>;
}

function make(patience = 1000): Seen {
  const { promise: exited, resolve } = Promise.withResolvers<number>();
  const warned: unknown[] = [];
  const log = {
    info() {},
    fatal() {},
    warn: (fields: unknown) => void warned.push(fields),
    error: (fields: unknown) => void warned.push(fields),
  };
  return { life: new Lifecycle({ log: log as never, patience, exit: resolve }), closed: [], warned, exited };
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
