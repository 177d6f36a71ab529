import { Migration } from '@mikro-orm/migrations';

/** Logins to PostgreSQL by which BI tools read the views of a company (src/reporting/logins). */
export class CreateReportingLogins extends Migration {
  override up(): void {
    this.addSql(`
      create table reporting_login (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint reporting_login_company_id_foreign references company (id),
        name text not null,
        username text not null,
        permissions text[] not null default '{}',
        password_made_at timestamptz(6) not null,
        revoked_at timestamptz(6)
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index reporting_login_page_idx on reporting_login (company_id, created_at, id);
      -- Whose login a session is, which each of its statements asks; a role is one login.
      create unique index reporting_login_username_key on reporting_login (username);

      -- The feed has its changes.
      select watch_changes('reporting_login', '''ReportingLogin''', '(values (r.id))', 'r.company_id', null, true, '{}');`);
  }
}
