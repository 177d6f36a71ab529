import type DataLoader from 'dataloader';
import { Field, ID, ObjectType } from 'type-graphql';
import type { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { ticketedSql } from '../../dispatch/model/load-figures.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { loaderOf } from '../../platform/read/loader.ts';
import { ApprovalCategory } from '../approvals/approval-assignment.entity.ts';
import { type DayFlags, ownStates } from '../approvals/approval-status.ts';
import { APPROVABLE_JOB, NOTHING_TO_APPROVE } from '../approvals/approve.ts';

/**
 * A job of an approved day that was not approved with it because it was not finished, or a load that was still open of one that was: it was begun, or a ticket proves it,
 * and nobody has completed it.
 */
@ObjectType({ simpleResolvers: true })
export class DriverDayWarning {
  @Field(() => ID) jobId!: string;
  @Field(() => String, { description: 'The friendly number of the job.' }) number!: string;
  @Field(() => ID, { nullable: true, description: 'The load that was still open, if the job was finished.' }) loadId!: string | null;
  @Field(() => String, { nullable: true, description: 'The friendly number of the load.' }) loadNumber!: string | null;
  @Field(() => ApprovalCategory, { description: 'Of which approval it says something.' }) category!: ApprovalCategory;
}

/** A day as the planner gives it. */
export type DayRow = DriverDay & { companyId: string };

/** The approvals of a day by the viewer's company: the driver's company's are in the row, those of a customer in a state of its own. */
export async function approvalsOfDay(ctx: Context, day: DayRow): Promise<DayFlags> {
  // A day that has not begun has no company but the caller's.
  if (!day.companyId || viewerOf(ctx).companyIds.includes(day.companyId)) return day as object as DayFlags;
  return ownStates(ctx, 'DriverDay').load(day.id);
}

const OF_MINE = (type: 'Job' | 'Load', t: string): string => `
    case when j.company_id = any($2::uuid[]) then ${t}.billing_approved_at is null else s.billing_approved_at is null end as billing,
    case when j.company_id = any($2::uuid[]) then ${t}.field_approved_at is null else s.field_approved_at is null end as field
  from job j ${type === 'Load' ? 'join load l on l.job_id = j.id' : ''}
    left join lateral (select max(a.billing_approved_at) as billing_approved_at, max(a.field_approved_at) as field_approved_at from approval_state a
    where a.approvable_id = ${t}.id and a.approvable_type = '${type}' and a.company_id = any($2::uuid[])) s on true
  where j.driver_day_id = any($1::uuid[])
    and (j.company_id = any($2::uuid[]) or exists (select 1 from job_assignment a where a.job_id = j.id and a.vendor_company_id = any($2::uuid[])))`;
const listed = (of: readonly string[]): string => `('${of.join("', '")}')`;
const LEFT = `select j.driver_day_id as id, j.id as "jobId", j.job_id as number, null::uuid as "loadId", null as "loadNumber", ${OF_MINE('Job', 'j')}
    and j.state not in ('canceled', 'signed_off', 'paid')
  union all
  select j.driver_day_id, j.id, j.job_id, l.id, l.load_id, ${OF_MINE('Load', 'l')}
    and j.state in ${listed(APPROVABLE_JOB)} and (l.state not in ${listed([...NOTHING_TO_APPROVE, 'completed'])} or l.state = 'created' and ${ticketedSql('l')})
  order by 3, 5 nulls first`;

interface Left {
  id: string;
  jobId: string;
  number: string;
  loadId: string | null;
  loadNumber: string | null;
  billing: boolean;
  field: boolean;
}

/** The jobs of days, and open loads of finished ones, that the viewer sees and whose categories are open, batched. */
const openJobs = (ctx: Context): DataLoader<string, Left[]> =>
  loaderOf(ctx, 'openJobsOfDays', async (ids) => {
    const pool = await poolOf(ctx.em);
    const values = [ids, viewerOf(ctx).companyIds];
    const { rows } = await withPartnerVisibility(() => pool.query<Left>({ name: 'open-jobs-of-days', text: LEFT, values }));
    const found = Map.groupBy(rows, ({ id }) => id);
    return ids.map((id) => found.get(id) ?? []);
  });

/** The jobs and loads that were left when the viewer's company approved the day. */
export async function warningsOfDay(ctx: Context, day: DayRow): Promise<DriverDayWarning[]> {
  const { billingApprovedAt, fieldApprovedAt } = await approvalsOfDay(ctx, day);
  if (!billingApprovedAt && !fieldApprovedAt) return [];
  const left = await openJobs(ctx).load(day.id);
  const of = (category: ApprovalCategory, approved: unknown) =>
    approved
      ? left
          .filter((one) => one[category])
          .map(({ jobId, number, loadId, loadNumber }) => ({ jobId, number, loadId, loadNumber, category }))
      : [];
  return [...of('field', fieldApprovedAt), ...of('billing', billingApprovedAt)];
}
