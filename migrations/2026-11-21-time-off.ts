import { Migration } from '@mikro-orm/migrations';

/** When people and accounts are not to be planned with. */
export class TimeOff extends Migration {
  override up(): void {
    this.addSql(`create table scheduled_time_off (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      user_id uuid references app_user (id),
      account_id uuid references account (id),
      start_date timestamptz(6) not null,
      end_date timestamptz(6),
      check (num_nonnulls(user_id, account_id) = 1),
      check (end_date >= start_date)
    )`);
    // Whether somebody is off at a moment, and the list of one person or account.
    this.addSql('create index scheduled_time_off_user_idx on scheduled_time_off (user_id, end_date) where user_id is not null');
    this.addSql('create index scheduled_time_off_account_idx on scheduled_time_off (account_id, end_date) where account_id is not null');
    // Somebody is off until further notice once, whoever says so at the same time.
    this.addSql('create unique index scheduled_time_off_user_open_key on scheduled_time_off (user_id) where end_date is null');
    this.addSql('create unique index scheduled_time_off_account_open_key on scheduled_time_off (account_id) where end_date is null');
  }
}
