import { Migration } from '@mikro-orm/migrations';

/** Where telephones were, and what they let the app do. */
export class Positions extends Migration {
  override up(): void {
    this.addSql(`create table location_history (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      user_id uuid not null references app_user (id),
      device_id text not null,
      occurred_at timestamptz(6) not null,
      lat numeric(15, 12) not null check (lat between -90 and 90),
      lon numeric(15, 12) not null check (lon between -180 and 180),
      accuracy double precision,
      speed_meters_per_second double precision,
      bearing_degrees double precision,
      job_id uuid references job (id) on delete set null,
      equipment_id uuid references equipment (id),
      offline_mode boolean not null default false
    )`);
    // A telephone sends again what it does not know to have arrived; also gives one person's way over a time.
    this.addSql('create unique index location_history_device_key on location_history (user_id, device_id, occurred_at)');
    // The way of one job, in order.
    this.addSql('create index location_history_job_idx on location_history (job_id, occurred_at) where job_id is not null');
    // Since when somebody has been standing still without a job: tells idle from online.
    this.addSql('alter table app_user add column still_since timestamptz(6)');

    this.addSql(`create table user_device_permission (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      user_id uuid not null references app_user (id),
      device_id text not null,
      device_permission text not null,
      device_permission_state text not null
    )`);
    // A device tells each permission once; also finds those of a person.
    this.addSql('create unique index user_device_permission_key on user_device_permission (user_id, device_id, device_permission)');
  }
}
