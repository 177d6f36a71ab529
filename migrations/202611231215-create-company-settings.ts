import { Migration } from '@mikro-orm/migrations';

/** How companies want their work to be judged and handled: a row for each company that changed a setting. */
export class CreateCompanySettings extends Migration {
  override up(): void {
    this.addSql(`
      create table company_settings (
        id uuid primary key,
        company_id uuid not null constraint company_settings_company_id_foreign references company (id),
        updated_at timestamptz(6),
        breaks_paid boolean not null default false,
        break_due_after_minutes integer not null default 300 check (break_due_after_minutes between 1 and 1440),
        shortest_break_minutes integer not null default 20 check (shortest_break_minutes between 1 and 240),
        overtime_after_minutes integer not null default 480 check (overtime_after_minutes between 1 and 1440),
        long_shift_minutes integer not null default 840 check (long_shift_minutes between 1 and 1440),
        early_start_minutes integer not null default 60 check (early_start_minutes between 0 and 1440),
        late_end_minutes integer not null default 120 check (late_end_minutes between 0 and 1440),
        start_tolerance_minutes integer not null default 15 check (start_tolerance_minutes between 0 and 1440),
        check (id = company_id)
      );`);
  }
}
