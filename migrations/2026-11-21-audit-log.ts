import { Migration } from '@mikro-orm/migrations';

/** The audit log is read by company and by person, and names who really acted when somebody acted as another. */
export class AuditLog extends Migration {
  override up(): void {
    this.addSql('alter table audit_entry add column real_actor_id uuid, add column real_actor_name text');
    // A company's log, newest first, and its export.
    this.addSql('create index audit_entry_company_idx on audit_entry (company_id, created_at, id)');
    // What one person did. Imports write as machine clients and pay nothing for it; a client's rows are most of its company's anyway.
    this.addSql(`create index audit_entry_person_idx on audit_entry (company_id, created_by_id, created_at, id)
      where created_by_type = 'User'`);
  }
}
