import { Migration } from '@mikro-orm/migrations';

const AS_OWNER = 'language plpgsql security definer set search_path = public, pg_temp';
const ROLES = [
  ['f3b031d2-a9fc-5ed7-af5b-477829d1a2d7', 'platform_admin', 'Platform Admin', 'Runs the installation; may do everything in every company'],
  ['feb19485-cd07-5d9b-816c-037e7cb3b336', 'company_admin', 'Company Admin', 'May do everything in the company and its children'],
  ['fe5ccd1e-c08e-57bc-9d6f-73fb116ef025', 'manager', 'Manager', 'Runs the work and its prices; sees settlements'],
  ['ad47b4c7-2568-5cd7-ba85-a6f63b8208dc', 'dispatcher', 'Dispatcher', 'Plans projects, orders and jobs; keeps master data'],
  ['a245b7d7-3b43-5d2a-a80f-b7bdc4767418', 'biller', 'Biller', 'Approves work, invoices and settles'],
  ['1d5b5052-326d-595a-bd36-23dffa1fdc0c', 'foreman', 'Foreman', 'Asks for orders and approves what came, on their own sites'],
  ['8f868405-03ba-5d72-b418-caae734b38d4', 'driver', 'Driver', 'Does their own jobs and sees their own pay'],
  ['d6fe269f-4c85-518a-8ae7-91e7dca9d507', 'it_admin', 'IT Admin', 'Keeps people, integrations and imports'],
];

