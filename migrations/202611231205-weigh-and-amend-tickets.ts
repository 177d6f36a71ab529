import { Migration } from '@mikro-orm/migrations';

/** What a scale says besides the net weight, whether the material was accepted, and corrections next to the original. */
export class WeighAndAmendTickets extends Migration {
  override up(): void {
    this.addSql(`
      alter table ticket
        add column gross_quantity numeric(18,4),
        add column tare_quantity numeric(18,4),
        add column weighed_by text,
        add column acceptance text check (acceptance in ('delivered', 'rejected')),
        add column wasted_quantity numeric(18,4)`);

    this.addSql(`
      create table ticket_amendment (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        ticket_id uuid not null references ticket (id) on delete cascade,
        field text not null,
        before text,
        after text,
        reason text not null,
        origin text not null check (origin in ('write_back', 'correction', 'ocr_accept')),
        created_by_type text not null,
        created_by_id uuid,
        created_by_name text
      );
      -- The amendments of a ticket in their order, and its foreign key.
      create index ticket_amendment_ticket_idx on ticket_amendment (ticket_id, created_at, id);`);
  }
}
