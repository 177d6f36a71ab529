import { Migration } from '@mikro-orm/migrations';

/** What a worker does later is in the trace of the request that asked for it. Null, which takes no room, while nothing is traced. */
export class KeepTraceParents extends Migration {
  override up(): void {
    for (const table of ['import_batch', 'webhook_delivery', 'outgoing_message', 'bulk_action'])
      this.addSql(`alter table ${table} add column trace_parent text`);
  }
}
