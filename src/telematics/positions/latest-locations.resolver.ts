import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, ID, Info, InputType, Query, Resolver } from 'type-graphql';
import { User } from '../../directory/people/user.entity.ts';
import { companyFor } from '../../dispatch/jobs/job.resolver.ts';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { OVER } from '../../dispatch/model/states.ts';
import { allow, companyOf, denial, find, viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, DRIVER, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { Invalid, unlessMissing } from '../../platform/errors.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { isUuid } from '../../platform/ids.ts';
import { type Connection, PageArgs } from '../../platform/read/connection.ts';
import { ReportsArchived, reportArchived } from '../../platform/read/past/archived.ts';
import type { Where } from '../../platform/read/reader.ts';
import { DateTime } from '../../platform/scalars.ts';
import { LocationHistoryConnection } from './job-locations.resolver.ts';
import { LocationHistory } from './location-history.entity.ts';
import { noteReading, noteReadingOfJob } from './note-reading.ts';
import { personOf } from './phone-positions.ts';

@InputType()
export class LatestLocationFilter {
  @Field(() => String, { nullable: true, description: 'The id of an order, or its friendly number.' }) orderId?: string | null;
  @Field(() => ID, { nullable: true }) jobId?: string | null;
}

@ArgsType()
class LatestLocationArgs {
  @Field(() => ID, companyArg) companyId?: string | null;
  @Field(() => LatestLocationFilter, { nullable: true }) filter?: LatestLocationFilter | null;
}

@ArgsType()
class MyLocationArgs extends PageArgs {
  @Field(() => DateTime, { nullable: true, description: 'From when on; by default from the first one.' }) startAt?: Date | null;
  @Field(() => DateTime, { nullable: true, description: 'Until when, not included; by default to the last one.' }) endAt?: Date | null;
}

@ArgsType()
class UserLocationArgs extends MyLocationArgs {
  @Field(() => ID, { description: 'Of the person.' }) id!: string;
  @Field(() => ID, companyArg) companyId?: string | null;
}

@ArgsType()
class DayLocationArgs extends PageArgs {
  @Field(() => ID) driverDayId!: string;
  @Field(() => ID, companyArg) companyId?: string | null;
}

/** Days after which the position of a job that is still open is no news. */
const RECENT = 2;

/** Where people and trucks are now, and where they were on a day. */
@Resolver()
export class LatestLocationsResolver {
  @Query(() => [LocationHistory], {
    description:
      'The newest position of each job that is under way, as far as you may see it. The audit log has who asked for that of one job.',
  })
  @AnySignedIn()
  async latestLocations(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => LatestLocationArgs) { companyId: named, filter }: LatestLocationArgs,
  ): Promise<LocationHistory[]> {
    const viewer = viewerOf(ctx);
    const companyId = named ? companyOf(ctx, named) : undefined;
    if (filter) refuseUnread(filter);
    if (!readsPositions(ctx)) return [];
    if (filter?.jobId && !(await noteJob(ctx, filter.jobId, companyId))) return [];
    const where = [newest(companyId ? [companyId] : viewer.companyIds), ...narrowed(filter)];
    return ctx.read.list(LocationHistory, info, { companyId, where, shared: true });
  }

  @ReportsArchived()
  @Query(() => LocationHistoryConnection, {
    description: "Every position that is kept of the calling person's telephones, in order: their own data, to take with them.",
  })
  @AnySignedIn()
  async myLocationHistories(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => MyLocationArgs) { startAt, endAt, ...page }: MyLocationArgs,
  ): Promise<Connection<LocationHistory>> {
    const { id, companyId } = personOf(ctx);
    await reportArchived(ctx, info, companyId, 'location_history');
    return ctx.read.page(LocationHistory, info, { ...page, sort: { occurredAt: 'asc' }, where: [ofPerson(id, startAt, endAt)], companyId });
  }

  @ReportsArchived()
  @Query(() => LocationHistoryConnection, {
    description: "Every position that is kept of a person's telephones, in order, to hand out to them. The audit log has who read it.",
  })
  @Requires('edit_user')
  async userLocationHistories(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => UserLocationArgs) { id, companyId, startAt, endAt, ...page }: UserLocationArgs,
  ): Promise<Connection<LocationHistory>> {
    const person = await find(ctx, User, id, { companyId });
    allow(ctx, 'edit_user');
    const by = { start_at: startAt?.toISOString(), end_at: endAt?.toISOString() };
    await noteReading(ctx, { type: 'User', id: person.id, companyId: person.company.id, by });
    await reportArchived(ctx, info, person.company.id, 'location_history');
    const where = [ofPerson(person.id, startAt, endAt)];
    return ctx.read.page(LocationHistory, info, { ...page, sort: { occurredAt: 'asc' }, where, companyId: person.company.id });
  }

  @ReportsArchived()
  @Query(() => LocationHistoryConnection, { description: 'The positions of a driver during the shift of a day, in order.' })
  @Requires('assign_job', DRIVER)
  async driverDayLocationHistories(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => DayLocationArgs) { driverDayId, companyId, ...page }: DayLocationArgs,
  ): Promise<Connection<LocationHistory>> {
    const day = await find(ctx, DriverDay, driverDayId, { companyId, shared: true });
    const viewer = viewerOf(ctx);
    if (!viewer.can('assign_job') && day.driver.id !== viewer.id) throw denial(viewer, 'assign_job');
    const reads = companyFor(ctx, day, companyId);
    const by = { driver_day_id: day.id };
    await noteReading(ctx, { type: 'User', id: day.driver.id, companyId: reads ?? viewer.companyId, by });
    await reportArchived(ctx, info, reads ?? viewer.companyId, 'location_history');
    const list = { ...page, sort: { occurredAt: 'asc' }, where: [ofShift(day)], shared: true };
    return ctx.read.page(LocationHistory, info, { ...list, companyId: reads });
  }
}

