import { Migration } from '@mikro-orm/migrations';

/** What trucks drove by state and province, and what positions say of days and jobs. A worker writes it. */
export class MeasureDistances extends Migration {
  override up(): void {
    this.addSql(`
      create table travelled_distance (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        -- The company of the driver.
        company_id uuid not null references company (id),
        traveller_type text not null check (traveller_type in ('DriverDay', 'Job', 'Load')),
        traveller_id uuid not null,

        -- The work in which the truck drove: of a day all of it, of a job one, of a load both.
        driver_day_id uuid not null,
        job_id uuid,
        order_id uuid,
        administrative_area text not null,
        travelled_distance_type text not null check (travelled_distance_type in ('off_job', 'unloaded', 'loaded')),
        equipment_id uuid constraint travelled_distance_equipment_id_foreign references equipment (id),
        travelled_distance_meters numeric(12,1) not null
      );
      -- The distances of a day, a job or a load; each kind of distance once.
      create unique index travelled_distance_key on travelled_distance (traveller_id, administrative_area, travelled_distance_type, equipment_id)
        nulls not distinct;
      -- All that was measured of a day, which is measured anew with each position; and its jobs, for partners.
      create index travelled_distance_day_idx on travelled_distance (driver_day_id);
      -- The distances of an order's jobs.
      create index travelled_distance_order_idx on travelled_distance (order_id) where order_id is not null;

      alter table job
        add column gps_total_pings integer,
        add column gps_offline_pings integer,
        add column gps_longest_gap_seconds integer,
        add column gps_interval_seconds integer,
        add column gps_distance_meters numeric(12,1);
      alter table driver_day add column gps_minutes integer, add column gps_distance_meters numeric(12,1);
      alter table company_settings
        add column position_interval_seconds integer not null default 30 check (position_interval_seconds between 1 and 3600),
        add column position_retention_days integer not null default 400 check (position_retention_days between 30 and 1825),
        add column track_off_duty boolean not null default false;`);
  }
}
