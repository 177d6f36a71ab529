import { Migration } from '@mikro-orm/migrations';

/** Settlements that were sent to the customer's company, with what it reads of them. */
export class SendSettlements extends Migration {
  override up(): void {
    this.addSql(`
      alter table settlement add column sent_to_company_id uuid, add column sent_at timestamptz(6);
      -- How the invoice was before its settlement was sent, which the customer may release.
      alter table settlement_invoice add column sent_to_company_id uuid, add column state_before_send text;
      -- The settlements that a company received, in the order of its lists.
      create index settlement_received_idx on settlement (sent_to_company_id, created_at, id) where sent_to_company_id is not null`);
  }
}
