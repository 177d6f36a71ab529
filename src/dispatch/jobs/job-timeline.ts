import type { GraphQLResolveInfo } from 'graphql';
import { Field, ObjectType } from 'type-graphql';
import { moneyPermission, seesMoney } from '../../identity/access/money.ts';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { Principal, principalOf } from '../../platform/commands/audit.entity.ts';
import type { Context, RecordPath, Viewer } from '../../platform/context.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { Missing } from '../../platform/errors.ts';
import { reportArchived } from '../../platform/read/past/archived.ts';
import { DateTime, Json } from '../../platform/scalars.ts';
import { isOwnersSide } from '../access/job.policy.ts';
import { Job } from '../model/job.entity.ts';

/** An entry of a job's timeline: who changed which fields, with the old and the new values. */
@ObjectType({ simpleResolvers: true })
export class JobTimelineEntry {
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => Principal) createdBy!: Principal;
  /** `{ field: [old, new] }`, fields spelled as in REST. */
  @Field(() => Json) objectChanges!: Record<string, [unknown, unknown]>;
}

/** The contract does not page timelines; a job has some tens of changes. */
const MOST = 1000;

/** Returns the changes of a job, newest first. They are visible to the owner's side only: a vendor gets none. @throws Missing */
export async function jobTimeline(ctx: Context, info: GraphQLResolveInfo, path: RecordPath): Promise<JobTimelineEntry[]> {
  const viewer = viewerOf(ctx);
  const job = await find(ctx, Job, path.id, { companyId: path.companyId });
  if (!isOwnersSide(viewer, job)) throw new Missing();
  await reportArchived(ctx, info, job.company.id, 'audit_entry');
  const { rows } = await (await poolOf(ctx.em)).query<{
    created_at: Date;
    type: string;
    id: string;
    name: string;
    companyId: string;
    realActorType: string | null;
    realActorId: string | null;
    realActorName: string | null;
    changes: JobTimelineEntry['objectChanges'];
  }>(
    `select created_at, created_by_type as type, created_by_id as id, created_by_name as name, company_id as "companyId",
       real_actor_type as "realActorType", real_actor_id as "realActorId", real_actor_name as "realActorName", object_changes as changes
     from audit_entry where subject_type = 'Job' and subject_id = $1 order by created_at desc, id desc limit ${MOST}`,
    [job.id],
  );
  return rows.flatMap(({ created_at, changes, ...author }) => {
    const objectChanges = visibleChanges(viewer, job, changes);
    return Object.keys(objectChanges).length === 0 ? [] : [{ createdAt: created_at, createdBy: principalOf(author), objectChanges }];
  });
}

/** Changes of rates are visible to those who see the rates; drivers see those of their own pay. */
function visibleChanges(viewer: Viewer, job: Job, changes: JobTimelineEntry['objectChanges']): JobTimelineEntry['objectChanges'] {
  const ownPay = job.driver?.id === viewer.id && viewer.can('view_driver_rates:own');
  return Object.fromEntries(
    Object.entries(changes).filter(
      ([field]) => seesMoney(viewer, field, 'Job') || (ownPay && moneyPermission(field, 'Job') === 'view_driver_rates'),
    ),
  );
}
