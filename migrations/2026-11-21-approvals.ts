import { Migration } from '@mikro-orm/migrations';

/** Who approved or unapproved what (DOMAIN 1.4): a log that only grows. */
export class Approvals extends Migration {
  override up(): void {
    this.addSql(`create table approval_assignment (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      approvable_type text not null check (approvable_type in ('Job', 'Load', 'DriverDay')),
      approvable_id uuid not null,
      approval_action text not null check (approval_action in ('approve', 'unapprove')),
      approval_category text not null check (approval_category in ('field', 'billing')),
      approval_type text not null check (approval_type in ('driver', 'foreman', 'biller', 'company_admin', 'platform_admin')),
      approver_type text not null,
      approver_id uuid not null,
      external_approver_name text
    )`);
    // The log of one record, newest first, and who approved it last.
    this.addSql('create index approval_assignment_record_idx on approval_assignment (approvable_id, created_at, id)');
    // What waits for approval: finished work that billing has not taken, of one company by day.
    this.addSql(`create index job_unapproved_idx on job (company_id, created_at, id)
      where state in ('completed', 'ended', 'in_review') and (billing_approved_at is null or field_approved_at is null)`);
    this.addSql(`create index load_unapproved_idx on load (company_id, created_at, id)
      where state = 'completed' and (billing_approved_at is null or field_approved_at is null)`);
  }
}
