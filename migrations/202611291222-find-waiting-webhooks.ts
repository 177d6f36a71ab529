import { Migration } from '@mikro-orm/migrations';

/** What waits of a record is found without reading what else waits for the endpoint, whatever PostgreSQL believes of the table (`waitsOf`). */
export class FindWaitingWebhooks extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that a failed run has left is not valid.
    this.addSql('drop index concurrently if exists webhook_delivery_waiting_idx');
    this.addSql(`
      -- What is sent of a record waits for what happened to it before. The version before asks webhook_delivery_record_idx, which nothing else needs.
      create index concurrently webhook_delivery_waiting_idx on webhook_delivery (subject_id, sequence) where state = 'pending'`);
  }
}
