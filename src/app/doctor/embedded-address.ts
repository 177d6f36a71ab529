import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Returns the address of the embedded PostgreSQL in a folder of data, as its owner; undefined while it does not run. */
export function embeddedAddress(dataDir: string): string | undefined {
  const folder = resolve(dataDir);
  const [pidFile, passwordFile] = [join(folder, 'postgres', 'postmaster.pid'), join(folder, 'postgres.password')];
  if (!existsSync(pidFile) || !existsSync(passwordFile)) return undefined;
  const [pid, , , port] = readFileSync(pidFile, 'utf8').split('\n');
  // It was killed, and left its file.
  if (!runs(Number(pid))) return undefined;
  return `postgres://haulgate:${readFileSync(passwordFile, 'utf8').trim()}@127.0.0.1:${port}/haulgate`;
}

/** @throws Error that says what to do, while it does not run */
export function requireEmbedded(dataDir: string): string {
  const address = embeddedAddress(dataDir);
  if (address) return address;
  throw new Error(
    `DATABASE_URL is not set, and the embedded PostgreSQL in ${resolve(dataDir)} is not running: start Haulgate, or set DATABASE_URL.`,
  );
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It runs, and is somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
