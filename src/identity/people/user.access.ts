import { User } from '../../directory/people/user.entity.ts';
import { defineAccess } from '../../platform/read/access.ts';

export const identityUserAccess = defineAccess(User, {
  // Made of when somebody signed in last, which stays with their company; the last two are answered to nobody but oneself.
  partnerFields: {
    passed: ['idpMemberId', 'idpUserId', 'idpPhoneId', 'idpMemberStatus', 'idpUserStatus', 'intercomHash', 'impersonatedBy'],
  },
});
