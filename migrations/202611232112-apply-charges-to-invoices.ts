import { Migration } from '@mikro-orm/migrations';

/** Invoices have copies of the charges that were requested for their work. */
export class ApplyChargesToInvoices extends Migration {
  override up(): void {
    this.addSql(`
      alter table add_on_charge add column requested_charge_id uuid references add_on_charge (id) on delete set null;
      -- The copies of a request, when it is deleted.
      create index add_on_charge_requested_idx on add_on_charge (requested_charge_id) where requested_charge_id is not null`);
  }
}
