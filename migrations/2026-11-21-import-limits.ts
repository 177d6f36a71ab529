import { Migration } from '@mikro-orm/migrations';

/** Payloads are worked long after they were sent: what their sender is limited to is kept with the request. Machines have no limits. */
export class ImportLimits extends Migration {
  override up(): void {
    this.addSql('alter table import_batch add column site_ids uuid[], add column own_only boolean not null default false');
  }
}
