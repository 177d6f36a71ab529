import { Migration } from '@mikro-orm/migrations';

/** Where telephones and machines were. */
export class CreateTelematics extends Migration {
  override up(): void {
    this.addSql(`
      create table location_history (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        user_id uuid not null references app_user (id),
        device_id text not null,
        occurred_at timestamptz(6) not null,
        lat numeric(15,12) not null check (lat between -90 and 90),
        lon numeric(15,12) not null check (lon between -180 and 180),
        accuracy double precision,
        speed_meters_per_second double precision,
        bearing_degrees double precision,
        job_id uuid references job (id) on delete set null,
        equipment_id uuid references equipment (id),
        offline_mode boolean not null default false
      );
      -- A telephone sends again what it does not know to have arrived. Also gives one person's way over a time.
      create unique index location_history_device_key on location_history (user_id, device_id, occurred_at);
      -- The way of one job, in order.
      create index location_history_job_idx on location_history (job_id, occurred_at) where job_id is not null;
      -- Where a paver, which is a moving site, was during a job.
      create index location_history_equipment_idx on location_history (equipment_id, occurred_at) where equipment_id is not null;`);
  }
}
