import { Migration } from '@mikro-orm/migrations';

/** What people are signed in by (src/identity/sessions/user-session.entity.ts). */
export class UserSessions extends Migration {
  override up(): void {
    this.addSql(`create table user_session (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      user_id uuid not null references app_user (id),
      method text not null check (method in ('password', 'magic_link', 'otp_sms', 'sso', 'reset_password', 'signup')),
      family_hash text not null constraint user_session_family_key unique,
      refresh_hash text not null,
      refreshed_at timestamptz(6) not null default now(),
      expires_at timestamptz(6) not null,
      ends_at timestamptz(6) not null,
      address text,
      user_agent text,
      revoked_at timestamptz(6),
      revoked_for text
    )`);
    // The list of a person's sessions, newest first, and the revocation of all of them.
    this.addSql('create index user_session_user_idx on user_session (company_id, user_id, created_at, id)');
    // The sweeper looks for what has ended.
    this.addSql('create index user_session_ends_idx on user_session (ends_at)');
  }
}
