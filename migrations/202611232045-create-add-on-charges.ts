import { Migration } from '@mikro-orm/migrations';

/** What is to be charged for jobs and driver days next to freight (src/billing/charges). */
export class CreateAddOnCharges extends Migration {
  override up(): void {
    this.addSql(`
      create table add_on_charge (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        -- In whose books it is: each company of a chain charges for itself.
        company_id uuid not null references company (id),

        -- What it was requested for.
        job_id uuid references job (id) on delete cascade,
        driver_day_id uuid references driver_day (id),
        load_id uuid references load (id) on delete set null,
        requested_by_id uuid,
        -- What it is applied to; a request is copied to invoices and settlements, and is itself applied to nothing.
        add_on_applicable_type text check (add_on_applicable_type in ('Invoice', 'Settlement')),
        add_on_applicable_id uuid,
        check ((add_on_applicable_type is null) = (add_on_applicable_id is null)),
        check (num_nonnulls(job_id, driver_day_id) = 1 or add_on_applicable_id is not null),

        add_on_id uuid references add_on (id),
        name text not null,
        quantity numeric(18,4) not null check (quantity >= 0),
        revenue_rate_value numeric(18,4),
        revenue_cost_rate_type text not null,
        cost_rate_value numeric(18,4),
        percentage numeric(18,4) check (percentage between -100 and 100),
        rebill_revenue_rate_value numeric(18,4),
        rebill_percentage numeric(18,4) check (rebill_percentage between -100 and 100),
        taxable boolean not null default false,
        base_amount numeric(18,4),
        amount numeric(18,4),
        external_id text,
        accounting_id text
      );
      -- What was requested for a job. Also for the foreign key: jobs without work are deleted.
      create index add_on_charge_job_idx on add_on_charge (job_id, created_at, id) where job_id is not null;
      -- What was requested for a day.
      create index add_on_charge_day_idx on add_on_charge (driver_day_id, created_at, id) where driver_day_id is not null;
      -- For the foreign key: loads without work are deleted.
      create index add_on_charge_load_idx on add_on_charge (load_id) where load_id is not null;
      -- The charges of an invoice or a settlement, and their sum.
      create index add_on_charge_applicable_idx on add_on_charge (add_on_applicable_id, created_at, id) where add_on_applicable_id is not null;`);
  }
}
