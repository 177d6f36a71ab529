import { Migration } from '@mikro-orm/migrations';

/**
 * Positions in partitions by month, so that what is too old goes with its table and not row by row. They have no foreign keys: each would be
 * checked for every position, and hold a month against the people and machines of all others. What a position belongs to was checked when it
 * was stored. `position_task` has what is to be worked out from new ones.
 */
export class DividePositions extends Migration {
  override up(): void {
    this.addSql(`
      alter table location_history rename to location_history_before;
      alter table location_history_before drop constraint location_history_pkey;
      drop index location_history_device_key, location_history_job_idx, location_history_equipment_idx;

      create table location_history (
        id uuid not null,
        created_at timestamptz(6) not null default now(),
        company_id uuid not null,
        user_id uuid,
        equipment_id uuid,
        -- What was measured: a person's telephone, a machine, or a vehicle of which only the company is known.
        asset_id uuid not null generated always as (coalesce(user_id, equipment_id, company_id)) stored,
        device_id text not null,
        source text not null default 'phone' check (source in ('phone', 'telematics')),
        provider_key text,
        occurred_at timestamptz(6) not null,
        lat numeric(15,12) not null check (lat between -90 and 90),
        lon numeric(15,12) not null check (lon between -180 and 180),
        accuracy double precision,
        speed_meters_per_second double precision,
        bearing_degrees double precision,
        job_id uuid,
        offline_mode boolean not null default false,
        primary key (id, occurred_at)
      ) partition by range (occurred_at);
      -- A device sends again what it does not know to have arrived. In this order it also gives the way of a person or a machine over a time.
      create unique index location_history_asset_key on location_history (asset_id, occurred_at, device_id);
      -- The way of one job, in order.
      create index location_history_job_idx on location_history (job_id, occurred_at) where job_id is not null;
      -- Where a paver, which is a moving site, was during a job, also by the telephone of who drives it.
      create index location_history_equipment_idx on location_history (equipment_id, occurred_at) where equipment_id is not null;`);

    // A partition is made by itself and then attached, because a partition that is made in place locks out who writes positions. The
    // application owns no tables: it calls this. The limits keep a wrong clock from making tables for all of time.
    this.addSql(`
      create function keep_position_month(at timestamptz) returns boolean
        language plpgsql security definer set search_path = public, pg_temp as $$
        declare
          first date := date_trunc('month', at at time zone 'UTC')::date;
          part text := 'location_history_' || to_char(first, 'YYYY_MM');
        begin
          if at < now() - interval '1826 days' or at > now() + interval '62 days' then return false; end if;
          if to_regclass(part) is not null then return true; end if;
          perform pg_advisory_xact_lock(hashtext('haulgate:' || part));
          if to_regclass(part) is not null then return true; end if;
          execute format('create table %I (like location_history including defaults including generated including constraints)', part);
          -- Nobody reads a partition except through its table. The next start writes the policies that every table has.
          execute format('alter table %I enable row level security, force row level security', part);
          execute format('create policy tenant_isolation on %I using (false) with check (false)', part);
          execute format('create policy owner on %I to current_user using (true) with check (true)', part);
          execute format('alter table location_history attach partition %I for values from (%L) to (%L)', part,
            to_char(first, 'YYYY-MM-DD') || 'T00:00:00Z', to_char(first + interval '1 month', 'YYYY-MM-DD') || 'T00:00:00Z');
          return true;
        end $$`);
    this.addSql(`
      select keep_position_month(now() + n * interval '1 month') from generate_series(-1, 1) n;
      select keep_position_month(max(occurred_at)) from location_history_before group by date_trunc('month', occurred_at, 'UTC');
      insert into location_history (id, created_at, company_id, user_id, equipment_id, device_id, occurred_at, lat, lon, accuracy,
          speed_meters_per_second, bearing_degrees, job_id, offline_mode)
        select id, created_at, company_id, user_id, equipment_id, device_id, occurred_at, lat, lon, accuracy,
          speed_meters_per_second, bearing_degrees, job_id, offline_mode
        -- Nobody keeps positions for longer than five years.
        from location_history_before where keep_position_month(occurred_at);
      drop table location_history_before;`);

    this.addSql(`
      create table position_task (
        id uuid primary key default gen_random_uuid(),
        company_id uuid not null references company (id),
        asset_id uuid not null,
        asset_type text not null check (asset_type in ('User', 'Equipment')),
        kind text not null,

        -- The oldest position that is not worked out yet, and that of those that a worker has taken.
        since timestamptz(6),
        working_since timestamptz(6),
        due_at timestamptz(6) not null,
        attempts integer not null default 0
      );
      -- New positions join the task that waits, however many come.
      create unique index position_task_key on position_task (asset_id, kind);
      -- The tasks that are due, those first that have waited longest.
      create index position_task_due_idx on position_task (due_at);`);
  }
}
