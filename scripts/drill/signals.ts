import { readdirSync, readFileSync } from 'node:fs';

/** Sends a signal to a process and all that it has started: to a PostgreSQL and its connections, as if its machine stood still (SIGSTOP) or went on. */
export function signalAll(postmaster: number, name: NodeJS.Signals): void {
  for (const pid of [postmaster, ...childrenOf(postmaster)]) {
    try {
      process.kill(pid, name);
    } catch (error) {
      // A process of a connection may have ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** The processes that a process has started. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        // `pid (name) state parent ...`
        return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]) === parent;
      } catch {
        return false;
      }
    });
}
