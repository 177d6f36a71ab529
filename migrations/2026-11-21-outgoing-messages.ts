import { Migration } from '@mikro-orm/migrations';

/** Mails and texts that are yet to be sent (src/platform/outgoing), and secrets people get by them (src/identity/one-time-secrets.ts). */
export class OutgoingMessages extends Migration {
  override up(): void {
    this.addSql(`create table outgoing_message (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      channel text not null check (channel in ('mail', 'sms')),
      kind text not null,
      recipient text not null,
      language text not null,
      params jsonb not null default '{}',
      request_id text not null,
      attempts integer not null default 0,
      next_at timestamptz(6) not null default now(),
      give_up_at timestamptz(6) not null,
      last_error text
    )`);
    // What is due, soonest first.
    this.addSql('create index outgoing_message_due_idx on outgoing_message (next_at)');
    this.addSql(`create table one_time_secret (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      user_id uuid references app_user (id),
      purpose text not null check (purpose in ('magic_link', 'reset_password', 'signup', 'otp_sms')),
      secret_hash text,
      attempts_left integer not null default 5,
      expires_at timestamptz(6) not null,
      used_at timestamptz(6)
    )`);
    // Links are looked up by the hash of their token; codes by their id, because people may draw the same one.
    this.addSql("create unique index one_time_secret_hash_key on one_time_secret (secret_hash) where purpose <> 'otp_sms'");
    // Whoever uses one spends the others of that purpose.
    this.addSql('create index one_time_secret_user_idx on one_time_secret (user_id, purpose) where used_at is null');
    // The sweeper looks for what has expired.
    this.addSql('create index one_time_secret_expires_idx on one_time_secret (expires_at)');
  }
}
