import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Company } from '../../directory/companies/company.entity.ts';
import type { HoursOfCustomer } from '../../dispatch/model/driver-day.entity.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { Choice, Flag, Instant, One, RecordBase, Uuid } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';
import { ApprovableType } from './approval-assignment.entity.ts';

/** The approvals of a record by a company that does not own it: the customer up one link, the vendor down one (PROOF A2). */
@Entity()
@Tenant()
export class ApprovalState extends RecordBase {
  /** Of the approver. */
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @Choice(() => ApprovableType, { required: true, hidden: true }) approvableType!: ApprovableType;
  @Uuid({ required: true, hidden: true }) approvableId!: string;
  @Instant({ hidden: true }) approvedAt?: Date | null;
  @Instant({ hidden: true }) billingApprovedAt?: Date | null;
  @Instant({ hidden: true }) fieldApprovedAt?: Date | null;
  /** Of a day that is approved for billing: the hours as they were then. */
  @Property({ type: 'jsonb', nullable: true }) approvedTotals?: HoursOfCustomer | null;
  @Flag({ required: true, hidden: true }) billerApproved: boolean = false;
  @Flag({ required: true, hidden: true }) companyAdminApproved: boolean = false;
  @Flag({ required: true, hidden: true }) driverApproved: boolean = false;
  @Flag({ required: true, hidden: true }) foremanApproved: boolean = false;
}

export const approvalStateKey = defineUnique('approval_state_key', { model: 'ApprovalState', field: 'approvableId' });
