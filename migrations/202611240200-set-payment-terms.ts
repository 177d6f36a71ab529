import { Migration } from '@mikro-orm/migrations';

/** Days after which what is billed is due, for paper and for accounting systems. */
export class SetPaymentTerms extends Migration {
  override up(): void {
    this.addSql('alter table company_settings add column payment_terms_days integer not null default 0');
  }
}
