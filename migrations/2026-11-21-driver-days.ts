import { Migration } from '@mikro-orm/migrations';

/** Days on which drivers were on duty. */
export class DriverDays extends Migration {
  override up(): void {
    this.addSql(`create table driver_day (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      driver_id uuid not null references app_user (id),
      driver_day_date date not null,
      driver_day_id text not null,
      starts_at timestamptz(6) not null,
      ends_at timestamptz(6) not null,
      check (ends_at > starts_at)
    )`);
    // Somebody has one day of a date, however often they come and go.
    this.addSql('create unique index driver_day_key on driver_day (driver_id, driver_day_date)');
    // The page of one company in the default order, newest first.
    this.addSql('create index driver_day_page_idx on driver_day (company_id, created_at, id)');
  }
}
