import type { Pool } from 'pg';
import { definePurpose, reserveForPurposes, runAsPurpose } from '../database/scope.ts';

/** Reads and writes how many connections of whom each process has open. */
export const OPEN_STREAMS = definePurpose('open_streams', { open_stream: ['select', 'insert', 'update', 'delete'] });
export const openStreamReserved = reserveForPurposes('open_stream');

// The notes of a process that died are nobody's after 15 seconds, and whoever notes something removes them after a minute.
const EXCHANGE = `with noted as (
    insert into open_stream (holder, process, open, seen_at) select u.holder, $1::uuid, u.open, now() from unnest($2::text[], $3::integer[]) u(holder, open)
    on conflict (holder, process) do update set open = excluded.open, seen_at = excluded.seen_at),
  ended as (delete from open_stream where process = $1::uuid and holder = any($4::text[])),
  old as (
    delete from open_stream s using (
      select holder, process from open_stream where seen_at < now() - interval '1 minute' and process <> $1::uuid for update skip locked) o
    where s.holder = o.holder and s.process = o.process)
  select holder, sum(open)::integer as open from open_stream
  where holder = any($2::text[]) and process <> $1::uuid and seen_at > now() - interval '15 seconds' group by holder`;

/**
 * Notes in PostgreSQL what a process has open, and what it has not any more.
 * @param open connections, by holder
 * @returns what the other processes have open of the same holders
 */
export async function exchangeStreams(
  pool: Pool,
  process: string,
  open: ReadonlyMap<string, number>,
  ended: readonly string[],
): Promise<Map<string, number>> {
  const values = [process, [...open.keys()], [...open.values()], ended];
  const { rows } = await runAsPurpose(OPEN_STREAMS, () =>
    pool.query<{ holder: string; open: number }>({ name: 'open_streams', text: EXCHANGE, values }),
  );
  return new Map(rows.map((row) => [row.holder, row.open]));
}
