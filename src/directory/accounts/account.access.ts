import { internal } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { substituteId } from '../../platform/read/partner-fields.ts';
import { Account } from './account.entity.ts';

export const accountAccess = defineAccess(Account, {
  // A vendor that passes work on looks for its account of the other side here, of which it reads only some fields.
  rowPolicy: { readable: (t, companies) => `${t}.connected_company_id = any(${companies})` },
  masks: [
    [
      internal(),
      'externalId',
      'accountingId',
      'notes',
      'address',
      'billingAddress',
      'primaryContact',
      'billingContact',
      'connectedCompany',
      'managedUntil',
      'department',
      'labels',
      'connectedAccount',
    ],
  ],
  // The name of whose work it is.
  partnerFields: {
    passed: ['createdAt', 'updatedAt', 'company', 'name'],
    kept: ['id', 'accountTypes', 'scheduleOn', 'autoAcceptOrders', 'truckCount', 'managed', 'invited', 'labelIds', 'discardedAt'],
    instead: { id: substituteId, accountTypes: [], scheduleOn: false, autoAcceptOrders: false, truckCount: 0, managed: false },
  },
});
