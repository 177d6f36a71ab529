import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Field, FieldResolver, ID, Info, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { Site } from '../../directory/sites/site.entity.ts';
import { findKept, viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { limitsFor } from '../../platform/model/limits.ts';
import { DateTime } from '../../platform/scalars.ts';
import { visibleToVendor } from '../access/subcontracted.ts';
import { Job } from '../model/job.entity.ts';
import { jobIdsOf } from './job-ids.sql.ts';

/** Statistics of a site, from the jobs that the viewer may read and that started in the last seven days. */
@ObjectType({ simpleResolvers: true })
export class SiteEquipmentStats {
  @Field(() => ID) id!: string;
  @Field(() => Int, { description: 'Trucks whose load is being loaded or unloaded there.' }) onSiteEquipmentCount!: number;
  @Field(() => Int, { description: 'Trucks that are on the way there.' }) enRouteEquipmentCount!: number;
  @Field(() => Int, { description: 'Mean minutes from arrival until loaded or unloaded; 0 if no truck was there.' })
  avgOnsiteTimeMinutes!: number;
  @Field(() => DateTime, { nullable: true, description: 'When a geofence last reported that a truck arrived or left.' })
  lastGeofenceAt!: Date | null;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
}

/** Jobs of which the statistics are. */
const isRecent = (j: string): string =>
  `${j}.job_start_at > present_time() - interval '7 days' and ${j}.job_start_at < present_time() + interval '1 day'`;

/**
 * A truck is the equipment of its job; without equipment, the driver is counted, and without a driver the job. @param limits on the jobs
 * `j`
 */
const statsSql = (limits: string) => `with visit as (
    select coalesce(j.equipment_id, j.driver_id, j.id) as truck, l.id as load_id, l.job_id, l.state, w.type, l.updated_at,
      case w.type when 'pickup' then l.summary_loaded_at - l.summary_arrived_pickup_at
        else l.summary_unloaded_at - l.summary_arrived_dropoff_at end as stay
    from (${jobIdsOf('$2::uuid[]', isRecent)}) seen
      join job j on j.id = seen.id
      join load l on l.job_id = j.id join waypoint w on w.route_id = l.route_id and w.site_id = $1 and w.type in ('pickup', 'drop_off')
    where true${limits})
  select
    count(distinct truck) filter (where state in ('arrived_pickup', 'loaded') and type = 'pickup'
      or state in ('arrived_dropoff', 'unloaded') and type = 'drop_off')::int as "onSiteEquipmentCount",
    count(distinct truck) filter (where state = 'to_pickup' and type = 'pickup' or state = 'to_dropoff' and type = 'drop_off')::int
      as "enRouteEquipmentCount",
    coalesce(floor(extract(epoch from avg(stay) filter (where state <> 'canceled' and stay > interval '0')) / 60), 0)::int as "avgOnsiteTimeMinutes",
    (select max(e.occurred_at) from job_event e where e.event_source = 'geofence' and e.undone_at is null and e.job_id in (select job_id from visit)
      and e.load_id in (select load_id from visit)
      and (e.company_id = any($2::uuid[]) or ${visibleToVendor('e.job_id', 'e.created_by_company_id', '$2::uuid[]')})) as "lastGeofenceAt",
    max(updated_at) as "changedAt"
  from visit`;

@Resolver(() => SiteEquipmentStats)
export class SiteStatsResolver {
  @Query(() => SiteEquipmentStats, { description: 'How many trucks are at a site or on the way there, and how long they stay.' })
  @AnySignedIn()
  async siteStats(
    @Ctx() ctx: Context,
    @Arg('siteId', () => ID) siteId: string,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<SiteEquipmentStats> {
    const site = await findKept(ctx, Site, siteId, { companyId, shared: true });
    const viewer = viewerOf(ctx);
    const values: unknown[] = [site.id, companyId ? [companyId] : viewer.companyIds];
    // A viewer who reads own records only counts only their trucks.
    const text = statsSql(limitsFor(viewer, Job, 'j', values));
    const pool = await poolOf(ctx.em);
    // The stops of work that was passed on are those of its owner.
    const { rows } = await withPartnerVisibility(() => pool.query<SiteEquipmentStats & { changedAt: Date | null }>(text, values));
    const { changedAt, ...stats } = rows[0]!;
    const updatedAt = changedAt && changedAt > site.updatedAt ? changedAt : site.updatedAt;
    return { ...stats, id: site.id, createdAt: site.createdAt, updatedAt };
  }

  @FieldResolver(() => Site)
  site(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Root() { id }: SiteEquipmentStats): Promise<Site> {
    return ctx.read.one(Site, info, { id, shared: true });
  }
}
