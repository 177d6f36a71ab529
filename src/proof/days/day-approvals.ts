import type DataLoader from 'dataloader';
import { Field, ID, ObjectType } from 'type-graphql';
import type { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { loaderOf } from '../../platform/read/loader.ts';
import { ApprovalCategory } from '../approvals/approval-assignment.entity.ts';
import { type ApprovalFlags, ownStates } from '../approvals/approval-status.ts';

/** A job of an approved day that was not approved with it, because it was not finished. */
@ObjectType({ simpleResolvers: true })
export class DriverDayWarning {
  @Field(() => ID) jobId!: string;
  @Field(() => String, { description: 'The friendly number of the job.' }) number!: string;
  @Field(() => ApprovalCategory) category!: ApprovalCategory;
}

/** A day as the planner gives it. */
export type DayRow = DriverDay & { companyId: string };

/** The approvals of a day by the viewer's company: the driver's company's are in the row, those of a customer in a state of its own. */
export async function approvalsOfDay(ctx: Context, day: DayRow): Promise<ApprovalFlags> {
  // A day that has not begun has no company but the caller's.
  if (!day.companyId || viewerOf(ctx).companyIds.includes(day.companyId)) return day as object as ApprovalFlags;
  return ownStates(ctx, 'DriverDay').load(day.id);
}

const LEFT = `select j.driver_day_id as id, j.id as "jobId", j.job_id as number,
    case when j.company_id = any($2::uuid[]) then j.billing_approved_at is null else s.billing_approved_at is null end as billing,
    case when j.company_id = any($2::uuid[]) then j.field_approved_at is null else s.field_approved_at is null end as field
  from job j left join lateral (select max(a.billing_approved_at) as billing_approved_at, max(a.field_approved_at) as field_approved_at from approval_state a
    where a.approvable_id = j.id and a.approvable_type = 'Job' and a.company_id = any($2::uuid[])) s on true
  where j.driver_day_id = any($1::uuid[]) and j.state not in ('canceled', 'signed_off', 'paid')
    and (j.company_id = any($2::uuid[]) or exists (select 1 from job_assignment a where a.job_id = j.id and a.vendor_company_id = any($2::uuid[])))
  order by j.job_id`;

interface Left {
  id: string;
  jobId: string;
  number: string;
  billing: boolean;
  field: boolean;
}

/** The jobs of days that the viewer sees and whose categories are open, batched. */
const openJobs = (ctx: Context): DataLoader<string, Left[]> =>
  loaderOf(ctx, 'openJobsOfDays', async (ids) => {
    const pool = await poolOf(ctx.em);
    const values = [ids, viewerOf(ctx).companyIds];
    const { rows } = await withPartnerVisibility(() => pool.query<Left>({ name: 'open-jobs-of-days', text: LEFT, values }));
    const found = Map.groupBy(rows, ({ id }) => id);
    return ids.map((id) => found.get(id) ?? []);
  });

/** The jobs that were left when the viewer's company approved the day. */
export async function warningsOfDay(ctx: Context, day: DayRow): Promise<DriverDayWarning[]> {
  const { billingApprovedAt, fieldApprovedAt } = await approvalsOfDay(ctx, day);
  if (!billingApprovedAt && !fieldApprovedAt) return [];
  const left = await openJobs(ctx).load(day.id);
  const of = (category: ApprovalCategory, approved: unknown) =>
    approved ? left.filter((job) => job[category]).map(({ jobId, number }) => ({ jobId, number, category })) : [];
  return [...of('field', fieldApprovedAt), ...of('billing', billingApprovedAt)];
}
