import { Migration } from '@mikro-orm/migrations';

/** Sites with their geofences and contacts, and equipment. */
export class CreateSitesAndEquipment extends Migration {
  override up(): void {
    this.addSql(`
      create table geofence (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint geofence_company_id_foreign references company (id),
        name text not null,
        type text not null default 'circle',
        geojson jsonb,
        circle_center jsonb,
        circle_radius double precision,
        tag text
      );`);

    this.addSql(`
      create table routing_geofence (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint routing_geofence_company_id_foreign references company (id),
        site_id uuid,
        geofence_id uuid constraint routing_geofence_geofence_id_foreign references geofence (id),
        geofence_type text,
        moving_geofence boolean not null default false,
        tag text
      );
      -- The additional geofences of a site, when they are listed.
      create index routing_geofence_site_idx on routing_geofence (site_id, created_at, id) where site_id is not null;`);

    this.addSql(`
      create table site (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint site_company_id_foreign references company (id),

        name text not null,
        external_id text,
        site_type text not null default 'Other',
        department_id uuid references department (id),
        notes text,
        state text not null default 'active',
        routable boolean not null default false,
        discarded_at timestamptz(6),

        address_id uuid constraint site_address_id_foreign references address (id),
        full_address text,
        lat numeric(15,12),
        lon numeric(15,12),
        routing_geofence_id uuid constraint site_routing_geofence_id_foreign references routing_geofence (id),

        match_name text generated always as (fold_text(name)) stored,
        search_text text generated always as (fold(coalesce(name, '') || E'\\n' || coalesce(external_id, '') || E'\\n' || coalesce(full_address, '') || E'\\n')) stored
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index site_page_idx on site (company_id, created_at, id);
      -- The importer finds sites by external id (SPEC "Matching of nested records").
      create index site_external_id_idx on site (company_id, external_id) where external_id is not null;
      -- The importer finds sites by name (SPEC "Matching of nested records").
      create index site_match_name_idx on site (company_id, match_name);`);

    // Parts of a site are written with it, in whatever order: its key is looked for at the end of the transaction.
    this.addSql(`
      alter table routing_geofence add constraint routing_geofence_site_id_fkey
        foreign key (site_id) references site (id) deferrable initially deferred;
      alter table contact add constraint contact_site_id_fkey
        foreign key (site_id) references site (id) deferrable initially deferred`);

    // KML files that sites were made of, kept as they came.
    this.addSql(`
      create table kml_file (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        name text,
        file_name text not null,
        content text not null,
        discarded_at timestamptz(6)
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index kml_file_page_idx on kml_file (company_id, created_at, id);`);

    this.addSql(`
      create table equipment_type (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint equipment_type_company_id_foreign references company (id),

        name text not null,
        external_id text,
        accounting_id text,
        system boolean not null default false,
        source text not null default 'web',
        gross_capacity numeric(18,4),
        gross_capacity_unit_of_measure text,
        additional_gross_capacities jsonb not null default '[]',
        discarded_at timestamptz(6),

        match_name text generated always as (fold_text(name)) stored
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index equipment_type_page_idx on equipment_type (company_id, created_at, id);
      -- The importer finds equipment types by external id (SPEC "Matching of nested records").
      create index equipment_type_external_id_idx on equipment_type (company_id, external_id) where external_id is not null;
      -- Typeaheads page by name, over the types that were not discarded.
      create index equipment_type_offer_idx on equipment_type (company_id, lower(name), id) where discarded_at is null;
      -- The importer finds equipment types by name (SPEC "Matching of nested records").
      create index equipment_type_match_name_idx on equipment_type (company_id, match_name);`);

    this.addSql(`
      create table equipment (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint equipment_company_id_foreign references company (id),

        name text not null,
        equipment_type_id uuid not null constraint equipment_equipment_type_id_foreign references equipment_type (id),
        external_id text,
        equipment_id text not null,
        license_number text,
        zone text,
        accounting_id text,
        label_ids uuid[] not null default '{}',
        ownership text not null default 'internal',
        home_base_id uuid constraint equipment_home_base_id_foreign references site (id),
        state text not null default 'active',
        discarded_at timestamptz(6),

        search_text text generated always as (fold(coalesce(name, '') || E'\\n' || coalesce(external_id, '') || E'\\n' || coalesce(license_number, '') || E'\\n')) stored
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index equipment_page_idx on equipment (company_id, created_at, id);
      -- A ticket names its truck by it; a discarded truck frees it.
      create unique index equipment_external_id_key on equipment (company_id, external_id) where external_id is not null and discarded_at is null;
      -- Typeaheads page by name.
      create index equipment_offer_idx on equipment (company_id, lower(name), id) where discarded_at is null;`);

    // Everything has a friendly number.
    this.addSql(`create function equipment_number() returns trigger language plpgsql as $$ begin
      if new.equipment_id is null then
        insert into company_counter (company_id, kind, value) values (new.company_id, 'equipment', 1)
          on conflict (company_id, kind) do update set value = company_counter.value + 1 returning value::text into new.equipment_id;
      end if;
      return new;
    end $$`);
    this.addSql('create trigger equipment_number before insert on equipment for each row execute function equipment_number()');

    // Sites that move with equipment.
    this.addSql(`
      create table moving_site (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        site_id uuid not null references site (id) deferrable initially deferred,
        equipment_id uuid not null references equipment (id),
        polling_interval_seconds integer not null default 60
      );
      -- A site follows one truck; also finds it when the site is read.
      create unique index moving_site_site_key on moving_site (site_id);`);
  }
}
