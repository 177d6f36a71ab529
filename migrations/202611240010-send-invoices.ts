import { Migration } from '@mikro-orm/migrations';

/** Invoices that were sent to the customer's company, with what it reads of them. */
export class SendInvoices extends Migration {
  override up(): void {
    this.addSql(`
      alter table invoice add column sent_to_company_id uuid, add column sent_at timestamptz(6), add column exported_at timestamptz(6);
      alter table invoice_line_item add column sent_to_company_id uuid;
      alter table add_on_charge add column sent_to_company_id uuid;
      -- The invoices that a company received, in the order of its lists.
      create index invoice_received_idx on invoice (sent_to_company_id, created_at, id) where sent_to_company_id is not null`);
  }
}
