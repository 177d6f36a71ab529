import { Migration } from '@mikro-orm/migrations';

/** A connection can be begun before its provider is told of it: providers want our addresses first, and then give theirs. */
export class SsoReady extends Migration {
  override up(): void {
    this.addSql('alter table sso_connection add column ready boolean not null default false');
    // Until now none could be made without.
    this.addSql('update sso_connection set ready = true');
  }
}
