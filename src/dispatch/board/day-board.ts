import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { isOff } from '../../directory/people/time-off.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { companyOf, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { Invalid } from '../../platform/errors.ts';
import { stringEnum } from '../../platform/model/columns.ts';
import { limitsFor } from '../../platform/model/limits.ts';
import { connectionOf } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/reader.ts';
import { DateTime, LocalDate } from '../../platform/scalars.ts';
import { dayBounds, localDate } from '../../platform/time.ts';
import { presentTime } from '../../platform/worlds/present-time.ts';
import { jobOfPerson } from '../access/own-work.sql.ts';
import { zoneOf } from '../model/company-day.ts';
import { Job } from '../model/job.entity.ts';
import { JobState, OVER } from '../model/states.ts';
import { jobIdsOf } from './job-ids.sql.ts';

export const DayAvailability = stringEnum('DayAvailability', ['available', 'booked', 'off']);
export type DayAvailability = keyof typeof DayAvailability;

/** A company's day. Its orders, jobs, drivers and trucks are loaded when the query selects them. */
@ObjectType({ simpleResolvers: true, description: "A company's day, from its midnight to the next." })
export class DayBoard {
  @Field(() => ID) companyId!: string;
  @Field(() => LocalDate) date!: string;
  @Field(() => String, { description: "The company's time zone, in which the day begins and ends." }) timeZone!: string;
  @Field(() => DateTime) startsAt!: Date;
  @Field(() => DateTime, { description: 'The first moment after the day.' }) endsAt!: Date;
}

@ObjectType({ simpleResolvers: true })
export class DayJobs {
  @Field(() => JobState) state!: JobState;
  @Field(() => Int) count!: number;
  @Field(() => [Job], { description: `By start. It is read whole, up to 5,000 jobs of a day: \`jobsByPage\` has no such end.` })
  jobs!: Job[];
}

/** The work that a driver or a truck has on the day. */
export interface DayWork {
  availability: DayAvailability;
  jobsCount: number;
}

@ObjectType({ simpleResolvers: true })
export class DayDriver implements DayWork {
  @Field(() => User) driver!: User;
  @Field(() => DayAvailability, { description: '`booked` with an open job on the day; `off` if the driver is off in the rest of the day.' })
  availability!: DayAvailability;
  @Field(() => Int, { description: 'Jobs of the day, without rejected and canceled ones.' }) jobsCount!: number;
}

export const DayDriverConnection = connectionOf('DayDriver', () => DayDriver);

@ObjectType({ simpleResolvers: true })
export class DayTruck implements DayWork {
  @Field(() => Equipment) truck!: Equipment;
  @Field(() => DayAvailability, { description: '`booked` with an open job on the day; `off` while the truck is inactive.' })
  availability!: DayAvailability;
  @Field(() => Int, { description: 'Jobs of the day, without rejected and canceled ones.' }) jobsCount!: number;
}

export const DayTruckConnection = connectionOf('DayTruck', () => DayTruck);

/** The most records of one kind that a board returns. Beyond that, clients use the paged lists. */
export const MOST_OF_A_DAY = 5_000;

/** Returns a day of a company; today if `date` is absent. @throws Unauthenticated, Missing */
export async function dayBoard(ctx: Context, companyId?: string | null, date?: string | null): Promise<DayBoard> {
  const id = companyOf(ctx, companyId);
  const timeZone = await zoneOf(ctx, id);
  const day = date ?? localDate(presentTime(), timeZone);
  const { start, end } = dayBounds(day, timeZone);
  return { companyId: id, date: day, timeZone, startsAt: start, endsAt: end };
}

const within = (column: string, p: string) => `${column} >= (${p})[1]::timestamptz and ${column} < (${p})[2]::timestamptz`;
// The company's own jobs and those passed on to it are looked up separately. In one condition, PostgreSQL would read the jobs of all
// companies.
const ownJobsOn = (column: string, p: string) =>
  `select j.${column} from job j where j.company_id = (${p})[3]::uuid and ${within('j.job_start_at', p)}`;
const subcontractedJobsOn = (column: string, p: string) =>
  `select j.${column} from job_assignment a join job j on j.id = a.job_id where a.vendor_company_id = (${p})[3]::uuid and ${within('j.job_start_at', p)}`;

const subcontractedLoadsOn = (p: string) =>
  `select l.id from job_assignment a join load l on l.job_id = a.job_id where a.vendor_company_id = (${p})[3]::uuid and ${within('l.summary_unloaded_at', p)}`;

/** The ids of jobs that start on the day. @param p a text[] with the day's bounds and the company */
export const jobIdsOn = (p: string): string => `${ownJobsOn('id', p)} union ${subcontractedJobsOn('id', p)}`;
/** The ids of orders that load on the day, and of those with a job on it. */
export const orderIdsOn = (p: string): string =>
  `select o.id from orders o where o.company_id = (${p})[3]::uuid and ${within('o.load_at', p)}
      union ${ownJobsOn('order_id', p)} union ${subcontractedJobsOn('order_id', p)}`;
/** The ids of loads that were unloaded on the day. */
export const loadIdsOn = (p: string): string =>
  `select l.id from load l where l.company_id = (${p})[3]::uuid and ${within('l.summary_unloaded_at', p)} union ${subcontractedLoadsOn(p)}`;

