import { Migration } from '@mikro-orm/migrations';

/** The driver whom another company shares, by the word that the shares use. */
export class NameSharedDriver extends Migration {
  override up(): void {
    this.addSql('alter table orders rename column lent_driver_id to shared_driver_id');
  }
}
