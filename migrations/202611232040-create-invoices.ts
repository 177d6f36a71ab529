import { Migration } from '@mikro-orm/migrations';

/** Invoices with their lines, and the tasks of the worker that keeps them up to date (src/billing/invoices). */
export class CreateInvoices extends Migration {
  override up(): void {
    const record = `
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),`;
    this.addSql(`
      create table invoice (${record}
        side text not null,
        number integer not null,
        invoice_id text not null,
        state text not null,
        job_id uuid not null references job (id),
        order_id uuid not null references orders (id),
        -- Null for the owner's receivable, and for the pay of a driver.
        job_assignment_id uuid references job_assignment (id) on delete set null,
        project_id uuid references project (id),
        customer_account_id uuid references account (id),
        vendor_account_id uuid references account (id),
        driver_id uuid references app_user (id),
        payee_driver_id uuid references app_user (id),
        receivable_company_id uuid,
        vendor_company_id uuid,
        driver_company_id uuid,
        equipment_id uuid references equipment (id),
        material_id uuid references material (id),
        pickup_site_id uuid references site (id),
        dropoff_site_id uuid references site (id),
        currency text not null,
        service_date date not null,
        rate_id uuid references rate (id),
        rate_value numeric(18,4),
        rate_type text,
        rate_minimum numeric(18,4),
        rate_increment numeric(18,4),
        commission_rate_value numeric(18,4),
        commission_rate_type text,
        by_hand boolean not null default false,
        material_rate_itemized boolean not null default false,
        material_rate_sell_price numeric(18,4),
        material_rate_unit_of_measure text,
        tax_rate numeric(18,4),
        tax_description text,
        invoice_line_items_total_amount numeric(18,4) not null default 0,
        add_on_charges_total_amount numeric(18,4) not null default 0,
        add_on_charges_count integer not null default 0,
        tax_pretax_amount numeric(18,4),
        tax_total_amount numeric(18,4),
        total_amount numeric(18,4) not null default 0,
        blockers text[] not null default '{}',
        stale boolean not null default false,
        explanation jsonb,
        billing_approved_at timestamptz(6),
        version integer not null default 1
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index invoice_page_idx on invoice (company_id, created_at, id);
      -- One live invoice for each side and link of a job, and the one that a job's route answers.
      create unique index invoice_job_key on invoice (job_id, company_id, side, coalesce(job_assignment_id, '00000000-0000-0000-0000-000000000000'::uuid))
        where state <> 'voided';
      -- The invoices of an order.
      create index invoice_order_idx on invoice (order_id);
      -- The pay of a driver.
      create index invoice_payee_idx on invoice (payee_driver_id) where payee_driver_id is not null;
      -- A link that is removed lets go of its invoices.
      create index invoice_link_idx on invoice (job_assignment_id) where job_assignment_id is not null;

      create table invoice_line_item (${record}
        invoice_id uuid not null references invoice (id) on delete cascade,
        load_id uuid references load (id),
        ordinality integer not null,
        line_item_type text not null,
        name text,
        delivered_quantity numeric(18,4) not null,
        quantity numeric(18,4) not null,
        unit_of_measure text,
        rate numeric(18,4) not null,
        rate_type text,
        total_amount numeric(18,4) not null,
        pay_start_time timestamptz(6),
        pay_end_time timestamptz(6),
        billing_adjustment_minutes integer not null default 0,
        receivable_company_id uuid,
        vendor_company_id uuid,
        driver_company_id uuid,
        payee_driver_id uuid references app_user (id)
      );
      -- The lines of an invoice; a load has one line of a kind, so that it is not paid twice.
      create unique index invoice_line_item_key on invoice_line_item (invoice_id, line_item_type, load_id);
      -- The lines of a load, before it is deleted.
      create index invoice_line_item_load_idx on invoice_line_item (load_id) where load_id is not null;

      -- The lines that a person is paid by.
      create index invoice_line_item_payee_idx on invoice_line_item (payee_driver_id) where payee_driver_id is not null;

      create table invoice_task (
        -- Of the job.
        id uuid primary key references job (id) on delete cascade,
        company_id uuid not null references company (id),
        due_at timestamptz(6) not null,
        attempts integer not null default 0,
        asked integer not null default 1
      );
      -- What the worker looks for: a handful of rows.
      create index invoice_task_due_idx on invoice_task (due_at);
      -- What was accepted before is invoiced, too.
      insert into invoice_task (id, company_id, due_at) select id, company_id, now() from job
        where state not in ('created', 'assigned', 'sent', 'rejected', 'canceled')`);
  }
}
