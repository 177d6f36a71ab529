import { Migration } from '@mikro-orm/migrations';

/** The deletions of before. It reads the whole audit log, so it does not hold the locks of other migrations meanwhile. */
export class NoteFormerDeletions extends Migration {
  override isTransactional(): boolean {
    return false;
  }
  override up(): void {
    this.addSql(`
      insert into deleted_record (company_id, subject_type, subject_id, made_at, deleted_at, entry_id)
        select d.company_id, d.subject_type, d.subject_id,
          coalesce(time_of_id(d.subject_id), (select min(a.created_at) from audit_entry a
            where a.company_id = d.company_id and a.subject_type = d.subject_type and a.subject_id = d.subject_id), d.created_at),
          d.created_at, d.id
        from audit_entry d where d.event = 'destroy' and exists (select from company c where c.id = d.company_id)
        on conflict do nothing`);
  }
}
