import { Migration } from '@mikro-orm/migrations';

/** What another scale weighed is compared with the ticket of a load, and the minutes that are billed with those of positions (src/billing/matching). */
export class CompareScales extends Migration {
  override up(): void {
    this.addSql(`
      alter table load_match add column other_scale_quantity numeric(18,4), add column billed_minutes integer, add column gps_minutes integer;
      -- What other scales weighed of a truck's work for an order. Few tickets have no load, and of an order whose tickets are complete nearly none.
      create index ticket_other_scale_idx on ticket (order_id, equipment_id) where load_id is null and voided_at is null and order_id is not null`);
  }
}
