import { Migration } from '@mikro-orm/migrations';

/** Previews of attached files and of pictures of tickets (src/files/previews). Files that are there already get theirs. */
export class Previews extends Migration {
  override up(): void {
    for (const [table, due] of [
      ['file_attachment', 'default now()'],
      ['ticket', ''],
    ]) {
      // Key, type and bytes of the preview; when it is due to be made, null when it was or cannot be; how often that was begun.
      this.addSql(`alter table ${table} add column preview_id uuid, add column preview_size integer,
        add column preview_due_at timestamptz(6) ${due}, add column preview_attempts integer not null default 0`);
      // What workers look for: a handful of rows, however many files there are.
      this.addSql(`create index ${table}_preview_due_idx on ${table} (preview_due_at) where preview_due_at is not null`);
      // The sweeper of files asks whose bytes these are.
      this.addSql(`create unique index ${table}_preview_key on ${table} (preview_id) where preview_id is not null`);
    }
    this.addSql('alter table file_attachment add column preview_mime_type text');
    // The address follows from the id, as that of every file.
    this.addSql('alter table ticket drop column preview_url');
    this.addSql('update ticket set preview_due_at = now() where image_id is not null');
  }
}
