import type { Pool } from 'pg';
import { RateOwnerType as Owners, type RateOwnerType } from '../../directory/rate.entity.ts';
import { lastly, type TxContext } from '../../platform/commands/transact.ts';
import type { Transaction } from '../../platform/context.ts';
import { planOnce } from '../../platform/database/plan-once.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { JOB_FINISHED } from '../states.ts';
import type { RateRow } from './applied-rates.ts';
import { rateStatement } from './rate-statement.ts';

/** By side; a side that nothing is paid on is absent. */
export type NotedRates = Partial<Record<RateOwnerType, RateRow>>;

/** What was noted on a job; undefined where nothing was. */
export async function notedRates(pool: Pool, jobId: string): Promise<NotedRates | undefined> {
  const { rows } = await pool.query<{ rate_source: NotedRates | null }>({
    name: 'noted_rates',
    text: 'select rate_source from job where id = $1',
    values: [jobId],
  });
  return rows[0]?.rate_source ?? undefined;
}

/**
 * Notes on jobs which rates apply to them and why, at the end of the transaction (DOMAIN 3.3 `rate_source`): whenever somebody is assigned,
 * truck, route, material or rates change, and when the work is done (`lockRates`). From then on it stays, but for sides set by hand.
 */
export function noteRates(tx: TxContext, jobIds: readonly string[], byHand: readonly RateOwnerType[] = []): void {
  if (jobIds.length === 0) return;
  const wished = wishesOf.get(tx.tx);
  const wishes = wished ?? new Map<string, Set<RateOwnerType>>();
  for (const id of jobIds) wishes.set(id, new Set([...(wishes.get(id) ?? []), ...byHand]));
  if (wished) return;
  wishesOf.set(tx.tx, wishes);
  lastly(tx, async () => {
    const rows = [...wishes].map(([id, sides]) => ({ id, sides: [...sides] }));
    await queryIn(tx.em, NOTE, [JSON.stringify(rows), JOB_FINISHED]);
  });
}

/** Notes what a job is paid now that its work is done, for good. */
export const lockRates = (tx: TxContext, jobId: string): void => noteRates(tx, [jobId], Object.values(Owners));

/** The jobs of an order whose rates were noted and may change with it. */
export async function followingJobs(tx: TxContext, orderId: string): Promise<string[]> {
  const sql = 'select id from job where order_id = $1 and rate_source is not null and not state = any($2::text[])';
  return (await queryIn<{ id: string }>(tx.em, sql, [orderId, [...JOB_FINISHED, 'canceled']])).map(({ id }) => id);
}

/** The jobs to be noted, and the sides set by hand, of transactions under way. */
const wishesOf = new WeakMap<Transaction, Map<string, Set<RateOwnerType>>>();

const sides = Object.values(Owners).map((side) => `'${side}', (select to_jsonb(r) from (${rateStatement(side, 'x.id')}) r)`);

const NOTE = planOnce(`update job t set rate_source = n.noted
  from (
    select j.id, case when j.state = any($2::text[]) and j.rate_source is not null
      then (j.rate_source - x.sides) || coalesce((select jsonb_object_agg(e.key, e.value) from jsonb_each(a.applied) e where e.key = any(x.sides)), '{}')
      else a.applied end as noted
    from jsonb_to_recordset($1::jsonb) x(id uuid, sides text[]) join job j on j.id = x.id
    cross join lateral (select jsonb_strip_nulls(jsonb_build_object(${sides.join(', ')})) as applied) a) n
  where t.id = n.id and t.rate_source is distinct from n.noted`);
