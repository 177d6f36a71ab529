import { Migration } from '@mikro-orm/migrations';

/** When an imported record last changed, for those who poll for it. Of those that are there already, the time of this migration is noted. */
export class NoteChangesOfImports extends Migration {
  override up(): void {
    this.addSql(`
      alter table imported_record add column updated_at timestamptz(6) default now();
      -- Polls for what changed since a moment mostly find nothing, and would walk through all records of the company. The outcome of a record stays on
      -- its page (HOT): an index that only sums pages up is none of those that forbid it.
      create index imported_record_updated_idx on imported_record using brin (updated_at) with (pages_per_range = 16, autosummarize = on)`);
  }
}
