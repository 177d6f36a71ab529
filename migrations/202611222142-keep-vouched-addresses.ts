import { Migration } from '@mikro-orm/migrations';

/** The ticket with which a sign-in at a provider ends has the address that the provider vouched for: it opens nothing once that has changed. */
export class KeepVouchedAddresses extends Migration {
  override up(): void {
    this.addSql(`
      -- Tickets of processes of the version before have none, and open nothing here; they are good for a minute anyway.
      alter table sso_ticket add column email text not null default '';`);
  }
}
