import { Migration } from '@mikro-orm/migrations';

/** When drivers are on duty, on a break and off. */
export class DriverStates extends Migration {
  override up(): void {
    this.addSql(`create table driver_state_event (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      user_id uuid not null references app_user (id),
      state text not null check (state in ('on_duty', 'off_duty', 'break')),
      started_at timestamptz(6) not null,
      ended_at timestamptz(6),
      check (ended_at >= started_at)
    )`);
    // Somebody is in one state at a time, whoever says so at once.
    this.addSql('create unique index driver_state_event_open_key on driver_state_event (user_id) where ended_at is null');
    // The states of one driver's day, in order.
    this.addSql('create index driver_state_event_user_idx on driver_state_event (user_id, started_at)');
  }
}
