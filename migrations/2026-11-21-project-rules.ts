import { Migration } from '@mikro-orm/migrations';

/** What a project pays may depend on more than where is loaded: on where is unloaded, on what kind of truck, on what material (DOMAIN 3.3). */
export class ProjectRules extends Migration {
  override up(): void {
    this.addSql(`alter table site_rate_schedule
      add column dropoff_site_id uuid references site (id),
      add column equipment_type_id uuid references equipment_type (id),
      add column material_id uuid references material (id)`);
    this.addSql('drop index site_rate_schedule_site_key');
    // A project has one rule for each set of conditions, and one without any. Also its list, and what finds the one for a job.
    this.addSql(`create unique index site_rate_schedule_site_key on site_rate_schedule
      (project_id, site_id, dropoff_site_id, equipment_type_id, material_id) nulls not distinct where discarded_at is null`);
  }
}
