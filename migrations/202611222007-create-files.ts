import { Migration } from '@mikro-orm/migrations';

/** Files attached to records, files that wait for the record they are meant for, and files that clients announce, send, and then attach. */
export class CreateFiles extends Migration {
  override up(): void {
    // The fingerprint distinguishes a repeated upload from another one.
    this.addSql(`
      create table file_attachment (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),

        category text not null,
        description text,
        file_attachable_type text not null,
        file_attachable_id uuid not null,
        file_name text not null,
        mime_type text not null,
        byte_size integer not null,
        sha256 text not null,
        fingerprint text,
        uploaded_by_type text not null,
        uploaded_by_id uuid not null,
        uploaded_by_name text not null,
        uploaded_by_company_id uuid not null references company (id),

        -- Key, type and bytes of its preview; when it is due to be made (null when it was, or cannot be), and how often that was begun.
        preview_id uuid,
        preview_mime_type text,
        preview_size integer,
        preview_due_at timestamptz(6) default now(),
        preview_attempts integer not null default 0
      );
      -- A record lists its files, newest first, and counts them.
      create index file_attachment_of_idx on file_attachment (file_attachable_id, file_attachable_type, created_at, id);
      -- The same upload sent twice is one attachment.
      create unique index file_attachment_fingerprint_key on file_attachment (company_id, file_attachable_type, file_attachable_id, fingerprint)
        where fingerprint is not null;
      -- What workers look for: a handful of rows, however many files there are.
      create index file_attachment_preview_due_idx on file_attachment (preview_due_at) where preview_due_at is not null;
      -- The sweeper of stored files asks whose bytes these are.
      create unique index file_attachment_preview_key on file_attachment (preview_id) where preview_id is not null;`);

    this.addSql(`
      create table parked_file (
        id uuid primary key,
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
        uploaded_by_company_id uuid not null references company (id),
        external_id text not null
      );
      -- An order that arrives asks for the files that wait for it; the same file sent twice waits once.
      create unique index parked_file_key on parked_file (company_id, file_attachable_type, external_id, fingerprint);`);

    this.addSql(`
      create table direct_upload (
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
      );
      -- The sweeper of stored files asks whose bytes these are.
      create unique index direct_upload_file_key on direct_upload (file_id);
      -- What has expired is removed, whosever it is.
      create index direct_upload_expires_idx on direct_upload (expires_at);
      -- How many somebody has open.
      create index direct_upload_owner_idx on direct_upload (company_id, created_by_id);`);
  }
}
