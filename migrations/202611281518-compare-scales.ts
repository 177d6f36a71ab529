import { Migration } from '@mikro-orm/migrations';

/** What another scale weighed is compared with the ticket of a load, and the minutes that are billed with those of positions (src/billing/matching). */
export class CompareScales extends Migration {
  override up(): void {
    this.addSql(
      'alter table load_match add column other_scale_quantity numeric(18,4), add column billed_minutes integer, add column gps_minutes integer',
    );
  }
}
