import { Migration } from '@mikro-orm/migrations';

/** How the time of a day, a job or a load is divided by truck and phase. */
export class CreateResourceUsageLogs extends Migration {
  override up(): void {
    this.addSql(`
      create table resource_usage_log (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        resource_usage_loggable_type text not null check (resource_usage_loggable_type in ('DriverDay', 'Job', 'Load')),
        resource_usage_loggable_id uuid not null,

        -- The day and the job that the record belonged to, by which lists and sums find it.
        driver_day_id uuid references driver_day (id),
        job_id uuid references job (id) on delete cascade,
        load_id uuid references load (id) on delete cascade,

        usage_minutes integer not null check (usage_minutes between 1 and 1440),
        date_of_use date not null,
        driver_id uuid not null constraint resource_usage_log_driver_id_foreign references app_user (id),
        equipment_id uuid constraint resource_usage_log_equipment_id_foreign references equipment (id),
        phase_id uuid constraint resource_usage_log_phase_id_foreign references phase (id) on delete set null
      );
      -- The logs of a day, and their sum.
      create index resource_usage_log_day_idx on resource_usage_log (driver_day_id, created_at, id) where driver_day_id is not null;
      -- The logs of a job, and their sum. Also for the foreign key: jobs without work are deleted.
      create index resource_usage_log_job_idx on resource_usage_log (job_id, created_at, id) where job_id is not null;
      -- The logs of a load. Also for the foreign key: loads without work are deleted.
      create index resource_usage_log_load_idx on resource_usage_log (load_id, created_at, id) where load_id is not null;
      -- For the foreign key: phases are removed from orders.
      create index resource_usage_log_phase_idx on resource_usage_log (phase_id) where phase_id is not null;`);
  }
}
