import { Migration } from '@mikro-orm/migrations';

/** Fleets of telematics providers, their vehicles, and the numbers that companies text from. */
export class CreateTelematicsFleets extends Migration {
  override up(): void {
    this.addSql(`
      create table telematics_fleet (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        name text not null,
        provider text not null check (provider in ('samsara', 'geotab', 'verizon_reveal', 'iso_15143', 'http_json')),
        provider_source text not null check (provider_source in ('axle', 'paver_tracker')),
        external_remote_fleet_id text,
        server text,
        account text,
        mapping jsonb,
        poll_seconds integer not null,

        state text not null default 'connected' check (state in ('connected', 'failing', 'paused')),
        last_error text,
        last_polled_at timestamptz(6),
        last_position_at timestamptz(6),
        failing_since timestamptz(6),
        notified_at timestamptz(6),

        -- Grows with each change of where or as whom the provider is asked: what was asked before is not stored after it.
        revision integer not null default 1,
        cursor text,
        -- The lease of the worker, too; null in fleets that are not asked.
        next_poll_at timestamptz(6),
        attempts integer not null default 0,
        vehicles_listed_at timestamptz(6)
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index telematics_fleet_page_idx on telematics_fleet (company_id, created_at, id);
      -- The worker claims the fleets that have waited longest.
      create index telematics_fleet_due_idx on telematics_fleet (next_poll_at) where next_poll_at is not null;`);

    this.addSql(`
      create table telematics_secret (
        fleet_id uuid primary key references telematics_fleet (id) on delete cascade deferrable initially deferred,
        sealed text,
        push_hash text
      );`);

    this.addSql(`
      create table telematics_remote_vehicle (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        telematics_fleet_id uuid not null constraint telematics_remote_vehicle_fleet_foreign references telematics_fleet (id) on delete cascade,
        external_key text not null,
        remote_vehicle_external_id double precision not null,
        remote_vehicle_external_name text not null,
        remote_vehicle_external_model text,
        remote_vehicle_external_license_plate_number text,
        vin text,
        equipment_id uuid constraint telematics_remote_vehicle_equipment_id_foreign references equipment (id),
        linked_at timestamptz(6),
        last_seen_at timestamptz(6),
        -- Fields that a person set: the provider no longer changes them.
        kept_fields text[] not null default '{}'
      );
      -- A provider names each vehicle once; also the vehicles of a fleet by the keys of a poll.
      create unique index telematics_remote_vehicle_key on telematics_remote_vehicle (telematics_fleet_id, external_key);
      -- The vehicles of a fleet in the order of creation.
      create index telematics_remote_vehicle_page_idx on telematics_remote_vehicle (telematics_fleet_id, created_at, id);
      -- A piece of equipment is followed by one vehicle. Also for the foreign key.
      create unique index telematics_remote_vehicle_equipment_key on telematics_remote_vehicle (equipment_id) where equipment_id is not null;
      -- For the tenant condition.
      create index telematics_remote_vehicle_company_idx on telematics_remote_vehicle (company_id);`);

    this.addSql(`
      create table sms_integration (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint sms_integration_company_id_foreign references company (id),
        phone text not null,
        sms_region text not null check (sms_region in ('us', 'ca'))
      );
      -- A number is listed once for a company; also its list.
      create unique index sms_integration_phone_key on sms_integration (company_id, phone);`);
  }
}
