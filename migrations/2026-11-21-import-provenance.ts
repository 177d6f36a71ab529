import { Migration } from '@mikro-orm/migrations';

/** What an import changed is told apart from what its sender changed by hand. */
export class ImportProvenance extends Migration {
  override up(): void {
    this.addSql('alter table audit_entry add column imported_record_id uuid');
    this.addSql(`update audit_entry a set imported_record_id = r.id from import_batch b join imported_record r on r.batch_id = b.id
      where b.created_by_type = 'User' and a.company_id = b.company_id and a.created_by_type = 'User' and a.created_by_id = b.created_by_id
        and a.request_id = b.request_id and a.subject_type in ('Order', 'Project') and a.subject_id = r.result_id`);
  }
}
