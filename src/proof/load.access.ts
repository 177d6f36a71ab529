import { Job } from '../dispatch/model/job.entity.ts';
import { Load } from '../dispatch/model/load.entity.ts';
import { Order } from '../dispatch/model/order.entity.ts';
import { defineAccess } from '../platform/read/access.ts';

export const proofLoadAccess = defineAccess(Load, {
  // The result of a review is for the owner to act on.
  partnerFields: { passed: ['ticket', 'deliveredQuantity', 'deliveredUnitOfMeasure'], kept: ['aiReview'] },
});

/** Of these lists everybody sees the tickets that they see anyway. */
export const proofWorkAccess = [
  defineAccess(Order, { partnerFields: { passed: ['tickets'] } }),
  defineAccess(Job, { partnerFields: { passed: ['tickets'] } }),
];
