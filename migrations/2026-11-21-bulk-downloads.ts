import { Migration } from '@mikro-orm/migrations';

/** Files of many jobs in one archive, packed in the background and kept for a day (src/proof/downloads). */
export class BulkDownloads extends Migration {
  override up(): void {
    this.addSql(`create table bulk_download (
      id uuid primary key,
      company_id uuid not null references company (id),
      created_at timestamptz(6) not null default now(),
      created_by_type text not null,
      created_by_id uuid not null,
      type text not null check (type in ('zip')),
      state text not null default 'pending' check (state in ('pending', 'success', 'error')),
      file_count integer not null check (file_count >= 0),
      files jsonb not null,
      expires_at timestamptz(6) not null,
      file_id uuid,
      byte_size integer,
      attempts integer not null default 0,
      due_at timestamptz(6)
    )`);
    // What workers look for: a handful of rows.
    this.addSql('create index bulk_download_due_idx on bulk_download (due_at) where due_at is not null');
    // What has expired is removed, whosever it is.
    this.addSql('create index bulk_download_expires_idx on bulk_download (expires_at)');
    // How many somebody has open.
    this.addSql('create index bulk_download_open_idx on bulk_download (company_id, created_by_id) where due_at is not null');
    // The sweeper of files asks whose bytes these are.
    this.addSql('create unique index bulk_download_file_key on bulk_download (file_id) where file_id is not null');
  }
}
