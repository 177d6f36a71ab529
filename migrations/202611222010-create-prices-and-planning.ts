import { Migration } from '@mikro-orm/migrations';

/** What projects and materials cost, the days of drivers, and what an office does to many jobs at once. */
export class CreatePricesAndPlanning extends Migration {
  override up(): void {
    // What materials are bought and sold for.
    this.addSql(`
      create table material_rate (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        material_id uuid not null references material (id),
        unit_of_measure text not null,
        buy_price numeric(18,4),
        sell_price numeric(18,4),
        project_id uuid references project (id),
        site_id uuid references site (id),
        customer_account_id uuid references account (id),
        discarded_at timestamptz(6)
      );
      -- A material has one price for each combination; a project's customer is that of the project. Also finds the price of a load.
      create unique index material_rate_combination_key on material_rate (company_id, material_id, project_id, site_id, (case when project_id is null then customer_account_id end)) nulls not distinct
        where discarded_at is null;
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index material_rate_page_idx on material_rate (company_id, created_at, id);
      -- The prices of one project, newest first.
      create index material_rate_project_idx on material_rate (project_id, created_at, id) where project_id is not null;
      -- Whether a customer has prices of its own is asked of every account in a list; also for the foreign key.
      create index material_rate_customer_idx on material_rate (customer_account_id) where customer_account_id is not null;`);

    // What a project pays and is paid, depending on where is loaded and unloaded, on the kind of truck and on the material (DOMAIN 3.3).
    this.addSql(`
      create table site_rate_schedule (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        project_id uuid not null references project (id),
        discarded_at timestamptz(6),

        -- When it applies; empty is for all.
        site_id uuid references site (id),
        dropoff_site_id uuid references site (id),
        equipment_type_id uuid references equipment_type (id),
        material_id uuid references material (id),

        customer_rate_id uuid references rate (id),
        customer_rate_value numeric(18,4),
        customer_rate_type text,
        vendor_rate_id uuid references rate (id),
        vendor_rate_value numeric(18,4),
        vendor_rate_type text,
        driver_rate_id uuid references rate (id),
        driver_rate_value numeric(18,4),
        driver_rate_type text
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index site_rate_schedule_page_idx on site_rate_schedule (company_id, created_at, id);
      -- A project has one rule for each set of conditions, and one without any. Also its list, and what finds the rule for a job.
      create unique index site_rate_schedule_site_key on site_rate_schedule (project_id, site_id, dropoff_site_id, equipment_type_id, material_id) nulls not distinct
        where discarded_at is null;`);

    // When drivers are on duty, on a break and off.
    this.addSql(`
      create table driver_state_event (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        user_id uuid not null references app_user (id),
        state text not null check (state in ('on_duty', 'off_duty', 'break')),
        started_at timestamptz(6) not null,
        ended_at timestamptz(6),

        check (ended_at >= started_at)
      );
      -- Somebody is in one state at a time, whoever says so at once.
      create unique index driver_state_event_open_key on driver_state_event (user_id) where ended_at is null;
      -- The states of one driver's day, in order.
      create index driver_state_event_user_idx on driver_state_event (user_id, started_at);`);

    // Days on which drivers were on duty.
    this.addSql(`
      create table driver_day (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        driver_id uuid not null references app_user (id),
        driver_day_date date not null,
        driver_day_id text not null,
        starts_at timestamptz(6) not null,
        ends_at timestamptz(6) not null,

        check (ends_at > starts_at)
      );
      -- Somebody has one day of a date, however often they come and go.
      create unique index driver_day_key on driver_day (driver_id, driver_day_date);
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index driver_day_page_idx on driver_day (company_id, created_at, id);`);

    // What an office did to many jobs at once, worked on in the background (src/dispatch/bulk).
    this.addSql(`
      create table bulk_action (
        id uuid primary key,
        company_id uuid not null references company (id),
        kind text not null,
        created_at timestamptz(6) not null default now(),
        created_by_type text not null,
        created_by_id uuid not null,
        created_by_name text not null,
        real_actor jsonb,
        grants text[] not null default '{}',
        scoped boolean not null default false,
        language text not null,
        request_id text not null,
        total_count integer not null check (total_count >= 0),
        next_at timestamptz(6) not null default now(),
        lease_until timestamptz(6),
        finished_at timestamptz(6)
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index bulk_action_company_idx on bulk_action (company_id, created_at, id);
      -- What workers look for: a handful of rows, however many are finished.
      create index bulk_action_due_idx on bulk_action (next_at) where finished_at is null;`);

    this.addSql(`
      create table bulk_action_item (
        id uuid primary key,
        company_id uuid not null references company (id),
        bulk_action_id uuid not null references bulk_action (id),
        item_index integer not null,
        job_id uuid not null,
        input jsonb not null,
        state text not null default 'pending' check (state in ('pending', 'done', 'failed')),
        attempts integer not null default 0,
        -- An item that waits is tried again later and holds up no other.
        next_at timestamptz(6) not null default now(),
        errors jsonb not null default '[]',
        created_at timestamptz(6) not null default now(),
        finished_at timestamptz(6)
      );
      -- The items of an action in their order, and how many are in which state.
      create unique index bulk_action_item_place_key on bulk_action_item (bulk_action_id, item_index);
      -- What is left of an action.
      create index bulk_action_item_open_idx on bulk_action_item (bulk_action_id, item_index) where state = 'pending';`);
  }
}
