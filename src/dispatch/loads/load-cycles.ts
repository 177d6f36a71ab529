import { Field, ID, Int, ObjectType } from 'type-graphql';
import { find } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { Job } from '../model/job.entity.ts';
import { LONGEST_CYCLE } from '../model/load-figures.ts';

/** From the arrival of one load at the pickup to the arrival of the next (DOMAIN section 4 "LoadCycle"). */
@ObjectType({ simpleResolvers: true })
export class LoadCycle {
  @Field(() => ID) fromLoadId!: string;
  @Field(() => ID) toLoadId!: string;
  /** Whole minutes, without the pauses of the first load. */
  @Field(() => Int) timeMinutes!: number;
  /** Both loads were tracked by GPS. */
  @Field(() => Boolean) hasGpsData!: boolean;
  @Field(() => Boolean, { description: 'Longer than 12 hours, and left out of averages.' }) tooLong!: boolean;
}

@ObjectType({ simpleResolvers: true })
export class LoadCycles {
  @Field(() => [LoadCycle]) loadCycles!: LoadCycle[];
  /** Rounded mean of those that are not too long; 0 without any. */
  @Field(() => Int) loadCycleTimeMinutesAvg!: number;
}

const CYCLES = `select c.*, "timeMinutes" > ${LONGEST_CYCLE} as "tooLong" from (
  select before as "fromLoadId", id as "toLoadId", greatest(0, floor(extract(epoch from at - since) / 60) - paused / 60)::int as "timeMinutes", gps and gps_before as "hasGpsData", ordinality
  from (select l.id, l.ordinality, l.summary_arrived_pickup_at as at, l.summary_has_gps_data as gps, lag(l.id) over w as before,
      lag(l.summary_arrived_pickup_at) over w as since, lag(l.paused_seconds) over w as paused, lag(l.summary_has_gps_data) over w as gps_before
    from load l where l.job_id = $1 and l.state <> 'canceled' and l.summary_arrived_pickup_at is not null window w as (order by l.ordinality)) c
  where before is not null) c order by c.ordinality`;

/** Returns the cycles of a job, in the order of its loads; canceled loads are left out. @throws Missing */
export async function loadCyclesOf(ctx: Context, jobId: string, companyId?: string | null): Promise<LoadCycles> {
  const job = await find(ctx, Job, jobId, { companyId });
  const pool = await poolOf(ctx.em);
  const { rows } = await pool.query<LoadCycle>({ name: 'load_cycles', text: CYCLES, values: [job.id] });
  const usual = rows.filter(({ tooLong }) => !tooLong);
  const sum = usual.reduce((total, { timeMinutes }) => total + timeMinutes, 0);
  return { loadCycles: rows, loadCycleTimeMinutesAvg: usual.length === 0 ? 0 : Math.round(sum / usual.length) };
}
