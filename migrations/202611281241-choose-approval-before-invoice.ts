import { Migration } from '@mikro-orm/migrations';

/** A company may approve invoices of work that it has not approved. */
export class ChooseApprovalBeforeInvoice extends Migration {
  override up(): void {
    this.addSql('alter table company_settings add column approval_before_invoice boolean not null default true');
  }
}
