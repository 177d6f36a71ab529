import { Migration } from '@mikro-orm/migrations';

/** Webhooks that are due at the same time, such as those that are sent again, are found in their order without sorting all of them. */
export class OrderDueWebhooks extends Migration {
  override up(): void {
    this.addSql(`
      drop index webhook_delivery_due_idx;
      -- The worker takes the oldest of each subscription, and of those the first of each record.
      create index webhook_delivery_due_idx on webhook_delivery (subscription_id, due_at, sequence) where due_at is not null;
      -- Retention deletes the oldest of all companies.
      create index webhook_delivery_age_idx on webhook_delivery using brin (created_at)`);
  }
}
