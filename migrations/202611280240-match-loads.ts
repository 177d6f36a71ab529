import { Migration } from '@mikro-orm/migrations';

/** What a load should be billed by is compared: its ticket, what was reported, what is billed, and what a vendor bills (src/billing/matching). */
export class MatchLoads extends Migration {
  override up(): void {
    const record = `
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),`;
    this.addSql(`
      create table vendor_bill (${record}
        vendor_account_id uuid not null references account (id),
        number text not null,
        date date,
        lines_count integer not null,
        total_amount numeric(18,4) not null,
        version integer not null default 1
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index vendor_bill_page_idx on vendor_bill (company_id, created_at, id);
      -- A bill that is entered twice would be compared twice.
      create unique index vendor_bill_number_key on vendor_bill (vendor_account_id, fold_text(number));

      create table load_match (${record}
        side text not null,
        load_id uuid references load (id) on delete cascade,
        job_id uuid references job (id) on delete cascade,
        order_id uuid,
        ticket_id uuid references ticket (id),
        invoice_id uuid references invoice (id) on delete cascade,
        customer_account_id uuid references account (id),
        vendor_account_id uuid references account (id),
        payee_driver_id uuid references app_user (id),
        receivable_company_id uuid,
        vendor_company_id uuid,
        driver_company_id uuid,
        vendor_bill_id uuid references vendor_bill (id),
        ticket_number text,
        service_date date,
        unit_of_measure text,
        ticket_quantity numeric(18,4),
        reported_quantity numeric(18,4),
        billed_quantity numeric(18,4),
        rate numeric(18,4),
        amount numeric(18,4),
        their_date date,
        their_quantity numeric(18,4),
        their_rate numeric(18,4),
        their_amount numeric(18,4),
        variances text[] not null default '{}',
        tolerated text[] not null default '{}',
        result text not null,
        amount_at_stake numeric(18,4) not null default 0,
        waived_at timestamptz(6),
        waive_reason text,
        waived_by_type text,
        waived_by_id uuid,
        waived_by_name text,
        real_actor_type text,
        real_actor_id uuid,
        real_actor_name text,
        version integer not null default 1,
        check (result in ('matched', 'tolerated', 'variance', 'waived')),
        check ((result = 'waived') = (waived_at is not null)),
        check (load_id is not null or vendor_bill_id is not null)
      );
      -- A load is compared once on each side; it takes what is compared along when it is deleted.
      create unique index load_match_load_key on load_match (load_id, side, company_id) where load_id is not null;
      -- So does an invoice.
      create index load_match_invoice_idx on load_match (invoice_id) where invoice_id is not null;
      -- The list: what is at stake, the most first.
      create index load_match_stake_idx on load_match (company_id, amount_at_stake desc, id desc);
      -- The tenant condition and lists in the order of creation.
      create index load_match_page_idx on load_match (company_id, created_at, id);
      -- The loads of a job, when its invoices are compared.
      create index load_match_job_idx on load_match (job_id) where job_id is not null;
      -- What a vendor bills is found by the number of its ticket.
      create index load_match_ticket_idx on load_match (vendor_account_id, lower(btrim(ticket_number))) where ticket_number is not null;
      -- The lines of a bill.
      create index load_match_bill_idx on load_match (vendor_bill_id, amount_at_stake desc, id desc) where vendor_bill_id is not null`);
  }
}
