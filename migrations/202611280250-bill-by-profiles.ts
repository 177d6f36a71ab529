import { Migration } from '@mikro-orm/migrations';

/** How an account wants to be billed (src/billing/profiles). An account that wants nothing special has no row. */
export class BillByProfiles extends Migration {
  override up(): void {
    this.addSql(`
      create table billing_profile (
        -- The account's.
        id uuid primary key,
        company_id uuid not null references company (id),
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        po_required boolean not null default false,
        po_pattern text,
        cadence text,
        one_job_per_settlement boolean not null default false,
        emails text[] not null default '{}',
        terms_days integer,
        tax_exempt_number text,
        fuel_lag_weeks integer,
        version integer not null default 1
      );
      -- The tenant condition, and the accounts of a cadence when a period is settled.
      create index billing_profile_company_idx on billing_profile (company_id, cadence)`);
  }
}
