import { Migration } from '@mikro-orm/migrations';

/** Which customers have prices of their own. */
export class CustomerPrices extends Migration {
  override up(): void {
    // Asked of every account in a list; also the foreign key's own.
    this.addSql('create index material_rate_customer_idx on material_rate (customer_account_id) where customer_account_id is not null');
  }
}
