import { Migration } from '@mikro-orm/migrations';

export class FindTestsOfWebhooks extends Migration {
  override up(): void {
    this.addSql(`
      -- Tests are sent also where everything else waits: they are found without reading what waits.
      create index webhook_delivery_test_idx on webhook_delivery (due_at) where trigger = 'Webhook::test' and due_at is not null`);
  }
}