/** People with their roles, and accounts: the businesses that a company works for, or that work for it. */
export class CreatePeopleAndAccounts extends Migration {
  override up(): void {
    this.addSql(`
      create table app_user (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint app_user_company_id_foreign references company (id),

        first_name text not null default '',
        last_name text not null default '',
        email text,
        phone text,
        external_id text,
        time_zone text,
        preferences jsonb not null default '{}',
        -- People whom the importer took from somebody's payload are no proof that an address is theirs, until somebody edits or invites
        -- them.
        unclaimed boolean not null default false,
        -- Whether another company manages theirs; kept by the triggers below.
        managed boolean not null default false,
        last_login_at timestamptz(6),
        discarded_at timestamptz(6),

        -- What the person may do, and is sorted by.
        roles text[] not null default '{}',
        custom_role_ids uuid[] not null default '{}',
        label_ids uuid[] not null default '{}',

        -- Drivers: what they drive, and where they were last.
        schedule_on boolean not null default false,
        text_to_accept_enabled boolean not null default false,
        equipment_id uuid constraint app_user_equipment_id_foreign references equipment (id),
        additional_equipment_ids uuid[] not null default '{}',
        default_equipment_id uuid constraint app_user_default_equipment_id_foreign references equipment (id),
        default_additional_equipment_ids uuid[] not null default '{}',
        last_ping_at timestamptz(6),
        -- Where they were last, next to when: a board of hundreds of drivers must not look through their ways.
        last_lat numeric(15,12),
        last_lon numeric(15,12),
        -- Since when somebody has not moved without a job: distinguishes idle from online.
        still_since timestamptz(6),

        match_email text generated always as (fold_text(email)) stored,
        search_text text generated always as (fold(coalesce((first_name || ' ' || last_name), '') || E'\\n' || coalesce(email, '') || E'\\n' || coalesce(phone, '') || E'\\n')) stored
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index app_user_page_idx on app_user (company_id, created_at, id);
      -- The importer finds people by external id (SPEC "Matching of nested records").
      create index app_user_external_id_idx on app_user (company_id, external_id) where external_id is not null;
      -- Who may be signing in by a telephone number, and the foremen that a batch of an import names.
      create index app_user_phone_idx on app_user (phone) where phone is not null;
      -- Whether anybody has a role is asked before it is deleted; nearly all people have built-in roles only.
      create index app_user_custom_role_idx on app_user using gin (custom_role_ids) where custom_role_ids <> '{}';
      -- Two active people with one telephone number could not be distinguished when they sign in.
      create unique index app_user_phone_key on app_user (phone) where discarded_at is null and not unclaimed;
      -- Two active people with one address could not be distinguished when they sign in.
      create unique index app_user_email_key on app_user (match_email) where discarded_at is null and not unclaimed;
      -- Who may be signing in by an address, and the people that a batch of an import names.
      create index app_user_email_idx on app_user (match_email) where match_email is not null;`);

    // Roles as records: the eight built-in ones, under ids that are the same in every installation, and those that companies make.
    this.addSql(`
      create table iam_role (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid references company (id),
        key text,
        name text not null,
        description text,
        grants text[] not null default '{}',
        ordinality integer not null,
        visible boolean not null default true,

        constraint iam_role_owner_check check ((company_id is null) = (key is not null))
      );
      -- A person's built-in roles are found by key.
      create unique index iam_role_key_key on iam_role (key) where key is not null;
      -- Two roles of a company with one name could not be distinguished. Also serves the list of the roles of a company.
      create unique index iam_role_name_key on iam_role (company_id, fold_text(name)) where company_id is not null;`);

    // A microsecond apart, so that people's roles are listed in this order.
    this.addSql(`insert into iam_role (id, created_at, updated_at, key, name, description, ordinality, visible)
      select id::uuid, at, at, key, name, description, n - 1, key <> 'platform_admin'
      from (values ${ROLES.map((role, n) => `(${[n + 1, ...role.map((text) => `'${text}'`)].join(', ')})`).join(',\n')})
        as role (n, id, key, name, description),
        lateral (select timestamptz '2026-01-01 00:00:00+00' + n * interval '1 microsecond') as made (at)`);

    // What telephones let the app do.
    this.addSql(`
      create table user_device_permission (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        user_id uuid not null references app_user (id),
        device_id text not null,
        device_permission text not null,
        device_permission_state text not null
      );
      -- A device reports each permission once; also finds those of a person.
      create unique index user_device_permission_key on user_device_permission (user_id, device_id, device_permission);`);

    this.addSql(`
      create table account (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint account_company_id_foreign references company (id),

        name text not null,
        account_types text[] not null default '{}',
        external_id text,
        accounting_id text,
        notes text,
        department_id uuid references department (id),
        label_ids uuid[] not null default '{}',
        schedule_on boolean not null default false,
        truck_count integer not null default 0,
        auto_accept_orders boolean not null default false,
        discarded_at timestamptz(6),

        address_id uuid constraint account_address_id_foreign references address (id),
        billing_address_id uuid constraint account_billing_address_id_foreign references address (id),
        primary_contact_id uuid constraint account_primary_contact_id_foreign references contact (id),
        billing_contact_id uuid constraint account_billing_contact_id_foreign references contact (id),

        -- The company that the account is, where it is one here.
        connected_company_id uuid constraint account_connected_company_id_foreign references company (id),
        managed boolean not null default false,
        -- When managing ended: nobody manages a company whose people sign in themselves.
        managed_until timestamptz(6),
        -- Whoever brought a company here by an invitation may manage it; connecting alone, which asks nobody, is not enough.
        invited boolean not null default false,

        match_name text generated always as (fold_text(name)) stored,
        search_text text generated always as (fold(coalesce(name, '') || E'\\n' || coalesce(external_id, '') || E'\\n' || coalesce(accounting_id, '') || E'\\n')) stored
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index account_page_idx on account (company_id, created_at, id);
      -- The importer finds accounts by external id (SPEC "Matching of nested records").
      create index account_external_id_idx on account (company_id, external_id) where external_id is not null;
      -- The accounts that other companies have for this one: connections, and whether somebody manages it.
      create index account_connected_idx on account (connected_company_id) where connected_company_id is not null;
      -- Two accounts for one company would leave open which of them pays. A discarded one is taken up again, so it counts too.
      create unique index account_connection_key on account (company_id, connected_company_id) where connected_company_id is not null;
      -- The importer finds accounts by name (SPEC "Matching of nested records").
      create index account_match_name_idx on account (company_id, match_name);`);

    // When people and accounts are not to be planned with.
    this.addSql(`
      create table scheduled_time_off (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        user_id uuid references app_user (id),
        account_id uuid references account (id),
        start_date timestamptz(6) not null,
        end_date timestamptz(6),

        check (num_nonnulls(user_id, account_id) = 1),
        check (end_date >= start_date)
      );
      -- Whether somebody is off at a moment, and their list.
      create index scheduled_time_off_user_idx on scheduled_time_off (user_id, end_date) where user_id is not null;
      -- Whether an account is off at a moment, and its list.
      create index scheduled_time_off_account_idx on scheduled_time_off (account_id, end_date) where account_id is not null;
      -- Somebody is off until further notice once, whoever says so at the same time.
      create unique index scheduled_time_off_user_open_key on scheduled_time_off (user_id) where end_date is null;
      -- An account is off until further notice once, whoever says so at the same time.
      create unique index scheduled_time_off_account_open_key on scheduled_time_off (account_id) where end_date is null;`);

    // `managed` of a person: another company manages theirs, and plans and enters for them. It follows from accounts and companies, and is kept on
    // the person because lists of work name hundreds of drivers with it, and each would ask of accounts that most readers do not see. As for whoever
    // acts inside of the company: the connection exists, and the company has not become a customer of its own.
    this.addSql(`create function company_is_managed(id uuid) returns boolean language sql stable security definer set search_path = public, pg_temp as $$
      select exists (select from account a join company c on c.id = a.connected_company_id
        where a.connected_company_id = $1 and a.managed and a.discarded_at is null and c.discarded_at is null and not c.platform_customer) $$`);
    // The company is held, so that of somebody who is added and managing that begins meanwhile one sees the other.
    this.addSql(`create function app_user_is_managed() returns trigger ${AS_OWNER} as $$
      begin
        perform from company where id = new.company_id for key share;
        new.managed := company_is_managed(new.company_id);
        return new;
      end $$`);
    this.addSql('create trigger app_user_is_managed before insert on app_user for each row execute function app_user_is_managed()');
    this.addSql(`create function people_are_managed(company uuid) returns void ${AS_OWNER} as $$
      begin
        perform from company c where c.id = company for update;
        update app_user u set managed = not u.managed where u.company_id = company and u.managed <> company_is_managed(company);
      end $$`);
    this.addSql(`create function account_manages() returns trigger ${AS_OWNER} as $$
      begin
        if tg_op = 'UPDATE' and old.connected_company_id is distinct from new.connected_company_id then
          perform people_are_managed(old.connected_company_id);
        end if;
        perform people_are_managed(new.connected_company_id);
        return null;
      end $$`);
    this.addSql(
      `create trigger account_begins_to_manage after insert on account for each row when (new.managed) execute function account_manages()`,
    );
    this.addSql(`create trigger account_manages after update of managed, discarded_at, connected_company_id on account for each row
      when ((old.managed or new.managed) and (old.managed, old.discarded_at, old.connected_company_id)
        is distinct from (new.managed, new.discarded_at, new.connected_company_id)) execute function account_manages()`);
    this.addSql(`create function company_speaks_for_itself() returns trigger ${AS_OWNER} as $$
      begin
        perform people_are_managed(new.id);
        return null;
      end $$`);
    this.addSql(`create trigger company_speaks_for_itself after update of platform_customer on company for each row
      when (old.platform_customer is distinct from new.platform_customer) execute function company_speaks_for_itself()`);
  }
}
