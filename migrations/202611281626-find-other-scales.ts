import { Migration } from '@mikro-orm/migrations';

export class FindOtherScales extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that a failed run has left is not valid.
    this.addSql('drop index concurrently if exists ticket_other_scale_idx');
    this.addSql(`
      -- What other scales weighed of a truck's work for an order. Few tickets have no load, and of an order whose tickets are complete nearly none.
      create index concurrently ticket_other_scale_idx on ticket (order_id, equipment_id) where load_id is null and voided_at is null and order_id is not null`);
  }
}
