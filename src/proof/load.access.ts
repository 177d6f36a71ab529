import { Job } from '../dispatch/model/job.entity.ts';
import { Load } from '../dispatch/model/load.entity.ts';
import { Order } from '../dispatch/model/order.entity.ts';
import { defineAccess } from '../platform/read/access.ts';

export const proofLoadAccess = defineAccess(Load, {
  // The result of a review is for the owner to act on, and a load that is continued was driven by somebody else.
  partnerFields: { passed: ['ticket', 'deliveredQuantity', 'deliveredUnitOfMeasure'], kept: ['aiReview', 'continued', 'continuesLoad'] },
});

/** Of these lists everybody sees the tickets that they see anyway. */
export const proofWorkAccess = [
  defineAccess(Order, { partnerFields: { passed: ['tickets'] } }),
  // The owner's reminders are its own affair.
  defineAccess(Job, { partnerFields: { passed: ['tickets'], kept: ['ticketChases'] } }),
];
