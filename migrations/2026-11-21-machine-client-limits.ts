import { Migration } from '@mikro-orm/migrations';

/** What a machine client's tokens may be for and how long they live, and its second secret while it is rotated (src/identity). */
export class MachineClientLimits extends Migration {
  override up(): void {
    this.addSql(`alter table machine_client
      add column audiences text[] not null default '{}',
      add column token_seconds int check (token_seconds > 0),
      add column secret_made_at timestamptz(6) not null default now(),
      add column previous_secret_hash text,
      add column previous_secret_expires_at timestamptz(6),
      add column last_used_at timestamptz(6),
      add constraint machine_client_previous_secret_check check ((previous_secret_hash is null) = (previous_secret_expires_at is null))`);
    this.addSql('update machine_client set secret_made_at = created_at');
  }
}
