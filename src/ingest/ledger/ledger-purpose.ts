import { defineRowPolicy } from '../../platform/database/row-level-security.ts';
import { definePurpose } from '../../platform/database/scope.ts';

/** Processes the ledger of all companies: claims what is due, renews leases, takes back lost rows. Effects run as their company. */
export const LEDGER = definePurpose('ledger', {
  import_task: ['select', 'update', 'delete'],
  // Counted for the metrics.
  parked_file: ['select (id)'],
  imported_record: ['select', 'update'],
  outbox_event: ['select', 'insert'],
  audit_entry: ['insert'],
  transition: ['insert'],
});

// Open work is found by its id, its due time or its lease. If the condition on the company fitted an index, PostgreSQL would choose that
// index whenever the queue was empty at the last analyze, and read the whole queue for each record. `is true` makes it fit none.
defineRowPolicy('import_task', { writable: (_, companies) => `(company_id = any(${companies})) is true` });

/** Returns SQL of the condition that open work is leased. Its form does not fit the index of leases, so that work is looked up by its id. */
export const leased = (task: string): string => `coalesce(${task}.lease_until, '-infinity') > '-infinity'`;
