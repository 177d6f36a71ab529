import { Field, ObjectType } from 'type-graphql';
import { find, viewerOf } from '../platform/authz/fences.ts';
import { Principal } from '../platform/commands/audit.entity.ts';
import type { Context, Viewer } from '../platform/context.ts';
import { poolOf } from '../platform/database/sql.ts';
import { Missing } from '../platform/errors.ts';
import { DateTime, Json } from '../platform/scalars.ts';
import type { JobPath } from './drive-job.ts';
import { Job } from './job.entity.ts';
import { isOwnersSide } from './job.policy.ts';

/** Who changed what of a job from what to what. */
@ObjectType({ simpleResolvers: true })
export class JobTimelineEntry {
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => Principal) createdBy!: Principal;
  /** `{ field: [old, new] }`, fields as REST spells them. */
  @Field(() => Json) objectChanges!: Record<string, [unknown, unknown]>;
}

/** The contract pages no timeline; a job has some tens of changes. */
const MOST = 1000;

/** Columns that only holders of a rate permission see (DOMAIN section 2: rate visibility). */
const RATES: readonly (readonly [RegExp, string])[] = [
  [/^(customer_rate|material_sell_price)/, 'view_customer_rates'],
  [/^(vendor_rate|material_buy_price)/, 'view_vendor_rates'],
  [/^driver_(commission_)?rate/, 'view_driver_rates'],
];

/** The changes of a job, newest first. Its own side's business: a vendor finds none. @throws Missing */
export async function jobTimeline(ctx: Context, path: JobPath): Promise<JobTimelineEntry[]> {
  const viewer = viewerOf(ctx);
  const job = await find(ctx, Job, path.id, { companyId: path.companyId });
  if (!isOwnersSide(viewer, job)) throw new Missing();
  const { rows } = await (await poolOf(ctx.em)).query<{
    created_at: Date;
    type: string;
    id: string;
    name: string;
    changes: JobTimelineEntry['objectChanges'];
  }>(
    `select created_at, created_by_type as type, created_by_id as id, created_by_name as name, object_changes as changes
     from audit_entry where subject_type = 'Job' and subject_id = $1 order by created_at desc, id desc limit ${MOST}`,
    [job.id],
  );
  return rows.flatMap(({ created_at, type, id, name, changes }) => {
    const objectChanges = visibleChanges(viewer, changes);
    return Object.keys(objectChanges).length === 0 ? [] : [{ createdAt: created_at, createdBy: { type, id, name }, objectChanges }];
  });
}

function visibleChanges(viewer: Viewer, changes: JobTimelineEntry['objectChanges']): JobTimelineEntry['objectChanges'] {
  const hidden = RATES.filter(([, permission]) => !viewer.can(permission));
  return Object.fromEntries(Object.entries(changes).filter(([field]) => !hidden.some(([columns]) => columns.test(field))));
}
