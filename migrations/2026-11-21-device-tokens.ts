import { Migration } from '@mikro-orm/migrations';

/** Where push messages go (src/identity/sessions/device-token.entity.ts). */
export class DeviceTokens extends Migration {
  override up(): void {
    this.addSql(`create table device_token (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      user_id uuid not null references app_user (id),
      token text not null,
      token_hash text not null constraint device_token_key unique,
      session_id uuid references user_session (id) on delete cascade
    )`);
    // Whoever is sent something, and whoever is deactivated.
    this.addSql('create index device_token_user_idx on device_token (user_id)');
    // The end of a session takes its telephone along.
    this.addSql('create index device_token_session_idx on device_token (session_id) where session_id is not null');
  }
}
