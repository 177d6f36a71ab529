import { Migration } from '@mikro-orm/migrations';

/** Payloads are worked long after they were sent: what their sender may do is kept with the request. */
export class ImportAuthority extends Migration {
  override up(): void {
    this.addSql('alter table import_batch add column may_edit boolean not null default true');
  }
}
