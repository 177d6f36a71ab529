import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, ID, Info, Query, Resolver } from 'type-graphql';
import { companyFor, ofJob } from '../../dispatch/jobs/job.resolver.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { OVER } from '../../dispatch/model/states.ts';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { Missing } from '../../platform/errors.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { isUuid } from '../../platform/ids.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { ReportsArchived, reportArchived } from '../../platform/read/past/archived.ts';
import type { Where } from '../../platform/read/reader.ts';
import { LocationHistory } from './location-history.entity.ts';
import { noteReadingOfJob } from './note-reading.ts';

export const LocationHistoryConnection = connectionOf('LocationHistory', () => LocationHistory);

@ArgsType()
class JobLocationsArgs extends PageArgs {
  @Field(() => ID) jobId!: string;
  @Field(() => ID, { nullable: true, description: 'A moving site of the job: the position of its machine is returned instead.' })
  movingSiteId?: string | null;
  @Field(() => ID, companyArg) companyId?: string | null;
}

/** Where telephones were on a job. */
@Resolver()
export class JobLocationsResolver {
  @ReportsArchived()
  @Query(() => LocationHistoryConnection, { description: "The positions of the driver's telephone during a job, in order." })
  @AnySignedIn()
  async jobLocationHistories(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => JobLocationsArgs) { jobId, movingSiteId, companyId, ...page }: JobLocationsArgs,
  ): Promise<Connection<LocationHistory>> {
    const job = await find(ctx, Job, jobId, { companyId });
    const reads = companyFor(ctx, job, companyId);
    if (!movingSiteId) await noteReadingOfJob(ctx, job, reads);
    await reportArchived(ctx, info, reads ?? viewerOf(ctx).companyId, 'location_history');
    const where = movingSiteId ? await ofMachine(ctx, job, movingSiteId) : ofJob(job.id);
    const list = { ...page, sort: { occurredAt: 'asc' }, where: [where], shared: true };
    return ctx.read.page(LocationHistory, info, { ...list, companyId: reads });
  }
}

/** The machine of a moving site, and when the job was worked on: until now while it is open, never before it began. */
const MACHINE = `select m.equipment_id, w.start, case when j.state in ${OVER} then w.last else present_time() end as until
  from job j join waypoint p on p.route_id = j.route_id join moving_site m on m.site_id = p.site_id,
    lateral (select min(e.occurred_at) as start, max(e.occurred_at) as last from job_event e
      where e.job_id = j.id and e.undone_at is null and e.state not in ('created', 'assigned', 'sent', 'accepted', 'rejected', 'canceled')) w
  where j.id = $1 and m.id = $2 limit 1`;

interface Machine {
  equipment_id: string;
  start: Date | null;
  until: Date | null;
}

/** Where the machine of a moving site was while the job was worked on. @throws Missing when the job does not go there */
async function ofMachine(ctx: Context, job: Job, movingSiteId: string): Promise<Where> {
  if (!isUuid(movingSiteId)) throw new Missing();
  const pool = await poolOf(ctx.em);
  // A vendor to which the job was passed on hauls to the site as well.
  const { rows } = await withPartnerVisibility(() => pool.query<Machine>(MACHINE, [job.id, movingSiteId]));
  const [machine] = rows;
  if (!machine) throw new Missing();
  return {
    key: 'machine',
    sql: (t, p) =>
      `${t}.equipment_id = (${p})[1]::uuid and ${t}.occurred_at >= (${p})[2]::timestamptz and ${t}.occurred_at <= (${p})[3]::timestamptz`,
    cast: 'text[]',
    value: [machine.equipment_id, machine.start, machine.until],
  };
}
