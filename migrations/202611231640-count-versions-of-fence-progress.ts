import { Migration } from '@mikro-orm/migrations';

/** Two workers that look at one driver at once: the one that ends last begins anew, instead of overwriting what the other one knows. */
export class CountVersionsOfFenceProgress extends Migration {
  override up(): void {
    this.addSql('alter table fence_progress add column version integer not null default 1');
  }
}
