import { defineAccess } from '../../platform/read/access.ts';
import { BulkAction, BulkActionItem } from './bulk-action.entity.ts';

export const bulkActionAccess = defineAccess(BulkAction, {
  // The result of a bulk action is visible to the person who asked for it.
  ownRecords: (t, p) => `${t}.created_by_id = ${p}`,
});

export const bulkActionItemAccess = defineAccess(BulkActionItem, {
  ownRecords: (t, p) => `exists (select 1 from bulk_action pb where pb.id = ${t}.bulk_action_id and pb.created_by_id = ${p})`,
});
