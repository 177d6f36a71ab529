import { Migration } from '@mikro-orm/migrations';

/**
 * Tables that grow with every load, and that nothing else finds by their company, when a sandbox is deleted. The indexes have only rows of sandboxes, so
 * that real work has no share in them.
 */
export class IndexRowsOfSandboxes extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that a failed run has left is not valid.
    this.addSql('drop index concurrently if exists outbox_event_sandbox_idx');
    this.addSql(`
      -- Events of a sandbox that is over: otherwise all are found by their position alone.
      create index concurrently outbox_event_sandbox_idx on outbox_event (company_id) where is_sandbox(company_id)`);
    this.addSql('drop index concurrently if exists approval_assignment_sandbox_idx');
    this.addSql(`
      -- Approvals of a sandbox that is over: otherwise all are found by what is approved.
      create index concurrently approval_assignment_sandbox_idx on approval_assignment (company_id) where is_sandbox(company_id)`);
    this.addSql('drop index concurrently if exists approval_state_sandbox_idx');
    this.addSql(`
      -- The same of what is approved.
      create index concurrently approval_state_sandbox_idx on approval_state (company_id) where is_sandbox(company_id)`);
    this.addSql('drop index concurrently if exists file_attachment_sandbox_idx');
    this.addSql(`
      -- Files of a sandbox that is over: otherwise all are found by what they are attached to.
      create index concurrently file_attachment_sandbox_idx on file_attachment (company_id) where is_sandbox(company_id)`);
    this.addSql('drop index concurrently if exists geofence_trigger_sandbox_idx');
    this.addSql(`
      -- Entries and exits of a sandbox that is over: otherwise all are found by their truck or job.
      create index concurrently geofence_trigger_sandbox_idx on geofence_trigger (company_id) where is_sandbox(company_id)`);
    this.addSql('drop index concurrently if exists ticket_history_sandbox_idx');
    this.addSql(`
      -- Histories of tickets of a sandbox that is over: otherwise all are found by their ticket.
      create index concurrently ticket_history_sandbox_idx on ticket_history (company_id) where is_sandbox(company_id)`);
  }
}
