import { Migration } from '@mikro-orm/migrations';

/**
 * What refers to a record that is merged is found by these, in the tables that have a row for each load, each job or each crossing of a geofence. Of
 * 500,000 loads each such search read 16,655 pages. Orders have a twentieth of the rows, and are read as a whole.
 */
export class FindWhatIsMerged extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that failed in the middle leaves an index that nothing uses.
    this.addSql('drop index concurrently if exists load_supplier_idx');
    this.addSql(`
      -- The loads whose material an account sold, when accounts are merged; also for the foreign key.
      create index concurrently load_supplier_idx on load (material_rate_supplier_account_id) where material_rate_supplier_account_id is not null`);
    this.addSql('drop index concurrently if exists load_material_rate_site_idx');
    this.addSql(`
      -- The loads whose price is that of a site, when sites are merged; also for the foreign key.
      create index concurrently load_material_rate_site_idx on load (material_rate_site_id) where material_rate_site_id is not null`);
    this.addSql('drop index concurrently if exists job_supplier_idx');
    this.addSql(`
      -- The jobs whose material an account sells, when accounts are merged; also for the foreign key.
      create index concurrently job_supplier_idx on job (material_rate_supplier_account_id) where material_rate_supplier_account_id is not null`);
    this.addSql('drop index concurrently if exists job_material_rate_site_idx');
    this.addSql(`
      -- The jobs whose price is that of a site, when sites are merged; also for the foreign key.
      create index concurrently job_material_rate_site_idx on job (material_rate_site_id) where material_rate_site_id is not null`);
    this.addSql('drop index concurrently if exists geofence_trigger_site_idx');
    this.addSql(`
      -- Who crossed the geofences of a site, when sites are merged; also for the foreign key.
      create index concurrently geofence_trigger_site_idx on geofence_trigger (site_id) where site_id is not null`);
  }
}
