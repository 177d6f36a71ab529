import { Migration } from '@mikro-orm/migrations';

/** Sites that forms offer first for the stops of an order, or of a project's orders. */
export class DefaultSites extends Migration {
  override up(): void {
    this.addSql(`create table default_site (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      order_id uuid references orders (id) on delete cascade,
      project_id uuid references project (id) on delete cascade,
      waypoint_type text not null,
      site_id uuid not null references site (id),
      check (num_nonnulls(order_id, project_id) = 1)
    )`);
    // A site is a default once; also lists those of a stop.
    this.addSql('create unique index default_site_order_key on default_site (order_id, waypoint_type, site_id) where order_id is not null');
    this.addSql(
      'create unique index default_site_project_key on default_site (project_id, waypoint_type, site_id) where project_id is not null',
    );
  }
}
