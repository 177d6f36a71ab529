import { Migration } from '@mikro-orm/migrations';

/** Tables that grow with every load, and that nothing else finds by their company. The indexes have only rows of sandboxes, so that real work has no share in them. */
const TABLES = ['outbox_event', 'approval_assignment', 'approval_state', 'file_attachment', 'geofence_trigger', 'ticket_history'];

export class IndexRowsOfSandboxes extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const table of TABLES) {
      // One that a failed run has left is not valid.
      this.addSql(`drop index concurrently if exists ${table}_sandbox_idx`);
      this.addSql(`create index concurrently ${table}_sandbox_idx on ${table} (company_id) where is_sandbox(company_id)`);
    }
  }
}
