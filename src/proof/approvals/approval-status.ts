import type DataLoader from 'dataloader';
import { dayHoldSql } from '../../dispatch/access/held-work.ts';
import type { ApprovalStatus } from '../../dispatch/model/approval.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { loaderOf } from '../../platform/read/loader.ts';
import type { ApprovableType } from './approval-assignment.entity.ts';

/** The approvals that are in effect (`Approval-Status` of the contract), without the id of the record. */
export type ApprovalFlags = Omit<ApprovalStatus, 'id'>;

const NONE: ApprovalFlags = {
  ...{ billerApproved: false, companyAdminApproved: false, driverApproved: false, foremanApproved: false },
  ...{ billingApprovedAt: null, fieldApprovedAt: null },
};

const STATES = (more = ''): string => `select s.approvable_id as id, json_build_object(
    'billerApproved', bool_or(s.biller_approved), 'companyAdminApproved', bool_or(s.company_admin_approved), 'driverApproved', bool_or(s.driver_approved),
    'foremanApproved', bool_or(s.foreman_approved), 'billingApprovedAt', max(s.billing_approved_at), 'fieldApprovedAt', max(s.field_approved_at)${more}) as flags
  from approval_state s where s.approvable_type = $3 and s.approvable_id = any($1::uuid[]) and s.company_id = any($2::uuid[]) group by 1`;
const STATES_OF_DAYS = STATES(`, 'invoiceHold', case when max(s.billing_approved_at) is not null then
  (select ${dayHoldSql('hd', (column) => `${column} = any($2::uuid[])`)} from (select s.approvable_id as id) hd) end`);

/** Approvals of a day, and how much invoices in the same books hold of it, a number of `DAY_HOLDS`; absent for nothing. */
export type DayFlags = ApprovalFlags & { invoiceHold?: number | null };

/** The approvals by the viewer's company of records that it does not own, batched. */
export const ownStates = (ctx: Context, type: ApprovableType): DataLoader<string, DayFlags> =>
  loaderOf(ctx, `ownStates ${type}`, async (ids) => {
    const pool = await poolOf(ctx.em);
    const values = [ids, viewerOf(ctx).companyIds, type];
    const [name, text] = type === 'DriverDay' ? ['approval-states-of-days', STATES_OF_DAYS] : ['approval-states', STATES()];
    const { rows } = await pool.query<{ id: string; flags: DayFlags }>({ name, text, values });
    const found = new Map(rows.map(({ id, flags }) => [id, flags]));
    return ids.map((id) => found.get(id) ?? NONE);
  });

/** The approvals of a job by the viewer's company. @throws Unauthenticated, Missing */
export async function jobApprovalStatus(ctx: Context, id: string, companyId?: string | null): Promise<ApprovalStatus> {
  const job = await find(ctx, Job, id, { companyId });
  if (!viewerOf(ctx).companyIds.includes(job.company.id)) return { id: job.id, ...(await ownStates(ctx, 'Job').load(job.id)) };
  const { billerApproved, companyAdminApproved, driverApproved, foremanApproved, billingApprovedAt, fieldApprovedAt } = job;
  const textOf = (at: Date | null | undefined) => at?.toISOString() ?? null;
  const flags = { billerApproved, companyAdminApproved, driverApproved, foremanApproved };
  return { id: job.id, ...flags, billingApprovedAt: textOf(billingApprovedAt), fieldApprovedAt: textOf(fieldApprovedAt) };
}
