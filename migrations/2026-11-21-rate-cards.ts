import { Migration } from '@mikro-orm/migrations';

/** Whose and for what a rate card is, and what it rounds to. */
export class RateCards extends Migration {
  override up(): void {
    this.addSql(`alter table rate
      add column account_id uuid references account (id),
      add column driver_id uuid references app_user (id),
      add column service_class_id uuid references service_class (id),
      add column equipment_type_id uuid references equipment_type (id),
      add column project_ids uuid[] not null default '{}',
      add column service_ids uuid[] not null default '{}',
      add column equipment_ids uuid[] not null default '{}',
      add column "primary" boolean not null default false,
      add column fuel_surcharge_enabled boolean not null default false,
      add column time_minimum_minutes integer,
      add column time_increment_minutes integer,
      add column unit_minimum numeric(18,4),
      add column unit_increment numeric(18,4)`);
    this.addSql(`update rate set time_minimum_minutes = 0, time_increment_minutes = 0 where time_rate is not null`);
    this.addSql(`update rate set unit_minimum = 0, unit_increment = 0 where unit_rate is not null`);
    // One standard rate for each customer, vendor and driver, and one for all others; nulls are one and the same here.
    this.addSql(`create unique index rate_primary_key on rate (company_id, owner_type, account_id, driver_id) nulls not distinct
      where "primary" and discarded_at is null`);
    // The cards of an account or a driver, looked for whenever work is priced.
    this.addSql('create index rate_account_idx on rate (account_id) where account_id is not null');
    this.addSql('create index rate_driver_idx on rate (driver_id) where driver_id is not null');
  }
}
