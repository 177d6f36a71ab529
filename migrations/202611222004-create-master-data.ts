import { Migration } from '@mikro-orm/migrations';

const id = (kind: string, n: number): string => `018cc251-f400-7000-8000-${kind}${n.toString(16).padStart(8, '0')}`;
const MATERIAL_TYPES = [
  'Aggregate',
  'Asphalt',
  'Concrete',
  'Demolition debris',
  'Gravel',
  'Recycled',
  'Rock',
  'Salt',
  'Sand',
  'Snow',
  'Soil',
];
/** What a material is until somebody says otherwise. */
const OTHER = id('0a00', 0);
const rows = (names: string[]): string =>
  [...names.map((name, n) => `('${id('0a00', n + 1)}', '${name}', ${n + 1})`), `('${OTHER}', 'Other', 1000)`].join(', ');
const SERVICE_TYPES = [
  [id('0b00', 1), 'Haulage', 'haulage'],
  [id('0b00', 2), 'Hourly', 'hourly'],
  [id('0b00', 3), 'Traffic control', 'traffic_control'],
];

/** What orders are made of: materials, services, rates; and the documents that a company wants to see. */
export class CreateMasterData extends Migration {
  override up(): void {
    // Types of materials and services are everybody's.
    this.addSql(`
      create table material_type (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        name text not null,
        ordinality integer not null
      );`);

    this.addSql(`insert into material_type (id, name, ordinality, created_at)
      select id::uuid, name, n, timestamptz '2026-01-01 00:00:00+00' + n * interval '1 microsecond' from (values ${rows(MATERIAL_TYPES)}) as type (id, name, n)`);

    this.addSql(`
      create table material (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint material_company_id_foreign references company (id),

        name text not null,
        external_id text,
        material_type_id uuid not null default '018cc251-f400-7000-8000-0a0000000000' references material_type (id),
        system boolean not null default false,
        state text not null default 'active',
        discarded_at timestamptz(6),

        match_name text generated always as (fold_text(name)) stored
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index material_page_idx on material (company_id, created_at, id);
      -- The importer finds materials by external id (SPEC "Matching of nested records").
      create index material_external_id_idx on material (company_id, external_id) where external_id is not null;
      -- The importer finds materials by name (SPEC "Matching of nested records").
      create index material_match_name_idx on material (company_id, match_name);`);

    this.addSql(`
      create table service_type (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        name text not null,
        key text not null unique
      );`);

    this.addSql(`insert into service_type (id, name, key) values ${SERVICE_TYPES.map((type) => `('${type.join("', '")}')`).join(', ')}`);

    this.addSql(`
      create table service (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint service_company_id_foreign references company (id),
        name text not null,
        service_type_id uuid not null default '018cc251-f400-7000-8000-0b0000000001' references service_type (id),
        ordinality integer not null default 0,
        system boolean not null default false,
        visible boolean not null default true,
        discarded_at timestamptz(6)
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index service_page_idx on service (company_id, created_at, id);`);

    this.addSql(`
      create table service_class (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint service_class_company_id_foreign references company (id),
        name text not null,
        discarded_at timestamptz(6)
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index service_class_page_idx on service_class (company_id, created_at, id);
      -- Two with one name could not be distinguished; a discarded one frees its name.
      create unique index service_class_name_key on service_class (company_id, fold_text(name)) where discarded_at is null;`);

    this.addSql(`
      create table traffic_control_plan (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        name text not null,
        discarded_at timestamptz(6)
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index traffic_control_plan_page_idx on traffic_control_plan (company_id, created_at, id);
      -- Two with one name could not be distinguished; a discarded one frees its name.
      create unique index traffic_control_plan_name_key on traffic_control_plan (company_id, fold_text(name)) where discarded_at is null;`);

    // Rate cards.
    this.addSql(`
      create table rate (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint rate_company_id_foreign references company (id),
        name text not null,
        owner_type text not null default 'driver',
        type text not null default 'RatePerHour',
        "primary" boolean not null default false,
        discarded_at timestamptz(6),

        -- Whom and what the card is for; empty is for all.
        account_id uuid references account (id),
        driver_id uuid references app_user (id),
        equipment_type_id uuid references equipment_type (id),
        service_class_id uuid references service_class (id),
        project_ids uuid[] not null default '{}',
        service_ids uuid[] not null default '{}',
        equipment_ids uuid[] not null default '{}',

        -- How much, and what it is rounded to.
        time_rate numeric(18,4),
        time_minimum_minutes integer,
        time_increment_minutes integer,
        unit_rate numeric(18,4),
        unit_minimum numeric(18,4),
        unit_increment numeric(18,4),
        commission_percentage integer,
        commission_amount numeric(18,4),
        flat_amount numeric(18,4),
        fuel_surcharge_enabled boolean not null default false
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index rate_page_idx on rate (company_id, created_at, id);
      -- One standard rate for each customer, vendor and driver, and one for all others; nulls are one and the same here.
      create unique index rate_primary_key on rate (company_id, owner_type, account_id, driver_id) nulls not distinct
        where "primary" and discarded_at is null;
      -- The cards of an account, looked for whenever work is priced.
      create index rate_account_idx on rate (account_id) where account_id is not null;
      -- The cards of a driver, looked for whenever work is priced.
      create index rate_driver_idx on rate (driver_id) where driver_id is not null;`);

    // What is charged or paid next to freight.
    this.addSql(`
      create table add_on (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        name text not null,
        add_on_types text[] not null default '{}',
        quantity numeric(18,4) not null,
        revenue_cost_rate_type text not null,
        revenue_rate_value numeric(18,4),
        cost_rate_value numeric(18,4),
        percentage numeric(18,4) check (percentage between -100 and 100),
        taxable boolean not null default false,
        external_id text,
        accounting_id text,
        discarded_at timestamptz(6)
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index add_on_page_idx on add_on (company_id, created_at, id);
      -- Two with one name could not be distinguished; a discarded one frees its name.
      create unique index add_on_name_key on add_on (company_id, fold_text(name)) where discarded_at is null;`);

    // What a company wants to see of its vendors, drivers and trucks, and what it has seen (src/directory/compliance).
    this.addSql(`
      create table compliance_document_type (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),

        name text not null,
        external_id text,
        description text,
        field_type text not null check (field_type in ('none', 'string', 'number', 'date', 'boolean')),
        has_expiration boolean not null default false,
        dispatch_gating boolean not null default false,
        discarded_at timestamptz(6),

        required_vendors boolean not null default false,
        required_internal_drivers boolean not null default false,
        required_shared_drivers boolean not null default false,
        required_equipment boolean not null default false
      );
      -- Two types with one name could not be distinguished; a discarded one frees its name.
      create unique index compliance_document_type_name_key on compliance_document_type (company_id, fold_text(name)) where discarded_at is null;`);

    this.addSql(`
      create table compliance_document (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        compliance_document_type_id uuid not null references compliance_document_type (id),
        compliant_type text not null check (compliant_type in ('Account', 'User', 'Equipment')),
        compliant_id uuid not null,
        value text,
        expires_at timestamptz(6),
        notification_sent_at timestamptz(6),
        discarded_at timestamptz(6),
        reminded_days integer
      );
      -- The documents of one vendor, driver or truck, and the one of a type that is valid longest.
      create index compliance_document_of_idx on compliance_document (company_id, compliant_id, compliance_document_type_id, expires_at desc)
        where discarded_at is null;
      -- What reminders look for every few minutes: the documents of all companies that run out within some days.
      create index compliance_document_expiring_idx on compliance_document (expires_at, id) where discarded_at is null;`);
  }
}