/** The numbers of orders, as they are drawn. */
const NUMBER = /^\d{1,15}$/;

/** Refuses what names no order of anybody: an empty answer would say that nobody is under way. @throws Invalid */
function refuseUnread({ orderId }: LatestLocationFilter): void {
  if (orderId && !isUuid(orderId) && !NUMBER.test(orderId))
    throw new Invalid([{ model: 'LocationHistory', field: 'filter.orderId', key: 'not_an_order' }]);
}

/** True for viewers who assign jobs, and read where people are. Foremen and drivers read the positions of their own jobs (location-history.access.ts). */
function readsPositions(ctx: Context): boolean {
  const viewer = viewerOf(ctx);
  return viewer.ownRecordsOnly === true || viewer.can('assign_job');
}

/**
 * Whoever asks for one job asks where its driver is, again and again if they like: that is noted as a reading of positions. Maps ask for all of
 * them. @returns false if the viewer has no such job
 */
async function noteJob(ctx: Context, jobId: string, companyId: string | null | undefined): Promise<boolean> {
  const job = await unlessMissing(find(ctx, Job, jobId, { companyId }));
  if (job) await noteReadingOfJob(ctx, job, companyFor(ctx, job, companyId));
  return job !== undefined;
}

// A job is looked for by company and start, as on the board; its newest position by the index on jobs.
const newest = (companies: readonly string[]): Where => ({
  key: 'newest',
  sql: (t, p) => `${t}.occurred_at > present_time() - interval '${RECENT} days' and ${t}.id = any(array(
    select l.id from job j cross join lateral (select h.id from location_history h where h.job_id = j.id and h.occurred_at > present_time() - interval '${RECENT} days'
      order by h.occurred_at desc, h.id desc limit 1) l
    where j.state not in ('created', 'assigned', 'sent', 'accepted') and j.state not in ${OVER} and j.job_start_at > present_time() - interval '8 days'
      and (j.company_id = any(${p}) or exists (select 1 from job_assignment a where a.job_id = j.id and a.vendor_company_id = any(${p})))))`,
  cast: 'uuid[]',
  value: companies,
});

function narrowed(filter?: LatestLocationFilter | null): Where[] {
  const { orderId, jobId } = filter ?? {};
  const where: Where[] = [];
  if (jobId) where.push({ key: 'job', sql: (t, p) => `${t}.job_id = ${p}`, cast: 'uuid', value: isUuid(jobId) ? jobId : null });
  const ofOrder = (column: string) => (t: string, p: string) =>
    `exists (select 1 from job nj join orders no on no.id = nj.order_id where nj.id = ${t}.job_id and no.${column} = ${p})`;
  if (orderId && isUuid(orderId)) where.push({ key: 'order', sql: ofOrder('id'), cast: 'uuid', value: orderId });
  else if (orderId) where.push({ key: 'orderNumber', sql: ofOrder('order_id'), cast: 'text', value: orderId });
  return where;
}

const ofPerson = (id: string, startAt: Date | null | undefined, endAt: Date | null | undefined): Where => ({
  key: 'person',
  sql: (t, p) =>
    `${t}.asset_id = (${p})[1]::uuid and ${t}.occurred_at >= (${p})[2]::timestamptz and ${t}.occurred_at < (${p})[3]::timestamptz`,
  cast: 'text[]',
  value: [id, startAt?.toISOString() ?? '-infinity', endAt?.toISOString() ?? 'infinity'],
});

/** Of the telephone, and of the trucks of the day's jobs while they were under way. */
const ofShift = ({ id, driver, startedShiftAt, endedShiftAt }: DriverDay): Where => ({
  key: 'shift',
  sql: (t, p) => `${t}.occurred_at >= (${p})[2]::timestamptz and ${t}.occurred_at <= (${p})[3]::timestamptz
    and (${t}.user_id = (${p})[1]::uuid or (${t}.user_id is null and exists (select 1 from job dj where dj.id = ${t}.job_id and dj.driver_day_id = (${p})[4]::uuid)))`,
  cast: 'text[]',
  value: [driver.id, startedShiftAt?.toISOString() ?? 'infinity', endedShiftAt?.toISOString() ?? 'infinity', id],
});
