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
import { statementListeners, type Where } from '../../platform/read/reader.ts';
import { DateTime, LocalDate } from '../../platform/scalars.ts';
import { dayBounds, localDate } from '../../platform/time.ts';
import { jobOfPerson } from '../access/own-work.sql.ts';
import { zoneOf } from '../model/company-day.ts';
import { Job } from '../model/job.entity.ts';
import { JobState, OVER } from '../model/states.ts';
import '../model/dispatch.messages.ts';

export const DayAvailability = stringEnum('DayAvailability', ['available', 'booked', 'off']);
export type DayAvailability = keyof typeof DayAvailability;

/** A company's day: its orders, jobs, drivers and trucks are read when they are asked for. */
@ObjectType({ simpleResolvers: true, description: "A company's day, from its midnight to the next." })
export class DayBoard {
  @Field(() => ID) companyId!: string;
  @Field(() => LocalDate) date!: string;
  @Field(() => String, { description: "The company's, by which its day begins and ends." }) timeZone!: string;
  @Field(() => DateTime) startsAt!: Date;
  @Field(() => DateTime, { description: 'The first moment after it.' }) endsAt!: Date;
}

@ObjectType({ simpleResolvers: true })
export class DayJobs {
  @Field(() => JobState) state!: JobState;
  @Field(() => Int) count!: number;
  @Field(() => [Job], { description: 'By their start.' }) jobs!: Job[];
}

/** What the day holds for a driver or a truck. */
export interface DayWork {
  availability: DayAvailability;
  jobsCount: number;
}

@ObjectType({ simpleResolvers: true })
export class DayDriver implements DayWork {
  @Field(() => User) driver!: User;
  @Field(() => DayAvailability, { description: '`booked` with an open job on the day; `off` in what is left of the day.' })
  availability!: DayAvailability;
  @Field(() => Int, { description: 'Jobs of the day that were not rejected or canceled.' }) jobsCount!: number;
}

@ObjectType({ simpleResolvers: true })
export class DayTruck implements DayWork {
  @Field(() => Equipment) truck!: Equipment;
  @Field(() => DayAvailability, { description: '`booked` with an open job on the day; `off` while it is inactive.' })
  availability!: DayAvailability;
  @Field(() => Int, { description: 'Jobs of the day that were not rejected or canceled.' }) jobsCount!: number;
}

/** Records of one kind that a board answers: beyond them the paged lists are for. */
export const MOST_OF_A_DAY = 5_000;

/** A day of a company, today unless given. @throws Unauthenticated, Missing */
export async function dayBoard(ctx: Context, companyId?: string | null, date?: string | null): Promise<DayBoard> {
  const id = companyOf(ctx, companyId);
  const timeZone = await zoneOf(ctx, id);
  const day = date ?? localDate(new Date(), timeZone);
  const { start, end } = dayBounds(day, timeZone);
  return { companyId: id, date: day, timeZone, startsAt: start, endsAt: end };
}

const within = (column: string, p: string) => `${column} >= (${p})[1]::timestamptz and ${column} < (${p})[2]::timestamptz`;
// By the company first, own and passed on apart: together PostgreSQL would look at the jobs of everybody.
const ownJobsOn = (column: string, p: string) =>
  `select j.${column} from job j where j.company_id = (${p})[3]::uuid and ${within('j.job_start_at', p)}`;
const subcontractedJobsOn = (column: string, p: string) =>
  `select j.${column} from job_assignment a join job j on j.id = a.job_id where a.vendor_company_id = (${p})[3]::uuid and ${within('j.job_start_at', p)}`;

const boundsOf = ({ startsAt, endsAt, companyId }: DayBoard): string[] => [startsAt.toISOString(), endsAt.toISOString(), companyId];

/** The jobs that start on the day. */
export const jobsOfDay = (board: DayBoard): Where => ({
  key: 'jobs of the day',
  sql: (t, p) => `${t}.id = any(array(${ownJobsOn('id', p)} union ${subcontractedJobsOn('id', p)}))`,
  cast: 'text[]',
  value: boundsOf(board),
});

/** The orders that load on the day, and those with a job on it. */
export const ordersOfDay = (board: DayBoard): Where => ({
  key: 'orders of the day',
  sql: (t, p) =>
    `${t}.id = any(array(select o.id from orders o where o.company_id = (${p})[3]::uuid and ${within('o.load_at', p)}
      union ${ownJobsOn('order_id', p)} union ${subcontractedJobsOn('order_id', p)}))`,
  cast: 'text[]',
  value: boundsOf(board),
});

