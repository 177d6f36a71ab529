import { Migration } from '@mikro-orm/migrations';

/** Settlements are sent to people as PDFs. */
export class EmailSettlements extends Migration {
  override up(): void {
    this.addSql(`
      create table settlement_email_delivery (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        settlement_id uuid not null references settlement (id),
        email text not null,
        sender_user_id uuid references app_user (id),
        state text not null,
        last_error text,
        file_id uuid
      );
      -- To whom a settlement was sent: a page of these, and the last one on each settlement.
      create index settlement_email_delivery_settlement_idx on settlement_email_delivery (settlement_id, created_at, id);
      -- The sweeper of files asks of stored bytes whether one of these names them.
      create index settlement_email_delivery_file_idx on settlement_email_delivery (file_id) where file_id is not null`);
  }
}
