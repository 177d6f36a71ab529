import { Migration } from '@mikro-orm/migrations';

/** Each company along a chain approves for itself: the owner of a record in its columns, every other one in a row of its own. */
export class KeepApprovalsOfPartners extends Migration {
  override up(): void {
    this.addSql(`
      create table approval_state (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        approvable_type text not null check (approvable_type in ('Job', 'Load', 'DriverDay')),
        approvable_id uuid not null,
        approved_at timestamptz(6),
        billing_approved_at timestamptz(6),
        field_approved_at timestamptz(6),
        biller_approved boolean not null default false,
        company_admin_approved boolean not null default false,
        driver_approved boolean not null default false,
        foreman_approved boolean not null default false
      );
      -- A company has one state of a record; lists ask for those of a page by the same index.
      create unique index approval_state_key on approval_state (approvable_id, company_id, approvable_type);`);

    // Whether two companies are the two sides of a link of a record, so that each reads the approvals of the other. As the owner, because a row
    // policy asks it.
    this.addSql(`create function linked_by(kind text, record_id uuid, approver uuid, companies uuid[]) returns boolean
      language sql stable security definer set search_path = public, pg_temp as $$
        select exists (
          select from job_assignment a
          where ((a.customer_company_id = $3 and a.vendor_company_id = any($4)) or (a.vendor_company_id = $3 and a.customer_company_id = any($4)))
            and a.job_id in (
              select $2 where $1 = 'Job'
              union all select l.job_id from load l where $1 = 'Load' and l.id = $2
              union all select j.id from job j join driver_day d on d.id = j.driver_day_id
                where $1 = 'DriverDay' and j.driver_day_id = $2 and a.vendor_company_id = d.company_id)) $$`);
  }
}
