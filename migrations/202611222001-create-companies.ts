import { Migration } from '@mikro-orm/migrations';

/** Companies, their families, and what they sort their records by. */
export class CreateCompanies extends Migration {
  override up(): void {
    this.addSql(`
      create table address (
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
      );`);

    this.addSql(`
      create table contact (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid,
        site_id uuid,
        name text,
        email text,
        phone text
      );
      -- The contacts of a site, when it is read.
      create index contact_site_idx on contact (site_id, created_at, id) where site_id is not null;`);

    // What a geocoding provider said of an address.
    this.addSql(`
      create table geocoded_address (
        address text primary key,
        -- Null where the provider knows no such place.
        lat numeric(15,12),
        lon numeric(15,12),
        asked_at timestamptz(6) not null
      );`);

    this.addSql(`
      create table company (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),

        platform_id text not null check (platform_id ~ '^[0-9A-F]{6}$'),
        legal_name text not null,
        dba_name text,
        company_type text not null default 'hauler',
        parent_company_id uuid constraint company_parent_company_id_foreign references company (id),
        platform_customer boolean not null default true,
        idp_organization_id text,
        -- When the first of its people, or of its programs, signed in.
        first_sign_in_at timestamptz(6),
        discarded_at timestamptz(6),

        -- Where it is, and whom to call.
        address_id uuid constraint company_address_id_foreign references address (id),
        primary_contact_id uuid constraint company_primary_contact_id_foreign references contact (id),
        billing_contact_id uuid constraint company_billing_contact_id_foreign references contact (id),
        default_lat numeric(15,12),
        default_lon numeric(15,12),
        site_radius numeric(18,4),
        default_geofence_delay_seconds integer not null default 0,

        -- How texts, times and quantities are written.
        time_zone text not null default 'America/Toronto',
        language text not null default 'en',
        time_format text not null default '12-hour',
        date_format text not null default 'YYYY/MM/DD',
        unit_of_distance text not null default 'kilometer',
        system_of_measure text not null default 'metric',
        currency text not null default 'CAD',

        -- What it pays for, and what it allows.
        billing_status text not null default 'free_trial',
        saas_billing_plan text not null default 'standard',
        usage_status text not null default 'active',
        fuel_surcharge_percentage numeric(18,4),
        auth_methods text[] not null default '{password}',
        permission_toggles text[] not null default '{}',
        auto_complete_order boolean not null default false,
        ai_review_loads boolean not null default false,

        -- Of the logo in the storage of files.
        logo_key uuid,
        logo_type text,

        match_name text generated always as (fold_text(legal_name)) stored,
        search_text text generated always as (fold(coalesce(legal_name, '') || E'\\n' || coalesce(dba_name, '') || E'\\n' || coalesce(platform_id, '') || E'\\n')) stored,

        constraint company_own_parent_check check (parent_company_id <> id)
      );
      -- Companies find each other by platform id.
      create unique index company_platform_id_key on company (platform_id);
      -- The children of a company are walked from their parent.
      create index company_parent_idx on company (parent_company_id) where parent_company_id is not null;
      -- The row policy of contacts asks whose primary contact one is.
      create index company_primary_contact_idx on company (primary_contact_id) where primary_contact_id is not null;
      -- The row policy of addresses asks whose address one is.
      create index company_address_idx on company (address_id) where address_id is not null;
      -- Whoever shows a logo names its key; the sweeper of stored files asks the same.
      create unique index company_logo_key on company (logo_key) where logo_key is not null;
      -- Whether a business that is invited is here already.
      create index company_match_name_idx on company (match_name) where discarded_at is null;`);

    // Families stay trees. Walks from the new parent upwards. Every row it passes is locked, so that nobody hangs it elsewhere before we commit: of
    // two transactions that make each other the parent one waits for the other, and then sees what it did or is ended as a deadlock. Older snapshots
    // (repeatable read) fail at the lock instead of overlooking it. A hundred generations are a circle above us. As the owner, because a parent above
    // the caller's own family must be seen, or a circle through it would not be.
    this.addSql(`create function company_stays_in_a_tree() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
      declare
        above uuid := new.parent_company_id;
        generations int := 0;
      begin
        while above is not null loop
          generations := generations + 1;
          if above = new.id or generations > 100 then
            raise exception 'company % would be above itself', new.id
              using errcode = 'check_violation', table = 'company', column = 'parent_company_id', constraint = 'company_circle_check';
          end if;
          select parent_company_id into above from company where id = above for share;
        end loop;
        return null;
      end $$`);
    // After the statement, so that rows it changes together are judged by what they become.
    this.addSql(`create trigger company_circle_check after insert or update of parent_company_id on company
      for each row when (new.parent_company_id is not null) execute function company_stays_in_a_tree()`);

    // For the row policy of companies, as the owner: the parent's row is not the caller's.
    this.addSql(`create function parent_companies() returns uuid[] language sql stable security definer set search_path = public, pg_temp as $$
      select coalesce(array_agg(c.parent_company_id), '{}') from company c
      where c.id = any(nullif(current_setting('app.company_ids', true), '')::uuid[]) and c.parent_company_id is not null $$`);

    // Friendly numbers run per company and kind; taken with one upsert, so that two takers never get the same.
    this.addSql(`
      create table company_counter (
        company_id uuid not null references company (id),
        kind text not null,
        value integer not null,

        primary key (company_id, kind)
      );`);

    this.addSql(`
      create table department (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint department_company_id_foreign references company (id),
        name text not null,
        discarded_at timestamptz(6)
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index department_page_idx on department (company_id, created_at, id);
      -- Two with one name could not be distinguished; a discarded one frees its name.
      create unique index department_name_key on department (company_id, fold_text(name)) where discarded_at is null;`);

    this.addSql(`
      create table label (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        name text not null,
        color text not null check (color ~ '^#[0-9A-Fa-f]{6}$'),
        discarded_at timestamptz(6)
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index label_page_idx on label (company_id, created_at, id);
      -- Two with one name could not be distinguished; a discarded one frees its name.
      create unique index label_name_key on label (company_id, fold_text(name)) where discarded_at is null;`);
  }
}
