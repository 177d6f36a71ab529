import { Migration } from '@mikro-orm/migrations';

/** The proof a load shows: its ticket and the review of it. */
export class LoadProof extends Migration {
  override up(): void {
    this.addSql(`create table ticket (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      load_id uuid references load (id),
      ticket_number text,
      preview_url text,
      voided_at timestamptz(6)
    )`);
    this.addSql(`create table ai_review (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      load_id uuid not null references load (id),
      status text not null,
      confidence numeric(18,4),
      summary text,
      reasoning text,
      issues text[] not null default '{}'
    )`);
    // A load shows its newest ticket and review; jobs count tickets over their loads.
    this.addSql('create index ticket_load_idx on ticket (load_id, created_at) where load_id is not null');
    this.addSql('create index ai_review_load_idx on ai_review (load_id, created_at)');
    // One active ticket of a number per company (SPEC).
    this.addSql(
      'create unique index ticket_number_key on ticket (company_id, ticket_number) where ticket_number is not null and voided_at is null',
    );
  }
}