const ownWork = (p: string) => `${within('j.job_start_at', p)} and ${jobOfPerson('j', `(${p})[4]::uuid`)}`;
const withPerson = (board: DayBoard, personId: string): string[] => [...boundsOf(board), personId];

/** The drivers of a day that somebody sees who reads own work only: of that work, and themselves. */
export const driversAround = (board: DayBoard, personId: string): Where => ({
  key: 'drivers around',
  sql: (t, p) => `(${t}.id = (${p})[4]::uuid or exists (select 1 from job j where j.driver_id = ${t}.id and ${ownWork(p)}))`,
  cast: 'text[]',
  value: withPerson(board, personId),
});

/** The trucks likewise. */
export const trucksAround = (board: DayBoard, personId: string): Where => ({
  key: 'trucks around',
  sql: (t, p) =>
    `${t}.id in (select unnest(j.additional_equipment_ids || j.equipment_id) from job j where j.company_id = (${p})[3]::uuid and ${ownWork(p)})`,
  cast: 'text[]',
  value: withPerson(board, personId),
});

/** @throws Invalid when there is more than a board can show */
export function showable<T>(rows: T[]): T[] {
  if (rows.length > MOST_OF_A_DAY)
    throw new Invalid([{ model: 'DayBoard', field: 'date', key: 'day_too_full', params: { most: MOST_OF_A_DAY } }]);
  return rows;
}

const COUNTS = `count(*) filter (where j.state not in ('rejected', 'canceled'))::int as jobs, bool_or(j.state not in ${OVER}) as booked`;

/** Of today what is left: who was off this morning is there now. */
const DRIVERS = (limits: string): string => `with t as (select unnest($1::uuid[]) as id)
  select t.id, coalesce(w.jobs, 0) as jobs, coalesce(w.booked, false) as booked, ${isOff('user_id', 't', 'greatest($2::timestamptz, least(now(), $3::timestamptz))', '$3::timestamptz')} as off
  from t left join lateral (select ${COUNTS} from job j where j.driver_id = t.id and j.job_start_at >= $2 and j.job_start_at < $3${limits}) w on true`;

const TRUCKS = (
  limits: string,
): string => `select e.id, e.state <> 'active' as off, coalesce(w.jobs, 0) as jobs, coalesce(w.booked, false) as booked
  from equipment e left join (
    select u.id, ${COUNTS} from job j, unnest(j.additional_equipment_ids || j.equipment_id) u(id)
    where j.company_id = any($4::uuid[]) and j.job_start_at >= $2 and j.job_start_at < $3${limits} group by u.id) w on w.id = e.id
  where e.id = any($1::uuid[])`;

/** What the day holds for drivers, of all of them in one statement. */
export const workOfDrivers = (ctx: Context, board: DayBoard, ids: readonly string[]): Promise<Map<string, DayWork>> =>
  workOf(ctx, DRIVERS, [ids, board.startsAt, board.endsAt]);

/** The same for trucks, in the work of all the companies the viewer sees. */
export const workOfTrucks = (ctx: Context, board: DayBoard, ids: readonly string[]): Promise<Map<string, DayWork>> =>
  workOf(ctx, TRUCKS, [ids, board.startsAt, board.endsAt, viewerOf(ctx).companyIds]);

/** Whose work alone is told, to whom no other is. */
export function personOf(ctx: Context): string | null {
  const { id, ownRecordsOnly: ownOnly } = viewerOf(ctx);
  return ownOnly ? id : null;
}

interface Row {
  id: string;
  jobs: number;
  booked: boolean;
  off: boolean;
}

/** @param statement with what the viewer is limited to of the jobs `j` */
async function workOf(ctx: Context, statement: (limits: string) => string, values: unknown[]): Promise<Map<string, DayWork>> {
  const text = statement(limitsFor(viewerOf(ctx), Job, 'j', values));
  for (const listen of statementListeners) listen(text);
  const pool = await poolOf(ctx.em);
  // Whoever is shared a driver hears when they are off.
  const { rows } = await withPartnerVisibility(() => pool.query<Row>(text, values), 'shares');
  return new Map(
    rows.map(({ id, jobs, booked, off }) => [id, { jobsCount: jobs, availability: off ? 'off' : booked ? 'booked' : 'available' }]),
  );
}
