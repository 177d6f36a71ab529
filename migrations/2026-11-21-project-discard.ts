import { Migration } from '@mikro-orm/migrations';

/** Projects leave lists and forms without leaving the orders that were called off from them. */
export class ProjectDiscard extends Migration {
  override up(): void {
    this.addSql('alter table project add column discarded_at timestamptz(6)');
  }
}
