import { Migration } from '@mikro-orm/migrations';

/** What a reader recognised in the pictures of tickets: one reading for each picture, which is the worker's task until it is done. */
export class ReadPicturesOfTickets extends Migration {
  override up(): void {
    this.addSql(`
      create table ticket_reading (
        -- Of the picture, which is stored once and never changes.
        id uuid primary key,
        company_id uuid not null references company (id),
        ticket_id uuid not null references ticket (id) on delete cascade,
        created_at timestamptz(6) not null default now(),
        state text not null default 'waiting' check (state in ('waiting', 'read', 'unreadable', 'failed')),
        provider text,
        fields jsonb,
        full_text text,
        -- The least of the fields that the ticket took over, in per cent.
        confidence numeric(5,2),
        error text,
        due_at timestamptz(6) default now(),
        attempts integer not null default 0
      );
      -- What the worker looks for: a handful of rows.
      create index ticket_reading_due_idx on ticket_reading (due_at) where due_at is not null;
      -- For the foreign key: tickets are deleted.
      create index ticket_reading_ticket_idx on ticket_reading (ticket_id)`);
    this.addSql('alter table company_settings add column reading_fills_from_percent integer not null default 95');
  }
}
