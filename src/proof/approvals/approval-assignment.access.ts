import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS, substituteId } from '../../platform/read/partner-fields.ts';
import { ApprovalAssignment } from './approval-assignment.entity.ts';

const ofPartner = (t: string, p: string): string => `linked_by(${t}.approvable_type, ${t}.approvable_id, ${t}.company_id, ${p})`;
const inTheField = (t: string): string => `${t}.approval_category = 'field'`;

export const approvalAssignmentAccess = defineAccess(ApprovalAssignment, {
  // The two sides of a link read each other's approvals: who approved in the field, and that the company approved for billing.
  shared: ofPartner,
  rowPolicy: { readable: ofPartner },
  partnerFields: {
    passed: [...RECORD_FIELDS, 'company', 'approvableType', 'approvableId', 'approvalAction', 'approvalCategory', 'approvalType'],
    where: { approverType: inTheField, approverId: inTheField, approverName: inTheField, externalApproverName: inTheField },
    instead: { approverType: 'Company', approverId: substituteId },
    kept: ['reviewId'],
    sorts: ['createdAt'],
  },
});
