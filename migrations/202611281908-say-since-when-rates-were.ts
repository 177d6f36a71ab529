import { Migration } from '@mikro-orm/migrations';

/** An invoice keeps since when its card said what it was priced by, so that its explanation names the card as it was. */
export class SaySinceWhenRatesWere extends Migration {
  override up(): void {
    this.addSql('alter table invoice add column rate_since text');
  }
}
