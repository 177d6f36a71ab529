import { existsSync, readFileSync } from 'node:fs';
import type pg from 'pg';

const lastKnown = new Map<number, number>();
/** Milliseconds of processor time that processes have used: what a busy machine says of a program, whose duration says little then. */
export const processorTime = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    // Of one that has ended, what was known last.
    const file = `/proc/${pid}/stat`;
    const fields = existsSync(file) ? readFileSync(file, 'utf8').split(') ')[1]!.split(' ') : undefined;
    if (fields) lastKnown.set(pid, (Number(fields[11]) + Number(fields[12])) * 10);
    return sum + (lastKnown.get(pid) ?? 0);
  }, 0);

/**
 * Milliseconds of processor time that the children of PostgreSQL's first process had used when they ended: what it grows by while a statement runs is that
 * of the parallel workers of the statement, if nothing else ends meanwhile.
 * @param backend the process of a connection
 */
export function timeOfEnded(backend: number): number {
  const fieldsOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const [, parent] = fieldsOf(backend);
  const first = fieldsOf(Number(parent));
  return (Number(first[13]) + Number(first[14])) * 10;
}

/** The processes of PostgreSQL that serve connections to this database, but the one that is asked. */
export async function backendsOf(pool: pg.Pool): Promise<number[]> {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type in ('client backend', 'parallel worker')`,
  );
  return rows.map(({ pid }) => pid);
}
