import { Migration } from '@mikro-orm/migrations';

/** Companies, people, places and things: the records others point at. */
export class Directory extends Migration {
  override up(): void {
    this.addSql(`create table company (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      platform_id text not null,
      legal_name text not null,
      dba_name text,
      company_type text not null default 'hauler',
      parent_company_id uuid,
      time_zone text not null default 'America/Toronto',
      platform_customer boolean not null default true,
      address_id uuid,
      primary_contact_id uuid,
      billing_contact_id uuid,
      idp_organization_id text,
      language text not null default 'en',
      time_format text not null default '12-hour',
      date_format text not null default 'YYYY/MM/DD',
      unit_of_distance text not null default 'kilometer',
      system_of_measure text not null default 'metric',
      currency text not null default 'CAD',
      logo_url text,
      billing_status text not null default 'free_trial',
      saas_billing_plan text not null default 'standard',
      usage_status text not null default 'active',
      fuel_surcharge_percentage numeric(18,4),
      auth_methods text[] not null default '{}',
      auto_complete_order boolean not null default false,
      ai_review_loads boolean not null default false,
      default_lat numeric(15,12),
      default_lon numeric(15,12),
      site_radius numeric(18,4),
      default_geofence_delay_seconds integer not null default 0,
      discarded_at timestamptz(6)
    )`);
    this.addSql(`create table address (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid,
      thoroughfare text,
      premise text,
      locality text,
      administrative_area text,
      postal_code text,
      country text,
      lat numeric(15,12),
      lon numeric(15,12),
      place_id text
    )`);
    this.addSql(`create table contact (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid,
      name text,
      email text,
      phone text
    )`);
    this.addSql(`create table account (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null,
      name text not null,
      account_types text[] not null default '{}',
      external_id text,
      accounting_id text,
      notes text,
      schedule_on boolean not null default false,
      address_id uuid,
      billing_address_id uuid,
      primary_contact_id uuid,
      billing_contact_id uuid,
      connected_company_id uuid,
      auto_accept_orders boolean not null default false,
      truck_count integer not null default 0,
      discarded_at timestamptz(6)
    )`);
    this.addSql(`create table app_user (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null,
      first_name text not null default '',
      last_name text not null default '',
      email text,
      phone text,
      external_id text,
      roles text[] not null default '{}',
      schedule_on boolean not null default false,
      managed boolean not null default false,
      text_to_accept_enabled boolean not null default false,
      time_zone text,
      last_login_at timestamptz(6),
      equipment_id uuid,
      default_equipment_id uuid,
      additional_equipment_ids uuid[] not null default '{}',
      last_ping_at timestamptz(6),
      discarded_at timestamptz(6)
    )`);
    this.addSql(`create table equipment (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null,
      name text not null,
      equipment_type_id uuid not null,
      external_id text,
      equipment_id text,
      license_number text,
      zone text,
      accounting_id text,
      state text not null default 'active',
      home_base_id uuid,
      discarded_at timestamptz(6)
    )`);
    this.addSql(`create table equipment_type (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null,
      name text not null,
      system boolean not null default false,
      external_id text,
      accounting_id text,
      gross_capacity numeric(18,4),
      gross_capacity_unit_of_measure text,
      discarded_at timestamptz(6)
    )`);
    this.addSql(`create table geofence (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null,
      name text not null,
      type text not null default 'circle',
      geojson jsonb,
      circle_center jsonb,
      circle_radius double precision,
      tag text
    )`);
    this.addSql(`create table routing_geofence (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null,
      geofence_id uuid,
      moving_geofence boolean not null default false,
      tag text,
      geofence_type text
    )`);
    this.addSql(`create table site (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null,
      name text not null,
      external_id text,
      site_type text not null default 'Other',
      lat numeric(15,12),
      lon numeric(15,12),
      full_address text,
      routable boolean not null default false,
      address_id uuid,
      routing_geofence_id uuid,
      state text not null default 'active',
      discarded_at timestamptz(6)
    )`);
    this.addSql(`create table material (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null,
      name text not null,
      external_id text,
      material_type_name text,
      system boolean not null default false,
      state text not null default 'active',
      discarded_at timestamptz(6)
    )`);
    this.addSql(`create table service (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null,
      name text not null,
      system boolean not null default false,
      visible boolean not null default true,
      discarded_at timestamptz(6)
    )`);
    this.addSql(`create table service_class (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null,
      name text not null,
      discarded_at timestamptz(6)
    )`);
    this.addSql(`create table department (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null,
      name text not null,
      discarded_at timestamptz(6)
    )`);
    this.addSql(`create table rate (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null,
      name text not null,
      type text not null default 'RatePerHour',
      owner_type text not null default 'driver',
      time_rate numeric(18,4),
      unit_rate numeric(18,4),
      commission_percentage integer,
      commission_amount numeric(18,4),
      flat_amount numeric(18,4),
      discarded_at timestamptz(6)
    )`);

    this.addSql(`alter table company
      add constraint company_parent_company_id_foreign foreign key (parent_company_id) references company (id),
      add constraint company_address_id_foreign foreign key (address_id) references address (id),
      add constraint company_primary_contact_id_foreign foreign key (primary_contact_id) references contact (id),
      add constraint company_billing_contact_id_foreign foreign key (billing_contact_id) references contact (id)`);
    this.addSql(`alter table account
      add constraint account_company_id_foreign foreign key (company_id) references company (id),
      add constraint account_address_id_foreign foreign key (address_id) references address (id),
      add constraint account_billing_address_id_foreign foreign key (billing_address_id) references address (id),
      add constraint account_primary_contact_id_foreign foreign key (primary_contact_id) references contact (id),
      add constraint account_billing_contact_id_foreign foreign key (billing_contact_id) references contact (id),
      add constraint account_connected_company_id_foreign foreign key (connected_company_id) references company (id)`);
    this.addSql(`alter table app_user
      add constraint app_user_company_id_foreign foreign key (company_id) references company (id),
      add constraint app_user_equipment_id_foreign foreign key (equipment_id) references equipment (id),
      add constraint app_user_default_equipment_id_foreign foreign key (default_equipment_id) references equipment (id)`);
    this.addSql(`alter table equipment
      add constraint equipment_company_id_foreign foreign key (company_id) references company (id),
      add constraint equipment_equipment_type_id_foreign foreign key (equipment_type_id) references equipment_type (id),
      add constraint equipment_home_base_id_foreign foreign key (home_base_id) references site (id)`);
    this.addSql(`alter table equipment_type
      add constraint equipment_type_company_id_foreign foreign key (company_id) references company (id)`);
    this.addSql(`alter table geofence
      add constraint geofence_company_id_foreign foreign key (company_id) references company (id)`);
    this.addSql(`alter table routing_geofence
      add constraint routing_geofence_company_id_foreign foreign key (company_id) references company (id),
      add constraint routing_geofence_geofence_id_foreign foreign key (geofence_id) references geofence (id)`);
    this.addSql(`alter table site
      add constraint site_company_id_foreign foreign key (company_id) references company (id),
      add constraint site_address_id_foreign foreign key (address_id) references address (id),
      add constraint site_routing_geofence_id_foreign foreign key (routing_geofence_id) references routing_geofence (id)`);
    this.addSql(`alter table material
      add constraint material_company_id_foreign foreign key (company_id) references company (id)`);
    this.addSql(`alter table service
      add constraint service_company_id_foreign foreign key (company_id) references company (id)`);
    this.addSql(`alter table service_class
      add constraint service_class_company_id_foreign foreign key (company_id) references company (id)`);
    this.addSql(`alter table department
      add constraint department_company_id_foreign foreign key (company_id) references company (id)`);
    this.addSql(`alter table rate
      add constraint rate_company_id_foreign foreign key (company_id) references company (id)`);

    // Companies find each other by platform id; children are walked from the parent.
    this.addSql('create unique index company_platform_id_key on company (platform_id)');
    this.addSql('create index company_parent_idx on company (parent_company_id) where parent_company_id is not null');
    // Lists are pages of one company by creation; the same index serves the tenant predicate.
    for (const table of [
      'account',
      'app_user',
      'equipment',
      'equipment_type',
      'site',
      'material',
      'service',
      'service_class',
      'department',
      'rate',
    ]) {
      this.addSql(`create index ${table}_page_idx on ${table} (company_id, created_at, id)`);
    }
    // The importer matches by name and by external id (SPEC "Matching of nested records").
    for (const table of ['account', 'equipment_type', 'site', 'material', 'service']) {
      this.addSql(`create index ${table}_name_idx on ${table} (company_id, lower(btrim(name)))`);
    }
    for (const table of ['account', 'equipment_type', 'site', 'material', 'equipment', 'app_user']) {
      this.addSql(`create index ${table}_external_id_idx on ${table} (company_id, external_id) where external_id is not null`);
    }
    // Foremen are matched by e-mail, then telephone; people log in by them.
    this.addSql('create index app_user_email_idx on app_user (lower(email)) where email is not null');
    this.addSql('create index app_user_phone_idx on app_user (phone) where phone is not null');
    // Which accounts of others are connected to a company.
    this.addSql('create index account_connected_idx on account (connected_company_id) where connected_company_id is not null');
  }
}
