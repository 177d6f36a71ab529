import { Migration } from '@mikro-orm/migrations';

/** What materials are bought and sold for. */
export class MaterialRates extends Migration {
  override up(): void {
    this.addSql(`create table material_rate (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      material_id uuid not null references material (id),
      unit_of_measure text not null,
      buy_price numeric(18,4),
      sell_price numeric(18,4),
      project_id uuid references project (id),
      site_id uuid references site (id),
      customer_account_id uuid references account (id),
      discarded_at timestamptz(6)
    )`);
    // A material has one price for each combination; a project's customer is that of the project. Also finds what applies to a load.
    this.addSql(`create unique index material_rate_combination_key on material_rate
      (company_id, material_id, project_id, site_id, (case when project_id is null then customer_account_id end)) nulls not distinct
      where discarded_at is null`);
    // The page of one company in the default order, newest first.
    this.addSql('create index material_rate_page_idx on material_rate (company_id, created_at, id)');
    // The list below a project.
    this.addSql('create index material_rate_project_idx on material_rate (project_id, created_at, id) where project_id is not null');
  }
}
