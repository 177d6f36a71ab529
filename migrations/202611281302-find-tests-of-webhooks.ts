import { Migration } from '@mikro-orm/migrations';

export class FindTestsOfWebhooks extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that a failed run has left is not valid.
    this.addSql('drop index concurrently if exists webhook_delivery_test_idx');
    this.addSql(`
      -- Tests are sent also where everything else waits: they are found without reading what waits.
      create index concurrently webhook_delivery_test_idx on webhook_delivery (due_at) where trigger = 'Webhook::test' and due_at is not null`);
  }
}
