import { Migration } from '@mikro-orm/migrations';

/** Files that clients announce, send, and then attach to something (src/files/direct-upload.entity.ts). */
export class DirectUploads extends Migration {
  override up(): void {
    this.addSql(`create table direct_upload (
      id uuid primary key,
      company_id uuid not null references company (id),
      filename text not null,
      byte_size integer not null check (byte_size > 0),
      checksum text not null,
      content_type text not null,
      metadata jsonb,
      created_by_type text not null,
      created_by_id uuid not null,
      created_at timestamptz(6) not null default now(),
      expires_at timestamptz(6) not null,
      file_id uuid,
      file_name text,
      sha256 text
    )`);
    // The sweeper asks which stored bytes are named by an upload.
    this.addSql('create unique index direct_upload_file_key on direct_upload (file_id)');
    // What has expired is removed, whosever it is.
    this.addSql('create index direct_upload_expires_idx on direct_upload (expires_at)');
    // How many somebody has open.
    this.addSql('create index direct_upload_owner_idx on direct_upload (company_id, created_by_id)');
  }
}
