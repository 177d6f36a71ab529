import { Migration } from '@mikro-orm/migrations';

/** What a settlement says when it is approved is kept: its paper stays the same (src/billing/settlements/documents/kept-document.ts). */
export class KeepDocuments extends Migration {
  override up(): void {
    this.addSql(`
      create table settlement_document (
        settlement_id uuid primary key references settlement (id) on delete cascade,
        created_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        -- As it is printed, without what is no part of what it says: its state and the logo.
        document json not null
      )`);
  }
}
