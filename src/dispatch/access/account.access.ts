import { Account } from '../../directory/accounts/account.entity.ts';
import { defineAccess } from '../../platform/read/access.ts';

export const dispatchAccountAccess = defineAccess(Account, {
  partnerFields: { passed: [], kept: ['currentAssignedCount'] },
});
