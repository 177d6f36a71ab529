import { Migration } from '@mikro-orm/migrations';

/** When an imported record last changed, for those who poll for it. Of those that are there already, the time of this migration is noted. */
export class NoteChangesOfImports extends Migration {
  override up(): void {
    this.addSql('alter table imported_record add column updated_at timestamptz(6) default now()');
    // The version before writes outcomes, too, while it is replaced, and does not know the column. This version's statements set it. A trigger that comes
    // before the change would lock each of their rows once more; this one costs them a comparison, and only what they leave as it was is written again.
    this.addSql(`
      create function note_change_of_import() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
        begin
          update imported_record set updated_at = clock_timestamp() where id = new.id;
          return null;
        end $$;
      create trigger note_change_of_import after update on imported_record for each row
        when (new.updated_at is not distinct from old.updated_at and (
          (new.state, new.attempts, new.last_error, new.result_id, new.next_attempt_at, new.processed_at, new.warnings::text) is distinct from
          (old.state, old.attempts, old.last_error, old.result_id, old.next_attempt_at, old.processed_at, old.warnings::text)))
        execute function note_change_of_import()`);
  }
}
