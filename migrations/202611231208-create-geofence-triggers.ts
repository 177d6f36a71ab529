import { Migration } from '@mikro-orm/migrations';

/** Who entered and left geofences, and what is known of those who may be about to. */
export class CreateGeofenceTriggers extends Migration {
  override up(): void {
    this.addSql(`
      create table geofence_trigger (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        asset_type text not null check (asset_type in ('driver', 'equipment')),
        asset_id uuid not null,
        -- No foreign key: what happened at a geofence is kept when it is drawn anew. It is the id of the site for the circle around it.
        fence_id uuid not null,
        site_id uuid references site (id) on delete set null,
        tag text check (tag in ('site', 'loading', 'unloading', 'scaling', 'check_in', 'ticketing')),
        waypoint_type text check (waypoint_type in ('pickup', 'staging', 'drop_off', 'weigh_point')),
        geofence_trigger_type text not null check (geofence_trigger_type in ('enter', 'exit')),
        occurred_at timestamptz(6) not null,
        confirmed_at timestamptz(6) not null,
        -- No foreign key: positions are removed by age.
        location_id uuid not null,
        lat numeric(15,12) not null check (lat between -90 and 90),
        lon numeric(15,12) not null check (lon between -180 and 180),
        job_id uuid references job (id) on delete cascade,
        load_id uuid references load (id) on delete set null,
        strategy text not null default 'live',
        state text not null check (state in ('applied', 'skipped', 'superseded', 'proposed')),
        skip_reason text,
        confidence numeric(18,4) not null check (confidence between 0 and 1),
        caused_by text not null default 'asset' check (caused_by in ('asset', 'fence')),
        job_event_id uuid
      );
      -- One trigger is found once, whoever looks. Also the visits of one truck to one geofence in order.
      create unique index geofence_trigger_key on geofence_trigger (asset_id, fence_id, geofence_trigger_type, occurred_at);
      -- The triggers of a job, in order, and the first and last of its summary. Also for the foreign key.
      create index geofence_trigger_job_idx on geofence_trigger (job_id, occurred_at) where job_id is not null;
      -- For the foreign key: loads without work are deleted.
      create index geofence_trigger_load_idx on geofence_trigger (load_id) where load_id is not null;
      -- What waits for a person, newest first.
      create index geofence_trigger_proposed_idx on geofence_trigger (company_id, occurred_at) where state = 'proposed';
      -- The trigger that an event of a job came from, to undo it.
      create index geofence_trigger_job_event_idx on geofence_trigger (job_event_id) where job_event_id is not null;

      -- What is known of somebody and the geofences of their work, up to the last position that was looked at.
      create table fence_progress (
        asset_id uuid primary key,
        company_id uuid not null references company (id),
        updated_at timestamptz(6) not null default now(),
        fences jsonb not null
      );`);
  }
}
