import { definePurpose } from '../../platform/database/scope.ts';

/** Finding and claiming bulk actions of all companies, and noting what came of them. What they do runs as whoever asked for it. */
export const BULK = definePurpose('bulk', {
  bulk_action: ['select', 'update'],
  bulk_action_item: ['select', 'update'],
});
