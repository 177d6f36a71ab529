import { Load } from '../dispatch/model/load.entity.ts';
import { defineAccess } from '../platform/read/access.ts';

export const proofLoadAccess = defineAccess(Load, {
  // The result of a review is for the owner to act on.
  partnerFields: { passed: ['ticket', 'deliveredQuantity', 'deliveredUnitOfMeasure'], kept: ['aiReview'] },
});
