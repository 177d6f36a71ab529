import { Migration } from '@mikro-orm/migrations';

export class CountTriesOfWebhooks extends Migration {
  override up(): void {
    this.addSql(`
      -- Where the present series of tries begins: what is asked for again has all of its tries, while attempts counts on.
      alter table webhook_delivery add column tries_from integer not null default 0`);
  }
}
