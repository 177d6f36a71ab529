import { Migration } from '@mikro-orm/migrations';

/** Templates of files for accounting systems, whose columns a company chooses (src/billing/accounting/templates). */
export class MapAccountingColumns extends Migration {
  override up(): void {
    this.addSql(`
      create table accounting_template (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        name text not null,
        columns jsonb not null default '[]',
        with_headings boolean not null default true,
        delimiter text not null default 'comma',
        date_format text,
        discarded_at timestamptz(6),
        check (delimiter in ('comma', 'semicolon', 'tab'))
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index accounting_template_page_idx on accounting_template (company_id, created_at, id);
      -- Two with one name could not be distinguished; a discarded one frees its name.
      create unique index accounting_template_name_key on accounting_template (company_id, fold_text(name)) where discarded_at is null`);
    this.addSql(
      `select watch_changes('accounting_template', $sql$'AccountingTemplate'$sql$, '(select r.id)', 'r.company_id', null, true, array[]::text[])`,
    );
  }
}
