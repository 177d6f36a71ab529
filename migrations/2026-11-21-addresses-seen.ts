import { Migration } from '@mikro-orm/migrations';

/** Where a company is is told to those it is connected with. */
export class AddressesSeen extends Migration {
  override up(): void {
    // The policy of addresses asks whose address one is.
    this.addSql('create index company_address_idx on company (address_id) where address_id is not null');
  }
}
