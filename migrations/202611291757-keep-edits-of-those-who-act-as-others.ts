import { Migration } from '@mikro-orm/migrations';

/** An edit of somebody who acts as a person is an edit by hand, which imports keep, also when its entry of the audit log is archived (`audit_kept`). */
export class KeepEditsOfThoseWhoActAsOthers extends Migration {
  override up(): void {
    this.addSql(`
      create or replace function is_kept_entry(p_event text, p_subject_type text, p_created_by_type text, p_imported_record_id uuid) returns boolean
        language sql immutable parallel safe as $$
          select p_event = 'destroy'
            or (p_event = 'update' and p_created_by_type in ('User', 'Impersonation') and p_imported_record_id is null and p_subject_type in ('Order', 'Project')) $$`);
  }
}
