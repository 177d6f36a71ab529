import { Migration } from '@mikro-orm/migrations';

/** Who acts as whom, for an hour; the audit log names both. */
export class Impersonations extends Migration {
  override up(): void {
    this.addSql(`create table impersonation (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      user_id uuid not null references app_user (id),
      actor_type text not null check (actor_type in ('User', 'M2MClient')),
      actor_id uuid not null,
      actor_name text not null,
      expires_at timestamptz(6) not null,
      ended_at timestamptz(6)
    )`);
    // Who acted as a company's people, and when.
    this.addSql('create index impersonation_page_idx on impersonation (company_id, created_at, id)');
  }
}
