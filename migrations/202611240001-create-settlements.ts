import { Migration } from '@mikro-orm/migrations';

const record = `id uuid primary key, created_at timestamptz(6) not null default now(), updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),`;

/** Approved invoices are settled together: sent, paid and exported. */
export class CreateSettlements extends Migration {
  override up(): void {
    this.addSql(`
      create table settlement (${record}
        side text not null,
        number integer not null,
        state text not null,
        state_before_pay text,
        customer_account_id uuid references account (id),
        vendor_account_id uuid references account (id),
        driver_id uuid references app_user (id),
        receivable_company_id uuid,
        vendor_company_id uuid,
        driver_company_id uuid,
        currency text not null,
        settlement_line_item_type text not null,
        settlement_line_item_groupings text[] not null default '{}',
        include_loads_in_pdf boolean not null default false,
        starts_on date not null,
        ends_on date not null,
        jobs_count integer not null,
        friendly_order_ids text[] not null default '{}',
        quantities_per_uom text[] not null default '{}',
        delivered_quantities jsonb not null,
        invoices_total_amount numeric(18,4) not null,
        invoices_tax_total_amount numeric(18,4),
        adjustments_total_amount numeric(18,4) not null default 0,
        add_on_charges_total_amount numeric(18,4) not null default 0,
        total_amount numeric(18,4) not null,
        rebill_invoices_total_amount numeric(18,4),
        rebill_invoices_tax_total_amount numeric(18,4),
        rebill_add_on_charges_total_amount numeric(18,4),
        rebill_total_amount numeric(18,4),
        original_settlement_id uuid references settlement (id),
        void_reason text,
        voided_at timestamptz(6),
        exported_at timestamptz(6),
        billing_approved_at timestamptz(6),
        version integer not null default 1
      );
      -- Lists are pages of one side of a company in the order of creation.
      create index settlement_page_idx on settlement (company_id, side, created_at, id);
      -- A number is given once.
      create unique index settlement_number_key on settlement (company_id, number);
      -- The pay of a driver.
      create index settlement_driver_idx on settlement (driver_id) where driver_id is not null;
      -- A voided settlement is billed anew once.
      create unique index settlement_original_key on settlement (original_settlement_id) where original_settlement_id is not null;

      create table settlement_invoice (
        settlement_id uuid not null references settlement (id) on delete cascade,
        invoice_id uuid not null references invoice (id),
        company_id uuid not null references company (id),
        -- False when the settlement is voided, which lets go of its invoices.
        live boolean not null default true,
        -- How the invoice was before the settlement was paid, and the jobs that were paid with it.
        state_before text,
        paid_jobs uuid[] not null default '{}',
        rebill_rate_value numeric(18,4),
        rebill_total_amount numeric(18,4),
        rebill_tax_total_amount numeric(18,4),
        -- What its lines come to at the other rate, by type and load.
        rebill_lines jsonb,
        primary key (settlement_id, invoice_id)
      );
      -- An invoice is in one live settlement at most.
      create unique index settlement_invoice_live_key on settlement_invoice (invoice_id) where live;

      alter table add_on_charge add column rebill_amount numeric(18,4)`);
  }
}
