import { definePurpose } from '../../platform/database/scope.ts';

/** Processes the ledger of all companies: claims what is due, renews leases, takes back lost rows. Effects run as their company. */
export const LEDGER = definePurpose('ledger', {
  import_task: ['select', 'update', 'delete'],
  // Counted for the metrics.
  parked_file: ['select (id)'],
  imported_record: ['select', 'update'],
  outbox_event: ['insert'],
  audit_entry: ['insert'],
  transition: ['insert'],
});

/** Returns SQL of the condition that open work is leased. Its form does not fit the index of leases, so that work is looked up by its id. */
export const leased = (task: string): string => `coalesce(${task}.lease_until, '-infinity') > '-infinity'`;
