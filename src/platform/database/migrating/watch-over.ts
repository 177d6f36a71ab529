import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';

/** Milliseconds between two looks at a transaction: PostgreSQL ends whoever has waited in a circle for a second. */
const LOOKS = 250;
/** Others whom a transaction waits for, and whom these wait for, in turn: PostgreSQL's circles have two, rarely three. */
const DEEPEST = 5;

/** A table that a transaction waited for, as it is written in SQL. */
export interface Wanted {
  table: string;
  /** The lock, such as `Access Exclusive`. */
  mode: string;
}

/** The end of a watch. */
export interface Watched {
  /** The last table that the transaction waited for. */
  wanted?: Wanted;
  /** It was called off, because it and somebody else waited for each other. */
  calledOff: boolean;
}

/** The wait of the process `$1`: its table, and whether it waits for somebody who waits for it. */
const LOOK = `with recursive
    waits as materialized (select l.relation, l.locktype, l.mode from pg_locks l where l.pid = ?::int and not l.granted),
    circle (pid, depth) as (
      select b.pid, 1 from waits, unnest(pg_blocking_pids(?::int)) b (pid)
      union select b.pid, c.depth + 1 from circle c, unnest(pg_blocking_pids(c.pid)) b (pid) where c.pid <> ?::int and c.depth < ${DEEPEST})
  select exists (select from circle where pid = ?::int) as endless,
    (select r.oid::regclass::text from pg_class r where r.oid = w.relation and w.locktype = 'relation' and r.relkind in ('r', 'p')) as "table",
    w.mode
  from waits w`;
interface Look {
  endless: boolean;
  table: string | null;
  /** Such as `AccessExclusiveLock`. */
  mode: string;
}

/**
 * Watches a transaction from another connection, and calls it off as soon as it and somebody else wait for each other: PostgreSQL looks for that once, when
 * somebody has waited for a second, and ends whoever looks. So nobody else is ended for the sake of the transaction that is watched, however long that
 * waits.
 * @param pid the process of PostgreSQL that runs the transaction, as which the watcher is signed in, too
 * @returns what ends the watch; call it before the transaction ends
 */
export function watchOver(watcher: EntityManager, pid: number): () => Promise<Watched> {
  const watched: Watched = { calledOff: false };
  const end = new AbortController();
  const watching = (async () => {
    while (await passes(LOOKS, end.signal)) {
      const [look] = await watcher.execute<(Look | undefined)[]>(LOOK, [pid, pid, pid, pid]);
      if (look?.table) watched.wanted = { table: look.table, mode: modeOf(look.mode) };
      if (!look?.endless) continue;
      watched.calledOff = true;
      await watcher.execute('select pg_cancel_backend(?)', [pid]);
    }
  })();
  // Its error is that of the end of the watch.
  const settled = Promise.allSettled([watching]);
  return async () => {
    end.abort();
    const [{ status, reason }] = (await settled) as [PromiseRejectedResult];
    if (status === 'rejected') throw reason;
    return watched;
  };
}

/** @returns false if a signal ended the time early */
async function passes(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    return await sleep(ms, true, { ref: false, signal });
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** The detail of a deadlock begins with the transaction that was ended: "Process 7 waits for AccessExclusiveLock on relation 16384 of database 5". */
const ENDED = /^\D+\d+\D+? (\w+Lock)\b\D*\brela\S* (\d+)/i;

/**
 * Returns the table for which a transaction waited that PostgreSQL ended because of a deadlock. It looks so soon that the watch has seen nothing yet.
 * @param detail of its error
 */
export async function wantedOf(watcher: EntityManager, detail: string | undefined): Promise<Wanted | undefined> {
  const [, mode, relation] = ENDED.exec(detail ?? '') ?? [];
  if (mode === undefined || relation === undefined) return undefined;
  const sql = "select r.oid::regclass::text as name from pg_class r where r.oid = ?::oid and r.relkind in ('r', 'p')";
  const [found] = await watcher.execute<({ name: string } | undefined)[]>(sql, [relation]);
  return found && { table: found.name, mode: modeOf(mode) };
}

/** The lock as SQL names it: `Access Exclusive` of `AccessExclusiveLock`. */
const modeOf = (name: string): string => name.replace(/Lock$/, '').replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
