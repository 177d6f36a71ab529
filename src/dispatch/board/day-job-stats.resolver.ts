import { Arg, Ctx, Field, ID, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { limitsFor } from '../../platform/model/limits.ts';
import { LocalDate } from '../../platform/scalars.ts';
import { Job } from '../model/job.entity.ts';
import { Order } from '../model/order.entity.ts';
import { JOB_FINISHED, type JobState } from '../model/states.ts';
import { type DayBoard, dayBoard, jobsOfDay, ordersOfDay } from './day-board.ts';

const count = (description: string) => Field(() => Int, { description });

/** The jobs of a company's day in numbers, and the trucks that it could send (PROOF A6, CompanyDayJobStat). */
@ObjectType({ simpleResolvers: true, description: "The jobs that start on a company's day, in numbers." })
export class CompanyDayJobStat {
  @Field(() => LocalDate) day!: string;
  @count('All jobs of the day.') totalCount!: number;
  @count('Created or rejected jobs: nobody has them.') unassignedCount!: number;
  @count('Jobs in the state `assigned`.') assignedCount!: number;
  @count('Jobs in the state `sent`.') sentCount!: number;
  @count('Jobs in the state `accepted`.') acceptedCount!: number;
  @count('Jobs in the state `rejected`.') rejectedCount!: number;
  @count('Jobs on the way to pickup or drop-off.') enrouteCount!: number;
  @count('Jobs in the state `loaded`.') loadedCount!: number;
  @count('Jobs in the state `unloaded`.') unloadedCount!: number;
  @count('Completed jobs, and what becomes of them: ended, in review, flagged, signed off, paid.') completedCount!: number;
  @count('Jobs in the state `canceled`.') canceledCount!: number;
  @count('Jobs that somebody accepted, whatever became of them.') hasBeenAcceptedCount!: number;
  @count('Jobs that were sent to somebody, whatever became of them.') pendingCount!: number;
  @count('Active trucks of the company, and the trucks of its vendors.') capacityTotalCount!: number;
  @count('The same without those of the jobs that have a truck or a vendor; at least 0.') capacityAvailableCount!: number;
  @count('Orders that load on the day, or have a job on it.') ordersTotalCount!: number;
  @count('Those of them that wait until they are accepted.') ordersPendingRequestCount!: number;
}

const inStates = (...states: readonly JobState[]): string =>
  `count(*) filter (where j.state in (${states.map((state) => `'${state}'`).join(', ')}))::int`;
const withEvent = (name: string): string =>
  `count(*) filter (where exists (select 1 from job_event e where e.job_id = j.id and e.event_name = '${name}' and e.undone_at is null))::int`;

const statsSql = (jobs: string, jobLimits: string, orders: string, orderLimits: string): string => `
  select w.*, greatest(c."capacityTotalCount" - w.taken, 0) as "capacityAvailableCount", c.*, o.*
  from (
    select count(*)::int as "totalCount", ${inStates('created', 'rejected')} as "unassignedCount", ${inStates('assigned')} as "assignedCount",
      ${inStates('sent')} as "sentCount", ${inStates('accepted')} as "acceptedCount", ${inStates('rejected')} as "rejectedCount",
      ${inStates('to_pickup', 'to_dropoff')} as "enrouteCount", ${inStates('loaded')} as "loadedCount", ${inStates('unloaded')} as "unloadedCount",
      ${inStates(...JOB_FINISHED)} as "completedCount", ${inStates('canceled')} as "canceledCount",
      ${withEvent('JobAccepted')} as "hasBeenAcceptedCount", ${withEvent('JobRequested')} as "pendingCount",
      count(*) filter (where j.state not in ('rejected', 'canceled') and (j.equipment_id is not null
        or exists (select 1 from job_assignment a where a.job_id = j.id and a.customer_company_id = $2)))::int as taken
    from job j where ${jobs}${jobLimits}) w,
  (select (select count(*) from equipment e where e.company_id = $2 and e.discarded_at is null and e.state = 'active' and e.ownership = 'internal')::int
      + (select coalesce(sum(a.truck_count), 0) from account a
         where a.company_id = $2 and a.discarded_at is null and 'vendor' = any(a.account_types))::int as "capacityTotalCount") c,
  (select count(*)::int as "ordersTotalCount", count(*) filter (where o.state = 'pending_request')::int as "ordersPendingRequestCount"
    from orders o where ${orders}${orderLimits}) o`;

@Resolver()
export class DayJobStatsResolver {
  @Query(() => CompanyDayJobStat, {
    description: "The jobs that start on a company's day, in numbers. Who reads own work only gets its numbers, and no capacity.",
  })
  @AnySignedIn()
  async companyDayJobStats(
    @Ctx() ctx: Context,
    @Arg('date', () => LocalDate, { description: 'In the time zone of the company.' }) date: string,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<CompanyDayJobStat> {
    const board = await dayBoard(ctx, companyId, date);
    return { ...(await statsOf(ctx, board)), day: board.date };
  }
}

async function statsOf(ctx: Context, board: DayBoard): Promise<Omit<CompanyDayJobStat, 'day'>> {
  const jobs = jobsOfDay(board);
  const values: unknown[] = [jobs.value, board.companyId];
  const viewer = viewerOf(ctx);
  const text = statsSql(
    jobs.sql('j', '$1::text[]'),
    limitsFor(viewer, Job, 'j', values),
    ordersOfDay(board).sql('o', '$1::text[]'),
    limitsFor(viewer, Order, 'o', values),
  );
  const pool = await poolOf(ctx.em);
  const { rows } = await withPartnerVisibility(() => pool.query<Omit<CompanyDayJobStat, 'day'> & { taken: number }>(text, values));
  const { taken: _, ...stats } = rows[0]!;
  return viewer.ownRecordsOnly ? { ...stats, capacityTotalCount: 0, capacityAvailableCount: 0 } : stats;
}
