import { Migration } from '@mikro-orm/migrations';

/** What is charged or paid beside freight. */
export class AddOns extends Migration {
  override up(): void {
    this.addSql(`create table add_on (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      name text not null,
      add_on_types text[] not null default '{}',
      quantity numeric(18,4) not null,
      revenue_cost_rate_type text not null,
      revenue_rate_value numeric(18,4),
      cost_rate_value numeric(18,4),
      percentage numeric(18,4) check (percentage between -100 and 100),
      taxable boolean not null default false,
      external_id text,
      accounting_id text,
      discarded_at timestamptz(6)
    )`);
    // Two of one name could not be told apart; a discarded one frees its name. Also serves typeaheads, which go by name.
    this.addSql('create unique index add_on_name_key on add_on (company_id, lower(name)) where discarded_at is null');
    // The page of one company in the default order, newest first.
    this.addSql('create index add_on_page_idx on add_on (company_id, created_at, id)');
  }
}
