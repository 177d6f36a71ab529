import { Migration } from '@mikro-orm/migrations';

/** One row per `Idempotency-Key` of a client in a company (src/platform/http/rest/idempotency.ts). */
export class Idempotency extends Migration {
  override up(): void {
    this.addSql(`create table idempotency_key (
      company_id uuid not null,
      principal text not null,
      key text not null,
      request_hash text not null,
      token uuid not null,
      state text not null default 'running' check (state in ('running', 'done')),
      results jsonb not null default '[]',
      lease_until timestamptz(6) not null,
      status int,
      headers jsonb,
      body text,
      created_at timestamptz(6) not null default now(),
      expires_at timestamptz(6) not null,
      primary key (company_id, principal, key)
    )`);
    this.addSql('create index idempotency_key_expires_idx on idempotency_key (expires_at)');
  }
}
