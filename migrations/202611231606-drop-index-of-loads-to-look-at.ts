import { Migration } from '@mikro-orm/migrations';

/** No list asks for the loads that somebody should look at, and each load that is written paid for their index. */
export class DropIndexOfLoadsToLookAt extends Migration {
  override up(): void {
    this.addSql('drop index load_needs_review_idx');
  }
}
