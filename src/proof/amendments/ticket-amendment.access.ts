import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { TicketAmendment } from './ticket-amendment.entity.ts';

export const ticketAmendmentAccess = defineAccess(TicketAmendment, {
  // The vendor reads what the ticket says now. Why the owner corrected it is the owner's affair.
  partnerFields: {
    passed: [...RECORD_FIELDS],
    kept: ['company', 'ticket', 'field', 'before', 'after', 'reason', 'origin', 'createdByType', 'createdById', 'createdByName'],
  },
});
