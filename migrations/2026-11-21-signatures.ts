import { Migration } from '@mikro-orm/migrations';

/** Who signed for a job or a load (src/proof/signatures). */
export class Signatures extends Migration {
  override up(): void {
    this.addSql(`create table signature (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      type text not null,
      signable_type text not null,
      signable_id uuid not null,
      job_id uuid not null references job (id) on delete cascade,
      lat numeric(15, 12),
      lon numeric(15, 12),
      name text,
      phone text,
      image_id uuid not null,
      image_mime_type text not null,
      image_name text not null,
      image_size integer not null,
      signed_by_type text not null,
      signed_by_id uuid not null,
      signed_by_name text not null
    )`);
    // A record has one signature of a kind; its list reads the same index.
    this.addSql('create unique index signature_key on signature (signable_id, signable_type, type)');
    // The sweeper asks which stored bytes are a signature's.
    this.addSql('create unique index signature_image_key on signature (image_id)');
    // A job that is deleted takes its signatures with it.
    this.addSql('create index signature_job_idx on signature (job_id)');
  }
}
