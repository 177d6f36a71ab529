import { defineRowPolicy } from '../../platform/database/row-level-security.ts';
import { definePurpose } from '../../platform/database/scope.ts';

/** Looking after the ledger of all companies: claiming what is due, keeping leases, taking back what was lost. Effects run as their company. */
export const LEDGER = definePurpose('ledger', {
  import_task: ['select', 'update', 'delete'],
  // Counted for the metrics.
  parked_file: ['select (id)'],
  imported_record: ['select', 'update'],
  outbox_event: ['select', 'insert'],
  audit_entry: ['insert'],
  transition: ['insert'],
});

// Open work is found by its id, by its due time or by its lease. In a form that an index serves, asking its company would be another way to it:
// the one that is taken, a read of the whole queue for each record, whenever the queue was empty when PostgreSQL looked at it last.
defineRowPolicy('import_task', { writable: (_, companies) => `(company_id = any(${companies})) is true` });

/** SQL of open work that somebody holds a lease on, in a form that the index of leases does not fit, for what is found by its id. */
export const leased = (task: string): string => `coalesce(${task}.lease_until, '-infinity') > '-infinity'`;
