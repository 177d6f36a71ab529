import { Migration } from '@mikro-orm/migrations';

/** Sign-ins on their way through an identity provider, and the tickets that end them. */
export class SsoAttempts extends Migration {
  override up(): void {
    this.addSql(`create table sso_attempt (
      state_hash text primary key,
      connection_id uuid not null references sso_connection (id) on delete cascade,
      browser_hash text not null,
      nonce text not null,
      code_verifier text not null,
      return_url text not null,
      expires_at timestamptz(6) not null
    )`);
    this.addSql(`create table sso_ticket (
      token_hash text primary key,
      connection_id uuid not null references sso_connection (id) on delete cascade,
      user_id uuid not null references app_user (id),
      expires_at timestamptz(6) not null
    )`);
    // What has expired is removed by the next one who starts; rows go with their connection.
    for (const table of ['sso_attempt', 'sso_ticket']) {
      this.addSql(`create index ${table}_expires_idx on ${table} (expires_at)`);
      this.addSql(`create index ${table}_connection_idx on ${table} (connection_id)`);
    }
  }
}
