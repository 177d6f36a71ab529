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
