import type { ChildProcess } from 'node:child_process';

export interface Processes {
  /** Returns one that is up, or undefined while all of them start. */
  any(): ChildProcess | undefined;
  stop(): void;
}

/** Starts a new process wherever one ended, as a supervisor does. */
export function keepUp(many: number, spawnOne: () => ChildProcess): Processes {
  const up = new Set<ChildProcess>();
  const all = new Set<ChildProcess>();
  let stopped = false;
  const start = () => {
    if (stopped) return;
    const child = spawnOne();
    all.add(child);
    child.once('message', () => up.add(child));
    child.once('exit', (_, signal) => {
      up.delete(child);
      all.delete(child);
      // A process that could not start (no database) is started again a little later.
      setTimeout(start, signal ? 0 : 500);
    });
  };
  for (let i = 0; i < many; i++) start();
  return {
    any: () => [...up][Math.floor(Math.random() * up.size)],
    stop() {
      stopped = true;
      for (const child of all) child.kill('SIGKILL');
    },
  };
}
