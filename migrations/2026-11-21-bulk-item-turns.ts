import { Migration } from '@mikro-orm/migrations';

/** When an item of a bulk action is tried again: one that waits holds up no other (src/dispatch/bulk/bulk-worker.ts). */
export class BulkItemTurns extends Migration {
  override up(): void {
    this.addSql('alter table bulk_action_item add column next_at timestamptz(6) not null default now()');
  }
}
