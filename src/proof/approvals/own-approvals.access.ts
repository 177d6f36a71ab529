import { Job } from '../../dispatch/model/job.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { defineAccess } from '../../platform/read/access.ts';
import type { ApprovableType } from './approval-assignment.entity.ts';

/** The approvals of a company that does not own the record, by field. */
const COLUMNS = {
  approvedAt: 's.approved_at',
  billingApprovedAt: 's.billing_approved_at',
  fieldApprovedAt: 's.field_approved_at',
  billerApproved: 's.biller_approved',
  companyAdminApproved: 's.company_admin_approved',
  driverApproved: 's.driver_approved',
  foremanApproved: 's.foreman_approved',
};
const NONE = { billerApproved: false, companyAdminApproved: false, driverApproved: false, foremanApproved: false };

/** Each company along a chain approves for itself (PROOF A2), and reads whether it has. */
const ownApprovals = (type: ApprovableType) => ({
  passed: [],
  instead: NONE,
  ownValues: {
    fields: Object.keys(COLUMNS),
    sql: (t: string, companies: () => string) =>
      `select json_build_array(${Object.values(COLUMNS).join(', ')}) from approval_state s
       where s.approvable_id = ${t}.id and s.approvable_type = '${type}' and s.company_id = any(${companies()}) order by s.created_at, s.id limit 1`,
  },
});

export const ownApprovalsAccess = [
  defineAccess(Job, { partnerFields: ownApprovals('Job') }),
  defineAccess(Load, { partnerFields: ownApprovals('Load') }),
];
