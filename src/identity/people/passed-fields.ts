import { User } from '../../directory/people/user.entity.ts';
import { passFields } from '../../platform/read/passed-fields.ts';

// Made of when somebody signed in last, which stays with their company; the last two are answered to nobody but oneself.
passFields(User, {
  passed: ['idpMemberId', 'idpUserId', 'idpPhoneId', 'idpMemberStatus', 'idpUserStatus', 'intercomHash', 'impersonatedBy'],
});
