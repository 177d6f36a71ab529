import { Migration } from '@mikro-orm/migrations';

/** A charge for fuel says by the price of which day it is. */
export class NoteDaysOfFuelPrices extends Migration {
  override up(): void {
    this.addSql('alter table add_on_charge add column rated_on date');
  }
}
