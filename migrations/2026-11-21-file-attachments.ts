import { Migration } from '@mikro-orm/migrations';

/** Files attached to records, and files that wait for the record they are meant for. */
export class FileAttachments extends Migration {
  override up(): void {
    // What both have in common: the file, and who sent it. `fingerprint` tells a repeated upload from another one.
    const file = `id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      category text not null,
      description text,
      file_attachable_type text not null,
      file_name text not null,
      mime_type text not null,
      byte_size integer not null,
      sha256 text not null,
      fingerprint text,
      uploaded_by_type text not null,
      uploaded_by_id uuid not null,
      uploaded_by_name text not null,
      uploaded_by_company_id uuid not null references company (id)`;
    this.addSql(`create table file_attachment (${file}, file_attachable_id uuid not null)`);
    this.addSql(`create table parked_file (${file}, external_id text not null)`);
    // A record lists its files, newest first, and counts them.
    this.addSql('create index file_attachment_of_idx on file_attachment (file_attachable_id, file_attachable_type, created_at, id)');
    // The same upload sent twice is one attachment.
    this.addSql(`create unique index file_attachment_fingerprint_key
      on file_attachment (company_id, file_attachable_type, file_attachable_id, fingerprint) where fingerprint is not null`);
    // An order that arrives asks for the files that wait for it.
    this.addSql('create unique index parked_file_key on parked_file (company_id, file_attachable_type, external_id, fingerprint)');
  }
}
