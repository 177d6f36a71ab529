import { Migration } from '@mikro-orm/migrations';

/** Nobody overwrites rates they may not see: what a sender lacked when the payload came is kept with the request. Null for who sees all. */
export class ImportUnseenRates extends Migration {
  override up(): void {
    this.addSql('alter table import_batch add column unseen_rates text[]');
  }
}
