import { Migration } from '@mikro-orm/migrations';

/** Settlements are created in bulk: an item of a bulk action is about a job, or about somebody with whom a company settles. */
export class SettleInBulk extends Migration {
  override up(): void {
    this.addSql(`
      alter table bulk_action_item alter column job_id drop not null,
        add column customer_account_id uuid references account (id),
        add column vendor_account_id uuid references account (id),
        add column driver_id uuid references app_user (id),
        add constraint bulk_action_item_subject_check check (num_nonnulls(job_id, customer_account_id, vendor_account_id, driver_id) = 1);
      -- What bulk creation settles: approved invoices of a period, of which few are in no settlement.
      create index invoice_to_settle_idx on invoice (company_id, service_date) where state in ('approved', 'customer_pending', 'customer_approved')`);
  }
}
