import { Migration } from '@mikro-orm/migrations';

/** The built-in reports, by category: their names and what they show (src/reporting/reports/dashboards.ts). Their ids are the same in every installation. */
const BUILT_IN: readonly (readonly [category: string, reports: readonly (readonly [name: string, dashboard: string])[]])[] = [
  [
    'Operations',
    [
      ['Loads by day', 'loads_by_day'],
      ['Loads by pickup site', 'loads_by_pickup_site'],
      ['Punctuality', 'punctuality'],
      ['Drivers', 'drivers'],
    ],
  ],
  [
    'Billing',
    [
      ['Customers', 'customers'],
      ['Vendors', 'vendors'],
      ['Margin by week', 'margin_by_week'],
      ['Open approvals', 'open_approvals'],
    ],
  ],
  ['Data', [['Failed imports', 'failed_imports']]],
];
const idOf = (kind: 1 | 2, at: number): string => `018cc251-f400-7000-8000-0d0${kind}${String(at).padStart(8, '0')}`;

/** Saved reports and their categories (src/reporting/reports). */
export class CreateReports extends Migration {
  override up(): void {
    const record = `
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        -- Null of what is built in, which all companies read and nobody changes.
        company_id uuid references company (id),
        name text not null,
        system boolean not null default false,
        discarded_at timestamptz(6),
        check (system = (company_id is null))`;
    this.addSql(`
      create table report_category (${record}
      );
      -- Lists are pages of one company in the order of names; the tenant condition asks the same index.
      create index report_category_page_idx on report_category (company_id, created_at, id);
      -- Two with one name could not be distinguished; a discarded one frees its name.
      create unique index report_category_name_key on report_category (company_id, fold_text(name)) where discarded_at is null;

      create table report (${record},
        report_category_id uuid not null references report_category (id),
        dashboard_id text not null,
        -- Null of a report that shows a built-in dashboard.
        definition jsonb,
        check ((dashboard_id = 'custom') = (definition is not null))
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index report_page_idx on report (company_id, created_at, id);
      -- The reports of a category, which are also asked for before it is deleted.
      create index report_category_idx on report (report_category_id);
      -- Two with one name could not be distinguished; a discarded one frees its name.
      create unique index report_name_key on report (company_id, fold_text(name)) where discarded_at is null;`);
    let at = 0;
    for (const [place, [category, reports]] of BUILT_IN.entries()) {
      this.addSql(`insert into report_category (id, name, system) values ('${idOf(1, place + 1)}', '${category}', true)`);
      for (const [name, dashboard] of reports)
        this.addSql(
          `insert into report (id, name, system, report_category_id, dashboard_id) values ('${idOf(2, ++at)}', '${name}', true, '${idOf(1, place + 1)}', '${dashboard}')`,
        );
    }
  }
}
