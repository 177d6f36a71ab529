import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { limitsFor } from '../../platform/model/limits.ts';
import { Job } from '../model/job.entity.ts';
import { Load } from '../model/load.entity.ts';
import { Order } from '../model/order.entity.ts';
import type { JobState, OrderState } from '../model/states.ts';
import { boundsOf, type DayBoard, jobIdsOn, loadIdsOn, orderIdsOn } from './day-board.ts';

const HOUR = 3_600_000;

/** The groups of records of a day that the viewer sees, and how many are in each, in one statement. @param key SQL of the group of a row `t` */
async function countBy<K>(
  ctx: Context,
  board: DayBoard,
  { entity, table, key, ids }: { entity: Function; table: string; key: string; ids: (p: string) => string },
): Promise<Map<K, number>> {
  const values: unknown[] = [boundsOf(board)];
  const limits = limitsFor(viewerOf(ctx), entity, 't', values);
  const text = `select ${key} as key, count(*)::int as count from ${table} t where t.id = any(array(${ids('$1::text[]')}))${limits} group by 1`;
  const pool = await poolOf(ctx.em);
  const { rows } = await withPartnerVisibility(() => pool.query<{ key: K; count: number }>(text, values));
  return new Map(rows.map(({ key, count }) => [key, count]));
}

/** Returns how many jobs of the day are in which state, however many they are. */
export const countJobs = (ctx: Context, board: DayBoard): Promise<Map<JobState, number>> =>
  countBy(ctx, board, { entity: Job, table: 'job', key: 't.state', ids: jobIdsOn });

/** Returns how many orders of the day are in which state. */
export const countOrders = (ctx: Context, board: DayBoard): Promise<Map<OrderState, number>> =>
  countBy(ctx, board, { entity: Order, table: 'orders', key: 't.state', ids: orderIdsOn });

/** Returns how many loads were unloaded in each hour of the day, from its first: a day has 23, 24 or 25 of them. */
export async function countLoads(ctx: Context, board: DayBoard): Promise<{ startsAt: Date; count: number }[]> {
  const key = `floor(extract(epoch from t.summary_unloaded_at - ($1::text[])[1]::timestamptz) / 3600)::int`;
  const counts = await countBy<number>(ctx, board, { entity: Load, table: 'load', key, ids: loadIdsOn });
  const start = board.startsAt.getTime();
  const hours = Math.ceil((board.endsAt.getTime() - start) / HOUR);
  return Array.from({ length: hours }, (_, hour) => ({ startsAt: new Date(start + hour * HOUR), count: counts.get(hour) ?? 0 }));
}
