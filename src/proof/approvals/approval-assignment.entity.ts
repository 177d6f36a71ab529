import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { Choice, One, RecordBase, stringEnum, Text, Uuid } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';

export const ApprovableType = stringEnum('ApprovableType', ['Job', 'Load', 'DriverDay']);
export type ApprovableType = keyof typeof ApprovableType;
export const ApprovalAction = stringEnum('ApprovalAction', ['approve', 'unapprove']);
export type ApprovalAction = keyof typeof ApprovalAction;
export const ApprovalCategory = stringEnum('ApprovalCategory', ['field', 'billing']);
export type ApprovalCategory = keyof typeof ApprovalCategory;
/** As what somebody approved. */
export const ApprovalType = stringEnum('ApprovalType', ['driver', 'foreman', 'biller', 'company_admin', 'platform_admin']);
export type ApprovalType = keyof typeof ApprovalType;
/** As what somebody may ask to approve. */
export const RequestedApprovalType = stringEnum('RequestedApprovalType', ['driver', 'foreman', 'biller', 'company_admin']);
export type RequestedApprovalType = keyof typeof RequestedApprovalType;

export const ApproverType = stringEnum('ApproverType', ['User', 'Company', 'Impersonation', 'M2MClient'], 'The kinds of approvers.');
export type ApproverType = keyof typeof ApproverType;

/** One approval of a record, or its withdrawal: by whom, and in which category. Append only (DOMAIN 1.4). */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class ApprovalAssignment extends RecordBase {
  /** In whose books the approval is. */
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Choice(() => ApprovableType, { required: true }) approvableType!: ApprovableType;
  @Uuid({ required: true }) approvableId!: string;
  @Choice(() => ApprovalAction, { required: true }) approvalAction!: ApprovalAction;
  @Choice(() => ApprovalCategory, { required: true }) approvalCategory!: ApprovalCategory;
  @Choice(() => ApprovalType, { required: true }) approvalType!: ApprovalType;
  /** `Company` to readers of another company, who do not see people. */
  @Choice(() => ApproverType, { required: true }) approverType!: ApproverType;
  @Uuid({ required: true }) approverId!: string;
  /** The name of the approver at that time. */
  @Text() approverName?: string | null;
  @Uuid({ description: 'The review of a load that was approved because of it.' }) reviewId?: string | null;
  /** A foreman of the customer, who has no login here. */
  @Text() externalApproverName?: string | null;
}
