import { Migration } from '@mikro-orm/migrations';

const SIDES = ['customer', 'vendor', 'driver'];

/** What a project pays and is paid for what is loaded at a site. */
export class SiteRateSchedules extends Migration {
  override up(): void {
    const rates = SIDES.map(
      (side) => `${side}_rate_id uuid references rate (id), ${side}_rate_value numeric(18,4), ${side}_rate_type text`,
    );
    this.addSql(`create table site_rate_schedule (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      project_id uuid not null references project (id),
      site_id uuid references site (id),
      ${rates.join(',\n')},
      discarded_at timestamptz(6)
    )`);
    // A project has one schedule for each site, and one for all others. Also its list, and what finds the one for an order.
    this.addSql(`create unique index site_rate_schedule_site_key on site_rate_schedule (project_id, site_id) nulls not distinct
      where discarded_at is null`);
    // The page of one company in the default order, newest first.
    this.addSql('create index site_rate_schedule_page_idx on site_rate_schedule (company_id, created_at, id)');
  }
}
