import { Migration } from '@mikro-orm/migrations';

/** Which records were deleted when, for lists of the past: the audit log has their last values, and finds them by their ids alone. */
export class NoteDeletions extends Migration {
  override up(): void {
    this.addSql(`
      create table deleted_record (
        company_id uuid not null references company (id),
        subject_type text not null,
        subject_id uuid not null,
        -- Its place in lists. Of what was deleted by a version that did not say it, the time in its id, or of its first entry.
        made_at timestamptz(6) not null,
        deleted_at timestamptz(6) not null,
        -- Its entry in the audit log, which is of the time of its deletion.
        entry_id uuid not null,
        -- Whose and what lists are asked for: few records are ever deleted.
        primary key (company_id, subject_type, subject_id)
      )`);
    this.addSql(`
      create function time_of_id(id uuid) returns timestamptz language sql immutable parallel safe as $$
        select case when substr(id::text, 15, 1) = '7' then to_timestamp(('x' || translate(substr(id::text, 1, 13), '-', ''))::bit(48)::bigint / 1000.0) end $$`);
    this.addSql(`
      -- Whoever deletes needs no right to this table.
      create function note_deletion() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
        begin
          insert into deleted_record (company_id, subject_type, subject_id, made_at, deleted_at, entry_id)
            values (new.company_id, new.subject_type, new.subject_id,
              coalesce((new.object_changes #>> '{created_at,0}')::timestamptz, time_of_id(new.subject_id), (select min(a.created_at) from audit_entry a
                where a.company_id = new.company_id and a.subject_type = new.subject_type and a.subject_id = new.subject_id), new.created_at),
              new.created_at, new.id)
            on conflict do nothing;
          return null;
        end $$;
      create trigger note_deletion after insert on audit_entry for each row when (new.event = 'destroy') execute function note_deletion()`);
  }
}
