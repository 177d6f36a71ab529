import type { MikroORM } from '@mikro-orm/postgresql';
import type { Acknowledged } from './sender.ts';

export interface Figures {
  lost: number;
  doubled: number;
  out_of_order: number;
  states: Record<string, number>;
  /** Why records did not get through, by error. */
  reasons: Record<string, number>;
  effects: number;
  /** Records that took more than one attempt: kills that hit, and flaky payloads. */
  again: number;
}

/** Compares what was acknowledged with what is in the database. */
export async function count(orm: MikroORM, acknowledged: Acknowledged): Promise<Figures> {
  const run = <R>(sql: string, params: unknown[] = []) => orm.em.getConnection().execute<R[]>(sql, params);
  const known = await run<{ id: string; state: string; attempts: number }>('select id, state, attempts from imported_record');
  const states = new Map(known.map((row) => [row.id, row.state]));
  const log = await run<{ id: string; version: number }>("select kind || ' ' || key as id, version from chaos_effect order by n");
  const applied = new Map<string, number[]>();
  for (const { id, version } of log) applied.set(id, [...(applied.get(id) ?? []), version]);

  let lost = acknowledged.records.filter((id) => !['processed', 'skipped'].includes(states.get(id) ?? '')).length;
  let doubled = 0;
  let outOfOrder = 0;
  for (const [id, last] of Object.entries(acknowledged.versions)) {
    const versions = applied.get(id) ?? [];
    doubled += versions.length - new Set(versions).size;
    outOfOrder += versions.filter((version, i) => i > 0 && version < versions[i - 1]!).length;
    // Orders end in their last version; tickets pass through every one.
    const wanted = id.startsWith('ticket') ? Array.from({ length: last }, (_, i) => i + 1) : [last];
    lost += wanted.filter((version) => !versions.includes(version)).length;
    if (versions.at(-1) !== last) outOfOrder++;
  }
  // There is one order per key, named after its last version, with the one truck that the payloads ask for.
  const orders = await run<{ external_id: string; name: string }>('select external_id, name from orders where external_id is not null');
  doubled += orders.length - new Set(orders.map((order) => order.external_id)).size;
  for (const { external_id, name } of orders) {
    if (name !== `version ${acknowledged.versions[`order ${external_id}`]}`) outOfOrder++;
  }
  const trucks = await run<{ order_id: string }>('select order_id from job group by order_id having count(*) <> 1');
  doubled += trucks.length;
  const failed = await run<{ last_error: string; n: number }>(
    "select last_error, count(*)::int as n from imported_record where state in ('failed', 'exhausted') group by last_error",
  );
  const tally: Record<string, number> = {};
  for (const state of states.values()) tally[state] = (tally[state] ?? 0) + 1;
  return {
    lost,
    doubled,
    out_of_order: outOfOrder,
    states: tally,
    reasons: Object.fromEntries(failed.map((row) => [row.last_error, row.n])),
    effects: log.length,
    again: known.filter((row) => row.attempts > 1).length,
  };
}