/** The day's bounds and its company, as the parameter of its conditions. */
export const boundsOf = ({ startsAt, endsAt, companyId }: DayBoard): string[] => [startsAt.toISOString(), endsAt.toISOString(), companyId];

/** The condition for jobs that start on the day. */
export const jobsOfDay = (board: DayBoard): Where => ({
  key: 'jobs of the day',
  sql: (t, p) => `${t}.id = any(array(${jobIdsOn(p)}))`,
  cast: 'text[]',
  value: boundsOf(board),
});

/** The condition for orders that load on the day, and those with a job on it. */
export const ordersOfDay = (board: DayBoard): Where => ({
  key: 'orders of the day',
  sql: (t, p) => `${t}.id = any(array(${orderIdsOn(p)}))`,
  cast: 'text[]',
  value: boundsOf(board),
});

const ownWork = (p: string) => `${within('j.job_start_at', p)} and ${jobOfPerson('j', `(${p})[4]::uuid`)}`;
const withPerson = (board: DayBoard, personId: string): string[] => [...boundsOf(board), personId];

/** The condition for drivers that a person with own records only may see on the day: those of their work, and themselves. */
export const driversAround = (board: DayBoard, personId: string): Where => ({
  key: 'drivers around',
  sql: (t, p) => `(${t}.id = (${p})[4]::uuid or exists (select 1 from job j where j.driver_id = ${t}.id and ${ownWork(p)}))`,
  cast: 'text[]',
  value: withPerson(board, personId),
});

/** The same for trucks. */
export const trucksAround = (board: DayBoard, personId: string): Where => ({
  key: 'trucks around',
  sql: (t, p) =>
    `${t}.id in (select unnest(j.additional_equipment_ids || j.equipment_id) from job j where j.id in (${jobIdsOn(p)}) and ${ownWork(p)})`,
  cast: 'text[]',
  value: withPerson(board, personId),
});

/** Returns the rows. @throws Invalid if there are more than a board can show */
export function showable<T>(rows: T[]): T[] {
  if (rows.length > MOST_OF_A_DAY)
    throw new Invalid([{ model: 'DayBoard', field: 'date', key: 'day_too_full', params: { most: MOST_OF_A_DAY } }]);
  return rows;
}

const COUNTS = `count(*) filter (where j.state not in ('rejected', 'canceled'))::int as jobs, bool_or(j.state not in ${OVER}) as booked`;

/** Today counts from now on: a driver who was off this morning may be available now. */
const DRIVERS = (limits: string): string => `with t as (select unnest($1::uuid[]) as id)
  select t.id, coalesce(w.jobs, 0) as jobs, coalesce(w.booked, false) as booked, ${isOff('user_id', 't', 'greatest($2::timestamptz, least(present_time(), $3::timestamptz))', '$3::timestamptz')} as off
  from t left join lateral (select ${COUNTS} from job j where j.driver_id = t.id and j.job_start_at >= $2 and j.job_start_at < $3${limits}) w on true`;

const startsThen = (j: string): string => `${j}.job_start_at >= $2 and ${j}.job_start_at < $3`;
// A trailer may become the truck of its job, with the order or by a merge: that is one job of it.
const TRUCKS = (
  limits: string,
): string => `select e.id, e.state <> 'active' as off, coalesce(w.jobs, 0) as jobs, coalesce(w.booked, false) as booked
  from equipment e left join (
    select u.id, ${COUNTS} from (${jobIdsOf('$4::uuid[]', startsThen)}) seen
      join job j on j.id = seen.id, lateral (select distinct unnest(j.additional_equipment_ids || j.equipment_id)) u(id)
    where true${limits} group by u.id) w on w.id = e.id
  where e.id = any($1::uuid[])`;

/** Returns the work of drivers on the day, by their ids, in one statement. */
export const workOfDrivers = (ctx: Context, board: DayBoard, ids: readonly string[]): Promise<Map<string, DayWork>> =>
  workOf(ctx, DRIVERS, [ids, board.startsAt, board.endsAt]);

/** Returns the work of trucks on the day, in the jobs of all companies that the viewer sees. */
export const workOfTrucks = (ctx: Context, board: DayBoard, ids: readonly string[]): Promise<Map<string, DayWork>> =>
  workOf(ctx, TRUCKS, [ids, board.startsAt, board.endsAt, viewerOf(ctx).companyIds]);

/** Returns the id of a viewer who may read own records only; otherwise null. */
export function personOf(ctx: Context): string | null {
  const { id, ownRecordsOnly } = viewerOf(ctx);
  return ownRecordsOnly ? id : null;
}

interface Row {
  id: string;
  jobs: number;
  booked: boolean;
  off: boolean;
}

/** @param statement takes the SQL that limits the jobs `j` to what the viewer may read */
async function workOf(ctx: Context, statement: (limits: string) => string, values: unknown[]): Promise<Map<string, DayWork>> {
  const text = statement(limitsFor(viewerOf(ctx), Job, 'j', values));
  const pool = await poolOf(ctx.em);
  // A company with which a driver is shared sees when the driver is off.
  const { rows } = await withPartnerVisibility(() => pool.query<Row>(text, values), 'shares');
  return new Map(
    rows.map(({ id, jobs, booked, off }) => [id, { jobsCount: jobs, availability: off ? 'off' : booked ? 'booked' : 'available' }]),
  );
}
