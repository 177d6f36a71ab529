import { User } from '../../directory/people/user.entity.ts';
import { definePartnerFields } from '../../platform/read/partner-fields.ts';

// Made of when somebody signed in last, which stays with their company; the last two are answered to nobody but oneself.
definePartnerFields(User, {
  passed: ['idpMemberId', 'idpUserId', 'idpPhoneId', 'idpMemberStatus', 'idpUserStatus', 'intercomHash', 'impersonatedBy'],
});
