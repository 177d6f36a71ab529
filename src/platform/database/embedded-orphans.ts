import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../start-error.ts';

/**
 * Marks the data folder as ours while this process lives.
 * @returns a function that takes the mark away
 * @throws StartError when another living process has marked it
 */
export function occupy(dataDir: string): () => void {
  const file = join(dataDir, 'owner');
  const mine = identityOf(process.pid)!;
  if (existsSync(file)) {
    const [pid = '', ...rest] = readFileSync(file, 'utf8').trim().split(' ');
    const known = identityOf(Number(pid));
    if (known !== undefined && known !== mine && known === [pid, ...rest].join(' '))
      throw new StartError(
        `${dataDir} is in use by another Haulgate (process ${pid}): stop it, set HAULGATE_DATA to another folder, or set DATABASE_URL.`,
      );
  }
  writeFileSync(file, `${mine}\n`, { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** Number, time of start and boot of a process: numbers are used again, the three together never. Undefined when it is gone. */
function identityOf(pid: number): string | undefined {
  try {
    // Field 22; the name in parentheses may hold spaces.
    const started = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[19];
    return `${pid} ${started} ${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
  } catch {
    return undefined;
  }
}

/** A server left by a killed start of ours is stopped; a foreign process that only has its number is left alone. */
export async function stopOrphan(cluster: string, native: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  for (const [signal, seconds] of [
    ['SIGINT', 10],
    ['SIGQUIT', 5],
  ] as const) {
    if (!isOurs(pid, native, cluster)) return;
    process.kill(pid, signal);
    for (let attempt = 0; attempt < seconds * 20 && existsSync(`/proc/${pid}`); attempt++)
      await new Promise((wake) => setTimeout(wake, 50));
  }
  if (isOurs(pid, native, cluster)) throw new StartError(`A PostgreSQL left by an earlier start (process ${pid}) does not stop: kill it.`);
}

function isOurs(pid: number, native: string, cluster: string): boolean {
  try {
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return args.includes(cluster) && (args[0] === join(native, 'bin/postgres') || readlinkSync(`/proc/${pid}/exe`).startsWith(native));
  } catch {
    return false;
  }
}

const GUARD = `cat >/dev/null
if grep -qsa bin/postgres "/proc/$1/cmdline"; then kill -"$2" "$1"; fi
if [ -n "$3" ]; then while [ -d "/proc/$1" ]; do sleep 0.1; done; rm -rf "$3"; fi`;

/**
 * A shell that waits for our end of a pipe to close, which the kernel does however we die, and then stops the server; with
 * `remove`, that folder goes too. Outlives us by a moment; ends by itself when the server is already stopped.
 */
export function guard(server: ChildProcess, remove?: string): () => Promise<void> {
  const shell = spawn('/bin/sh', ['-c', GUARD, 'haulgate-guard', String(server.pid), remove ? 'QUIT' : 'INT', remove ?? ''], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
  });
  const ended = new Promise<void>((done) => {
    shell.once('exit', () => done());
    // Without a shell the orphan is found at the next start.
    shell.once('error', () => done());
  });
  shell.stdin.on('error', () => {});
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
  server.once('exit', () => shell.stdin.end());
  return () => {
    // The caller who waits for the guard wants the process to stay alive until then.
    shell.ref();
    return ended;
  };
}
