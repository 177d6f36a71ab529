import { Migration } from '@mikro-orm/migrations';

/** Add-ons that are charged by themselves (src/billing/auto-add-ons). */
export class CreateAutoAddOnAssignments extends Migration {
  override up(): void {
    this.addSql(`
      create table auto_add_on_assignment (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        -- In whose books it is: each company of a chain charges for itself.
        company_id uuid not null references company (id),
        side text not null check (side in ('customer', 'vendor', 'driver')),

        -- The record for whose work it is charged.
        account_id uuid references account (id),
        driver_id uuid references app_user (id),
        rate_id uuid references rate (id),
        project_id uuid references project (id),
        site_rate_schedule_id uuid references site_rate_schedule (id),
        order_id uuid references orders (id),
        job_id uuid references job (id) on delete cascade,
        job_assignment_id uuid references job_assignment (id) on delete cascade,
        check (num_nonnulls(account_id, driver_id, rate_id, project_id, site_rate_schedule_id, order_id, job_id, job_assignment_id) = 1),

        add_on_id uuid references add_on (id),
        name text not null,
        add_on_types text[] not null default '{}',
        quantity numeric(18,4) not null check (quantity >= 0),
        revenue_rate_value numeric(18,4),
        revenue_cost_rate_type text not null,
        cost_rate_value numeric(18,4),
        percentage numeric(18,4) check (percentage between -100 and 100),
        external_id text,
        accounting_id text,
        total_installments integer not null default 0 check (total_installments >= 0),
        auto_add_on_installments_count integer not null default 0,

        -- The first of those that are one charge on several records. It stays when that one is deleted: the others are still one charge.
        original_auto_add_on_assignment_id uuid,
        source_type text check (source_type = 'Settlement'),
        source_id uuid
      );
      -- One record has a root once on each side; what applies to a job is found by the ids of its records.
      create unique index auto_add_on_assignment_root_key on auto_add_on_assignment (
        coalesce(account_id, driver_id, rate_id, project_id, site_rate_schedule_id, order_id, job_id, job_assignment_id),
        side, coalesce(original_auto_add_on_assignment_id, id));
      -- For the foreign key: jobs without work are deleted.
      create index auto_add_on_assignment_job_idx on auto_add_on_assignment (job_id) where job_id is not null;
      -- For the foreign key: links of a chain are ended.
      create index auto_add_on_assignment_link_idx on auto_add_on_assignment (job_assignment_id) where job_assignment_id is not null;`);
  }
}
