import { definePurpose } from '../../platform/database/scope.ts';

/** Finds and claims bulk actions of all companies, and stores their outcomes. The actions themselves run as the person who asked for them. */
export const BULK = definePurpose('bulk', {
  bulk_action: ['select', 'update'],
  bulk_action_item: ['select', 'update'],
});
