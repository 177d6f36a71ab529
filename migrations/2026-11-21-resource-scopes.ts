import { Migration } from '@mikro-orm/migrations';

/** The sites that people are limited to. */
export class ResourceScopes extends Migration {
  override up(): void {
    this.addSql(`create table resource_scope (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      user_id uuid not null references app_user (id),
      resource_type text not null check (resource_type = 'Site'),
      site_id uuid not null references site (id)
    )`);
    // A site limits a person once; also answers at every sign-in whether and where somebody is limited.
    this.addSql('create unique index resource_scope_user_site_key on resource_scope (user_id, site_id)');
    // A person's limits are a page of their company's.
    this.addSql('create index resource_scope_page_idx on resource_scope (company_id, created_at, id)');
  }
}
