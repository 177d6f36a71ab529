import { Migration } from '@mikro-orm/migrations';

/** By how much an invoice differs from what its work comes to, because somebody edited or removed lines. Nothing was settled with edits before. */
export class SumUpAdjustments extends Migration {
  override up(): void {
    this.addSql('alter table invoice add column adjustments_total_amount numeric(18,4) not null default 0');
  }
}
