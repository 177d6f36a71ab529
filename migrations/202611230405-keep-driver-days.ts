import { Migration } from '@mikro-orm/migrations';

/** A driver day is the timesheet of one shift: its times, their corrections, its approvals, the states and the jobs that belong to it. */
export class KeepDriverDays extends Migration {
  override up(): void {
    this.addSql(`
      alter table driver_day
        add column version integer not null default 1,
        add column started_shift_at timestamptz(6),
        add column ended_shift_at timestamptz(6),
        add column end_reason text check (end_reason in ('driver', 'office', 'auto')),
        add column adjusted_started_shift_at timestamptz(6),
        add column adjusted_ended_shift_at timestamptz(6),
        add column shift_adjustment_minutes integer not null default 0,
        add column shift_adjustment_type text check (shift_adjustment_type in ('break', 'breakdown', 'lunch', 'wait_time')),
        add column external_id text,
        add column times_editable boolean not null default false,
        add column worked_after_approval boolean not null default false,

        -- When the truck left its home base and came back, while the driver was on duty.
        add column first_homebase_exit_at timestamptz(6),
        add column last_homebase_entry_at timestamptz(6),

        -- The approvals by the driver's company, as on jobs and loads, and the totals as they were then.
        add column approved_at timestamptz(6),
        add column billing_approved_at timestamptz(6),
        add column field_approved_at timestamptz(6),
        add column biller_approved boolean not null default false,
        add column company_admin_approved boolean not null default false,
        add column driver_approved boolean not null default false,
        add column foreman_approved boolean not null default false,
        add column approved_totals jsonb;

      -- A sender's own id of a day names one day of a company.
      create unique index driver_day_external_id_key on driver_day (company_id, external_id) where external_id is not null;
      -- Lists of days are sorted by their date, and cut to a span of dates.
      create index driver_day_date_idx on driver_day (company_id, driver_day_date, id);

      alter table driver_state_event
        add column source text not null default 'phone' check (source in ('phone', 'web', 'automation')),
        add column client_id uuid,
        add column driver_day_id uuid constraint driver_state_event_driver_day_id_foreign references driver_day (id);
      -- A telephone that sends a state again, because it got no answer, begins it once.
      create unique index driver_state_event_client_key on driver_state_event (user_id, client_id) where client_id is not null;
      -- The spans of a day, of which its totals are made.
      create index driver_state_event_day_idx on driver_state_event (driver_day_id, started_at) where driver_day_id is not null;

      alter table job add column driver_day_id uuid constraint job_driver_day_id_foreign references driver_day (id);
      -- The jobs of a day, and the partners that see it by them.
      create index job_driver_day_idx on job (driver_day_id) where driver_day_id is not null;`);

    // Days of before belong to the states that began on their date; of a shift over midnight, a break after it is left out.
    this.addSql(`
      update driver_state_event e set driver_day_id = d.id from driver_day d
        where d.driver_id = e.user_id and e.started_at >= d.starts_at and e.started_at < d.ends_at;
      update driver_day d set started_shift_at = s.started, ended_shift_at = s.ended, end_reason = case when s.ended is not null then 'driver' end
        from (select e.driver_day_id, min(e.started_at) filter (where e.state = 'on_duty') as started,
            case when bool_or(e.ended_at is null and e.state <> 'off_duty') then null else max(coalesce(e.ended_at, e.started_at)) end as ended
          from driver_state_event e where e.driver_day_id is not null group by 1) s
        where s.driver_day_id = d.id;
      update job j set driver_day_id = d.id from driver_day d
        where d.driver_id = j.driver_id and exists (select from job_event e where e.job_id = j.id and e.event_name = 'ToPickup'
          and e.occurred_at >= d.starts_at and e.occurred_at < d.ends_at
          and not exists (select from job_event f where f.job_id = j.id and f.event_name = 'ToPickup' and f.occurred_at < e.occurred_at));`);
  }
}
