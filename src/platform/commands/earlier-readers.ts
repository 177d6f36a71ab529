import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { poolOf } from '../database/sql.ts';

/** Milliseconds that are waited at most, for what takes longer than a command does. */
const LONGEST = 10_000;
/** Milliseconds between two looks. */
const AGAIN = 20;

// A transaction keeps the lock of a table that it has read until it ends, and its number is never given again while the server runs.
const READERS = `select virtualtransaction as id from pg_locks where locktype = 'relation' and relation = $1::regclass
  and database = (select oid from pg_database where datname = current_database()) and mode = 'AccessShareLock' and granted and pid <> pg_backend_pid()`;

/**
 * Waits until the transactions have ended that have read a table so far, for ten seconds at most. A command that has asked early what follows from
 * its changes (`ahead` of a consequence) does not know what was committed since: whoever has changed that waits for it before saying so, and no
 * command asks twice. Within a transaction, whose changes nobody knows yet, nothing is waited for.
 */
export async function untilReadersEnd(ctx: Context, table: string): Promise<void> {
  if (ctx.tx) return;
  const pool = await poolOf(ctx.em);
  const readers = async () => new Set((await pool.query<{ id: string }>(READERS, [`"${table}"`])).rows.map(({ id }) => id));
  const end = performance.now() + LONGEST;
  for (let left = await readers(); left.size > 0 && performance.now() < end; ) {
    await sleep(AGAIN);
    const now = await readers();
    left = new Set([...left].filter((id) => now.has(id)));
  }
}
