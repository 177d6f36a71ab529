import { Migration } from '@mikro-orm/migrations';

/**
 * Secrets of identity providers move out of the connections, which everybody reads who manages them, into a table that belongs to a purpose.
 * Domains follow their connection as the owner, because requests have no rights to them any more.
 */
export class KeepSecretsApart extends Migration {
  override up(): void {
    this.addSql('create table sso_secret (connection_id uuid primary key, sealed text not null)');
    this.addSql(`insert into sso_secret (connection_id, sealed)
      select id, sealed_client_secret from sso_connection where sealed_client_secret is not null`);
    // Checked when a transaction ends, because a new connection is written after its secret. Added after the rows: with checks that wait, the
    // table could not be altered any more in this transaction.
    this.addSql(`alter table sso_secret add constraint sso_secret_connection_id_fkey
      foreign key (connection_id) references sso_connection (id) on delete cascade deferrable initially deferred`);
    this.addSql('alter table sso_connection drop column sealed_client_secret');
    this.addSql('alter function sso_domains_follow() security definer set search_path = public, pg_temp');
  }
}
