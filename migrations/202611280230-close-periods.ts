import { Migration } from '@mikro-orm/migrations';

/** Books of a company are closed up to a day: what is dated in a closed period stays as it is (src/billing/periods). */
export class ClosePeriods extends Migration {
  override up(): void {
    this.addSql(`
      create table billing_period (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        starts_on date not null,
        ends_on date not null,
        state text not null,
        closed_at timestamptz(6),
        close_reason text,
        reopen_reason text,
        closed_by_type text,
        closed_by_id uuid,
        closed_by_name text,
        real_actor_type text,
        real_actor_id uuid,
        real_actor_name text,
        invoices_count integer,
        settlements_count integer,
        receivables_total_amount numeric(18,4),
        vendor_payables_total_amount numeric(18,4),
        driver_payables_total_amount numeric(18,4),
        settled_receivables_total_amount numeric(18,4),
        settled_vendor_payables_total_amount numeric(18,4),
        settled_driver_payables_total_amount numeric(18,4),
        version integer not null default 1,
        check (starts_on <= ends_on),
        check (state in ('open', 'closed')),
        check ((state = 'closed') = (closed_at is not null))
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index billing_period_page_idx on billing_period (company_id, created_at, id);
      -- Up to which day books are closed, which every approval asks. Two periods do not end on one day.
      create unique index billing_period_day_key on billing_period (company_id, ends_on);
      -- What was opened again is one period.
      create unique index billing_period_open_key on billing_period (company_id) where state = 'open';

      alter table company_settings add column period_starts_on integer not null default 0;
      alter table invoice add column posting_date date;
      alter table settlement add column posting_date date, add column reversal_date date, add column paid_at timestamptz(6);
      -- What was approved before there were periods counts on the days of its work.
      update invoice set posting_date = service_date where billing_approved_at is not null;
      update settlement set posting_date = ends_on where billing_approved_at is not null and state <> 'voided';
      update settlement set paid_at = updated_at where state = 'paid';
      -- What counts in a period: its totals, and the list of it.
      create index invoice_posting_idx on invoice (company_id, posting_date) where posting_date is not null;
      -- The same of settlements.
      create index settlement_posting_idx on settlement (company_id, posting_date) where posting_date is not null;
      -- What was taken back in a period that was settled in an earlier one.
      create index settlement_reversal_idx on settlement (company_id, reversal_date) where reversal_date is not null`);
  }
}
