import { Migration } from '@mikro-orm/migrations';

/** What else a customer asks of its bills: a line for each ticket, its picture, and what becomes of breaks (src/billing/profiles). */
export class AttachTicketsToBills extends Migration {
  override up(): void {
    this.addSql(`
      alter table billing_profile
        add column ticket_number_per_line boolean not null default false,
        add column attachments boolean not null default false,
        -- Null: as its company chose.
        add column breaks_paid boolean`);
  }
}
