import { Migration } from '@mikro-orm/migrations';

/** Sites that move with equipment, further fences of a site, and whom to call there. */
export class SiteFences extends Migration {
  override up(): void {
    // Parts of a site are written with it, in whatever order: its key is looked for at the end of the transaction.
    this.addSql(`create table moving_site (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      site_id uuid not null references site (id) deferrable initially deferred,
      equipment_id uuid not null references equipment (id),
      polling_interval_seconds integer not null default 60
    )`);
    // A site follows one truck; also finds it when the site is read.
    this.addSql('create unique index moving_site_site_key on moving_site (site_id)');
    this.addSql('alter table routing_geofence add column site_id uuid references site (id) deferrable initially deferred');
    // The additional fences of a site, when they are listed.
    this.addSql('create index routing_geofence_site_idx on routing_geofence (site_id, created_at, id) where site_id is not null');
    this.addSql('alter table contact add column site_id uuid references site (id) deferrable initially deferred');
    // The contacts of a site, when it is read.
    this.addSql('create index contact_site_idx on contact (site_id, created_at, id) where site_id is not null');
  }
}
