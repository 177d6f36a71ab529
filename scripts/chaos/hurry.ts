import type { MikroORM } from '@mikro-orm/postgresql';
import { poolOf } from '../../src/platform/database/sql.ts';

/** Makes due now the exports that a process had claimed which died, and that a system did not answer: nobody waits for minutes. */
export const hurry = (orm: MikroORM): Promise<unknown> =>
  orm.em.getConnection().execute('update settlement_export set next_at = least(next_at, now()) where next_at is not null');

/** Milliseconds in which an export has to move on; its worker takes less for a document, and waits half a minute and more where it failed. */
const STANDSTILL = 4_000;
const WAITING = 'select id, next_at::text as at from settlement_export where next_at > now()';
const DUE = `update settlement_export e set next_at = now() from unnest($1::uuid[], $2::text[]) w(id, at) where e.id = w.id and e.next_at = w.at::timestamptz`;

/**
 * Makes due, time and again, the exports that have not moved since the last look: tries that failed and wait for the next one, and what a process had claimed that
 * died. Otherwise most of the time of a run is that of clients which look for half a minute whether a document has arrived.
 */
export function hurrying(orm: MikroORM): { stop(): void } {
  let seen = new Map<string, string>();
  const look = async (): Promise<void> => {
    const pool = await poolOf(orm.em);
    const { rows } = await pool.query<{ id: string; at: string }>(WAITING);
    const still = rows.filter(({ id, at }) => seen.get(id) === at);
    seen = new Map(rows.map(({ id, at }) => [id, at]));
    if (still.length > 0) await pool.query(DUE, [still.map(({ id }) => id), still.map(({ at }) => at)]);
  };
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    // PostgreSQL is down at times. Whatever is wrong otherwise shows in exports that never come to an end.
    void look()
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
      });
  }, STANDSTILL);
  return { stop: () => clearInterval(timer) };
}
