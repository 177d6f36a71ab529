import { Migration } from '@mikro-orm/migrations';

/** Proven domains are asked for their record again and again, from the time it was last seen on. */
export class DomainRechecks extends Migration {
  override up(): void {
    // Null for domains that were taken without a proof: there is no record to look for.
    this.addSql('alter table sso_domain add column checked_at timestamptz(6), add column missing_since timestamptz(6)');
    // Which are due, longest ago first.
    this.addSql('create index sso_domain_checked_idx on sso_domain (checked_at) where checked_at is not null');
  }
}
