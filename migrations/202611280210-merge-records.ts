import { Migration } from '@mikro-orm/migrations';

/**
 * Records that were merged into another one of their company (src/merging). What is left of a merged record has another id in its table, so that
 * nobody can refer to the former id any more: who does so at the same moment is refused by the foreign key, and tries again.
 */
export class MergeRecords extends Migration {
  override up(): void {
    this.addSql(`
      create table record_merge (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        record_type text not null check (record_type in ('Account', 'Site', 'Material', 'User', 'Equipment')),
        -- The record that stays, and those that were merged into it.
        kept_id uuid not null,
        former_ids uuid[] not null default '{}',
        state text not null default 'merged' check (state in ('planned', 'merged', 'undone')),
        -- How many records of each kind were moved, and how many stayed with the former record.
        moved jsonb not null default '[]',
        -- Fields of the record that stays which the merge changed: before and after.
        kept_changes jsonb not null default '{}',
        undone_at timestamptz(6)
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index record_merge_page_idx on record_merge (company_id, created_at, id);

      create table merged_record (
        former_id uuid primary key,
        company_id uuid not null references company (id),
        record_type text not null,
        -- The record that answers today.
        kept_id uuid not null,
        -- The id under which its row is kept, which no client knows.
        remains_id uuid not null,
        record_merge_id uuid not null references record_merge (id)
      );
      -- Former keys are looked for in the rows that are left.
      create unique index merged_record_remains_key on merged_record (remains_id);
      -- What was merged into a record follows it when it is merged itself.
      create index merged_record_kept_idx on merged_record (kept_id);
      -- Whether a company has any is asked with each viewer.
      create index merged_record_company_idx on merged_record (company_id);
      -- What a merge that is undone gives back.
      create index merged_record_merge_idx on merged_record (record_merge_id);

      -- What a merge moved, for as long as it can be undone.
      create table merge_move (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        record_merge_id uuid not null references record_merge (id) on delete cascade,
        former_id uuid not null,
        -- Table and column.
        place text not null,
        row_ids uuid[] not null,
        -- Of a column with a list: where in the list of each row the former id was; one element for each place.
        positions integer[]
      );
      -- The moves of a merge that is undone.
      create index merge_move_merge_idx on merge_move (record_merge_id);
      -- Moves that nobody can undo any more are deleted.
      create index merge_move_created_idx on merge_move (company_id, created_at)`);

    this.addSql(
      `select watch_changes('record_merge', $sql$'RecordMerge'$sql$, '(select r.id)', 'r.company_id', null, true, array[]::text[])`,
    );
    // The row of a former record is copied under another id and then deleted, so the triggers of the feed note a record that was made and one that was
    // deleted. Its readers learn that it is lost to their sight; nobody learns of the copy.
    this.addSql(`create function note_merged(p_company uuid, p_lost uuid[], p_copies uuid[]) returns void
      language sql security definer set search_path = public, pg_temp as $$
        update change_pending set kind = 'update' where writer = pg_current_xact_id() and company_id = p_company and subject_id = any(p_lost) and kind = 'delete';
        delete from change_pending where writer = pg_current_xact_id() and company_id = p_company and subject_id = any(p_copies) $$`);
  }
}
