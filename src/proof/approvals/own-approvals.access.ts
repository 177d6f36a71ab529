import { jobHeldSql, loadHeldSql } from '../../dispatch/access/held-work.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { defineAccess } from '../../platform/read/access.ts';

/** The approvals of companies that do not own the record, by field. A family may have two links of a chain: what one of it approved is approved. */
const COLUMNS = {
  approvedAt: 'max(s.approved_at)',
  billingApprovedAt: 'max(s.billing_approved_at)',
  fieldApprovedAt: 'max(s.field_approved_at)',
  billerApproved: 'bool_or(s.biller_approved)',
  companyAdminApproved: 'bool_or(s.company_admin_approved)',
  driverApproved: 'bool_or(s.driver_approved)',
  foremanApproved: 'bool_or(s.foreman_approved)',
};
const NONE = { billerApproved: false, companyAdminApproved: false, driverApproved: false, foremanApproved: false };

/** The fields of these that rest on the reader's books. */
const HELD = {
  Job: { field: 'invoiceApproved', sql: (t: string, books: (column: string) => string) => jobHeldSql(`${t}.id`, books) },
  Load: { field: 'approvalHeld', sql: loadHeldSql },
};

/** Each company along a chain approves for itself (PROOF A2), and reads whether it has. */
const ownApprovals = (type: 'Job' | 'Load') => ({
  passed: [],
  instead: { ...NONE, [HELD[type].field]: false },
  ownValues: {
    fields: [...Object.keys(COLUMNS), HELD[type].field],
    sql: (t: string, companies: () => string) =>
      `select json_build_array(${Object.values(COLUMNS).join(', ')}, ${HELD[type].sql(t, (column) => `${column} = any(${companies()})`)}) from approval_state s
       where s.approvable_id = ${t}.id and s.approvable_type = '${type}' and s.company_id = any(${companies()}) having count(*) > 0`,
  },
});

export const ownApprovalsAccess = [
  defineAccess(Job, { partnerFields: ownApprovals('Job') }),
  defineAccess(Load, { partnerFields: ownApprovals('Load') }),
];
